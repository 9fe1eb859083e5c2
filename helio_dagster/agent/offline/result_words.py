"""Words for results of a whole range: what a match of each means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from helio_dagster.agent.offline.meanings import Asks, Condition, Filler, Meaning, Unclear
from helio_dagster.catalog.times.lengths import LONGEST, read_length
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.unit_words import read_unit

_ABOVE = re.compile(r"above|over|exceed|greater|larger|higher|more|at least|>", re.IGNORECASE)

_EXTREME = re.compile(r"\b(?:min|max)(?:im(?:um|a))?\b|\b(?:low|high|great|small|larg)est\b|\bpeaks?\b", re.IGNORECASE)


def asks(given: list[Any], options: Mapping[str, Any]) -> Meaning:
    """What a line of the words says is asked for."""
    return Asks(given[0], tuple(sorted(options.items())))


def condition(match: re.Match[str]) -> Meaning:
    """`below -5 nT for at least two hours`."""
    part = match.groupdict()
    unit = read_unit(part["of_unit"]) if part.get("of_unit") else ""
    side: Literal["above", "below"] = "above" if _ABOVE.match(part["bound"]) else "below"
    value = float(part["value"].replace("−", "-"))
    value = int(value) if value.is_integer() else value
    if not part.get("unit"):
        return Condition(side, value, unit)
    length = read_length(match)
    if length > LONGEST:
        return Unclear(f"{match[0]!r} is longer than {LONGEST.days} days. What do you mean?", ())
    return Condition(side, value, unit, format_duration(length))


def lasting(match: re.Match[str]) -> Meaning:
    """`lasting at least two hours`, apart from the condition."""
    return Asks("lasting", (("at_least", format_duration(read_length(match))),))


def lags(match: re.Match[str]) -> Meaning:
    """`with lags up to 3 hours`."""
    return Asks("lags", (("longest_lag", format_duration(read_length(match))),))


def bins(match: re.Match[str]) -> Meaning:
    """`in 25 km/s bins`, `with 40 bins`: those of a histogram."""
    part = match.groupdict()
    if part.get("count"):
        return Asks("bins", (("bins", int(part["count"])),))
    width = float(part["width"].replace("−", "-"))
    if width <= 0:
        return Unclear(f"{match[0]!r} is no width of bins. How wide shall they be?", ())
    width = int(width) if width.is_integer() else width
    return Asks("bins", (("unit", read_unit(part["of_unit"])), ("width", width)))


def when(match: re.Match[str]) -> Meaning:
    """`and when did it occur`: an extreme value is told with its time anyway."""
    if _EXTREME.search(match.string):
        return Filler(note="The table of numbers tells when the extreme values were.")
    return Unclear(f"What is {match[0]!r} about? Name the quantity and its minimum or maximum.", ())
