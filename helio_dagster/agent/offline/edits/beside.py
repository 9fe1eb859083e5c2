"""What a request puts beside what a figure shows: a hodogram beside the field, a line of a slope beside a spectrum."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.domain.pipeline import Step

_HODOGRAMS = ("hodogram", "scatter")
_SPECTRA = ("power_spectrum", "structure_function")


def is_about_panels(request: str) -> bool:
    """Whether a request names something that can stand beside panels over time."""
    return form("beside.spoken").search(request) is not None


def stand_beside(table: Table) -> str:
    """Put hodograms and spectra into a second column, with what they are made of in the first; what was done, as a note.

    Raises
    ------
    OpenQuestion
        The figure shows nothing of that kind, or it stands there already.
    """
    panels = table.plotted.panels
    own = [index for index, panel in enumerate(panels) if _operations(panel, table) & {*_HODOGRAMS, *_SPECTRA}]
    if not own:
        raise OpenQuestion("The figure has neither a hodogram nor a spectrum to put beside its panels over time.")
    beside = [panel.model_copy(update={"column": 2 if index in own else 1}) for index, panel in enumerate(panels)]
    if len(own) == len(panels):
        sources = list(dict.fromkeys(_source(panel, table).id for panel in panels))
        beside = [*(Panel(traces=[Trace(data=each)]) for each in sources), *beside]
    if beside == panels:
        raise OpenQuestion("It stands beside the others already. What do you want to change?")
    table.arrange(beside)
    what = "hodogram" if any(_operations(panels[index], table) & {*_HODOGRAMS} for index in own) else "spectrum"
    return f"The {what} stands beside the panels over time; on a sheet as narrow as a journal's column, below them."


def draw_slope(slope: str, table: Table) -> str:
    """Draw a line of a slope beside every spectrum of the figure; what was done, as a note.

    Raises
    ------
    OpenQuestion
        The figure shows no spectrum, or has this line.
    """
    panels, mark = table.plotted.panels, Mark(slope=slope)
    has_spectrum = [bool(_operations(panel, table) & {*_SPECTRA}) for panel in panels]
    if not any(has_spectrum):
        raise OpenQuestion("A line of a slope stands beside a power spectrum, and the figure has none.")
    marked = [
        panel.model_copy(update={"marks": (*panel.marks, mark)}) if is_spectrum and mark not in panel.marks else panel
        for panel, is_spectrum in zip(panels, has_spectrum, strict=True)
    ]
    if marked == panels:
        raise OpenQuestion("The figure has this line already. What do you want to change?")
    table.arrange(marked)
    return f"A line of slope {slope} stands beside the spectrum."


def _operations(panel: Panel, table: Table) -> set[str]:
    """The operations whose results a panel draws."""
    steps = _steps(table)
    plotted = [steps[trace.data] for trace in panel.traces if trace.data in steps]
    return {step.compute.operation for step in plotted if step.compute is not None and step.compute.operation is not None}


def _source(panel: Panel, table: Table) -> Step:
    """What a panel's first result is made of: the first step before it that was measured."""
    steps = _steps(table)
    step = steps[panel.traces[0].data]
    while step.compute is not None and step.compute.step_inputs:
        step = steps[next(iter(step.compute.step_inputs.values()))]
    return step


def _steps(table: Table) -> dict[str, Step]:
    return {step.id: step for step in table.plotted.pipeline.steps}
