"""Times with a name: storms, solar cycles and Carrington rotations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

_STORM = r"(?:\s+(?:geomagnetic\s+|magnetic\s+|super)?(?:storms?|events?))"
_OF_A_MONTH = (
    r"(?<!\w)(?<!\d )(?<!\d(?:st|nd|rd|th) )(?:{month}[a-z]*\s+(?P<before>\d{{4}}){word}"
    r"|(?:geomagnetic\s+|magnetic\s+|super)?storm\s+(?:of|in|from)\s+{month}[a-z]*,?\s+(?P<after>\d{{4}}))(?!\w)"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_YEAR_BEFORE = (
    rf"(?:(?:(?<!\d )(?<!\d(?:st|nd|rd|th) )(?P<month>{_MONTH})[a-z]*\.?(?:\s*(?:[-/–]|and|to)\s*{_MONTH}[a-z]*\.?)?,?\s+)?"
    r"(?P<before>\d{4})(?:['’]s)?\s+)?"
)
_YEAR_AFTER = rf"(?:(?:\s+(?:of|in))?(?:\s+{_MONTH}[a-z]*)?,?\s+(?P<after>\d{{4}}(?![-/]\d)))?"
_CARRINGTON_EVENT = re.compile(
    r"\bcarrington(?!-(?:like|type|class|scale|level))(?!\s+(?:rotation|longitude|coordinate|cycle))", re.IGNORECASE
)
_OULU = "the GLE database of the University of Oulu"
_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
_J2000_DAY = 2451545.0


@dataclass(frozen=True)
class NamedStorm:
    """A storm: how it is called, its days, and where these are from."""

    name: str
    pattern: re.Pattern[str]
    span: TimeRange
    source: str

    def is_meant(self, match: re.Match[str]) -> bool:
        """Whether the month and the year that stand with its name, if any, are its own."""
        groups = match.groupdict()
        years = {year for year in (groups["before"], groups["after"]) if year}
        is_of_month = not groups.get("month") or f"{self.span.start:%b}".casefold() == groups["month"].casefold()
        return is_of_month and years <= {str(self.span.start.year)}


@dataclass(frozen=True)
class FoundName:
    """A name at the characters `[first, last)` of a sentence, and the storms that it may mean."""

    first: int
    last: int
    storms: tuple[NamedStorm, ...]


@cache
def storms() -> tuple[NamedStorm, ...]:
    """The storms that are known by a name, from `storms.txt`."""
    return tuple(_storm(*row) for row in rows("storms.txt"))


def storm_names(within: TimeRange | None = None) -> list[str]:
    """What the storms, or those in a range, are called, each once, the latest first."""
    meant = [storm for storm in storms() if within is None or within.overlaps(storm.span)]
    ordered = sorted(meant, key=lambda storm: storm.span.start, reverse=True)
    return list(dict.fromkeys(storm.name for storm in ordered))


@cache
def _of_months() -> tuple[NamedStorm, ...]:
    """The same storms, each once, as they are called by their month: `the May 2024 storm`, `the storm of May 2024`."""
    each_once = {storm.span: storm for storm in storms()}.values()
    return tuple(replace(storm, pattern=_by_month(storm.span.start)) for storm in each_once)


@cache
def _ground_level_events() -> tuple[NamedStorm, ...]:
    """The ground level enhancements of cosmic rays by their numbers: `GLE 69`."""
    called = r"(?:GLE|ground[- ]level (?:enhancement|event)),?\s*(?:number\s+|no\.?\s*|#\s*)?"
    found = ((number, datetime.fromisoformat(day)) for number, day in rows("ground_level_events.txt"))
    return tuple(
        _storm(
            f"ground level enhancement {number}",
            f"{called}{number}",
            "no",
            str(day.date()),
            str((day + timedelta(days=1)).date()),
            _OULU,
        )
        for number, day in found
    )


def find_storm(sentence: str) -> FoundName | None:
    """Where a sentence names a storm, and the storms that it may mean; None where it names none.

    Raises
    ------
    InputError
        The storm was before there were measurements.
    """
    if _CARRINGTON_EVENT.search(sentence):
        hint = "The first solar wind data begin in 1963. Try the Halloween storm of 2003."
        raise InputError("the Carrington event of 1859 was before the space age", hint=hint)
    found: dict[tuple[int, int], list[NamedStorm]] = {}
    for storm in (*storms(), *_of_months(), *_ground_level_events()):
        for match in storm.pattern.finditer(sentence):
            if storm.is_meant(match):
                found.setdefault(match.span(), []).append(storm)
    if not found:
        return None
    first, last = max(found, key=lambda place: place[1] - place[0])
    return FoundName(first, last, tuple(found[first, last]))


def names_a_storm(words: str) -> bool:
    """Whether words name a storm of Earth's magnetic field."""
    found = ((storm, match) for storm in (*storms(), *_of_months()) for match in storm.pattern.finditer(words))
    return any(storm.is_meant(match) for storm, match in found)


def storms_at(sentence: str, first: int) -> list[FoundName]:
    """The names of storms that begin at a character, with the storms that each may mean."""
    found: dict[int, list[NamedStorm]] = {}
    for storm in (*storms(), *_of_months(), *_ground_level_events()):
        match = storm.pattern.match(sentence, first)
        if match is not None and storm.is_meant(match):
            found.setdefault(match.end(), []).append(storm)
    return [FoundName(first, last, tuple(named)) for last, named in found.items()]


def solar_cycle(number: int, now: datetime) -> tuple[TimeRange, str]:
    """A solar cycle from its minimum to the next one, or to today; InputError where its months are not known."""
    starts = {int(row[0]): datetime.fromisoformat(f"{row[1]}-01").replace(tzinfo=UTC) for row in rows("solar_cycles.txt")}
    if number not in starts:
        hint = f"Known are solar cycles {min(starts)} to {max(starts)}."
        raise InputError(f"the months of solar cycle {number} are not known", hint=hint)
    span = TimeRange(starts[number], starts.get(number + 1, Grain.DAILY.floor(now)))
    return span, f"Solar cycle {number} is taken as {span}, from minimum to minimum of the smoothed sunspot number."


def carrington_rotation(number: int) -> tuple[TimeRange, str]:
    """A Carrington rotation, to the minute; InputError where it lies outside the years that are known.

    The start is that of Meeus, Astronomical Algorithms (1998), chapter 29, good to a few minutes.
    """
    if not 1400 <= number <= 5000:
        raise InputError(f"Carrington rotation {number} is out of range", hint="Rotation 2290 began in October 2024.")
    span = TimeRange(_rotation_start(number), _rotation_start(number + 1))
    return span, f"Carrington rotation {number} is taken as {span}."


def _rotation_start(number: int) -> datetime:
    angle = math.radians(281.96 + 26.882476 * number)
    day = 2398140.2270 + 27.2752316 * number
    day += 0.1454 * math.sin(angle) - 0.0085 * math.sin(2 * angle) - 0.0141 * math.cos(2 * angle)
    start = _J2000 + timedelta(days=day - _J2000_DAY)
    return start.replace(second=0, microsecond=0)


def _storm(name: str, called: str, needs_word: str, first: str, last: str, source: str) -> NamedStorm:
    word = _STORM if needs_word == "yes" else f"{_STORM}?"
    pattern = re.compile(rf"(?<!\w){_YEAR_BEFORE}(?:{called})\b{word}{_YEAR_AFTER}", re.IGNORECASE)
    start, stop = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (first, last))
    return NamedStorm(name, pattern, TimeRange(start, stop + timedelta(days=1)), source)


def _by_month(start: datetime) -> re.Pattern[str]:
    return re.compile(_OF_A_MONTH.format(month=f"{start:%b}", word=_STORM), re.IGNORECASE)


def rows(name: str) -> Iterator[list[str]]:
    """The rows of a data file of this package; `#` begins a remark."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return ([part.strip() for part in line.split(" | ")] for line in text.splitlines() if line and not line.startswith("#"))
