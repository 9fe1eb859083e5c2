"""A home that another process or machine serves (`helio serve`), by the same calls as the one of this process."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack, cast

from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.api.connection import Connection
from helio_dagster.api.opening import When
from helio_dagster.api.remote_records import RemoteRecords, times_of
from helio_dagster.api.remote_talking import RemoteConversation
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.report import FactReport, FactsReport, RunReport, ScheduleReport, StatusReport
from helio_dagster.domain.time_words import parse_span
from helio_dagster.domain.verify_report import VerifyReport
from helio_dagster.launch.credit.citation import Citation

if TYPE_CHECKING:
    import pandas as pd

    from helio_dagster.launch.library.pipeline_exchange import Arrival
    from helio_dagster.launch.running.printing import Format, PrintedFigure

Listener = Callable[[Mapping[str, Any]], None]


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
    remote.check()
    return remote


class Remote(RemoteRecords):
    """A served home; every call raises as the one of this package that has its name. Use `close`, or `with`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        super().__init__(Connection(url, token))

    def __enter__(self) -> Remote:
        """Nothing to do: connections are made by calls."""
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; what was begun goes on."""
        self._connection.close()

    def load_pipeline(self, name: str) -> Pipeline:
        """A pipeline of the library."""
        return parse_pipeline(str(self._connection.ask("GET", f"/pipelines/{name}")["yaml"]), file=f"{name}.yaml").pipeline

    def status(self, pipeline: str, start: When | None = None, stop: When | None = None) -> StatusReport:
        """The state of a pipeline's partitions and why, as `helio status`."""
        return StatusReport.model_validate(
            self._connection.ask("GET", f"/pipelines/{pipeline}/status", query=times_of(start, stop))
        )

    def run(
        self,
        pipeline: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        force: bool = False,
        refresh: bool = False,
        open_last: bool = False,
        event: str | None = None,
        every: bool = False,
        key: str | None = None,
        listener: Listener | None = None,
    ) -> RunReport:
        """Bring a pipeline's partitions over `[start, stop)` up to date, and wait for it; Ctrl-C stops the run.

        `open_last` makes the last partition up to its newest data, before it is over.
        Of a pipeline over events, `event` is the key of one to run, and `every` runs all that are over; a range is neither.
        Two calls with the same `key` are one run. `listener` gets each event of the run, as in `GET /runs/ID/events`.
        """
        body = {**times_of(start, stop), "force": force, "refresh": refresh, "key": key, "event": event, "all": every}
        body |= {"open": True} if open_last else {}
        return RunReport.model_validate(self._finished(f"/pipelines/{pipeline}/runs", body, "report", listener))

    def verify(
        self,
        pipeline: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        key: str | None = None,
        listener: Listener | None = None,
    ) -> VerifyReport:
        """Remake there what is stored over `[start, stop)` and compare; does not change the home. Ctrl-C stops it."""
        body = {**times_of(start, stop), "key": key}
        return VerifyReport.model_validate(self._finished(f"/pipelines/{pipeline}/verifications", body, "verified", listener))

    def schedule(self, pipeline: str) -> ScheduleReport:
        """Whether Dagster runs a pipeline by itself there, and when next."""
        return ScheduleReport.model_validate(self._connection.ask("GET", f"/pipelines/{pipeline}/schedule"))

    def switch_schedule(self, pipeline: str, *, is_on: bool) -> ScheduleReport:
        """Switch the schedule of a pipeline on or off; InputError where that server runs no schedules."""
        asked = self._connection.ask("POST", f"/pipelines/{pipeline}/schedule", body={"is_on": is_on})
        return ScheduleReport.model_validate(asked)

    def import_pipeline(self, text_or_file: str | Path, *, replace: bool = False) -> list[Arrival]:
        """Bring a pipeline and what came with it into the library there, as `import_pipeline`; up to some 700 kB.

        The paths are those on the server's machine.
        """
        from helio_dagster.launch.library.pipeline_exchange import Arrival

        data = text_or_file.read_bytes() if isinstance(text_or_file, Path) else text_or_file.encode()
        name = str(text_or_file) if isinstance(text_or_file, Path) else "the text"
        body = {"content": b64encode(data).decode(), "name": name[-200:], "replace": replace}
        found = self._connection.ask("POST", "/imports", body=body)["arrivals"]
        return [Arrival(**{**each, "path": Path(each["path"])}) for each in found]

    def facts(self, pipeline: str, start: When | None = None, stop: When | None = None) -> pd.DataFrame:
        """The numbers that a pipeline's steps have computed, as `helio_dagster.facts` gives them."""
        import pandas as pd

        found = self.facts_report(pipeline, start, stop).facts
        return pd.DataFrame([each.model_dump() for each in found], columns=list(FactReport.model_fields))

    def facts_report(self, pipeline: str, start: When | None = None, stop: When | None = None) -> FactsReport:
        """The numbers that a pipeline's steps have computed, as `helio facts --json`."""
        return FactsReport.model_validate(self._connection.ask("GET", f"/facts/{pipeline}", query=times_of(start, stop)))

    def figure(
        self,
        pipeline: str,
        start: When | None = None,
        stop: When | None = None,
        *,
        step: str | None = None,
        form: Format = "png",
        **how: Unpack[PrintOptions],
    ) -> PrintedFigure:
        """Draw a figure of a pipeline, after running what is missing; a notebook shows it."""
        from helio_dagster.launch.running.printing import PrintedFigure

        report = self.run(pipeline, start, stop)
        if report.failures:
            first = report.failures[0]
            raise HelioError(f"{first.step} {first.partition or ''} failed: {first.error}", hint=first.hint)
        query = {**times_of(start, stop), "step": step, "form": form, **how}
        with self._connection.opened("GET", f"/pipelines/{pipeline}/figure", query=query) as answer:
            about, content = json.loads(answer.headers["x-figure"]), answer.read()
        span = parse_span(about["start"], about["stop"], datetime.now(UTC))
        return PrintedFigure(about["step"], span, content, about["width_mm"], about["height_mm"], form)

    def cite(self, pipeline: str, start: When | None = None, stop: When | None = None) -> Citation:
        """Whom to cite for a pipeline's results."""
        return Citation.model_validate(
            self._connection.ask("GET", f"/pipelines/{pipeline}/citation", query=times_of(start, stop))
        )

    @contextmanager
    def converse(
        self, *, session: str | None = None, archive: str | None = None, tell: Tell = say_nothing
    ) -> Iterator[RemoteConversation]:
        """A conversation as in `helio chat`: `conversation.say(text)` returns the events of a turn.

        Between the turns nothing is held: others may go on with it, and after the block it can be continued by its id.
        """
        found = session or str(self._connection.ask("POST", "/conversations", body={"archive": archive})["id"])
        conversation = RemoteConversation(self._connection.ask, self._connection.follow, found, tell)
        _ = conversation.session
        yield conversation

    def check(self) -> None:
        """Raise what is wrong with the connection: nothing answers, or the token is not taken."""
        self._connection.ask("GET", "/runs", query={"count": 1})

    def _finished(self, path: str, body: Mapping[str, Any], report: str, listener: Listener | None) -> dict[str, Any]:
        """The report of what a request begins, once it is over; what went wrong is raised as a local call raises it."""
        run_id = str(self._connection.ask("POST", path, body=body)["run"])
        fault: dict[str, Any] = {}
        try:
            for event in self._connection.follow(f"/runs/{run_id}/events", 0):
                fault = event if event["stage"] == "error" else fault
                if listener is not None:
                    listener(event)
        except KeyboardInterrupt:
            self._connection.ask("POST", f"/runs/{run_id}/cancel")
            raise
        found = self._connection.ask("GET", f"/runs/{run_id}")
        if found[report] is None:
            kind = InputError if found["state"] == "refused" else HelioError
            problem = str(fault.get("problem") or found["problem"] or f"the run {run_id} was stopped")
            raise kind(problem, hint=str(fault.get("hint") or "Run it again: what is finished is kept."))
        return cast("dict[str, Any]", found[report])
