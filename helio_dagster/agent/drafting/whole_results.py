"""Steps and panels of a result of the whole range: a lag, a spectrum, histograms, a frame, points, intervals, numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.drafting.curve_pairs import tolerance_of
from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.intent import WholeKind, WholeResult
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.units import is_same_unit
from helio_dagster.domain.yaml.document import Value

_DENSE = timedelta(minutes=15)
_LAGS = {True: "PT2H", False: "P1D"}
"""Lags that are tried where none are named: of samples within a quarter of an hour of each other, and of others."""
_LONGEST, _GAP = timedelta(days=3), timedelta(hours=1)

_LIMITS = ("above", "below", "value", "change")

Panel = dict[str, Value]


@dataclass(frozen=True)
class DraftedResult:
    """The panels of a result, what is added to the title, and what the figure draws."""

    panels: tuple[Panel, ...]
    words: str
    intent: str


@dataclass
class _Made:
    """What is being drafted: the steps so far, the curves, and what is wanted of them."""

    draft: StepDraft
    curves: Sequence[Curve]
    whole: WholeResult
    options: dict[str, Any] = field(default_factory=dict)

    def step(self, name: str, intent: str, operation: str, inputs: Mapping[str, str], **options: Any) -> str:
        """The id of a step that is added."""
        return self.draft.compute(name, intent, operation, dict(inputs), **options)

    def assume(self, words: str) -> None:
        """Note what was decided."""
        self.draft.assumptions.append(words)


def draft_whole(draft: StepDraft, curves: Sequence[Curve], whole: WholeResult, panels: Sequence[Panel]) -> DraftedResult:
    """Add the steps of a result.

    Parameters
    ----------
    draft
        Collects the steps.
    curves
        What it is made of, in the order of the words.
    whole
        What is wanted.
    panels
        The curves over time, as they would be drawn.

    Raises
    ------
    DraftQuestion
        It cannot be made of these curves.
    """
    made = _Made(draft, curves, whole, dict(whole.options))
    if whole.kind in _OVER_TIME:
        return _OVER_TIME[whole.kind](made, panels)
    return _ALONE[whole.kind](made)


def _lag(made: _Made) -> DraftedResult:
    first, second = _two(made, "lag")
    a, b = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (a, b) if each.cadence is not None]
    longest = made.options.get("longest_lag")
    if longest is None:
        longest = _LAGS[bool(known) and max(known) <= _DENSE]
        made.assume(f"Lags up to {spoken_alone(parse_duration(longest))} are tried, because the request names none.")
    made.assume(f"The lag is positive where {_told(b)} comes later than {_told(a)}.")
    inputs = {"a": a.step, "b": b.step}
    curve = made.step("correlation", f"{_told(a)} with {_told(b)}", "cross_correlation", inputs, longest_lag=longest)
    is_alike = a.panel[0] == b.panel[0]
    if not is_alike:
        made.assume("The best lag is where the correlation is farthest from zero, of either sign.")
    more = {} if is_alike else {"largest": "absolute"}
    best = made.step("best_lag", "The lag with the best correlation", "peak_of", {"curve": curve}, **more)
    panel = _panel(curve, best, x=f"Lag of {_told(b)} behind {_told(a)}", y="Correlation", component="correlation")
    return DraftedResult((panel,), "cross correlation", "Draw the correlation over the lag")


def _spectrum(made: _Made) -> DraftedResult:
    panels = []
    for curve in made.curves:
        if not (curve.is_line or curve.kind == "vector"):
            raise _no_line(curve, "power spectrum")
        _require_frequencies(made, curve)
        spectrum = made.step(f"{curve.step}_spectrum", f"Power spectrum of {_told(curve)}", "power_spectrum", _series(curve))
        facts = []
        if made.whole.has_fit:
            slope = made.step(f"{curve.step}_slope", "Its slope", "spectral_slope", {"curve": spectrum}, **made.options)
            facts = [slope]
        panels.append(_panel(spectrum, *facts, y=f"Power of {curve.symbol or _told(curve)}"))
    made.assume("The spectrum is that of the longest stretch of the range without a long gap, as one segment.")
    if made.whole.has_fit and not made.options:
        made.assume("The slope is fitted over all frequencies; `lowest` and `highest` of that step limit them.")
    return DraftedResult(tuple(panels), "power spectrum", "Draw the power spectrum over frequency")


def _require_frequencies(made: _Made, curve: Curve) -> None:
    """Ask where a slope is wanted at frequencies that the samples are too far apart for."""
    highest = made.options.get("highest")
    if highest is None or curve.cadence is None:
        return
    reached = 0.5 / curve.cadence.total_seconds()
    if float(highest) > reached * 1.001:
        text = (
            f"{_told(curve)} has a cadence of {spoken_alone(curve.cadence)} here, so its spectrum ends at {reached:.3g} Hz, "
            f"below {float(highest):g} Hz. Name a dataset or a cadence that is denser, or lower frequencies."
        )
        raise DraftQuestion(text)


def _histogram(made: _Made) -> DraftedResult:
    panels, unit = [], made.options.get("unit", "")
    bins = {name: value for name, value in made.options.items() if name in ("width", "bins")} or {"bins": 50}
    for curve in _lines(made, "histogram"):
        if unit and not is_same_unit(unit, curve.unit):
            text = f"{capital(_told(curve))} is in {curve.unit or 'no unit'}, and the bins are in {unit}."
            raise DraftQuestion(f"{text} Do you want it in {unit}?", [Remedy("unit", f"in {unit}")])
        counts = made.step(f"{curve.step}_histogram", f"Histogram of {_told(curve)}", "histogram", _series(curve), **bins)
        panels.append(_panel(counts, x=capital(_title(curve)), y="Samples", draw="steps"))
    if not made.options:
        made.assume("The histogram has 50 bins of equal width, because the request names none.")
    return DraftedResult(tuple(panels), "histogram", "Draw the histogram")


def _frame(made: _Made) -> DraftedResult:
    panels = []
    for curve in _vectors(made, "minimum variance analysis"):
        intent = f"Minimum variance analysis of {_told(curve)}"
        frame = made.step(f"{curve.step}_frame", intent, "minimum_variance_frame", {"vector": curve.step})
        turned = made.step(
            f"{curve.step}_hodogram", f"Course of {_told(curve)} in its axes", "hodogram", {"vector": curve.step}
        )
        panels += [_panel(turned), _panel(frame)]
    return DraftedResult(tuple(panels), "minimum variance analysis", "The hodogram across the normal, and the axes in numbers")


def _hodogram(made: _Made) -> DraftedResult:
    steps = [
        made.step(f"{curve.step}_hodogram", f"Hodogram of {_told(curve)}", "hodogram", {"vector": curve.step})
        for curve in _vectors(made, "hodogram")
    ]
    made.assume("The hodogram is drawn in the axes of maximum and intermediate variance of the range.")
    return DraftedResult(tuple(_panel(each) for each in steps), "hodogram", "Draw the hodogram")


def _scatter(made: _Made) -> DraftedResult:
    first, second = _two(made, "scatter plot")
    x, y = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (x, y) if each.cadence is not None]
    made.assume(f"The points stand at the times of {_told(x)}, each with the nearest sample of {_told(y)}.")
    inputs, intent = {"x": x.step, "y": y.step}, f"{capital(_told(y))} against {_told(x)}"
    points = made.step("points", intent, "scatter", inputs, **tolerance_of(known))
    facts = []
    if made.whole.has_fit:
        made.assume(f"The line is fitted by least squares in {_told(y)}.")
        facts = [made.step("fit", "Straight line through the points", "fit_line", {"points": points})]
    panel = _panel(points, *facts, x=capital(_title(x)), y=capital(_title(y)))
    return DraftedResult((panel,), "scatter plot", f"Draw {intent}")


def _joint(made: _Made) -> DraftedResult:
    first, second = _two(made, "2-D histogram")
    if "width" in made.options:
        raise DraftQuestion("The bins of a 2-D histogram are given by their number. How many do you want along each axis?")
    x, y = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (x, y) if each.cadence is not None]
    made.assume(f"Each sample of {_told(x)} is paired with the nearest sample of {_told(y)}.")
    inputs, of = {"x": x.step, "y": y.step}, f"{_told(y)} against {_told(x)}"
    bins = made.options.get("bins")
    if bins is None:
        made.assume("The 2-D histogram has 50 bins of equal width along each axis, because the request names none.")
    is_share = made.options.get("result") == "share"
    options = {"x_bins": bins or 50, "y_bins": bins or 50, **({"result": "share"} if is_share else {})}
    cells = made.step("distribution", f"2-D histogram of {of}", "histogram_2d", inputs, **options, **tolerance_of(known))
    panel = _panel(cells, x=capital(_title(x)), y=capital(_title(y)))
    if not is_share:
        made.assume("Its colours are logarithmic.")
        panel = {**panel, "z": {"scale": "log"}}
    return DraftedResult((panel,), "2-D histogram", f"Draw the 2-D histogram of {of}")


def _intervals(made: _Made, panels: Sequence[Panel]) -> DraftedResult:
    if "each" in made.options:
        return _both_limits(made, panels)
    curve, options = _limited(made), made.options
    at_least = parse_duration(options["at_least"]) if "at_least" in options else timedelta(0)
    longest = max(_LONGEST, 2 * at_least)
    limits = " and ".join(f"{side} {options[side]:g} {curve.unit}".strip() for side in ("above", "below") if side in options)
    intent = f"Intervals with {_told(curve)} {limits}" + (f" for {spoken_alone(at_least)} or longer" if at_least else "")
    is_counted = bool(options.pop("hours", ""))
    events = made.step("intervals", intent, "intervals_where", _series(curve), **options, longest=format_duration(longest))
    made.assume(f"An interval that is longer than {spoken_alone(longest)} is cut there, and marked.")
    shown, words = _marked(panels, events), f"Draw {_told(curve)} with the intervals shaded"
    if is_counted:
        sides = {side: options[side] for side in ("above", "below") if side in options}
        of = f"For how many hours {_told(curve)} is {limits}"
        facts = made.step(f"{curve.step}_hours", of, "facts_of", _series(curve), statistics=["coverage"], **sides)
        shown, words = (*shown, {"traces": [{"data": facts}]}), f"{words}, and for how many hours"
    return DraftedResult(shown, f"intervals {limits}", words)


def _both_limits(made: _Made, panels: Sequence[Panel]) -> DraftedResult:
    """The times at which two quantities are each beyond a limit: what the intervals of both have in common."""
    lines, longest = _lines(made, "list"), format_duration(_LONGEST)
    limits: Sequence[Mapping[str, Any]] = made.options["each"]
    if len(lines) != len(limits):
        raise DraftQuestion(
            "Each of the two limits is of one quantity. Which limit is of which? Say: speed above A and density below B."
        )
    names, told = list[str](), list[str]()
    for curve, limit in zip(lines, limits, strict=True):
        one = replace(made, curves=(curve,), options=dict(limit))
        _limited(one)
        sides = " and ".join(f"{side} {limit[side]:g} {curve.unit}".strip() for side in ("above", "below") if side in limit)
        told.append(f"{_told(curve)} {sides}")
        intent = f"Intervals with {told[-1]}"
        names.append(
            made.step(f"{curve.step}_intervals", intent, "intervals_where", _series(curve), **one.options, longest=longest)
        )
    inputs = {"a": names[0], "b": names[1]}
    events = made.step("intervals", f"Times with {' and '.join(told)}", "intersection_of", inputs, longest=longest)
    made.assume(f"An interval that is longer than {spoken_alone(_LONGEST)} is cut there, and marked.")
    made.assume("Both limits hold together in what the intervals of the two have in common.")
    shown = tuple(marked for panel in panels for marked in _marked((panel,), events))
    return DraftedResult(shown, "intervals of both limits", "Draw both with the intervals shaded")


_INCLUDING = {"above": -1.0, "below": 1.0}


def _crossings(made: _Made, panels: Sequence[Panel]) -> DraftedResult:
    curve, options = _limited(made), made.options
    options["value"] = float(options["value"])
    way = {"up": " upwards", "down": " downwards"}.get(options.get("direction", ""), "")
    words = f"crossings of {options['value']:g} {curve.unit}".rstrip() + way
    events = made.step("crossings", f"{capital(words)} by {_told(curve)}", "crossings", _series(curve), **options)
    made.assume("A noisy series crosses a value many times: smooth it first where only the lasting changes count.")
    return DraftedResult(_marked(panels, events), words, f"Draw {_told(curve)} with the crossings marked")


def _jumps(made: _Made, panels: Sequence[Panel]) -> DraftedResult:
    curve, options = _limited(made), made.options
    options.pop("gaps", None)
    size = f"jumps of more than {options['change']:g} {curve.unit}".rstrip()
    events = made.step("jumps", f"{capital(size)} of {_told(curve)}", "jumps", _series(curve), **options)
    made.assume(f"A jump is between the means of {spoken_alone(parse_duration(options['window']))} before and after it.")
    return DraftedResult(_marked(panels, events), size, f"Draw {_told(curve)} with the jumps marked")


def _limited(made: _Made) -> Curve:
    """The one curve that a limit is about, whose unit it has."""
    (curve, *more), options = _lines(made, "list"), made.options
    if more:
        raise DraftQuestion(f"The condition is about one of {_told(curve)} and {_told(more[0])}. Which one?")
    unit = options.pop("unit", "")
    if unit and not is_same_unit(unit, curve.unit):
        text = f"{capital(_told(curve))} is in {curve.unit or 'no unit'}, and the limit is in {unit}. Do you want it in {unit}?"
        raise DraftQuestion(text, [Remedy("unit", f"in {unit}")])
    is_inclusive = bool(options.pop("inclusive", ""))
    if getattr(curve.choice.target, "quantity", "") == "kp":
        options |= {name: 10 * float(options[name]) for name in _LIMITS if name in options}
        made.assume("The limit is ten times the Kp that is named, as the values are stored.")
        if is_inclusive:  # the values lie three or four apart
            options |= {name: options[name] + way for name, way in _INCLUDING.items() if name in options}
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


def _facts(made: _Made, panels: Sequence[Panel]) -> DraftedResult:
    statistics = list(made.options["statistics"])
    told, facts = " and ".join(statistics), []
    for curve in _lines(made, told):
        intent, name = f"{capital(told)} of {_told(curve)}", f"{curve.step}_facts"
        facts.append(made.step(name, intent, "facts_of", _series(curve), statistics=[*statistics, "coverage"]))
    made.assume(f"Of all samples of the range: {told}. For one of each day say `daily`.")
    return DraftedResult((*panels, {"traces": [{"data": each} for each in facts]}), told, f"Draw it with its {told}")


_OVER_TIME: dict[WholeKind, Callable[[_Made, Sequence[Panel]], DraftedResult]] = {
    "intervals": _intervals,
    "crossings": _crossings,
    "jumps": _jumps,
    "facts": _facts,
}
_ALONE: dict[WholeKind, Callable[[_Made], DraftedResult]] = {
    "lag": _lag,
    "spectrum": _spectrum,
    "histogram": _histogram,
    "frame": _frame,
    "hodogram": _hodogram,
    "scatter": _scatter,
    "joint": _joint,
}
BESIDE: frozenset[WholeKind] = frozenset(("spectrum", "histogram", "hodogram"))
"""Results that may stand below the curves that they are made of."""


def _panel(data: str, *facts: str, x: str = "", y: str = "", component: str = "", draw: str = "") -> Panel:
    given = {"component": component, "draw": draw}
    first: Panel = {"data": data, **{key: value for key, value in given.items() if value}}
    beside: list[Value] = [{"data": each} for each in facts]
    panel: Panel = {"traces": [first, *beside]}
    titles: Panel = {axis: {"title": words} for axis, words in (("x", x), ("y", y)) if words}
    return {**panel, **titles}


def _series(curve: Curve) -> dict[str, str]:
    return {"series": curve.step}


def _two(made: _Made, words: str) -> tuple[Curve, Curve]:
    lines = _lines(made, words)
    if len(lines) != 2:
        shown = " and ".join(_told(each) for each in lines[:4])
        raise DraftQuestion(f"A {words} is of two quantities; there is {shown}. Of which two do you want it?")
    return lines[0], lines[1]


def _lines(made: _Made, words: str) -> list[Curve]:
    for curve in made.curves:
        if not curve.is_line:
            raise _no_line(curve, words)
    return list(made.curves)


def _vectors(made: _Made, words: str) -> list[Curve]:
    for curve in made.curves:
        if curve.kind != "vector":
            raise DraftQuestion(f"A {words} is of a vector; {_told(curve)} is none. Of which vector do you want it?")
    return list(made.curves)


def _no_line(curve: Curve, words: str) -> DraftQuestion:
    text = f"The {words} is taken of one number, and {_told(curve)} has several. Which component, or the magnitude?"
    return DraftQuestion(text, [Remedy("shape", "magnitude")] if curve.kind == "vector" else [])


def _told(curve: Curve) -> str:
    return f"{curve.choice.target.who} {curve.choice.target.words}"


def _title(curve: Curve) -> str:
    return f"{curve.choice.target.who} {curve.symbol}" if curve.symbol else _told(curve)
