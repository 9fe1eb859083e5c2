"""Commands with `--on SERVER`: done by the home that `helio serve` serves there, printed as one of this machine's."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.options import configuration, span_from_words
from helio_dagster.cli.terminal import write_error, write_json_text
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.api.connecting import Remote
    from helio_dagster.domain.print_options import PrintOptions
    from helio_dagster.domain.report import RunReport
    from helio_dagster.domain.verify_report import VerifyReport
    from helio_dagster.launch.running.printing import Format, PrintedFigure

TOKEN_VARIABLE = "HELIO_TOKEN"  # noqa: S105  # the name of a variable
OnServer = Annotated[
    str | None,
    typer.Option(
        "--on", metavar="SERVER", help="Do it in the home served there: an address, or a name from your [servers] settings."
    ),
]
_EVERY_S = 5.0


@contextmanager
def served_by(server: str) -> Iterator[tuple[Remote, str]]:
    """A connection to a server given by name or address, with the token of the environment; and its address.

    Raises
    ------
    InputError
        No server has that name, the address cannot be used, or the token is not accepted.
    HelioError
        Nothing answers there.
    """
    from helio_dagster.api.connecting import connect
    from helio_dagster.domain.servers import VARIABLE, address_of, read_servers

    configured = configuration()
    with configured.placing_errors():
        address = address_of(server, read_servers(configured.environment.get(VARIABLE, "")))
    with connect(address, os.environ.get(TOKEN_VARIABLE) or None) as remote:
        yield remote, address


def limits_of(times: Sequence[str] | None) -> tuple[datetime | None, datetime | None]:
    """Start and stop of a range in words, as this machine's clock reads them; None twice where none is given."""
    if not times:
        return None, None
    span = span_from_words(times, datetime.now(UTC))
    return span.start, span.stop


def pipeline_there(pipeline: str) -> str:
    """The name of a pipeline of the server; InputError for a path, which means a file of this machine."""
    if "/" in pipeline or pipeline.endswith((".yaml", ".yml")):
        hint = "Give its name there. connect(...).import_pipeline(file) in Python brings a file to the server."
        raise InputError(f"{pipeline} is a file of this machine", where="--on", hint=hint)
    return pipeline


def run_there(
    server: str,
    pipeline: str,
    times: Sequence[str] | None,
    *,
    event: str | None,
    every: bool,
    force: bool,
    refresh: bool,
    is_open: bool,
    as_json: bool,
    is_verbose: bool,
) -> int:
    """Run a pipeline of a server and print the report as that of a local run, figures by their addresses."""
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.report import print_report

    name = pipeline_there(pipeline)
    with served_by(server) as (remote, address):
        listener = _Lines(name, address, is_verbose=is_verbose)
        how: dict[str, Any] = {"event": event, "every": every, "force": force, "refresh": refresh, "open_last": is_open}
        report = remote.run(name, *limits_of(times), **how, listener=listener)
    report = _with_addresses(report, address)
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        print_report(report, Console())
    return report.exit_code


def figures_there(
    server: str, pipeline: str, step: str, times: Sequence[str] | None, form: Format, how: PrintOptions
) -> Generator[tuple[str, PrintedFigure]]:
    """The figures of a pipeline of a server, or the named one, with its name; drawn there after running what is missing."""
    name = pipeline_there(pipeline)
    with served_by(server) as (remote, _):
        wanted = [step] if step else [each.id for each in remote.load_pipeline(name).steps if each.figure is not None]
        if not wanted:
            raise InputError(f"the pipeline {name} has no figure", hint=f"helio run {name} runs it.")
        for each in wanted:
            yield name, remote.figure(name, *limits_of(times), step=each, form=form, **how)


def verified_there(server: str, pipeline: str, times: Sequence[str] | None, *, is_verbose: bool) -> VerifyReport:
    """Verify a pipeline on a server and print the progress."""
    name = pipeline_there(pipeline)
    with served_by(server) as (remote, address):
        return remote.verify(name, *limits_of(times), listener=_Lines(name, address, is_verbose=is_verbose))


def _with_addresses(report: RunReport, address: str) -> RunReport:
    """The report with addresses of the figures in place of paths on the server's machine."""
    figures = [
        each.model_copy(
            update={
                "html": f"{address}/figures/{PurePath(each.html).name}",
                "png": each.png and f"{address}/figures/{PurePath(each.png).name}",
            }
        )
        for each in report.figures
    ]
    return report.model_copy(update={"figures": figures})


class _Lines:
    """Prints the range of a run, and how far it is, on standard error."""

    def __init__(self, pipeline: str, address: str, *, is_verbose: bool) -> None:
        self._pipeline, self._address, self._is_verbose = pipeline, address, is_verbose
        self._spoke = time.monotonic()

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["stage"] == "time":
            write_error(f"{self._pipeline} on {self._address}: {event['text']}\n")
        elif event["stage"] == "progress" and (self._is_verbose or time.monotonic() - self._spoke > _EVERY_S):
            self._spoke = time.monotonic()
            place = f"{event.get('asset', '')} {event.get('partition') or ''}".strip()
            write_error(f"{event['text']} ({place})\n")
