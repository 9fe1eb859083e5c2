"""Encounters, from `encounters.txt`: the days around a perihelion, or of Juno a perijove, of the mission that is named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from helio_dagster.catalog.times.named_times import rows
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange

ENCOUNTERS = frozenset({"encounter", "encounters", "perihelion", "perihelia"})
PERIJOVES = frozenset({"perijove", "perijoves", "pj"})
_EITHER_SIDE, _OF_A_PERIJOVE = timedelta(days=5), timedelta(days=1)
_JUNO = "Juno"
_NAMES = {
    "Parker Solar Probe": (("parker", "solar", "probe"), ("parker",), ("psp",)),
    "Solar Orbiter": (("solar", "orbiter"), ("solo",)),
    _JUNO: (("juno",),),
}
"""What the missions with encounters are called, the longest first."""


def encounter_mission(words: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The mission whose name words begin with, and these; None where they begin with none."""
    for mission, names in _NAMES.items():
        for name in names:
            if tuple(words[: len(name)]) == name:
                return mission, name
    return None


def beside_encounter(words: Sequence[str], first: int, last: int) -> str | None:
    """The mission whose encounter the words `[first, last)` name: that beside them, else the only one of the sentence."""
    after = last + (words[last : last + 1] == ["of"])
    beside = encounter_mission(words[after : after + 3])
    if beside is not None:
        return beside[0]
    for length in (1, 2, 3):
        before = encounter_mission(words[max(0, first - length) : first])
        if before is not None and len(before[1]) == length:
            return before[0]
    named = {found[0] for at in range(len(words)) if (found := encounter_mission(words[at : at + 3])) is not None}
    return named.pop() if len(named) == 1 else None


def has_encounters(mission: str, word: str) -> bool:
    """Whether a mission's encounters are called so: those of Juno are perijoves, all others perihelia."""
    return word in (PERIJOVES if mission == _JUNO else ENCOUNTERS)


def encounters_near(mission: str, span: TimeRange) -> list[tuple[int, TimeRange]] | None:
    """The encounters that overlap a range, else the nearest one; None of a mission whose encounters are not known."""
    dates = _dates(mission)
    if not dates:
        return None
    every = [(number, _around(day, mission)) for number, day in dates.items()]
    inside = [each for each in every if each[1].overlaps(span)]
    return inside or [min(every, key=lambda each: abs(each[1].start - span.start))]


def perihelion(mission: str, number: int) -> datetime:
    """The day of a perihelion that is known."""
    return _dates(mission)[number]


def _dates(mission: str) -> dict[int, datetime]:
    found = {int(row[1]): datetime.fromisoformat(row[2]) for row in rows("encounters.txt") if row[0] == mission}
    return {number: day.replace(tzinfo=UTC) for number, day in found.items()}


def _around(day: datetime, mission: str) -> TimeRange:
    reach = _OF_A_PERIJOVE if mission == _JUNO else _EITHER_SIDE
    return TimeRange(day - reach, day + reach + timedelta(days=1))


def encounter(mission: str, number: int) -> tuple[TimeRange, str]:
    """The days around a perihelion or perijove, and a note that says so; InputError where its date is not known."""
    dates = _dates(mission)
    if number not in dates:
        word, around = _called(mission)
        hint = f"Known are {word}s 1 to {max(dates)}, the first on {dates[1]:%Y-%m-%d}; give dates for others."
        raise InputError(f"{mission} has no known {word} {number}", hint=hint)
    word, around = _called(mission)
    days = f"{around} on {dates[number]:%Y-%m-%d}"
    note = f"{word.capitalize()} {number} of {mission} is taken as {days}; {word} 1 was on {dates[1]:%Y-%m-%d}."
    return _around(dates[number], mission), note


def _called(mission: str) -> tuple[str, str]:
    """What an encounter is called, and what is taken for one."""
    if mission == _JUNO:
        return "perijove", "one day on either side of that"
    return "encounter", "five days on either side of the perihelion"
