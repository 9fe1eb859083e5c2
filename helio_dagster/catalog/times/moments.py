"""Moments that time phrases are made of: what each names, and the questions that it leaves open by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.dates import Date
from helio_dagster.catalog.times.parts import Part
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import Period, moment_period


class Unclear(Exception):
    """The phrase has two meanings; each option may stand instead of it.

    An option is a range, or words with a date in them. `hull` is a range that holds all meanings, where there is one.
    """

    def __init__(self, question: str, options: Sequence[str], hull: TimeRange | None = None) -> None:
        super().__init__(question)
        self.hull = hull
        self.question = question
        self.options = tuple(options)


@dataclass(frozen=True)
class Around(TimeRange):
    """A range that is taken around one moment, because that alone was said."""

    moment: datetime


class AmbiguousName(Unclear):
    """A name at the characters `[first, last)` of the sentence may mean several; each option may stand instead of the name."""

    def __init__(self, question: str, options: Sequence[str], first: int, last: int) -> None:
        super().__init__(question, options)
        self.first, self.last = first, last


@dataclass(frozen=True)
class Moment:
    """A date with a time of day, either of which may be left out in the second part of a range.

    `named` gives a time with a name, such as a storm, and what to say of it. `parts` are what is meant of it, each a part of
    the one before.
    """

    date: Date | None
    period: Period | None
    clock: Clock | None
    parts: tuple[Part, ...] = ()
    named: Callable[[], tuple[TimeRange, str]] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is a date, with or without a time of day."""
        return not self.parts and self.named is None

    @property
    def is_vague(self) -> bool:
        """Whether people mean different days by it: `mid-March`."""
        return any(part.is_vague for part in self.parts)

    @property
    def note(self) -> str:
        """What to say of its name."""
        return self.named()[1] if self.named is not None else ""

    def on(self, date: Date | None, words: str) -> Period:
        """What it names on a date; `words` are those of the phrase, for messages."""
        period = date.period(words) if date is not None else self.period
        if self.named is not None:
            span, _ = self.named()
            period = Period(span.start, span.stop, "event")
        if period is None:
            raise ValueError(f"{words!r} has no date")
        if self.clock is not None:
            period = moment_period(f"{period.start:%Y-%m-%d}", self.clock.text, "", words)
        for part in self.parts:
            period = part.of(period, words)
        return period

    def on_its_date(self, words: str) -> Period:
        """What it names; a question where the day or the month may be written first."""
        if self.date is not None and self.date.other is not None:
            require_one_reading(self.date, self.date, is_inclusive=False)
        return self.on(self.date, words)


def require_one_reading(first: Date, second: Date, *, is_inclusive: bool) -> None:
    """Ask which is written first, the day or the month, where either date can be read both ways."""
    if first.other is None and second.other is None:
        return
    joint = "through" if is_inclusive else "to"
    pairs = [(first, second), (first.other or first, second.other or second)]
    texts = [[format_time(date.period("").start) for date in pair] for pair in pairs]
    options = [one if one == two else f"{one} {joint} {two}" for one, two in texts]
    raise Unclear("Is the day or the month written first?", options)


def require_exact(ends: Sequence[tuple[Moment, Date | None]], begins: Period, stops: Period, words: str) -> None:
    """Ask where an end of a range is vague, or is an edge by itself; the whole period it is a part of is offered too."""
    (first, _), (last, _) = ends[0], ends[-1]
    is_open = begins.unit == "edge" and (len(ends) == 1 or first.parts[-1].place != 0)
    if not is_open and not first.is_vague and not last.is_vague:
        return
    whole = [replace(moment, parts=()).on(date, words) for moment, date in ends]
    hull = TimeRange(whole[0].start, whole[-1].stop) if whole[0].start < whole[-1].stop else None
    options = [TimeRange(begins.start, stops.stop)] if begins.start < stops.stop else []
    options += [hull] if hull is not None else []
    raise Unclear(f"{words!r}: from when to when?", [f"for {each}" for each in dict.fromkeys(options)], hull)
