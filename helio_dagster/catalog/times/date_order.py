"""Put the two days of a range in order: the years in which they lie, and whether they are the wrong way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.catalog.times.dates import Date

_SLIP = timedelta(days=31)
"""How far before the first day of a range its last day is taken for a slip."""
_LEAP_YEAR = 2000


def is_day(date: Date) -> bool:
    """Whether a date names a day."""
    return date.day is not None or date.day_of_year is not None


def in_year(dates: Sequence[Date], year: int) -> list[Date]:
    """Dates in a year; the last in the next one where it would be before the first: `30 December to 2 January`."""
    dated = [replace(date, year=year) for date in dates]
    if dated[-1].period("").start < dated[0].period("").start:
        dated[-1] = replace(dated[-1], year=year + 1)
    return dated


def in_year_before(first: Date, second: Date, words: str) -> Date:
    """The first date in the year of the second, or in the year before: `30 December to 2 January 2024`."""
    if first.year is not None and first.period(words).start > second.period(words).start:
        return replace(first, year=first.year - 1)
    return first


def is_turned(first: Date, second: Date, words: str) -> bool:
    """Whether the second of two days of a year is up to a month before the first: more likely a slip than almost a year."""
    if not (is_day(first) and is_day(second)):
        return False
    one, two = (replace(date, year=date.year or _LEAP_YEAR).period(words).start for date in (first, second))
    return timedelta(0) < one - two <= _SLIP
