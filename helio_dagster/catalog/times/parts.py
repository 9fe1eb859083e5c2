"""Parts of a period: `the last three weeks of 2004`, `the second quarter of 2000`, `the end of 2002`, `mid-March`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from helio_dagster.catalog.times.counted import Count, read_count
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import COUNTED, NUMBERED
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_words import EXAMPLES, Period

LAST = -1
_PLACES = {
    **{word: place for place, word in enumerate(COUNTED)},
    **dict.fromkeys(("opening", "initial"), 0),
    **dict.fromkeys(("last", "final", "closing"), LAST),
    **NUMBERED,
}
_EDGES = {"start": 0, "beginning": 0, "end": LAST}
_THIRDS = {"early": 0, "mid": 1, "middle": 1, "late": 2}
_SHARES = {
    "quarter": "quarter",
    **dict.fromkeys(("quartal", "trimestre"), "quarter"),
    **dict.fromkeys(("half", "hälfte", "moitié", "mitad"), "half"),
}
_LENGTHS = frozenset({"minutes", "hours", "days", "weeks", "months", "years"})


@dataclass(frozen=True)
class Part:
    """A part of a period.

    Parameters
    ----------
    place
        Which of the parts, from 0; -1 is the last one.
    unit
        `half`, `quarter`, `edge` (the moment of its start or end), `third` (early, mid or late: not exact), `count` for so many
        of a unit, and `few` where it is not said how many; `before` and `after` are the moments that far from the period.
    count
        A length, of which the part is the first, second, … or the last.
    """

    place: int
    unit: str
    count: Count | None = None

    @property
    def is_vague(self) -> bool:
        """Whether people mean different days by it."""
        return self.unit in ("third", "few")

    @property
    def is_day(self) -> bool:
        """Whether it is one day."""
        return self.count == Count(1, "day") and not self.is_vague

    def of(self, period: Period, words: str) -> Period:
        """The part of a period.

        Raises
        ------
        InputError
            The period has no such part.
        """
        if self.unit in ("before", "after") and self.count is not None:
            moment = self.count.after(period.start, -1) if self.unit == "before" else self.count.after(period.stop)
            return Period(moment, moment, "edge")
        if self.unit == "edge":
            edge = period.stop if self.place == LAST else period.start
            return Period(edge, edge, "edge")
        found = self._counted(period) if self.count is not None else self._share(period)
        if found is None or not period.start <= found[0] < found[1] <= period.stop:
            raise InputError(f"{words!r} is not a range", hint=EXAMPLES)
        is_day = found[1] - found[0] == timedelta(days=1) and Grain.DAILY.floor(found[0]) == found[0]
        return Period(*found, "day" if is_day else "part")

    def _counted(self, period: Period) -> tuple[datetime, datetime] | None:
        count = self.count
        if count is None:
            return None
        if self.place == LAST:
            return count.after(period.stop, -1), period.stop
        return count.after(period.start, self.place), count.after(period.start, self.place + 1)

    def _share(self, period: Period) -> tuple[datetime, datetime] | None:
        edges = _edges(period, self.unit)
        place = len(edges) - 2 if self.place == LAST else self.place
        return (edges[place], edges[place + 1]) if 0 <= place < len(edges) - 1 else None


def read_part(tokens: Sequence[Token], at: int) -> tuple[int, Part] | None:
    """The words for a part that begin at a place, without `of`; None where none do."""
    word, after = _text(tokens, at), _text(tokens, at + 1)
    if word in _EDGES:
        return at + 1, Part(_EDGES[word], "edge")
    if word in ("very", "the") and after in _EDGES:
        return at + 2, Part(_EDGES[after], "edge")
    if word in _THIRDS:
        return at + 1 + (after == "-"), Part(_THIRDS[word], "third")
    place = _place(tokens, at)
    if place is None:
        return None
    if after in _SHARES:
        return at + 2, Part(place, _SHARES[after])
    counted = read_count(tokens, at + 1)
    if counted is not None:
        return counted[0], Part(place, "count", counted[1])
    if after in _LENGTHS:  # `the first days`: how many?
        return at + 2, Part(place, "few", Count(3, after.removesuffix("s")))
    return None


def _place(tokens: Sequence[Token], at: int) -> int | None:
    word = _text(tokens, at)
    if word in _PLACES:
        return _PLACES[word]
    if at < len(tokens) and tokens[at].kind == "number" and not word.isdecimal() and 0 < tokens[at].number < 100:
        return tokens[at].number - 1
    return None


def _edges(period: Period, unit: str) -> list[datetime]:
    """Where the parts of a period begin and stop; empty where it has none such."""
    parts = {"half": 2, "quarter": 4, "third": 3}.get(unit, 0)
    if not parts:
        return []
    if period.unit == "year":
        return [*(datetime(period.start.year, 1 + place * 12 // parts, 1, tzinfo=UTC) for place in range(parts)), period.stop]
    if period.unit == "month" and unit in ("half", "third"):
        days = (0, 15) if unit == "half" else (0, 10, 20)
        return [*(period.start + timedelta(days=day) for day in days), period.stop]
    if unit == "quarter":
        return []
    length = (period.stop - period.start) / parts
    return [*(period.start + place * length for place in range(parts)), period.stop]


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""
