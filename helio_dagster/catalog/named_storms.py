"""Geomagnetic storms that people call by name, and the days meant."""

from __future__ import annotations

import re
from dataclasses import dataclass

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import day_period

_STORM = r"(?:\s+(?:geomagnetic\s+|magnetic\s+|super)?(?:storms?|events?))?"


@dataclass(frozen=True)
class NamedStorm:
    """A storm: how it is called, how its name is recognized, its first and last day."""

    name: str
    pattern: str
    first: tuple[int, int, int]
    last: tuple[int, int, int]

    @property
    def span(self) -> TimeRange:
        """From its first day through its last."""
        return TimeRange(day_period(*self.first, self.name).start, day_period(*self.last, self.name).stop)


_PATRICK = r"st\.?\s*patrick[’']?s?(?:\s+day)?"
_MOTHER = r"mother[’']?s[’']?\s+day"
STORMS = (
    NamedStorm(
        "Halloween storm",
        rf"(?:2003\s+)?halloween(?:\s+2003)?{_STORM}(?:(?:\s+(?:of|in))?(?:\s+oct(?:ober)?)?,?\s+2003)?",
        (2003, 10, 28),
        (2003, 10, 31),
    ),
    NamedStorm(
        "Bastille Day storm",
        rf"bastille(?:\s+day)?(?:\s+2000)?{_STORM}(?:(?:\s+of)?,?\s+2000)?",
        (2000, 7, 14),
        (2000, 7, 16),
    ),
    NamedStorm(
        "St Patrick's Day storm of 2013",
        rf"(?:2013\s+{_PATRICK}{_STORM}|{_PATRICK}{_STORM}(?:\s+of)?,?\s+2013)",
        (2013, 3, 17),
        (2013, 3, 18),
    ),
    NamedStorm(
        "St Patrick's Day storm of 2015",
        rf"(?:2015\s+{_PATRICK}{_STORM}|{_PATRICK}{_STORM}(?:\s+of)?,?\s+2015)",
        (2015, 3, 17),
        (2015, 3, 18),
    ),
    NamedStorm(
        "Gannon storm",
        rf"(?:gannon(?:\s+2024)?{_STORM}|{_MOTHER}(?:\s+2024)?\s+(?:storm|event))(?:(?:\s+(?:of|in))?(?:\s+may)?,?\s+2024)?",
        (2024, 5, 10),
        (2024, 5, 12),
    ),
    NamedStorm(
        "Quebec storm",
        rf"qu[eé]bec(?:\s+1989)?{_STORM}(?:(?:\s+(?:of|in))?(?:\s+march)?,?\s+1989)?",
        (1989, 3, 13),
        (1989, 3, 14),
    ),
)
_WITHOUT_YEAR = re.compile(rf"\bst\.?\s*patrick[’']?s?(?:\s+day)?{_STORM}", re.IGNORECASE)
_CARRINGTON = re.compile(r"\bcarrington(?!\s+(?:rotation|longitude|coordinate))", re.IGNORECASE)


def find_storm(request: str) -> tuple[int, int, list[NamedStorm]] | None:
    """Where a sentence names a storm, and the storms it may mean; None where it names none.

    Raises
    ------
    InputError
        The storm was before there were measurements.
    """
    if _CARRINGTON.search(request):
        hint = "The first solar wind data begin in 1963. Try the Halloween storm of 2003."
        raise InputError("the Carrington event of 1859 lies before the space age", hint=hint)
    found = [(match, storm) for storm in STORMS if (match := re.search(rf"\b{storm.pattern}", request, re.IGNORECASE))]
    if found:
        match, storm = max(found, key=lambda pair: len(pair[0][0]))
        return match.start(), match.end(), [storm]
    open_match = _WITHOUT_YEAR.search(request)
    if open_match is None:
        return None
    return open_match.start(), open_match.end(), [storm for storm in STORMS if storm.name.startswith("St Patrick")]
