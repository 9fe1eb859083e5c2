"""Results of the whole range added to what is drawn: spectra and histograms of own columns, slopes of spectra, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.assumptions import Assumption, Topic, open_options
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.time_range import parse_duration

_WELCH = "The spectrum is the mean over overlapping segments (Welch), each an eighth of the range."
_HZ = {"hz": 1.0, "mhz": 1e-3, "khz": 1e3}
_OVER_ALL = (
    "The slope is fitted over all frequencies, each decade counting alike; `lowest` and `highest` of that step limit them."
)
_NAMES = {
    **{each: each for each in ("minimum", "maximum", "mean", "median", "std")},
    "min": "minimum",
    "max": "maximum",
    "average": "mean",
    "standard deviation": "std",
}
_ALL_OF_THEM = ("mean", "median", "minimum", "maximum")
_USUAL = {"statistics": _ALL_OF_THEM, "stats": _ALL_OF_THEM, "extremes": ("minimum", "maximum")}
_ONE = "|".join(sorted((*_NAMES, *_USUAL), key=len, reverse=True))


def draw_whole(text: str, table: Table) -> bool:
    """Draw the power spectrum or the histogram of columns that are drawn below them; False for other sentences."""
    match = matched("own_columns.whole", text)
    lines = table.plotted.of_columns(match["whose"]) if match is not None else []
    if match is None or not lines:
        return False
    operation = "histogram" if match["histogram"] else "power_spectrum"
    for line in lines:
        data = line.trace.data
        what, name, options = (
            ("Histogram", "histogram", {"bins": 50}) if match["histogram"] else ("Power spectrum", "spectrum", {})
        )
        compute = Compute(operation=operation, inputs={"series": data}, options=options)
        made = table.add(Step(id=f"{data}_{name}", intent=f"{what} of {data}", over="range", compute=compute))
        trace: dict[str, Any] = {"data": made, **({"draw": "steps"} if match["histogram"] else {})}
        axes = {"x": {"title": data}, "y": {"title": "Samples"}} if match["histogram"] else {"y": {"title": f"Power of {data}"}}
        table.draw({"figure.panels[+]": {"traces": [trace], **axes}})
    said = "The histogram has 50 bins, because the request names none." if match["histogram"] else _WELCH
    is_open = open_options(operation, *(("bins", "width") if match["histogram"] else ("parts", "segment")))
    table.assume([Assumption(said, (Topic("operation", operation), *is_open))])
    table.notes.append(said)
    return True


def fit_slopes(text: str, table: Table) -> bool:
    """Fit the slope of each spectrum that is drawn, in its panel; False where the sentence asks for none.

    Raises
    ------
    SoAlready
        It is fitted already.
    """
    lines = [line for line in table.plotted.lines if line.operations[-1:] == ("power_spectrum",)]
    if not lines:
        return False
    match = matched("slopes.fit", text)
    if match is None:
        return False
    fitted = {
        name
        for step in table.plotted.pipeline.steps
        if step.compute is not None and step.compute.operation == "spectral_slope"
        for name in step.compute.step_inputs.values()
    }
    new = [line for line in lines if line.trace.data not in fitted]
    if not new:
        raise SoAlready("The slope is fitted already. What do you want to change?")
    band = {}
    if match["low"]:
        unit = match["unit"].lower()
        low, high = (
            float(f"{float(value) * _HZ[each.lower()]:.12g}")
            for value, each in ((match["low"], match["low_unit"] or unit), (match["high"], unit))
        )
        band = {"lowest": low, "highest": high}
        _ask_about_reach(new, high, table)
    for line in new:
        name = line.trace.data.removesuffix("_spectrum")
        compute = Compute(operation="spectral_slope", inputs={"curve": line.trace.data}, options=band)
        slope = table.add(Step(id=f"{name}_slope", intent="Slope fitted to the spectrum", over="range", compute=compute))
        table.draw({f"figure.panels[{line.panel}].traces[+]": {"data": slope}})
    table.notes += [] if band else [_OVER_ALL]
    return True


def _ask_about_reach(lines: Sequence[Line], highest: float, table: Table) -> None:
    """Ask for other frequencies where samples are too far apart for the highest one of a fit.

    Raises
    ------
    OpenQuestion
        A spectrum ends below it.
    """
    for line in lines:
        steps = table.plotted.upstream(line.trace.data)
        lengths = [
            step.compute.options.get("cadence") for step in steps if step.compute and step.compute.operation == "resample"
        ]
        apart = [parse_duration(str(each)) for each in lengths if each]
        fetches = [step.fetch for step in steps if step.fetch is not None]
        apart += [each for one in fetches if (each := table.offers.catalog.cadence(one.archive, one.dataset, one.parameter))]
        reached = 0.5 / max(apart).total_seconds() if apart else highest
        if highest > reached * 1.001:
            text = (
                f"{table.plotted.name_of(line)} is of values {spoken_alone(max(apart))} apart, so it ends at {reached:.3g} Hz"
            )
            text = f"{text}, below {highest:g} Hz. Name a dataset or a cadence that is denser, or lower frequencies."
            raise OpenQuestion(text)


def state_numbers(text: str, table: Table) -> bool:
    """Add numbers over the range of the lines that are meant; False where the sentence asks for none of it.

    Raises
    ------
    OpenQuestion
        A line is no single curve.
    """
    match = matched("stating.stated", text)
    is_asked = match is not None and (match["when"] or matched("stating.asked", text) is not None)
    if match is None or not (is_asked or match["of"] or match["range"] or match["table"]):
        return False
    is_all = not match["of"] or matched("stating.all", match["of"]) is not None
    meant = table.plotted.lines if is_all else table.plotted.named(match["of"])
    if not meant:
        return False
    lines = {line.trace.data: line for line in meant}
    wide = [line for line in lines.values() if line.is_whole_vector or line.is_spectrogram]
    if wide:
        which = " and ".join(table.plotted.name_of(line) for line in wide)
        raise OpenQuestion(f"Numbers are of one curve, and {which} has several. Which component do you want, or the magnitude?")
    words = [each.lower() for each in re.findall(_ONE, match["which"], re.IGNORECASE)]
    names = [name for each in words for name in _USUAL.get(each, (_NAMES.get(each, ""),)) if name]
    statistics = [*dict.fromkeys(names), "coverage"]
    facts = []
    for data, line in lines.items():
        compute = Compute(operation="facts_of", inputs={"series": data}, options={"statistics": statistics})
        intent = f"{' and '.join(statistics[:-1]).capitalize()} of {line.words}"
        facts.append(table.add(Step(id=f"{data}_facts", intent=intent, over="range", compute=compute)))
    table.draw({"figure.panels[+]": {"traces": [{"data": each} for each in facts]}})
    table.notes.append(f"Of all samples of the range: {' and '.join(statistics[:-1])}. For one of each day say `daily`.")
    return True
