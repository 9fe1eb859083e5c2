"""`helio run --windows`: run a pipeline over each window of a list, with a summary of all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import write_error, write_json_text
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.domain.report import WindowsReport


def run_over_windows(
    pipeline: str, path: Path, *, force: bool, refresh: bool, is_sure: bool, as_json: bool, is_verbose: bool
) -> int:
    """Run each window, print what became of it, and return the exit code."""
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.progress import RunProgress
    from helio_dagster.cli.run import ask
    from helio_dagster.domain.report import LONG_RUN
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.request import RunRequest
    from helio_dagster.launch.running.windows import read_windows, run_windows
    from helio_dagster.resources.workbench import Workbench

    found = read_windows(path)
    with Workbench(settings_from_environment(), begun_by="command line") as workbench:
        opened = Home(workbench.settings).open(pipeline)
        write_error(f"{path}: {found.summary}\n")
        days = {key for window in found.windows for key in opened.pipeline.grain.keys(window.span)}
        count = len(days) * len([*opened.pipeline.nodes])
        write_error(f"{opened.pipeline.name}: {counted(len(found.windows), 'window')}, {counted(count, 'partition')}\n")
        if count > LONG_RUN and not is_sure:
            ask("That is a long run. Start it?")

        def watch(request: RunRequest) -> RunProgress:
            write_error(f"{opened.pipeline.name}: {request.asked or request.span}\n")
            return RunProgress(request, is_verbose=is_verbose)

        report = run_windows(opened, found.windows, workbench, force=force, refresh=refresh, watch=watch)
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        _print(report, Console())
    return report.exit_code


def _print(report: WindowsReport, console: Console) -> None:
    """A section for each window, and a last line over all."""
    from helio_dagster.cli.report import facts_table, print_failures, print_unmet

    for window in report.windows:
        title = f"{window.start} to {window.stop}" + (f", {window.id}" if window.id else "")
        console.print(f"{title}: {window.status}", soft_wrap=True)
        if window.error:
            console.print(f"  {window.error}", soft_wrap=True)
            if window.hint:
                console.print(f"  {window.hint}", soft_wrap=True)
        if window.report is None:
            continue
        print_failures(window.report, console)
        print_unmet(window.report, console)
        if window.report.facts:
            console.print(facts_table(window.report.facts))
        for figure in window.report.figures:
            console.print(f"  figure {figure.step}: {figure.html}", soft_wrap=True)
    good = sum(window.status == "success" for window in report.windows)
    console.print(f"{report.status}: {good} of {counted(len(report.windows), 'window')} done in {report.seconds:.1f} s")
