"""A shaded stretch of time: `shade 16:30 to 20:00`, `highlight 3 April in yellow`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import Form, form, matched
from helio_dagster.agent.offline.edits.marking import looks_of, rows_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.times.changes import of_this_year
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.time_range import TimeRange, format_time

_MOST_DAYS = 5


def is_shading(text: str) -> bool:
    """Whether a sentence shades a stretch of time."""
    match = _match(text)
    return match is not None and _is_time(match["when"], datetime(2000, 1, 1, tzinfo=UTC))


def shade_span(text: str, table: Table) -> bool:
    """Shade a stretch of time in the panels over time; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        It leaves open which day is meant, or the figure does not show that time.
    """
    match = _match(text)
    if match is None:
        return False
    named = form("shading.named").match(match["when"]) if not _is_time(match["when"], table.now) else None
    first = match.span("when")[0] + (named.end() if named else 0)
    when = text[first : match.span("when")[1]].rstrip(")")
    if not _is_time(when, table.now):
        return False
    span = _span(when, text, (first, match.span("when")[1]), table)
    if span is None:
        return False
    if table.span is not None and not (table.span.start <= span.start and span.stop <= table.span.stop):
        raise OpenQuestion(f"The figure shows {table.span}, and not all of {span}. Which times do you want to shade?")
    color = looks_of(match["color"] or "")
    mark = {
        "x": [format_time(span.start), format_time(span.stop)],
        **({"text": named["what"].strip()} if named else {}),
        **color,
    }
    table.draw({f"figure.panels[{row}].marks[+]": mark for row in rows_of(match["panel"] or "", table)})
    return True


def _match(text: str) -> Form | None:
    return matched("shading.shade", text)


def _is_time(when: str, now: datetime) -> bool:
    """Whether all of the words name a time."""
    if not re.search(r"\d", when):
        return False
    found = _on(now, when, now) if _are_clocks(when) else find_span(when, now)
    return found is not None and found.words.strip() in (when.strip(), f"{now:%Y-%m-%d} from {when}".strip())


def _are_clocks(when: str) -> bool:
    """Whether times of day stand without their day."""
    return form("shading.clocks").search(when) is not None and not form("shading.day_named").search(
        form("shading.small").sub("", when)
    )


def _on(day: datetime, when: str, now: datetime) -> FoundSpan | None:
    return find_span(f"{day:%Y-%m-%d} from {when}", now)


def _span(when: str, text: str, at: tuple[int, int], table: Table) -> TimeRange | None:
    """The stretch that is named, of the only day that is drawn where clocks stand alone; None where it is none."""
    if _are_clocks(when):
        return _of_clocks(when, text, at, table)
    found = find_span(when, table.now)
    if found is None or found.words.strip() != when.strip():
        return None
    if found.span is None and table.span is not None:
        return of_this_year(when, found, table.span)
    if found.span is not None and table.span is not None:
        return of_this_year(when, found, table.span) or found.span
    return found.span


def _of_clocks(when: str, text: str, at: tuple[int, int], table: Table) -> TimeRange | None:
    if table.span is None:
        raise OpenQuestion("On which day do you want the shading?")
    first = table.span.start.replace(hour=0, minute=0, second=0, microsecond=0)
    days = [day for place in range(_MOST_DAYS + 1) if (day := first + timedelta(days=place)) < table.span.stop]
    found = {day: _on(day, when, table.now) for day in days}
    spans = {day: each.span for day, each in found.items() if each is not None and each.span is not None}
    if len(spans) < len(days) or any(each.duration >= timedelta(days=1) for each in spans.values()):
        return None
    if len(days) > 1:
        choices = [
            f"{text[: at[0]]}{format_time(each.start)} to {format_time(each.stop)}{text[at[1] :]}" for each in spans.values()
        ]
        raise OpenQuestion("On which day do you want the shading?", choices if len(days) <= _MOST_DAYS else [])
    return spans[days[0]]
