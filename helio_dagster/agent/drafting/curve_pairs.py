"""What is made of two curves: their difference, ratio, correlation, or the angle between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.drafting.naming import slug
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.units import divide_units, is_same_unit

_MATCHED = timedelta(minutes=1)
"""How far apart samples of two inputs may be where nothing is said."""
_SHORT, _LONG = timedelta(days=1), timedelta(days=10)
"""Windows of a correlation where none is named: of samples within a quarter of an hour of each other, and of others."""
_DENSE = timedelta(minutes=15)


@dataclass(frozen=True)
class PairOfCurves:
    """The step that is made of two curves, of which `a` gives the times."""

    a: Curve
    b: Curve
    operation: str
    step: str
    intent: str
    symbol: str
    unit: str
    options: dict[str, Any]
    assumptions: tuple[str, ...]


def pair_curves(first: Curve, second: Curve, operation: str, lengths: Mapping[str, timedelta]) -> PairOfCurves:
    """The step of two curves.

    Raises
    ------
    DraftQuestion
        Their units or frames do not allow it.
    """
    if operation == "rolling_correlation":
        return _correlation(first, second, lengths.get("window"))
    if operation == "angle_between":
        return _angle(first, second)
    sign = "minus" if operation == "difference" else "over"
    names = [curve.choice.target.who for curve in (first, second)]
    names = names if names[0] != names[1] else [curve.symbol or curve.choice.target.words for curve in (first, second)]
    words = f"{names[0]} {sign} {names[1]}"
    units = [curve.unit for curve in (first, second)]
    if operation == "difference" and not is_same_unit(*units):
        raise DraftQuestion(f"One is in {units[0] or 'no unit'}, the other in {units[1] or 'no unit'}. Is the ratio meant?")
    one, other = _names(first, second)
    notes = [f"The times are those of {names[0]}, each with the nearest sample of the other."]
    notes += ["It is taken of the angles as numbers, which jump at the end of their circle."] if "deg" in units else []
    return PairOfCurves(
        first,
        second,
        operation,
        f"{one}_{sign}_{other}",
        words,
        f"{first.symbol} {operation}",
        first.unit if operation == "difference" else divide_units(*units),
        tolerance_of(_cadences(first, second)),
        tuple(notes),
    )


def tolerance_of(cadences: list[timedelta]) -> dict[str, Any]:
    """How far apart samples may be, where a minute is less than half the coarsest cadence."""
    half = max(cadences, default=timedelta(0)) / 2
    return {"tolerance": format_duration(half)} if half > _MATCHED else {}


def _correlation(first: Curve, second: Curve, window: timedelta | None) -> PairOfCurves:
    """At the times of the less dense of both, so that no sample counts twice."""
    known = _cadences(first, second)
    is_second = len(known) == 2 and known[1] > known[0]
    a, b = (second, first) if is_second else (first, second)
    length = window or (_SHORT if known and max(known) <= _DENSE else _LONG)
    names = [_whose(each) for each in (first, second)]
    notes = [] if window else [f"The correlation is that of a moving {spoken(length)} window, because the request names none."]
    notes.append(f"Its times are those of {_whose(a)}, each with the nearest sample of {_whose(b)}.")
    notes.append("For one number of the whole range say it without `moving` and without a window.")
    one, other = _names(first, second)
    return PairOfCurves(
        a,
        b,
        "rolling_correlation",
        f"{one}_with_{other}",
        f"Correlation of {names[0]} with {names[1]} in a moving {spoken(length)} window",
        "correlation",
        "",
        {"window": format_duration(length), **tolerance_of(known)},
        tuple(notes),
    )


def _angle(first: Curve, second: Curve) -> PairOfCurves:
    if first.kind != "vector" or second.kind != "vector":
        shown = " and ".join(_whose(each) for each in (first, second))
        raise DraftQuestion(f"An angle is between two vectors; there is {shown}. Between which is it wanted?")
    frames = [curve.symbol.split()[-1] for curve in (first, second)]
    if frames[0] != frames[1]:
        raise DraftQuestion(f"{_whose(first)} and {_whose(second)} are not catalogued in one frame. In which are both wanted?")
    one, other = _names(first, second)
    return PairOfCurves(
        first,
        second,
        "angle_between",
        f"{one}_to_{other}",
        f"Angle between {_whose(first)} and {_whose(second)}",
        "angle",
        "deg",
        tolerance_of(_cadences(first, second)),
        (f"The times are those of {_whose(first)}, each with the nearest sample of the other.",),
    )


def _names(first: Curve, second: Curve) -> tuple[str, str]:
    who = [slug(curve.choice.target.who) for curve in (first, second)]
    return (first.step, second.step) if who[0] == who[1] else (who[0], who[1])


def _whose(curve: Curve) -> str:
    return f"{curve.choice.target.who} {curve.choice.target.words}"


def _cadences(first: Curve, second: Curve) -> list[timedelta]:
    return [curve.cadence for curve in (first, second) if curve.cadence is not None]
