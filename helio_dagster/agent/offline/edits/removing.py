"""Taking lines out of the figure, with the steps and the words that only they needed."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.drawn_figure import AVERAGED, Line
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.pipeline_edit import RemoveStep


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
    pipeline, figure = plotted.pipeline, plotted.figure
    ends = [line.trace.data for line in left] + ([figure.figure.events] if figure.figure and figure.figure.events else [])
    ends += [name for step in pipeline.steps if step.figure and step.id != figure.id for _, name in step.references]
    needed = {step.id for end in ends for step in plotted.upstream(end)}
    unused = {step.id for line in lines for step in plotted.upstream(line.trace.data)} - needed
    table.draw(dict.fromkeys(paths))
    steps = [step.id for step in reversed(pipeline.steps) if step.id in unused]
    table.make(*(RemoveStep(kind="remove_step", step=step) for step in steps))


def unused_steps(steps: Sequence[str], table: Table) -> list[str]:
    """Those of some steps that nothing which is drawn or kept is made from, the last ones first."""
    plotted = table.plotted
    pipeline, figure = plotted.pipeline, plotted.figure
    ends = [line.trace.data for line in plotted.lines]
    ends += [name for step in pipeline.steps if step.figure and step.id != figure.id for _, name in step.references]
    needed = {step.id for end in ends for step in plotted.upstream(end)}
    return [step.id for step in reversed(pipeline.steps) if step.id in steps and step.id not in needed]


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
    unused = (
        {line.trace.data for line in lines}
        - {line.trace.data for line in table.plotted.lines}
        - {each.trace.data for each in left}
    )
    table.make(*(RemoveStep(kind="remove_step", step=step) for step in unused))
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
