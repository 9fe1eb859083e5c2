"""Read the dates that begin at a token: days, months, decades and parts of them, each with its time of day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from helio_dagster.catalog.times.clocks import read_clock
from helio_dagster.catalog.times.date_order import is_day
from helio_dagster.catalog.times.dates import Date, is_day_number, read_dates, relative_day
from helio_dagster.catalog.times.moments import Moment
from helio_dagster.catalog.times.named_phrases import NamedPhrases
from helio_dagster.catalog.times.parts import read_part
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.catalog.times.spoken_years import last_or_this
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import Period

_UNIT_WORDS = """
s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days week weeks month months year years ms hz khz
nt km kev ev mev cm re au k ut utc z % : . point points sample samples
"""
_UNITS_AFTER_NUMBERS = frozenset(_UNIT_WORDS.split())
_OF_A_WHOLE = frozenset(
    {"of", "in", "the", "year", "month", "de", "del", "du", "des", "vom", "von", "im", "en", "mes", "monats"}
)
"""What may stand between a part and the period that it is of."""


class DatedMoments:
    """Reads the dates of one sentence.

    Parameters
    ----------
    sentence
        The sentence.
    named
        Reads the times with a name, of which a part may be meant.
    now
        The present, aware.
    beside
        A range named elsewhere: of a month, a day without its month lies in it.
    """

    def __init__(self, sentence: Sentence, named: NamedPhrases, now: datetime, beside: TimeRange | None) -> None:
        self._at, self._named, self._now, self._beside = sentence, named, now, beside

    def moments(self, at: int, *, has_clock: bool = True) -> Iterator[tuple[int, Moment]]:
        """Dates that begin at a place, each alone and with the time of day that follows."""
        if at >= len(self._at.tokens):
            return
        found: list[tuple[int, Date | None, Period | None]] = []
        if (day := relative_day(self._at.tokens, at, self._now)) is not None:
            found.append((at + 1, None, day))
        if self._is_decade(at):
            first, last = (datetime(self._at.tokens[at].number + more, 1, 1, tzinfo=UTC) for more in (0, 10))
            found.append((at + 2, None, Period(first, last, "event")))
        dates = [*read_dates(self._at.tokens, at), *last_or_this(self._at.tokens, at, self._at.text, self._now)]
        found += [(after, date, None) for after, date in dates]
        day_at = self._at.skip(at, {"day", "days"}, most=1)
        if day_at < len(self._at.tokens) and is_day_number(self._at.tokens[day_at]) and self._is_start_of_days(day_at):
            found.append((day_at + 1, Date(day=self._at.tokens[day_at].number), None))
        beside = self._beside
        if (
            beside is not None
            and Grain.MONTHLY.has_within(beside)
            and self._at.ordinal(at)
            and self._at.tokens[at].kind == "number"
        ):
            found.append((at + 1, Date(beside.start.year, beside.start.month, self._at.tokens[at].number), None))
        for after, date, period in found:
            yield from self.with_clock(after, date, period, has_clock=has_clock)
        yield from self._parts(at)

    def with_clock(
        self, after: int, date: Date | None, period: Period | None = None, *, has_clock: bool = True
    ) -> Iterator[tuple[int, Moment]]:
        """A date alone, and with the time of day that follows it."""
        yield after, Moment(date, period, None)
        place = self._at.skip(after, {"t", "at", ",", "um", "a", "à", "from", "starting", "beginning"}, most=2)
        clock = read_clock(self._at.tokens, place) if has_clock else None
        if clock is not None and (clock[1].is_sure or self._at.word(place - 1) == "t") and (date is None or is_day(date)):
            yield clock[0], Moment(date, period, clock[1])

    def _parts(self, at: int) -> Iterator[tuple[int, Moment]]:
        """`first week of May 2024`, `last quarter of 2012`, `the end of 2002`, `mid-March`."""
        found = read_part(self._at.tokens, at)
        if found is None:
            return
        after, part = found
        place = self._at.skip(after, _OF_A_WHOLE, most=4)
        is_of = place > after or part.unit == "third"
        for last, moment in (*self.moments(place, has_clock=False), *self._named.names(place)):
            if moment.date is None or (moment.date.is_whole and (is_of or part.unit != "edge")) or is_of:
                yield last, replace(moment, parts=(*moment.parts, part))

    def is_bare_day(self, at: int) -> bool:
        """Whether a number alone may be a day: nothing that it would be a number of follows."""
        if not (0 <= at < len(self._at.tokens)) or not is_day_number(self._at.tokens[at]):
            return False
        return self._at.word(at + 1) not in _UNITS_AFTER_NUMBERS

    def _is_decade(self, at: int) -> bool:
        """Whether `1990s` stands at a place, or `1990er`."""
        two = self._at.tokens[at : at + 2]
        is_glued = len(two) == 2 and two[1].text in ("s", "er") and two[0].last == two[1].first
        return is_glued and self._at.is_year(at) and two[0].number % 10 == 0

    def _is_start_of_days(self, at: int) -> bool:
        """Whether a number is the first day of `10-13 May 2024` or of `May 10-13`."""
        place, joint = self._at.joint(self._at.skip(at + 1, {"."}, most=1), at)
        return bool(joint) and any(date.day is not None and date.month is not None for _, date in self._dates(place))

    def _dates(self, at: int) -> list[tuple[int, Date]]:
        return read_dates(self._at.tokens, at) if at < len(self._at.tokens) else []
