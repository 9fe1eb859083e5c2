"""The summary of a run as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from helio_dagster.launch.report import RunReport


def print_report(report: RunReport, console: Console) -> None:
    """The summary a person reads."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("step", "computed", "reused", "empty", "skipped", "failed"):
        table.add_column(title, justify="left" if title == "step" else "right")
    for step, counts in report.steps.items():
        numbers = (counts.computed, counts.reused, counts.empty, counts.skipped, counts.failed)
        table.add_row(step, *(str(number) if number else "·" for number in numbers))
    console.print(table)
    if any(step.empty for step in report.steps.values()):
        console.print("empty: the archive has no data there.")
    for failure in report.failures[:20]:
        place = f"{failure.step} {failure.partition}" if failure.partition else failure.step
        console.print(f"failed: {place}: {failure.error}", markup=False, soft_wrap=True)
        if failure.hint:
            console.print(f"  {failure.hint}", markup=False, soft_wrap=True)
    if len(report.failures) > 20:
        console.print(f"… and {len(report.failures) - 20} more: helio status {report.pipeline} {report.start} {report.stop}")
    for figure in report.figures:
        console.print(f"figure {figure.step}: {figure.html}", markup=False, soft_wrap=True)
        if figure.png:
            console.print(f"  picture: {figure.png}", markup=False, soft_wrap=True)
    done = "nothing was to be done" if report.run_id is None else f"Dagster run {report.run_id}"
    console.print(f"{report.status} in {report.seconds:.1f} s; {done}")
