"""When an instrument gave no data although its dataset goes on, from a text file with its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.resources import files

from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class Silence:
    """No data from `start` on and before `stop`, where these are not None.

    `reason` says so in words, `instead` what there is then, `other` is a spacecraft that has it.
    """

    start: datetime | None
    stop: datetime | None
    reason: str
    instead: str
    other: str = ""

    @property
    def is_for_ever(self) -> bool:
        """Whether there never were data."""
        return self.start is None and self.stop is None

    def within(self, span: TimeRange) -> TimeRange | None:
        """The part of a range without data."""
        start = max(span.start, self.start) if self.start else span.start
        stop = min(span.stop, self.stop) if self.stop else span.stop
        return TimeRange(start, stop) if start < stop else None

    @property
    def text(self) -> str:
        """What is said of it."""
        return f"{self.reason[0].upper()}{self.reason[1:]}; {self.instead}."


@lru_cache(maxsize=4096)
def silences_of(dataset: str, parameter: str) -> tuple[Silence, ...]:
    """The silences of what a parameter of a dataset measures."""
    return tuple(
        silence for datasets, parameters, silence in _rows() if datasets.fullmatch(dataset) and parameters.fullmatch(parameter)
    )


def never_heard(mission: str, instrument: str) -> Silence | None:
    """The silence of an instrument that never gave data, or of any of the mission where none is named; else None."""
    names = [re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE) for name in (mission, *instrument.split("-")) if name]
    of_ever = [silence for _, _, silence in _rows() if silence.is_for_ever]
    return next((each for each in of_ever if all(name.search(each.reason) for name in names)), None)


def heard_share(span: TimeRange, silences: Sequence[Silence]) -> float:
    """The share of a range that lies in no silence."""
    silent = [part.duration for each in silences if (part := each.within(span)) is not None]
    return max(0.0, 1.0 - sum(length / span.duration for length in silent))


@cache
def _rows() -> tuple[tuple[re.Pattern[str], re.Pattern[str], Silence], ...]:
    text = files("helio_dagster.catalog.choice").joinpath("silent_instruments.txt").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            datasets, parameters, start, stop, reason, instead, other = (part.strip() for part in line.split(";"))
            silence = Silence(_day(start), _day(stop), reason, instead, other)
            found.append((re.compile(datasets, re.IGNORECASE), re.compile(parameters, re.IGNORECASE), silence))
    return tuple(found)


def _day(text: str) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
