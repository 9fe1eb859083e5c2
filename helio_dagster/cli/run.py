"""`helio run`: replay a pipeline over a range, with progress and a summary."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from helio_dagster.cli.report import print_report
from helio_dagster.cli.words import AsJson, PipelineName, Times, Verbose, settings_from_environment, span_from_words
from helio_dagster.domain.errors import AnswerNeeded

ASK_ABOVE = 2000
"""Partitions of a run above which a person is asked first."""


def run(
    pipeline: PipelineName,
    times: Times = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask the archive whether its files changed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Make everything anew.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a long run.")] = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Replay PIPELINE over START to STOP: only what is missing or stale is made."""
    from rich.console import Console

    from helio_dagster.cli.progress import RunProgress
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.run import RunRequest, resolve_span
    from helio_dagster.launch.run import run as launch
    from helio_dagster.resources.workbench import Workbench

    settings = settings_from_environment()
    workbench = Workbench(settings)
    try:
        found, graph = Home(settings).open(pipeline)
        span = resolve_span(graph, found, span_from_words(times, workbench.clock()), workbench)
        request = RunRequest(graph, found, span, force=force, refresh=refresh)
        count = len(found.partitions.keys(span))
        if count > ASK_ABOVE and not yes:
            _ask(f"{found.name} over {span} has {count:,} {found.partitions} partitions. Run them all?")
        sys.stderr.write(f"{found.name}: {span}, {count} {found.partitions} partition{'s' if count > 1 else ''}\n")
        with RunProgress(request, is_verbose=verbose) as progress:
            report = launch(request, workbench, listener=progress)
    finally:
        workbench.close()
    if as_json:
        sys.stdout.write(report.model_dump_json() + "\n")
    else:
        print_report(report, Console(highlight=False))
    return report.exit_code


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        raise AnswerNeeded(question, hint="Add --yes, or give a shorter range.")
    if not typer.confirm(question, err=True):
        raise AnswerNeeded("not run", hint="Give a shorter range, or answer yes.")
