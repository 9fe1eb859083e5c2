"""Results that are shown over time: intervals, crossings, jumps, and numbers of the whole range."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.result_parts import (
    DraftedResult,
    Made,
    Panel,
    lines_of,
    series_of,
    whose,
)
from helio_dagster.agent.treatments import WholeKind
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor, is_by_boltzmann
from helio_dagster.domain.units import is_same_unit

LONGEST, _GAP = timedelta(days=3), timedelta(hours=1)

_LARGEST_KP = 9
_LIMITS = ("above", "below", "value", "change")


def _intervals(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    if "each" in made.options:
        return _both_limits(made, panels)
    curve, options = limited_curve(made), made.options
    at_least = parse_duration(options["at_least"]) if "at_least" in options else timedelta(0)
    longest = max(LONGEST, 2 * at_least)
    limits = spoken_limits(options, curve.unit)
    intent = f"Intervals with {whose(curve)} {limits}" + (f" for {spoken_alone(at_least)} or longer" if at_least else "")
    counted = options.pop("hours", "")
    events = made.step("intervals", intent, "intervals_where", series_of(curve), **options, longest=format_duration(longest))
    made.assume(f"An interval that is longer than {spoken_alone(longest)} is cut there, and marked.", "intervals_where")
    shown, words = _marked(panels, events), f"Draw {whose(curve)} with the intervals shaded"
    if counted == "days":
        made.assume("The time is counted in hours, 24 to a day. Days on which it happened at all are not counted.", "facts_of")
    if counted == "share":
        made.assume("The share is of the time that has values: the coverage tells how much of the range that is.", "facts_of")
    if counted:
        sides = {side: options[side] for side in ("above", "below") if side in options}
        how_long = "what share of the time" if counted == "share" else "how many hours"
        of = f"For {how_long} {whose(curve)} is {limits}"
        statistics = ["share", "coverage"] if counted == "share" else ["coverage"]
        facts = made.step(f"{curve.step}_hours", of, "facts_of", series_of(curve), statistics=statistics, **sides)
        shown, words = (*shown, {"traces": [{"data": facts}]}), f"{words}, and for {how_long}"
    return DraftedResult(shown, f"intervals {limits}", words)


def _both_limits(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    """The times at which two quantities are each beyond a limit: what the intervals of both have in common."""
    at_least = parse_duration(made.options["at_least"]) if "at_least" in made.options else timedelta(0)
    lines, longest = lines_of(made, "list"), format_duration(max(LONGEST, 2 * at_least))
    limits: Sequence[Mapping[str, Any]] = made.options["each"]
    if len(lines) != len(limits):
        raise DraftQuestion(
            "Each of the two limits is of one quantity. Which limit is of which? Say: speed above A and density below B."
        )
    names, limited = list[str](), list[str]()
    for curve, limit in zip(lines, limits, strict=True):
        one = replace(made, curves=(curve,), options=dict(limit))
        limited_curve(one)
        limited.append(f"{whose(curve)} {spoken_limits(one.options, curve.unit)}")
        intent = f"Intervals with {limited[-1]}"
        names.append(
            made.step(f"{curve.step}_intervals", intent, "intervals_where", series_of(curve), **one.options, longest=longest)
        )
    inputs = {"a": names[0], "b": names[1]}
    name, intent = "both" if at_least else "intervals", f"Times with {' and '.join(limited)}"
    events = made.step(name, intent, "intersection_of", inputs, longest=longest)
    if at_least:
        intent = f"Of these, those of {spoken_alone(at_least)} or longer"
        events = made.step("intervals", intent, "filter_events", {"events": events}, at_least=format_duration(at_least))
    made.assume(
        f"An interval that is longer than {spoken_alone(parse_duration(longest))} is cut there, and marked.", "intersection_of"
    )
    made.assume("Both limits hold together in what the intervals of the two have in common.", "intersection_of")
    shown = tuple(marked for panel in panels for marked in _marked((panel,), events))
    return DraftedResult(shown, "intervals of both limits", "Draw both with the intervals shaded")


def spoken_limits(options: Mapping[str, Any], unit: str) -> str:
    """`above 500 km/s`."""
    return " and ".join(f"{side} {options[side]:g} {unit}".strip() for side in ("above", "below") if side in options)


INCLUDING = {"above": -1.0, "below": 1.0}
"""How a limit of Kp as stored is moved so that the Kp that is named counts too."""


def _crossings(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    curve, options = limited_curve(made), made.options
    options["value"] = float(options["value"])
    way = {"up": " upwards", "down": " downwards"}.get(options.get("direction", ""), "")
    words = f"crossings of {options['value']:g} {curve.unit}".rstrip() + way
    events = made.step("crossings", f"{capital(words)} by {whose(curve)}", "crossings", series_of(curve), **options)
    made.assume("A noisy series crosses a value many times: smooth it first where only the lasting changes count.", "crossings")
    return DraftedResult(_marked(panels, events), words, f"Draw {whose(curve)} with the crossings marked")


def _jumps(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    curve, options = limited_curve(made), made.options
    options.pop("gaps", None)
    size = f"jumps of more than {options['change']:g} {curve.unit}".rstrip()
    events = made.step("jumps", f"{capital(size)} of {whose(curve)}", "jumps", series_of(curve), **options)
    made.assume(
        f"A jump is between the means of {spoken_alone(parse_duration(options['window']))} before and after it.", "jumps"
    )
    return DraftedResult(_marked(panels, events), size, f"Draw {whose(curve)} with the jumps marked")


EXTREMA_APART = {True: timedelta(hours=12), False: timedelta(hours=3)}
"""Within which an extreme value is the only one: of hourly and three-hourly data, and of denser ones."""


def extreme_events(made: Made, curve: Curve, name: str, apart: str = "") -> tuple[str, str, str]:
    """The step with the minima or maxima beyond a limit, what they are, and how far apart they are at least."""
    which = str(made.options["which"])
    limits: dict[str, Any] = {side: made.options[side] for side in ("above", "below") if side in made.options}
    apart = apart or format_duration(EXTREMA_APART[curve.cadence is not None and curve.cadence >= timedelta(hours=1)])
    words, intent = f"{which} of {curve.choice.target.words} {spoken_limits(limits, curve.unit)}", f"{which} of {whose(curve)}"
    every = made.step(f"{curve.step}_{which}", intent, "extrema", series_of(curve), which=which, apart=apart)
    kept = f"Of these, those {spoken_limits(limits, curve.unit)}"
    return made.step(name, kept, "filter_events", {"events": every}, column="value", **limits), words, apart


def _extrema(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    curve = limited_curve(made)
    events, words, apart = extreme_events(made, curve, "extremes", str(made.options.get("apart", "")))
    called, lower = {"minima": ("minimum", "lower"), "maxima": ("maximum", "higher")}[str(made.options["which"])]
    made.assume(f"A {called} counts if no value within {spoken_alone(parse_duration(apart))} is {lower}.", "extrema")
    return DraftedResult(_marked(panels, events), words, f"Draw {whose(curve)} with them marked")


def limited_curve(made: Made) -> Curve:
    """The one curve that a limit is about, whose unit it has."""
    (curve, *more), options = lines_of(made, "list"), made.options
    if more:
        raise DraftQuestion(f"The condition is about one of {whose(curve)} and {whose(more[0])}. Which one?")
    unit = options.pop("unit", "")
    if unit and not is_same_unit(unit, curve.unit) and can_convert(unit, curve.unit) and not is_by_boltzmann(unit, curve.unit):
        factor = float(conversion_factor(unit, curve.unit))
        named = {name: float(options[name]) for name in _LIMITS if name in options}
        options |= {name: float(f"{value * factor:.9g}") for name, value in named.items()}
        made.assume(f"{next(iter(named.values())):g} {unit} is {options[next(iter(named))]:g} {curve.unit}.")
    elif unit and not is_same_unit(unit, curve.unit):
        text = f"{capital(whose(curve))} is in {curve.unit or 'no unit'}, and the limit is in {unit}. Do you want it in {unit}?"
        raise DraftQuestion(text, [Remedy("unit", f"in {unit}")])
    is_inclusive = bool(options.pop("inclusive", ""))
    if getattr(curve.choice.target, "quantity", "") == "kp":
        if beyond := [value for name in _LIMITS if not 0 <= (value := float(options.get(name, 0))) <= _LARGEST_KP]:
            raise DraftQuestion(
                f"Kp goes from 0 to {_LARGEST_KP}, so {beyond[0]:g} is not a limit of it. Which limit do you mean?"
            )
        options |= {name: round(10 * float(options[name]), 9) for name in _LIMITS if name in options}
        made.assume("The limit is ten times the Kp that is named, as the values are stored.")
        if is_inclusive:  # the values lie three or four apart
            options |= {name: options[name] + way for name, way in INCLUDING.items() if name in options}
            made.assume("It is moved by 1, so that the Kp that is named counts too.")
    elif is_inclusive:
        made.assume("A value that equals the limit does not count.")
    if not unit and curve.unit and float(options.get("value", 1)) != 0:
        made.assume(f"The limit is taken to be in {curve.unit}.")
    if curve.cadence is not None and 2 * curve.cadence > _GAP:
        options["gaps"] = format_duration(2 * curve.cadence)
    return curve


def _marked(panels: Sequence[Panel], events: str) -> tuple[Panel, ...]:
    """The panels, events drawn into the first."""
    first, *others = panels
    shown = first["traces"] if isinstance(first["traces"], list) else []
    return ({**first, "traces": [*shown, {"data": events}]}, *others)


def _facts(made: Made, panels: Sequence[Panel]) -> DraftedResult:
    statistics = list(made.options["statistics"])
    words, facts = " and ".join(statistics), []
    is_of_gaps = statistics == ["coverage"]
    for curve in lines_of(made, words):
        intent, name = f"{capital(words)} of {whose(curve)}", f"{curve.step}_facts"
        facts.append(
            made.step(name, intent, "facts_of", series_of(curve), statistics=list(dict.fromkeys([*statistics, "coverage"])))
        )
    if is_of_gaps:
        made.assume(
            "The coverage is the share of the range that has values, in percent: what is missing from 100 are the gaps.",
            "facts_of",
        )
    else:
        made.assume(of_all_samples(statistics), "facts_of")
    return DraftedResult((*panels, {"traces": [{"data": each} for each in facts]}), words, f"Draw it with its {words}")


def of_all_samples(statistics: Sequence[str], *, is_of_events: bool = False) -> str:
    """Of what statistics are: the range, or each event."""
    words = " and ".join(statistics)
    return (
        f"Of all samples of an event: {words}."
        if is_of_events
        else f"Of all samples of the range: {words}. For one of each day say `daily`."
    )


OVER_TIME: dict[WholeKind, Callable[[Made, Sequence[Panel]], DraftedResult]] = {
    "intervals": _intervals,
    "crossings": _crossings,
    "jumps": _jumps,
    "extrema": _extrema,
    "facts": _facts,
}
