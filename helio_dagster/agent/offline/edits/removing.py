"""Taking out of the figure: lines, with the steps and the words that only they needed, marks, shading and limits of axes."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.drawn_figure import AVERAGED, Line
from helio_dagster.agent.offline.edits.forms import Form, matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.domain.pipeline_edit import RemoveStep

_HORIZONTAL = frozenset(("horizontal", "threshold", "reference", "limit", "zero"))


def remove_lines(lines: Sequence[Line], table: Table) -> None:
    """Take lines out; panels that are left empty go, and steps that nothing reads any more.

    Raises
    ------
    OpenQuestion
        Nothing would be left.
    """
    plotted = table.plotted
    gone = {(line.panel, line.place) for line in lines}
    left = [line for line in plotted.lines if (line.panel, line.place) not in gone]
    if not left:
        raise OpenQuestion("Nothing would be left in the figure. What do you want to draw instead?")
    full = {line.panel for line in left}
    empty = {line.panel for line in lines} - full
    paths = [f"figure.panels[{row}]" for row in sorted(empty)] + [line.path for line in lines if line.panel in full]
    beneath = [step.id for line in lines for step in plotted.upstream(line.trace.data)]
    table.draw(dict.fromkeys(paths))
    remove_unused(beneath, table)


def remove_unused(steps: Sequence[str], table: Table) -> None:
    """Remove those of some steps that nothing which is drawn or kept is made from, the last ones first."""
    plotted = table.plotted
    pipeline, figure = plotted.pipeline, plotted.figure
    ends = [line.trace.data for line in plotted.lines] + ([figure.figure.events or ""] if figure.figure else [])
    ends += [name for step in pipeline.steps if step.figure and step.id != figure.id for _, name in step.references]
    needed = {step.id for end in ends for step in plotted.upstream(end)}
    gone = [step.id for step in reversed(pipeline.steps) if step.id in steps and step.id not in needed]
    table.make(*(RemoveStep(kind="remove_step", step=each) for each in gone))


def with_inputs_plotted(lines: Sequence[Line], table: Table) -> list[Line]:
    """Those of averaged lines whose values are drawn too; the others are replaced by their values."""
    steps = {step.id: step.compute for step in table.plotted.pipeline.steps}
    plotted, left, changes = {line.trace.data for line in table.plotted.lines}, list[Line](), dict[str, str]()
    for line in lines:
        compute = steps.get(line.trace.data)
        values = next(iter(compute.step_inputs.values()), "") if compute is not None and compute.operation in AVERAGED else ""
        if not values or values in plotted:
            left.append(line)
        else:
            changes[f"{line.path}.data"] = values
    table.draw(changes)
    remove_unused([line.trace.data for line in lines], table)
    return left


def smooth_only(text: str, table: Table) -> bool:
    """Draw the values themselves of all smoothed lines but those that a sentence names; False where it says no such thing.

    Raises
    ------
    SoAlready
        No other line is smoothed.
    """
    match = matched("removing.only", text)
    named = table.plotted.named(match["what"]) if match is not None else []
    averaged = [line for line in table.plotted.lines if AVERAGED & set(line.operations)]
    if not any(line in averaged for line in named):
        return False
    others = [line for line in averaged if line not in named]
    if not others:
        raise SoAlready("Nothing else is smoothed. What do you want to change?")
    if left := with_inputs_plotted(others, table):
        remove_lines(left, table)
    return True


def take_out(text: str, table: Table) -> bool:
    """Take marks out of all panels, or the limits off their axes; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        There is nothing of the kind.
    """
    if matched("taking_back.auto", text) is not None:
        axes = [(row, name) for row, panel in enumerate(table.plotted.panels) for name in "xyz" if getattr(panel, name).range]
        if not axes:
            raise OpenQuestion("The axes follow the data already. What do you want to change?")
        table.draw({f"figure.panels[{row}].{name}.range": None for row, name in axes})
        return True
    match = matched("taking_back.marks", text)
    if match is None:
        return False
    shaded = [line for line in table.plotted.lines if match["shading"] and line.operations[-1:] == ("intervals_where",)]
    kept = [tuple(mark for mark in panel.marks if not _is_meant(mark, match)) for panel in table.plotted.panels]
    if not shaded and all(len(left) == len(panel.marks) for left, panel in zip(kept, table.plotted.panels, strict=True)):
        raise OpenQuestion("Nothing of that kind is drawn. What do you want to remove?")
    table.arrange([each.model_copy(update={"marks": left}) for each, left in zip(table.plotted.panels, kept, strict=True)])
    if shaded:
        remove_lines(shaded, table)
    return True


def _is_meant(mark: Mark, form: Form) -> bool:
    """Whether a mark is of the kind that a sentence takes out."""
    if form["all"]:
        return True
    if form["shading"]:
        return isinstance(mark.x, tuple) or isinstance(mark.y, tuple)
    if form["of"].lower() in _HORIZONTAL:
        is_zero = form["of"].lower() == "zero"
        return isinstance(mark.y, float | int) and mark.x is None and (not is_zero or mark.y == 0)
    return mark.x is not None and not isinstance(mark.x, tuple) and mark.y is None
