"""Steps and panels of a result of the whole range: a lag, a spectrum, histograms, a frame, points, intervals, numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from helio_dagster.agent.drafting.curve_pairs import tolerance_of
from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.result_parts import (
    DraftedResult,
    Made,
    Panel,
    lines_of,
    no_line,
    panel_of,
    series_of,
    title_of,
    two_of,
    vectors_of,
    whose,
)
from helio_dagster.agent.drafting.results_over_time import OVER_TIME
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.treatments import WholeKind, WholeResult
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.units import is_same_unit

_DENSE = timedelta(minutes=15)
_LAGS = {True: "PT2H", False: "P1D"}
"""Lags that are tried where none are named: of samples within a quarter of an hour of each other, and of others."""


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
    made = Made(draft, curves, whole, dict(whole.options))
    if whole.kind in OVER_TIME:
        return OVER_TIME[whole.kind](made, panels)
    return _ALONE[whole.kind](made)


def _auto(made: Made) -> DraftedResult:
    """The correlation of one curve with itself over the lag."""
    panels = []
    for curve in lines_of(made, "autocorrelation"):
        longest = made.options.get("longest_lag") or (
            "PT6H" if curve.cadence is not None and curve.cadence < timedelta(minutes=1) else "P1D"
        )
        if "longest_lag" not in made.options:
            made.assume(
                f"Lags up to {spoken_alone(parse_duration(longest))} are shown, because the request names none.",
                "cross_correlation",
            )
        inputs = {"a": curve.step, "b": curve.step}
        intent = f"{capital(whose(curve))} with itself"
        step = made.step(f"{curve.step}_autocorrelation", intent, "cross_correlation", inputs, longest_lag=longest)
        panels.append(panel_of(step, x="Lag", y="Autocorrelation", component="correlation"))
    return DraftedResult(tuple(panels), "autocorrelation", "Draw the autocorrelation over the lag")


def _lag(made: Made) -> DraftedResult:
    if made.options.get("auto"):
        return _auto(made)
    first, second = two_of(made, "lag")
    a, b = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (a, b) if each.cadence is not None]
    longest = made.options.get("longest_lag")
    if longest is None:
        longest = _LAGS[bool(known) and max(known) <= _DENSE]
        made.assume(
            f"Lags up to {spoken_alone(parse_duration(longest))} are tried, because the request names none.",
            "cross_correlation",
        )
    made.assume(f"The lag is positive where {whose(b)} comes later than {whose(a)}.", "cross_correlation")
    inputs = {"a": a.step, "b": b.step}
    curve = made.step("correlation", f"{whose(a)} with {whose(b)}", "cross_correlation", inputs, longest_lag=longest)
    is_alike = a.panel[0] == b.panel[0]
    if not is_alike:
        made.assume("The best lag is where the correlation is farthest from zero, of either sign.", "cross_correlation")
    more = {} if is_alike else {"largest": "absolute"}
    best = made.step("best_lag", "The lag with the best correlation", "peak_of", {"curve": curve}, **more)
    panel = panel_of(curve, best, x=f"Lag of {whose(b)} behind {whose(a)}", y="Correlation", component="correlation")
    return DraftedResult((panel,), "cross correlation", "Draw the correlation over the lag")


def _segment(made: Made, curve: Curve, points: int) -> dict[str, str]:
    """The segments of a spectrum that a request gives as so many samples."""
    if not points:
        return {}
    if curve.cadence is None:
        raise DraftQuestion(f"The catalog does not give the cadence of {whose(curve)}. How long are the segments, in time?")
    length = points * curve.cadence
    made.assume(
        f"The spectrum is the mean over overlapping segments (Welch) of {points} samples, {spoken_alone(length)}.",
        "power_spectrum",
    )
    return {"segment": format_duration(length)}


def _spectrum(made: Made) -> DraftedResult:
    panels, points = [], int(made.options.pop("points", 0))
    for curve in made.curves:
        if not (curve.is_line or curve.kind == "vector"):
            raise no_line(curve, "power spectrum")
        _require_frequencies(made, curve)
        segment = _segment(made, curve, points)
        intent = f"Power spectrum of {whose(curve)}"
        spectrum = made.step(f"{curve.step}_spectrum", intent, "power_spectrum", series_of(curve), **segment)
        facts = []
        if made.whole.has_fit:
            slope = made.step(f"{curve.step}_slope", "Its slope", "spectral_slope", {"curve": spectrum}, **made.options)
            facts = [slope]
        panel = panel_of(spectrum, *facts, y=f"Power of {curve.symbol or whose(curve)}")
        if made.whole.shown is not None:
            panel["x"] = {"range": [*made.whole.shown]}
        panels.append(panel)
    if not points:
        made.assume(
            "The spectrum is the mean over overlapping segments (Welch), each an eighth of the range; `parts` or `segment` of "
            "that step change their length.",
            "power_spectrum",
            *("parts", "segment"),
        )
    if made.whole.has_fit and not made.options:
        made.assume(
            "The slope is fitted over all frequencies, each decade counting alike; `lowest` and `highest` of that step limit "
            "them.",
            "spectral_slope",
            *("lowest", "highest"),
        )
    return DraftedResult(tuple(panels), "power spectrum", "Draw the power spectrum over frequency")


def _require_frequencies(made: Made, curve: Curve) -> None:
    """Ask where frequencies are wanted that the samples are too far apart for: all of a slope, the first of those drawn."""
    highest = made.options.get("highest") or (made.whole.shown[0] if made.whole.shown else None)
    if highest is None or curve.cadence is None:
        return
    reached = 0.5 / curve.cadence.total_seconds()
    if float(highest) > reached * 1.001:
        text = (
            f"{whose(curve)} has a cadence of {spoken_alone(curve.cadence)} here, so its spectrum ends at {reached:.3g} Hz, "
            f"below {float(highest):g} Hz. Name a dataset or a cadence that is denser, or lower frequencies."
        )
        raise DraftQuestion(text)


def _histogram(made: Made) -> DraftedResult:
    panels, unit = [], made.options.get("unit", "")
    bins = {name: value for name, value in made.options.items() if name in ("width", "bins")} or {"bins": 50}
    for curve in lines_of(made, "histogram"):
        if unit and not is_same_unit(unit, curve.unit):
            text = f"{capital(whose(curve))} is in {curve.unit or 'no unit'}, and the bins are in {unit}."
            raise DraftQuestion(f"{text} Do you want it in {unit}?", [Remedy("unit", f"in {unit}")])
        counts = made.step(f"{curve.step}_histogram", f"Histogram of {whose(curve)}", "histogram", series_of(curve), **bins)
        facts = []
        if named := str(made.options.get("statistics", "")):
            intent = f"{capital(named.replace(',', ' and '))} of {whose(curve)}"
            facts = [made.step(f"{curve.step}_facts", intent, "facts_of", series_of(curve), statistics=named.split(","))]
        panels.append(panel_of(counts, *facts, x=capital(title_of(curve)), y="Samples", draw="steps"))
    if not {"width", "bins"} & {*made.options}:
        made.assume("The histogram has 50 bins of equal width, because the request names none.", "histogram", "bins", "width")
    return DraftedResult(tuple(panels), "histogram", "Draw the histogram")


def _frame(made: Made) -> DraftedResult:
    panels = []
    for curve in vectors_of(made, "minimum variance analysis"):
        intent = f"Minimum variance analysis of {whose(curve)}"
        frame = made.step(f"{curve.step}_frame", intent, "minimum_variance_frame", {"vector": curve.step})
        turned = made.step(
            f"{curve.step}_hodogram", f"Course of {whose(curve)} in its axes", "hodogram", {"vector": curve.step}
        )
        panels += [panel_of(turned), panel_of(frame)]
    return DraftedResult(tuple(panels), "minimum variance analysis", "The hodogram across the normal, and the axes in numbers")


def _hodogram(made: Made) -> DraftedResult:
    steps = [
        made.step(f"{curve.step}_hodogram", f"Hodogram of {whose(curve)}", "hodogram", {"vector": curve.step})
        for curve in vectors_of(made, "hodogram")
    ]
    made.assume("The hodogram is drawn in the axes of maximum and intermediate variance of the range.", "hodogram")
    return DraftedResult(tuple(panel_of(each) for each in steps), "hodogram", "Draw the hodogram")


def _scatter(made: Made) -> DraftedResult:
    first, second = two_of(made, "scatter plot")
    x, y = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (x, y) if each.cadence is not None]
    made.assume(f"The points stand at the times of {whose(x)}, each with the nearest sample of {whose(y)}.", "scatter")
    inputs, intent = {"x": x.step, "y": y.step}, f"{capital(whose(y))} against {whose(x)}"
    points = made.step("points", intent, "scatter", inputs, **tolerance_of(known))
    facts = []
    if made.whole.has_fit:
        made.assume(f"The line is fitted by least squares in {whose(y)}.", "fit_line")
        facts = [made.step("fit", "Straight line through the points", "fit_line", {"points": points})]
    panel = panel_of(points, *facts, x=capital(title_of(x)), y=capital(title_of(y)))
    return DraftedResult((panel,), "scatter plot", f"Draw {intent}")


def _joint(made: Made) -> DraftedResult:
    first, second = two_of(made, "2-D histogram")
    if "width" in made.options:
        raise DraftQuestion("The bins of a 2-D histogram are given by their number. How many do you want along each axis?")
    x, y = (second, first) if made.whole.is_swapped else (first, second)
    known = [each.cadence for each in (x, y) if each.cadence is not None]
    made.assume(f"Each sample of {whose(x)} is paired with the nearest sample of {whose(y)}.", "histogram_2d")
    inputs, of = {"x": x.step, "y": y.step}, f"{whose(y)} against {whose(x)}"
    bins = made.options.get("bins")
    if bins is None:
        made.assume(
            "The 2-D histogram has 50 bins of equal width along each axis, because the request names none.",
            "histogram_2d",
            *("x_bins", "y_bins"),
        )
    is_share = made.options.get("result") == "share"
    options = {"x_bins": bins or 50, "y_bins": bins or 50, **({"result": "share"} if is_share else {})}
    cells = made.step("distribution", f"2-D histogram of {of}", "histogram_2d", inputs, **options, **tolerance_of(known))
    panel = panel_of(cells, x=capital(title_of(x)), y=capital(title_of(y)))
    if not is_share:
        made.assume("Its colours are logarithmic.", "histogram_2d")
        panel = {**panel, "z": {"scale": "log"}}
    return DraftedResult((panel,), "2-D histogram", f"Draw the 2-D histogram of {of}")


_ALONE: dict[WholeKind, Callable[[Made], DraftedResult]] = {
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
