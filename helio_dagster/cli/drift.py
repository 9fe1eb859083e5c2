"""`helio drift`: check whether the archive changed its files since a pipeline was run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helio_dagster.cli.options import AsJson, PipelineName, Times, Verbose, settings_of_record, span_from_words
from helio_dagster.cli.terminal import write_json_text

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.launch.running.drift import DriftReport

MOST_SHOWN = 20
"""Number of partitions printed without `-v`."""


def drift(pipeline: PipelineName, times: Times = None, as_json: AsJson = False, verbose: Verbose = False) -> int:
    """Ask the archive whether the files PIPELINE was made from have changed. Recomputes nothing.

    Without a range, all existing partitions are checked. Those whose files changed become stale, and the next run
    recomputes them.
    """
    from helio_dagster.cli.console import Console
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.drift import drift as launch
    from helio_dagster.resources.workbench import Workbench

    settings = settings_of_record()
    workbench = Workbench(settings)
    try:
        opened, now = Home(settings).open(pipeline), workbench.clock()
        span = opened.span(span_from_words(times, now), now) if times else None
        report = launch(opened.graph, opened.pipeline, span, workbench)
    finally:
        workbench.close()
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        _print(report, Console(), most=None if verbose else MOST_SHOWN)
    return report.exit_code


def _print(report: DriftReport, console: Console, *, most: int | None) -> None:
    if report.start is None:
        console.print(f"{report.pipeline} has no partitions yet: helio run {report.pipeline} START STOP")
        return
    lines = []
    for asset in report.assets:
        differing = [each for each in asset.partitions if each.changes]
        lines.append(f"{asset.asset}: {len(differing)} of {asset.asked} partitions changed")
        lines += [f"  {each.key}  {change.text}" for each in differing for change in each.changes]
        unknown = [each for each in asset.partitions if each.error is not None]
        if unknown:
            others = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            lines.append(f"  {unknown[0].key}{others}: unknown: {unknown[0].error}")
    for line in lines[:most]:
        console.print(line, soft_wrap=True)
    if len(lines) > len(lines[:most]):
        console.print(f"… and {len(lines) - len(lines[:most])} more lines: add -v")
    if report.changed:
        console.print(
            f"They are stale now. To remake them: helio run {report.pipeline} {report.start} {report.stop}", soft_wrap=True
        )
