"""Print the summary of a run for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.cli.inline_pictures import show_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from helio_dagster.cli.console import Console
    from helio_dagster.domain.report import EventReport, FactReport, Failure, RunReport

MOST_SHOWN = 20
"""Maximum number of failures, and of events, that are printed."""
MOST_FACTS = 40
"""Maximum number of facts that are printed after a run."""


def print_report(report: RunReport, console: Console) -> None:
    """Print the summary of a run."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("step", "computed", "reused", "empty", "skipped", "failed"):
        table.add_column(title, justify="left" if title == "step" else "right")
    for step, counts in report.steps.items():
        numbers = (counts.computed, counts.reused, counts.empty, counts.skipped, counts.failed)
        if any(numbers):  # of one event, nothing over all is made
            table.add_row(step, *(str(number) if number else "·" for number in numbers))
    console.print(table)
    if any(step.empty for step in report.steps.values()):
        console.print("empty: the archive has no data, or a step found none in its inputs.")
    if report.open_until is not None:
        console.print(f"open: the last partition is complete up to {report.open_until}. Run it again for more.")
    print_failures(report, console)
    if len(report.failures) > MOST_SHOWN:
        console.print(f"For all of them, and what was skipped: helio status -v {report.pipeline} {report.start} {report.stop}")
    print_unmet(report, console)
    for warned in report.warnings[:MOST_SHOWN]:
        console.print(f"warning: {warned.words}", soft_wrap=True)
    if report.facts:
        console.print(facts_table(report.facts[:MOST_FACTS]))
        if len(report.facts) > MOST_FACTS:
            console.print(f"All {len(report.facts)} facts: helio facts {report.pipeline} {report.start} {report.stop}")
    if report.events:
        console.print(_events_table(report.events[:MOST_SHOWN]))
        if len(report.events) > MOST_SHOWN:
            console.print(f"and {len(report.events) - MOST_SHOWN:,} more events; `--json` lists all")
    for figure in report.figures:
        console.print(f"figure {figure.step}: {figure.html}", soft_wrap=True)
        if figure.png:
            console.print(f"  picture: {figure.png}", soft_wrap=True)
            show_picture(Path(figure.png), console)
    done = "nothing to do" if report.run_id is None else f"Dagster run {report.run_id}"
    console.print(f"{report.status} in {report.seconds:.1f} s; {done}")


def print_unmet(report: RunReport, console: Console) -> None:
    """What is not as expected, a line each: first what stopped steps."""
    for each in sorted(report.unmet, key=lambda each: each.severity != "block")[:MOST_SHOWN]:
        word = "stopped" if each.severity == "block" else "warning"
        place = f"{each.step} {each.partition or ''}".strip()
        console.print(f"{word}: {place} is not as expected: {each.text}", soft_wrap=True)
    if any(each.severity == "block" for each in report.unmet):
        console.print(
            "  The steps that read what is stopped were not made. To make them, change `expect:` in the file.", soft_wrap=True
        )
    if len(report.unmet) > MOST_SHOWN:
        rest = len(report.unmet) - MOST_SHOWN
        console.print(f"and {rest} more: helio status -v {report.pipeline} {report.start} {report.stop}", soft_wrap=True)


def print_failures(report: RunReport, console: Console) -> None:
    """Print the failures of a run; those of one cause together."""
    for place, error, hint, details in _grouped(report.failures)[:MOST_SHOWN]:
        console.print(f"failed: {place}: {error}", soft_wrap=True)
        for line in details.splitlines():
            console.print(f"    {line}", soft_wrap=True)
        if hint:
            console.print(f"  {hint}", soft_wrap=True)


def facts_table(facts: Sequence[FactReport]) -> Table:
    """Facts in a line each: step, name, value with unit, and what it was taken from."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("step", "fact", "value", "taken from"):
        table.add_column(title, overflow="fold")
    for fact in facts:
        span = f"{_short(fact.start)} to {_short(fact.stop)}" if fact.stop else _short(fact.start)
        table.add_row(fact.step, fact.name, fact.text, f"{fact.of}, {span}" if fact.of else span)
    return table


def _events_table(events: Sequence[EventReport]) -> Table:
    """Events in a line each: step, start, stop, and their numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("step", "start", "stop", ""):
        table.add_column(title, overflow="fold")
    for event in events:
        table.add_row(event.step, _short(event.start), _short(event.stop), event.words)
    return table


def _short(moment: str) -> str:
    """A time as short as it can be written: 2003-10-28, 2003-10-29 06:11."""
    text = moment.removesuffix("Z")
    for zeros in ("T00:00:00", ":00"):
        if text.endswith(zeros):
            return text.removesuffix(zeros).replace("T", " ")
    return text.replace("T", " ")


def _grouped(failures: Sequence[Failure]) -> list[tuple[str, str, str, str]]:
    """Place, error, hint and details of failures; those of one step and cause are grouped, with the details of the first."""
    groups: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((failure.step, failure.error, failure.hint), []).append(failure)
    found = []
    for (step, error, hint), same in groups.items():
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        found.append((f"{step} {same[0].partition or ''}{more}".strip(), error, hint, same[0].details))
    return found
