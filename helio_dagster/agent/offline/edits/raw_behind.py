"""The values themselves, drawn behind the means that the figure shows: `keep the raw data behind it in light grey`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.draft_panels import MEAN_OVER
from helio_dagster.agent.drafting.drawn_figure import AVERAGED, Line
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Trace


def draw_raw(text: str, table: Table) -> bool:
    """Draw values behind their means, or colour those that are drawn; False where the sentence says no such thing.

    Raises
    ------
    OpenQuestion
        It is open of which line, nothing is averaged, or a vector would be drawn over another.
    """
    match = matched("raw_behind.drawn", text)
    if match is None:
        return False
    target = table.plotted.target(match["of"]) if match["of"] else None
    if match["of"] and (target is None or not target.is_named or target.unknown):
        return False
    means = [line for line in (target.lines if target else table.plotted.lines) if AVERAGED & {*line.operations[-1:]}]
    if not means:
        raise SoAlready("Nothing is smoothed or averaged there: what is drawn are the values. What do you want to change?")
    if any(line.is_whole_vector for line in means):
        raise OpenQuestion("The components of two vectors cannot be told apart in one panel. Which component do you want?")
    color = re.sub("[- ]", "", match["color"] or "").lower()
    values = {line.trace.data: _values_of(line, table) for line in means}
    drawn = [line for line in table.plotted.lines if line.trace.data in values.values()]
    if drawn and not color:
        raise SoAlready("The values are drawn already. What do you want to change?")
    table.draw({f"{line.path}.color": color for line in drawn})
    _draw_behind([line for line in means if values[line.trace.data] not in {each.trace.data for each in drawn}], color, table)
    return True


def _values_of(line: Line, table: Table) -> str:
    step = table.plotted.pipeline.step(line.trace.data)
    return next(iter(step.compute.step_inputs.values()), "") if step.compute is not None else ""


def _draw_behind(means: Sequence[Line], color: str, table: Table) -> None:
    """Put the values of means into their panels, before all that is drawn there."""
    panels = list(table.plotted.panels)
    for line in means:
        step, panel = table.plotted.pipeline.step(line.trace.data), panels[line.panel]
        name = f"{line.trace.label} values" if line.trace.label else "values"
        behind = Trace(data=_values_of(line, table), label=name, color=color or MEAN_OVER[0])
        told = {"label": line.trace.label or step.intent.partition(" of ")[0], "color": line.trace.color or MEAN_OVER[1]}
        over = [each.model_copy(update=told) if each == line.trace else each for each in panel.traces]
        panels[line.panel] = panel.model_copy(update={"traces": [behind, *over]})
    if means:
        table.arrange(panels)
