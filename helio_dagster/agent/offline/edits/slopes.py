"""The slope of a power spectrum that is drawn, fitted to that spectrum: `fit the slope from 0.01 to 0.1 Hz`."""

from __future__ import annotations

from helio_dagster.agent.answers import SoAlready
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.pipeline import Compute, Step

_HZ = {"hz": 1.0, "mhz": 1e-3, "khz": 1e3}
_OVER_ALL = (
    "The slope is fitted over all frequencies, each decade counting alike; `lowest` and `highest` of that step limit them."
)


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
    for line in new:
        name = line.trace.data.removesuffix("_spectrum")
        compute = Compute(operation="spectral_slope", inputs={"curve": line.trace.data}, options=band)
        slope = table.add(Step(id=f"{name}_slope", intent="Slope fitted to the spectrum", over="range", compute=compute))
        table.draw({f"figure.panels[{line.panel}].traces[+]": {"data": slope}})
    table.notes += [] if band else [_OVER_ALL]
    return True
