"""Words for results of a whole range: what a match of each means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Asks, Condition, Filler, Heading, Layout, Meaning, Unclear
from helio_dagster.catalog.times.lengths import LONGEST, read_length
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.unit_words import read_unit

_RANKS = {"first": 1, "top": 1, "upper": 1, "second": 2, "middle": 2, "third": 3, "fourth": 4, "bottom": 9, "lower": 9}
"""Places of panels from the top."""
_THIRDS = {"-": -0.3, "o": 0.0, "+": 0.3}
"""How the thirds of Kp are written, to what they are stored as: 7+ is 73, ten times 7.3."""


def with_component_named(request: str) -> str:
    """The request in which the field whose times of north or south are wanted is its z component: `southward IMF`."""
    if form("results.stretches").search(request) is not None or form("results.moment").search(request) is not None:
        request = form("results.turned_field").sub(r"\g<0> Bz", request)
    return form("results.field_turned").sub(r"\g<0> Bz", request)


def asks(given: list[Any], options: Mapping[str, Any]) -> Meaning:
    """What a line of the words says is asked for."""
    return Asks(given[0], tuple(sorted(options.items())))


def condition(match: re.Match[str]) -> Meaning:
    """`below -5 nT for at least two hours`."""
    part = match.groupdict()
    unit = read_unit(part["of_unit"]) if part.get("of_unit") else ""
    negated = form("results.negated").match(part["bound"])
    bound = part["bound"][negated.end() :] if negated else part["bound"]
    side: Literal["above", "below"] = (
        "above" if (form("results.above").match(bound) is None) == (negated is not None) else "below"
    )
    value = float(part["value"].replace("−", "-"))
    if part.get("third"):
        if re.search(r"\bkp\b", match.string, re.IGNORECASE) is None:
            return Unclear(f"What does {match[0].strip()!r} mean? Thirds are of Kp alone.", ())
        value = round(value + _THIRDS[part["third"]], 1)
    value = int(value) if value.is_integer() else value
    if side == "above" and value > 0 and _is_south_beyond(match, match.start("value")):
        side, value = "below", -value
    stop = max(match.end(name) for name in ("bound", "value", "of_unit") if part.get(name))
    is_inclusive = form("results.inclusive").search(match.string, match.start(), stop) is not None or (
        negated is not None and form("results.inclusive").match(bound) is None
    )  # `for at least two hours` is of the length
    limit = Condition(side, value, unit, is_inclusive=is_inclusive)
    if not part.get("unit"):
        return limit
    length = read_length(match)
    if length > LONGEST:
        return Unclear(f"{match[0]!r} is longer than {LONGEST.days} days. What do you mean?", ())
    return replace(limit, at_least=format_duration(length))


def _is_south_beyond(match: re.Match[str], at: int) -> bool:
    """Whether a place is in words such as `southward Bz stronger than 10 nT`, which are one limit of the field."""
    return any(each.start() <= at < each.end() for each in form("results.south_beyond").finditer(match.string))


def lasting(match: re.Match[str]) -> Meaning:
    """`lasting at least two hours`, apart from the condition."""
    return Asks("lasting", (("at_least", format_duration(read_length(match))),))


def apart(match: re.Match[str]) -> Meaning:
    """`at least 24 hours apart`: events that are nearer count as one."""
    return Asks("apart", (("apart", format_duration(read_length(match))),))


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
        return Unclear(f"{match[0]!r} is not a bin width. How wide should the bins be?", ())
    width = int(width) if width.is_integer() else width
    return Asks("bins", (("unit", read_unit(part["of_unit"])), ("width", width)))


def crossing(match: re.Match[str]) -> Meaning:
    """`crosses 100 nT upwards`: the moments at which a value is crossed."""
    part = match.groupdict()
    value = 0.0 if part["value"].casefold() == "zero" else float(part["value"].replace("−", "-"))
    unit = (("unit", read_unit(part["of_unit"])),) if part.get("of_unit") else ()
    way = (("direction", part["way"].lower()),) if part.get("way") else ()
    return Asks("crossings", (("value", value), *unit, *way))


def ward(match: re.Match[str]) -> Meaning:
    """`southward`: a condition where intervals are wanted, else what is only told of a field."""
    if match["side"].lower() == "south" and _is_south_beyond(match, match.start("side")):
        return Filler(note="Southward and so strong is one limit: that much below zero.")
    if not (form("results.stretches").search(match.string) or form("results.while").search(match.string[: match.start()])):
        return Heading()
    return Condition("above" if match["side"].lower() == "north" else "below", 0)


def panel(match: re.Match[str]) -> Meaning:
    """`in the second panel`, `bottom:`; each quantity has a panel of its own, in the order in which they are named."""
    named = [_RANKS[each[0].lower()] for each in form("results.panels").finditer(match.string)]
    if len(named) < 2 or named != sorted(set(named)):
        return Unclear("From top to bottom, in which order do you want the panels? Name the quantities in that order.", ())
    return Layout(is_stacked=True, is_ordered=True)


def quartiles(match: re.Match[str]) -> Meaning:
    """`median and quartiles`: what a superposed epoch shows anyway."""
    if re.search("superpos|epoch", match.string, re.IGNORECASE) is None:
        return Unclear("Of what do you want median and quartiles? A superposed epoch over events has them.", ())
    return Filler(note="A superposed epoch is drawn as its median, with the quartiles around it.")


def after_what(match: re.Match[str]) -> Meaning:
    """`after the shock`: where moments are listed, those before it stand in the list, too."""
    if form("results.moment").search(match.string) is None:
        return Unclear(f"When is {match[0]!r}? Give the time range that you want.", ())
    return Filler(note=f"All moments of the range are listed in their order, not only those {' '.join(match[0].split())}.")


def of_variance(match: re.Match[str]) -> Meaning:
    """`the normal and the eigenvalue ratios`: what minimum variance analysis gives anyway."""
    if re.search("minimum variance|mva", match.string, re.IGNORECASE) is None:
        return Unclear(f"Of which analysis is {match[0].strip()!r}: minimum variance of a vector, or a shock?", ())
    return Filler(note="The table of numbers has the axes, their variances and the ratios of these.")


def stretches(match: re.Match[str]) -> Meaning:
    """`AE > 500 nT intervals`: the condition stands before."""
    if form("results.limit").search(match.string, 0, match.start()):
        return Asks("intervals")
    return Unclear("Intervals of what: above or below which value? Say it as in: intervals where Bz is below -5 nT.", ())


def way(match: re.Match[str]) -> Meaning:
    """`upwards`, apart from the crossings that it is said of."""
    if re.search(r"cross|sign change|turning", match.string, re.IGNORECASE) is None:
        return Unclear(f"What is {match[0]!r} said of?", ())
    return Asks("crossings", (("direction", match["way"].lower()),))


def when(match: re.Match[str]) -> Meaning:
    """`and when did it occur`: an extreme value is told with its time anyway; `when was it below 5 nT`: the intervals."""
    if form("results.limit").search(match.string) or form("results.turned_to").search(match.string):
        counted = "days" if "days" in match[0].casefold() else "share" if form("results.share").search(match[0]) else "yes"
        return Asks("intervals", (("hours", counted),) if counted == "share" or form("results.hours").search(match[0]) else ())
    if form("results.moment").search(match.string, match.end()):
        return Filler(note="All moments are listed in their order, the first one at the top.")
    if form("results.extreme").search(match.string):
        return Filler(note="The table of numbers tells when the extreme values were.")
    return Unclear(f"What is {match[0]!r} about? Name the quantity and its minimum or maximum.", ())
