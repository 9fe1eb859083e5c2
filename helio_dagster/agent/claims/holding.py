"""Hold the numbers in a text against known ones, and name those that stand in none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from helio_dagster.agent.claims.moments import Moment, take_moments
from helio_dagster.agent.claims.quantities import Quantity, plain, quantities_in
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.time_range import parse_duration
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor

ANY_UNIT = "*"
"""The unit of a number that stands without one, such as an option of an operation."""
_DURATION = re.compile(r"(?<!\w)P(?:\d[\dDW]*)?(?:T[\d.HMS]+)?(?!\w)")
_EPS = 1e-9
_MOST_COUNTED = 10
"""A whole number below this without a unit is a count, which is never rounded."""


@dataclass
class Known:
    """Known numbers with their units (`""` is a pure number), and known times."""

    numbers: list[tuple[float, str]] = field(default_factory=list)
    times: list[datetime] = field(default_factory=list)
    _said: list[Moment] = field(default_factory=list)

    def add(self, value: float | str | None, unit: str = "") -> None:
        """Add a number, or a time in ISO 8601; nothing for None."""
        if isinstance(value, str):
            self.add_time(value)
        elif value is not None:
            self.numbers.append((float(value), "" if unit == "1" else unit))

    def add_time(self, text: str) -> None:
        """Add a time in ISO 8601; nothing for another text."""
        try:
            self.times.append(datetime.fromisoformat(text))
        except ValueError:
            return

    def add_words(self, text: str) -> None:
        """Add all numbers, durations and times in a text."""
        moments, rest = take_moments(plain(text))
        self.numbers += [(each.value, each.unit or ANY_UNIT) for each in quantities_in(rest)]
        self._said += moments
        for match in _DURATION.finditer(text):
            try:
                self.numbers.append((parse_duration(match[0]).total_seconds(), "s"))
            except HelioError:
                continue

    def holds(self, claim: Quantity | Moment) -> bool:
        """Whether a claim is one of them, as far as it is written out."""
        if isinstance(claim, Moment):
            return any(claim.is_at(each) for each in self.times) or any(_is_same(claim, each) for each in self._said)
        return any(_is_rendering(claim, value, unit) for value, unit in self.numbers)


def unverified_line(numbers: Iterable[str]) -> str:
    """What a person reads of numbers that stand nowhere."""
    return f"not computed here: {', '.join(numbers)}"


def unverified(texts: Iterable[str], sources: Sequence[Callable[[], Known]]) -> list[str]:
    """The numbers in texts that stand in no source, as they are written, each once.

    Parameters
    ----------
    texts
        What is stated.
    sources
        Give known numbers; a later one is asked only about what stands in no earlier one.
    """
    left: list[Quantity | Moment] = []
    for text in texts:
        moments, rest = take_moments(plain(text))
        left += [*quantities_in(rest), *moments]
    for source in sources:
        if not left:
            break
        known = source()
        left = [claim for claim in left if not known.holds(claim)]
    return list(dict.fromkeys(claim.text for claim in left))


def _is_rendering(claim: Quantity, value: float, unit: str) -> bool:
    """Whether a claim is a known value, brought to its unit and rounded; words may say the direction instead of a sign."""
    is_bare = not claim.unit or unit == ANY_UNIT
    if not is_bare and not can_convert(unit, claim.unit):
        return False
    if not claim.unit and claim.half == 0.5 and abs(claim.value) < _MOST_COUNTED:
        return abs(value) == abs(claim.value)
    known = value if is_bare else float(value * float(conversion_factor(unit, claim.unit)))
    signed = [known] if claim.value < 0 or claim.is_plus else [known, abs(known)]
    return any(abs(claim.value - each) <= claim.tolerance(each) * (1 + _EPS) + _EPS * abs(each) for each in signed)


def _is_same(one: Moment, other: Moment) -> bool:
    is_one_day = not one.date or not other.date or one.date == other.date
    return is_one_day and abs(one.second_of_day - other.second_of_day) < max(one.step_s, other.step_s)
