"""Colours of the components of a vector that is drawn whole: `R blue, T green and N red`, `make z red`."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.table import Table


def color_components(text: str, table: Table) -> bool:
    """Colour components of the one vector that is drawn whole; False where the sentence names no components of it."""
    items = {match["axis"].lower(): match["color"] for match in form("component_looks.item").finditer(text)}
    vectors = [line for line in table.plotted.lines if line.is_whole_vector or line.trace.component is not None]
    if (
        not items
        or len({line.trace.data for line in vectors}) != 1
        or matched("component_looks.between", form("component_looks.item").sub(" ", text)) is None
    ):
        return False
    panel = vectors[0].panel
    title = (table.plotted.panels[panel].y.title or "").upper()
    axes = "rtn" if "RTN" in title or vectors[0].trace.data.endswith("rtn") else "xyz"
    named = [line for line in vectors if line.trace.component in items]
    if not set(items) <= set(axes) or (len(vectors) > 1 and len(named) < len(items)):
        return False
    colors = {axis: re.sub("[- ]", "", color).lower() for axis, color in items.items()}
    if len(vectors) > 1:
        table.draw({f"{line.path}.color": colors[str(line.trace.component)] for line in named})
        return True
    whole = vectors[0].trace
    parts = [whole.model_copy(update={"component": axis, "color": colors.get(axis, whole.color)}) for axis in axes]
    panels = list(table.plotted.panels)
    traces = [part for trace in panels[panel].traces for part in (parts if trace == whole else [trace])]
    panels[panel] = panels[panel].model_copy(update={"traces": traces})
    table.arrange(panels)
    return True
