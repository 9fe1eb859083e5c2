"""A home that another process or machine serves (`helio serve`), by the same calls as the one of this process."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import httpx

from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.api.opening import When, text_of
from helio_dagster.api.remote_talking import RemoteConversation
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.report import FactReport, FactsReport, RunReport, StatusReport
from helio_dagster.domain.time_words import parse_span
from helio_dagster.launch.credit.citation import Citation

if TYPE_CHECKING:
    import pandas as pd

    from helio_dagster.launch.running.printing import Format, PrintedFigure

_TIMEOUT = httpx.Timeout(60.0, read=120.0)
_MOST_TRIES, _PAUSE_S = 10, 0.5
_ASKED_WRONGLY = (400, 404, 409, 413, 415)


def connect(url: str, token: str | None = None) -> Remote:
    """A served home, with the calls of this package.

    Parameters
    ----------
    url
        The address that `helio serve` or `helio ui` prints.
    token
        The token, where the server asks for one.

    Raises
    ------
    InputError
        The address is none, or the token is not taken.
    HelioError
        Nothing answers there.

    Examples
    --------
    >>> home = connect("http://127.0.0.1:3000")
    >>> home.read("b_mag", "2003-10-29", pipeline="ace_bfield").attrs["unit"]
    'nT'
    """
    remote = Remote(url, token)
    remote.ask("GET", "/pipelines")
    return remote


class Remote:
    """A served home; every call raises as the one of this package that has its name. Use `close`, or `with`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        try:
            self._client = httpx.Client(base_url=f"{url.rstrip('/')}/api/v1", headers=headers, timeout=_TIMEOUT)
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"{url!r:.80} is not an address: {error}", hint="Give http://127.0.0.1:3000.") from None

    def __enter__(self) -> Remote:
        """Nothing to do: connections are made by calls."""
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; what was begun goes on."""
        self._client.close()

    def load_pipeline(self, name: str) -> Pipeline:
        """A pipeline of the library."""
        return parse_pipeline(str(self.ask("GET", f"/pipelines/{name}")["yaml"]), file=f"{name}.yaml").pipeline

    def status(self, pipeline: str, start: When | None = None, stop: When | None = None) -> StatusReport:
        """The state of a pipeline's partitions and why, as `helio status`."""
        return StatusReport.model_validate(self.ask("GET", f"/pipelines/{pipeline}/status", query=_times(start, stop)))

    def run(
        self, pipeline: str, start: When | None = None, stop: When | None = None, *, force: bool = False, key: str | None = None
    ) -> RunReport:
        """Bring a pipeline's partitions over `[start, stop)` up to date, and wait for it; Ctrl-C stops the run.

        Two calls with the same `key` are one run.
        """
        body = {**_times(start, stop), "force": force, "key": key}
        run_id = str(self.ask("POST", f"/pipelines/{pipeline}/runs", body=body)["run"])
        try:
            for _ in self.follow(f"/runs/{run_id}/events", 0):
                pass
        except KeyboardInterrupt:
            self.ask("POST", f"/runs/{run_id}/cancel")
            raise
        found = self.ask("GET", f"/runs/{run_id}")
        if found["report"] is None:
            raise HelioError(
                found["problem"] or f"the run {run_id} was stopped", hint="Run it again: what is finished is kept."
            )
        return RunReport.model_validate(found["report"])

    def read(self, asset_or_step: str, start: When, stop: When | None = None, *, pipeline: str | None = None) -> pd.DataFrame:
        """The stored records of an asset over `[start, stop)`."""
        from helio_dagster.compute.dataframes import table_to_dataframe
        from helio_dagster.storage.tables import TableStore

        query = {"asset": asset_or_step, "pipeline": pipeline, **_times(start, stop)}
        with tempfile.TemporaryDirectory(prefix="helio-") as folder:
            path = Path(folder) / "table.parquet"
            with self._opened("GET", "/table", query=query) as answer, path.open("wb") as file:
                for part in answer.iter_bytes():
                    file.write(part)
            return table_to_dataframe(TableStore.read_file(path))

    def facts(self, pipeline: str, start: When | None = None, stop: When | None = None) -> pd.DataFrame:
        """The numbers that a pipeline's steps have computed."""
        import pandas as pd

        found = FactsReport.model_validate(self.ask("GET", f"/facts/{pipeline}", query=_times(start, stop)))
        return pd.DataFrame([each.model_dump() for each in found.facts], columns=list(FactReport.model_fields))

    def figure(
        self,
        pipeline: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        step: str | None = None,
        form: Format = "png",
        style: str | None = None,
        width: str | None = None,
        height: str | None = None,
        font: str | None = None,
        dpi: int | None = None,
        letters: bool | None = None,
        title: bool | None = None,
        footer: bool | None = None,
    ) -> PrintedFigure:
        """Draw a figure of a pipeline, after running what is missing; a notebook shows it."""
        from helio_dagster.launch.running.printing import PrintedFigure

        report = self.run(pipeline, start, stop)
        if report.failures:
            first = report.failures[0]
            raise HelioError(f"{first.step} {first.partition or ''} failed: {first.error}", hint=first.hint)
        how = {"style": style, "width": width, "height": height, "font": font, "dpi": dpi}
        query = {**_times(start, stop), "step": step, "form": form, **how, "letters": letters, "title": title, "footer": footer}
        with self._opened("GET", f"/pipelines/{pipeline}/figure", query=query) as answer:
            about, content = json.loads(answer.headers["x-figure"]), answer.read()
        span = parse_span(about["start"], about["stop"], datetime.now(UTC))
        return PrintedFigure(about["step"], span, content, about["width_mm"], about["height_mm"], form)

    def cite(self, pipeline: str, start: When | None = None, stop: When | None = None) -> Citation:
        """Whom to cite for a pipeline's results."""
        return Citation.model_validate(self.ask("GET", f"/pipelines/{pipeline}/citation", query=_times(start, stop)))

    @contextmanager
    def converse(
        self, *, session: str | None = None, archive: str | None = None, tell: Tell = say_nothing
    ) -> Iterator[RemoteConversation]:
        """A conversation as in `helio chat`: `conversation.say(text)` returns the events of a turn.

        Between the turns nothing is held: others may go on with it, and after the block it can be continued by its id.
        """
        found = session or str(self.ask("POST", "/conversations", body={"archive": archive})["id"])
        conversation = RemoteConversation(self.ask, self.follow, found, tell)
        _ = conversation.session
        yield conversation

    def ask(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The JSON answer of the server to one request.

        Raises
        ------
        InputError
            What is asked cannot be.
        HelioError
            The server did not do it, or nothing answers.
        """
        with self._opened(method, path, query=query, body=body) as answer:
            return cast("dict[str, Any]", json.loads(answer.read()))

    def follow(self, path: str, after: int) -> Iterator[dict[str, Any]]:
        """The events of a stream behind a number, until it ends; a connection that is cut is made again."""
        tries = 0
        while True:
            try:
                with self._opened("GET", path, query={"after": after}) as answer:
                    for line in answer.iter_lines():
                        if line.startswith("data:"):
                            event = json.loads(line[5:])
                            after, tries = int(event["n"]), 0
                            yield event
                return
            except httpx.TransportError as error:
                tries += 1
                if tries > _MOST_TRIES:
                    raise HelioError(f"lost the connection to the server at {self._client.base_url.host}: {error}") from None
                time.sleep(_PAUSE_S)

    @contextmanager
    def _opened(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        params = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            opened = self._client.stream(method, path, params=params, json=dict(body or {}) if method == "POST" else None)
            with opened as answer:
                if not answer.is_success:
                    answer.read()
                    raise _error_of(answer)
                yield answer
        except httpx.ConnectError as error:
            where = f"{self._client.base_url.host}:{self._client.base_url.port}"
            raise HelioError(f"nothing answers at {where}: {error}", hint="Start it: helio serve.") from None


def _times(start: When | None, stop: When | None) -> dict[str, Any]:
    found = {"start": start, "stop": stop}
    return {name: text_of(each) for name, each in found.items() if each is not None}


def _error_of(answer: httpx.Response) -> HelioError:
    """The error that a local call would have raised."""
    try:
        error_document = answer.json()["error"]
        problem, hint = str(error_document["problem"]), str(error_document.get("hint", ""))
    except (ValueError, KeyError, TypeError):
        problem, hint = f"the server answered {answer.status_code}", "Is this the address of helio serve?"
    kind = InputError if answer.status_code in (*_ASKED_WRONGLY, 401, 403, 421) else HelioError
    return kind(problem, hint=hint)
