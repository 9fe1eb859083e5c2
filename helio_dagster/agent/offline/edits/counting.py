"""A histogram in place of what is plotted over time: `histogram of it instead`."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.figure import Axis, Panel, Trace
from helio_dagster.domain.pipeline import Compute, Step

_BINS = 50


def count_values(text: str, table: Table) -> bool:
    """Draw histograms of lines in their place; False where the sentence is about something else.

    Raises
    ------
    OpenQuestion
        A line has no histogram.
    """
    match = matched("counting.histogram", text)
    target = table.plotted.target(match["target"] or "") if match is not None else None
    if match is None or target is None or target.unknown:
        return False
    plotted = table.plotted
    counted = {step.id for step in plotted.pipeline.steps if step.over == "range"}
    if any(line.trace.data in counted for line in target.lines):
        raise OpenQuestion("That is not drawn over time, so there is no histogram of it. What do you want to change?")
    if any(line.is_whole_vector or line.trace.draw == "spectrogram" for line in target.lines):
        raise OpenQuestion("A histogram is taken of one number, and this has several. Which component, or the magnitude?")
    given = match["bins"]
    shown = {line.trace.data: line for line in target.lines}
    panels = [
        panel.model_copy(update={"traces": traces})
        for panel in plotted.panels
        if (traces := [trace for trace in panel.traces if trace.data not in shown])
    ]
    for data, line in shown.items():
        compute = Compute(operation="histogram", inputs={"series": data}, options={"bins": int(given or _BINS)})
        name, intent = f"{data.rpartition('/')[2]}_histogram", capital(f"histogram of {line.words}")
        step = Step(id=name, intent=intent, over="range", compute=compute)
        trace = Trace(data=table.add(step), draw="steps")
        title = plotted.panels[line.panel].y.title if len(plotted.panels[line.panel].traces) == 1 else line.words
        panels.append(Panel(traces=[trace], x=Axis(title=title or line.words), y=Axis(title="Samples")))
    table.arrange(panels)
    table.change(table.plotted.figure.id, {"intent": "Draw the histogram" + ("s" if len(shown) > 1 else "")})
    if not given:
        table.assume([f"The histogram has {_BINS} bins of equal width, because the request names none."])
    return True
