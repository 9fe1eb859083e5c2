"""Read lengths among tokens: `three weeks`, `48-hour`, `1.5 days`, `twenty-four hours`; and go that far along the calendar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from helio_dagster.catalog.times.tokens import Token
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import EARLIEST, LATEST
from helio_dagster.domain.time_words import NUMBER_WORDS

_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "second"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "heure", "heures", "hora", "horas"), "hour"),
    **dict.fromkeys(("d", "day", "days", "tag", "tage", "tagen", "jour", "jours", "día", "días", "dia", "dias"), "day"),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas"), "week"),
    **dict.fromkeys(("fortnight", "fortnights"), "fortnight"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
}
_SINGLE = frozenset({"stunde", "heure", "hora", "tag", "jour", "día", "dia", "woche", "semaine", "semana"})
"""Words of other languages for one of a unit."""
_SIZES = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "fortnight": timedelta(days=14),
}
_MONTHS = {"month": 1, "year": 12}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ONE = frozenset({"a", "an", "one", "single"})
_MOST = 1_000_000


@dataclass(frozen=True)
class Count:
    """So many of a unit of time; `unit` is second, minute, hour, day, week, fortnight, month or year."""

    number: float
    unit: str

    def after(self, moment: datetime, times: int = 1) -> datetime:
        """The moment so many lengths later, or earlier where `times` is negative; months and years are those of the calendar.

        Raises
        ------
        InputError
            It is out of range, or half a month.
        """
        problem = f"{self.number:g} {self.unit}s from {moment:%Y-%m-%d} is out of range"
        if self.unit in _MONTHS:
            months = self.number * times * _MONTHS[self.unit]
            if not months.is_integer():
                raise InputError(f"{self.number:g} {self.unit}s are not whole months", hint="Give whole months, or dates.")
            return month_later(moment, int(months))
        try:
            found = moment + self.number * times * _SIZES[self.unit]
        except OverflowError:
            found = LATEST
        if not EARLIEST <= found < LATEST:
            raise InputError(problem, hint="Give a smaller number.")
        return found


def month_later(moment: datetime, months: int) -> datetime:
    """The same day and time of another month; the last day where that has no such day.

    Raises
    ------
    InputError
        The calendar has no such month.
    """
    whole = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(whole, 12)
    for day in range(moment.day, 27, -1) if moment.day > 28 else (moment.day,):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    raise InputError(f"{moment:%Y-%m-%d} moved by {months} months is not a date", hint="Give dates.")


def read_count(tokens: Sequence[Token], at: int, *, needs_number: bool = False) -> tuple[int, Count] | None:
    """The length that begins at a place; None where none does. One unit, `the day`, needs no number; `days` does."""
    found = _number(tokens, at)
    if found is None and needs_number:
        return None
    place, number = found or (at, 1.0)
    if found is not None and _text(tokens, place) in ("-", "full", "whole", "entire", "more"):
        place += 1
    word = _text(tokens, place)
    unit = _UNITS.get(word)
    if unit is None or (found is None and word not in {unit, *_SINGLE}) or not 0 < number <= _MOST:
        return None
    return place + 1, Count(number, unit)


def _number(tokens: Sequence[Token], at: int) -> tuple[int, float] | None:
    """A number in digits or words, and the place after it."""
    word = _text(tokens, at)
    if word == "half" and _text(tokens, at + 1) in _ONE:
        return at + 2, 0.5
    if word in _ONE | NUMBER_WORDS.keys():
        whole = float(NUMBER_WORDS.get(word, 1))
        if tuple(_text(tokens, place) for place in range(at + 1, at + 4)) == ("and", "a", "half"):
            return at + 4, whole + 0.5
        return at + 1, whole
    if word in _TENS:
        place = at + 1 + (_text(tokens, at + 1) == "-")
        unit = NUMBER_WORDS.get(_text(tokens, place), 10)
        return (place + 1, float(_TENS[word] + unit)) if unit < 10 else (at + 1, float(_TENS[word]))
    if at >= len(tokens) or not word.isdecimal() or len(word) > 9:
        return None
    if _text(tokens, at + 1) == "." and _text(tokens, at + 2).isdecimal() and tokens[at + 2].first == tokens[at].last + 1:
        digits = _text(tokens, at + 2)
        return (at + 3, float(f"{word}.{digits}")) if len(digits) < 7 else None
    return at + 1, float(word)


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""
