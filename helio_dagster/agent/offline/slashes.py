"""Slashes between quantities or instruments: `IMF/plasma` is a list, `ratio of density/temperature` is of the two."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.meanings import Instrument, Mission
from helio_dagster.agent.offline.retracted import Retracted, ending_at, longest_at
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.quantities import MOMENTS

_SLASH = re.compile(r"(?<=[\w|])\s*/\s*(?=[A-Za-z|])")
_RATIO = re.compile(r"\bratios?\b|\bquotients?\b", re.IGNORECASE)
_LISTED = ((Measured, Derived), (Instrument, Measured), (Mission,))
"""What a slash joins, one of a row with another of it."""


def with_slashes_read(request: str) -> Retracted:
    """The request with `and` in place of slashes in lists and `to` in a ratio; a note where it could be either."""
    notes: list[str] = []
    at = 0
    while (match := _SLASH.search(request, at)) is not None:
        at = match.end()
        before, after = ending_at(request, match.start()), longest_at(request, match.end())
        if before is None or after is None:
            continue
        ends = (before[1], after[1])
        if not any(all(isinstance(each, kinds) for each in ends) for kinds in _LISTED):
            continue
        is_ratio = _RATIO.search(request) is not None
        if not is_ratio and all(isinstance(each, Measured) and {*each.quantities} <= MOMENTS for each in ends):
            notes.append(f"{request[before[0] : after[0]]!r} is read as both, not as their ratio.")
        joint = " to " if is_ratio else " and "
        request = f"{request[: match.start()]}{joint}{request[match.end() :]}"
        at = match.start() + len(joint)
    return Retracted(request, tuple(notes))
