"""`helio run`: run a pipeline over a range, with progress and a summary."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.on_server import OnServer, run_there
from helio_dagster.cli.options import (
    AsJson,
    PipelineName,
    Times,
    Verbose,
    settings_of_record,
    span_from_words,
)
from helio_dagster.cli.report import print_report
from helio_dagster.cli.terminal import confirm, write_error, write_json_text
from helio_dagster.domain.amounts import counted, readable_size
from helio_dagster.domain.errors import AnswerNeeded, InputError

if TYPE_CHECKING:
    from helio_dagster.launch.running.request import RunRequest
    from helio_dagster.launch.running.run_plan import RunPlan
    from helio_dagster.resources.workbench import Workbench

_EITHER = "give either a range, or --event or --all"
_EITHER_HINT = "--event KEY runs one event, --all every one."
ESTIMATE_ABOVE = 90
"""Number of partitions in a range above which an estimate is printed first."""


def run(
    pipeline: PipelineName,
    times: Times = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask the archive whether its files have changed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Recompute everything.")] = False,
    event: Annotated[
        str | None, typer.Option("--event", metavar="KEY", help="Run one event of a pipeline over events.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run all events of a pipeline over events.")] = False,
    windows: Annotated[
        Path | None, typer.Option("--windows", metavar="LIST", help="Run each window of a list of events, from start to stop.")
    ] = None,
    clip: Annotated[bool, typer.Option("--clip", help="Run only the part of the range that all its datasets cover.")] = False,
    is_open: Annotated[
        bool, typer.Option("--open", help="Run the last partition up to its newest data, before it is over.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start a long run without asking.")] = False,
    on: OnServer = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Run PIPELINE from START to STOP, or over its own `range:`, computing only what is missing or stale."""
    if on is not None:
        if windows is not None or clip:
            hint = "Give a range, --event, --all or --open; or log in there and run the command on that machine."
            raise InputError("--on does not work with --windows or --clip", hint=hint)
        if times and (event is not None or every):
            raise InputError(_EITHER, hint=_EITHER_HINT)
        return run_there(
            on,
            pipeline,
            times,
            event=event,
            every=every,
            force=force,
            refresh=refresh,
            is_open=is_open,
            as_json=as_json,
            is_verbose=verbose,
        )
    if windows is not None:
        from helio_dagster.cli.windows import run_over_windows

        if times or every or clip or is_open or event is not None:
            raise InputError("--windows does not work with a range, --event, --all, --clip or --open", hint="Leave them out.")
        return run_over_windows(
            pipeline, windows, force=force, refresh=refresh, is_sure=yes, as_json=as_json, is_verbose=verbose
        )
    began = time.monotonic()
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.progress import RunProgress
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.availability import clip as clipped
    from helio_dagster.launch.running.availability import find_shortfalls
    from helio_dagster.launch.running.request import has_partitions, last_partition
    from helio_dagster.launch.running.run import run as launch
    from helio_dagster.launch.running.run_plan import plan_run
    from helio_dagster.resources.workbench import Workbench

    settings = settings_of_record()
    workbench = Workbench(settings, begun_by="command line")
    try:
        home = Home(settings)
        opened, now = home.open(pipeline), workbench.clock()
        opened = opened.opened if is_open else opened
        found, graph = opened
        if event is not None or every:
            if times:
                raise InputError(_EITHER, hint=_EITHER_HINT)
            request = opened.event_request(event, now, force=force, refresh=refresh)
        else:
            given = span_from_words(times, now) if times else None
            needs_range = given or found.range or has_partitions(graph, found)
            asked = opened.asked_range(given, now) if needs_range else last_partition(found, now)
            shortfalls = find_shortfalls(graph, found, asked, home.catalog)
            for shortfall in shortfalls:
                write_error(f"note: {shortfall}\n")
            asked = clipped(asked, shortfalls) if clip else asked
            request = opened.request(asked, now, force=force, refresh=refresh)
        count = len(request.keys)
        what = "event" if request.events is not None else f"{found.grain} partition"
        default = f" (its `range: {found.range}`)" if found.range and not (times or event or every) else ""
        write_error(f"{found.name}: {request.only or request.span}{default}, {counted(count, what)}\n")
        if request.late:
            write_error(
                f"note: {counted(len(request.late), 'event')} not over yet, left out: {', '.join(sorted(request.late)[:5])}\n"
            )
        plan, beside = None, list[tuple[str, str | None]]()
        if count > ESTIMATE_ABOVE:
            plan = plan_run(request, workbench)
            beside = plan.beside(request)
            plan = None if _confirm(request, workbench, plan, is_sure=yes) else plan
        with RunProgress(request, is_verbose=verbose, beside=beside) as progress:
            report = launch(request, workbench, listener=progress, plan=plan, began=began)
    finally:
        workbench.close()
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        print_report(report, Console())
        if report.failures:
            write_error("All that happened: helio logs\n")
    return report.exit_code


def _confirm(request: RunRequest, workbench: Workbench, plan: RunPlan, *, is_sure: bool) -> bool:
    """Print the estimate of a long run, and ask if it is very long; return whether a person was asked."""
    from helio_dagster.launch.running.estimate import estimate

    ahead = estimate(request, workbench, plan)
    if not ahead.partitions:
        return False
    known = "nothing" if ahead.download_bytes == 0 else f"about {readable_size(ahead.download_bytes or 0)}"
    download = "of unknown size" if ahead.download_bytes is None else known
    disk = "not known yet" if ahead.disk_bytes is None else f"about {readable_size(ahead.disk_bytes)}"
    source = f"from {counted(ahead.files, 'file')}, {ahead.at_hand:,} already cached"
    source = f"from unknown files: {ahead.problem}" if ahead.problem else source
    write_error(f"ahead: {counted(ahead.partitions, 'partition')} to make {source}\n")
    write_error(f"download: {download}; disk: {disk}, {readable_size(ahead.free_bytes)} free\n")
    is_full = ahead.disk_bytes is not None and ahead.disk_bytes > ahead.free_bytes
    if is_sure or not ahead.is_long:
        return False
    ask("The disk may be too small. Start anyway?" if is_full else "That is a long run. Start it?")
    return True


def ask(question: str) -> None:
    """Ask a person before a long run; AnswerNeeded if there is none, or the answer is no."""
    if not sys.stdin.isatty():
        raise AnswerNeeded(question, hint="Add --yes, or give a shorter range.")
    if not confirm(question):
        raise AnswerNeeded("not run", hint="Give a shorter range, or answer yes.")
