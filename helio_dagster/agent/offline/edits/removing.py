"""Taking lines out of the figure, with the steps and the words that only they needed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.assumption_words import still_true
from helio_dagster.agent.offline.edits.plotted_figure import Line
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
    missions = [mission for mission in plotted.missions if not any(mission in line.missions for line in left)]
    title = pipeline.title
    for mission in missions:
        title = re.sub(rf"(?: and|,) {re.escape(mission)}\b|\b{re.escape(mission)}(?: and|,) ", "", title, count=1)
    done = [(step.id in unused, step.compute.operation or "") for step in pipeline.steps if step.compute]
    lost = {operation for is_unused, operation in done if is_unused} - {each for is_unused, each in done if not is_unused}
    assumptions = still_true(pipeline.assumptions, gone=lost, missions=missions)
    table.describe({"title": title} if title != pipeline.title else {})
    table.describe({"assumptions": assumptions or None} if assumptions != pipeline.assumptions else {})
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
