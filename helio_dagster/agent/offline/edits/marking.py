"""Marks at a time: `mark 29 Oct 6:11 with a dashed line`, `draw a red line at 6:11 in the density panel`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.times.changes import of_this_year
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.time_range import format_time

DASHES = {"dashed": "dash", "dotted": "dot", "solid": "solid"}
_MOST_DAYS = 5


def mark_time(text: str, table: Table) -> bool:
    """Mark a time of day in the panels over time; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which day is meant, or the figure does not show that time.
    """
    match = matched("marking.mark", text)
    when = match["when"] if match is not None else ""
    clock = form("marking.clock").search(when)
    if match is None or clock is None:
        return False
    second = form("marking.and").search(when, clock.end())
    if second is not None and form("marking.clock").search(when, second.end()) is not None:
        first, last = match.span("when")
        one, two = (f"{text[:first]}{part.strip()}{text[last:]}" for part in (when[: second.start()], when[second.end() :]))
        return mark_time(one, table) and mark_time(two, table)
    named = form("marking.named").match(when)
    before, behind = when[named.end() if named else 0 : clock.start()], when[clock.end() :]
    told = matched("marking.named_behind", behind) if named is None else None
    behind, label = ("", told["what"]) if told is not None else (behind, named["what"] if named else "")
    at = timedelta(hours=int(clock["hour"]), minutes=int(clock["minute"]), seconds=int(clock["second"] or 0))
    moment = day_of(f"{before} {behind}", text, table, at) + at
    if table.span is not None and not table.span.start <= moment <= table.span.stop:
        raise OpenQuestion(f"The figure shows {table.span}, and not {format_time(moment)}. Which time do you want to mark?")
    mark = {"x": format_time(moment), **({"text": label} if label else {})}
    mark |= looks_of(match["line"] or "")
    table.draw({f"figure.panels[{row}].marks[+]": mark for row in rows_of(match["panel"] or "", table)})
    return True


def day_of(words: str, text: str, table: Table, at: timedelta) -> datetime:
    """The start of the day that is named; where none is, the only day on which the range has that time."""
    named = re.sub(r"^(?:on|at) | (?:on|at)$", "", " ".join(words.split()).strip(" ,").removesuffix("T"), flags=re.IGNORECASE)
    if named:
        found = find_span(named, table.now)
        whole = found is not None and found.words.strip() == named
        span = None if found is None or not whole else found.span
        if found is not None and whole and span is None and table.span is not None:
            span = of_this_year(named, found, table.span)
        if span is None or span.stop - span.start != timedelta(days=1):
            raise NotUnderstood.of([named], "Which day do you want to mark?")
        return span.start
    if table.span is None:
        raise OpenQuestion("On which day do you want the mark?")
    first = table.span.start.replace(hour=0, minute=0, second=0, microsecond=0)
    days = [first + timedelta(days=place) for place in range(_MOST_DAYS + 1)]
    days = [day for day in days if day < table.span.stop]
    days = [day for day in days if table.span.start <= day + at <= table.span.stop] or days
    if len(days) > 1:
        phrase = form("marking.clock").split(text, maxsplit=1)
        clock = text[len(phrase[0]) : len(text) - len(phrase[-1])].removeprefix("at ")
        choices = [f"{phrase[0]}{day:%Y-%m-%d} {clock}{phrase[-1]}" for day in days]
        raise OpenQuestion("On which day do you want the mark?", choices if len(days) <= _MOST_DAYS else [])
    return days[0]


def looks_of(line: str) -> dict[str, Any]:
    """How the line looks; dashed is what it is in any case."""
    looks: dict[str, Any] = {}
    for word, dash in {**DASHES, "dash": "dashdot"}.items():
        if re.search(rf"\b{word}", line, re.IGNORECASE):
            looks["dash"] = dash
            break
    color = form("marking.color").search(line)
    return looks | ({"color": re.sub("[- ]", "", color[0]).lower()} if color else {})


def rows_of(panel: str, table: Table) -> list[int]:
    """The panels over time that are meant: all of them, or the one that is named."""
    plotted = table.plotted
    of_ranges = {step.id for step in plotted.pipeline.steps if step.over == "range"}
    lines = [line for line in plotted.lines if line.trace.data not in of_ranges]
    if panel.lower().startswith("the "):
        target = plotted.target(panel[4:].removesuffix(" panel"))
        if target is None or not target.is_named:
            raise NotUnderstood(f"I do not see {panel!r} in the figure. In which panel do you want the mark?")
        lines = [line for line in target.lines if line in lines]
    if not lines:
        raise OpenQuestion("There is no time axis to mark a time on. What do you want to change?")
    return list(dict.fromkeys(line.panel for line in lines))


def is_mark_of_time(text: str) -> bool:
    """Whether a sentence marks a time of day."""
    match = matched("marking.mark", text)
    return match is not None and form("marking.clock").search(match["when"]) is not None
