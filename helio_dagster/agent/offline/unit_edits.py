"""Another unit for what the pipeline on the table draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.naming import slug_of_unit
from helio_dagster.agent.intent import Measured, Smoothing, Transform
from helio_dagster.agent.offline.meanings import Filler, Mission, Unit
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep
from helio_dagster.domain.unit_conversion import can_convert, is_by_boltzmann
from helio_dagster.domain.units import is_same_unit

_KEEPING = frozenset(
    (
        *("magnitude", "component", "transform_frame", "rotate", "rolling_mean", "rolling_statistic", "resample"),
        *("detrend", "butterworth", "difference"),
    )
)
"""Operations that give their input's unit, but for the statistics below."""
_LOSING = frozenset(("variance", "count"))


def read_unit_edit(reading: Reading, plotted: PlottedFigure) -> list[Edit] | None:
    """The edits that bring lines to a unit; None where the sentence says more than that.

    Raises
    ------
    OpenQuestion
        Nothing that is meant converts to the unit, or has it already.
    """
    units = reading.all(Unit)
    others = [each for each in reading.mentions if not isinstance(each.meaning, Filler | Unit)]
    if len(units) != 1 or any(not isinstance(each.meaning, Measured | Mission | Smoothing | Transform) for each in others):
        return None
    unit = units[0].unit
    found = plotted.find(" ".join(each.words for each in others))
    if found is None:
        return None
    known = {line.trace.data: _unit(line.trace.data, plotted) for line in found}
    fitting = [line for line in found if (own := known[line.trace.data]) is not None and can_convert(own, unit)]
    if not fitting:
        shown = ", ".join(f"{line.words} in {known[line.trace.data] or 'no unit that I know'}" for line in found[:4])
        raise OpenQuestion(f"Nothing here can be given in {unit}: there is {shown}. Which unit do you want?")
    changed = [line for line in fitting if not is_same_unit(str(known[line.trace.data]), unit)]
    if not changed:
        raise OpenQuestion(f"{fitting[0].words} is in {unit} already. What do you want to change?")
    return [*_converted(changed, unit, plotted), *_said(changed, known, unit, plotted)]


def _converted(lines: Sequence[Line], unit: str, plotted: PlottedFigure) -> list[Edit]:
    """A step for each thing plotted, or another unit for the one that is there; axes with a range of their own lose it."""
    steps = {step.id: step for step in plotted.pipeline.steps}
    edits: list[Edit] = []
    changes: dict[str, Any] = {}
    made: dict[str, str] = {}
    for line in lines:
        data = line.trace.data
        step = steps.get(data)
        if step is not None and step.compute is not None and step.compute.operation == "convert_unit":
            edits.append(EditStep(kind="edit_step", step=data, changes={"compute.options.unit": unit}))
            continue
        if data not in made:
            made[data] = _free(f"{data.rpartition('/')[2]}_{slug_of_unit(unit)}", {*steps, *made.values()})
            compute = Compute(operation="convert_unit", inputs={"series": data}, options={"unit": unit})
            new = Step(id=made[data], intent=f"{line.words[:1].upper()}{line.words[1:]} in {unit}", compute=compute)
            edits.append(AddStep(kind="add_step", step=new, before=plotted.figure.id))
        changes[f"{line.path}.data"] = made[data]
    for row in dict.fromkeys(line.panel for line in lines):
        if plotted.panels[row].y.range is not None:
            changes[f"figure.panels[{row}].y.range"] = None
    return [*edits, *([EditStep(kind="edit_step", step=plotted.figure.id, changes=changes)] if changes else [])]


def _said(lines: Sequence[Line], known: Mapping[str, str | None], unit: str, plotted: PlottedFigure) -> list[Edit]:
    """What is assumed where a temperature becomes an energy, or the other way round."""
    old = next((own for line in lines if (own := known[line.trace.data]) and is_by_boltzmann(own, unit)), None)
    said = f"{old} and {unit} meet by Boltzmann's constant, E = k_B T."
    if old is None or said in plotted.pipeline.assumptions:
        return []
    return [EditPipeline(kind="edit_pipeline", changes={"assumptions": [*plotted.pipeline.assumptions, said]})]


def _unit(data: str, plotted: PlottedFigure) -> str | None:
    """The unit that a step gives; None where that is not known."""
    step = next((each for each in plotted.pipeline.steps if each.id == data.rpartition("/")[2]), None)
    if step is None:
        return None
    if step.fetch is not None:
        return plotted.unit(step.fetch)
    if step.compute is None or step.compute.operation is None:
        return None
    operation, options = step.compute.operation, step.compute.options
    if operation == "convert_unit":
        return str(options["unit"])
    if operation in DERIVED_UNITS:
        return DERIVED_UNITS[operation]
    if operation not in _KEEPING or _LOSING & {options.get("method"), options.get("statistic")}:
        return None
    return _unit(next(iter(step.compute.inputs.values())), plotted)


def _free(wanted: str, taken: set[str]) -> str:
    step_id, number = wanted[:70], 2
    while step_id in taken:
        step_id, number = f"{wanted[:70]}_{number}", number + 1
    return step_id
