"""Day numbers alone, `zoom to 14-17`, as days of the range on the table."""

from __future__ import annotations

from datetime import datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import Form, matched
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

_DAY = timedelta(days=1)
_MOST_DAYS = 366
_HOURS = 24
_MOST_CHOICES = 5


def with_day_numbers(text: str, span: TimeRange) -> str:
    """The sentence with the dates of the days that it gives by their numbers; as it is where it gives none.

    Raises
    ------
    OpenQuestion
        The range has no such days, or has them in several months.
    """
    match = matched("day_numbers.narrowed", text)
    if match is None or span.duration > _MOST_DAYS * _DAY:
        return text
    found = _stretches(match, span)
    if len(found) == 1:
        return f"zoom to {_dated(found[0])}"
    days = f"{match['first']} to {match['last']}"
    if found:
        choices = [f"zoom to {_dated(each)}" for each in found]
        raise OpenQuestion(f"Which month do you mean by {days}?", choices if len(found) <= _MOST_CHOICES else [])
    if span.duration <= _DAY and int(match["first"]) < int(match["last"]) < _HOURS:
        hours = [f"zoom to {int(match['first']):02d}:00 to {int(match['last']):02d}:00"]
        raise OpenQuestion(f"Does {days} mean hours? The figure shows {span}.", hours)
    raise OpenQuestion(f"The figure shows {span}, which has no days {days}. Which dates do you want?")


def _stretches(match: Form, span: TimeRange) -> list[tuple[datetime, datetime]]:
    """The first and last days of a range that have two numbers, the last one the next of its number."""
    start = Grain.DAILY.floor(span.start)
    days = [day for place in range(_MOST_DAYS + 1) if (day := start + place * _DAY) < span.stop]
    found = []
    for place, day in enumerate(days):
        last = next((each for each in days[place:] if each.day == int(match["last"])), None)
        if day.day == int(match["first"]) and last is not None and last - day < timedelta(days=31):
            found.append((day, last))
    return found


def _dated(days: tuple[datetime, datetime]) -> str:
    return f"{days[0]:%Y-%m-%d} through {days[1]:%Y-%m-%d}"
