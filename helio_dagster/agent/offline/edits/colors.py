"""Colours of a figure: palettes and colour maps; components of a vector, their colours, and which of them are drawn."""

from __future__ import annotations

import re
from typing import get_args

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.domain.palettes import Colormap, Palette

_SAFE: Palette = "okabe-ito"


def recolor(text: str, table: Table) -> bool:
    """Give the figure a palette or a colour map; False where the sentence names neither.

    Raises
    ------
    OpenQuestion
        There is no such colour map.
    """
    palette, colors = matched("palettes.palette", text), matched("palettes.map", text)
    if palette is not None:
        name = re.sub(" ", "-", palette["name"].lower()) if palette["name"] else _SAFE
        table.draw({"figure.palette": name})
        if not palette["name"]:
            table.notes.append("The colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart.")
        return True
    name = colors["name"].lower() if colors is not None else ""
    is_known = name in get_args(Colormap)
    if colors is None or (not is_known and name in ("log", "linear", "logarithmic", "the", "same", "shared", "a")):
        return False
    if not is_known:
        raise OpenQuestion(f"I know no colour map {name!r}. Which one do you want: {', '.join(get_args(Colormap))}?")
    table.draw({"figure.colormap": name})
    return True


def change_components(text: str, table: Table) -> bool:
    """Colour, hide or keep components of the one vector that is drawn whole; False where the sentence names none of it."""
    vectors = [line for line in table.plotted.lines if line.is_whole_vector or line.trace.component is not None]
    if len({(line.trace.data, line.panel) for line in vectors}) != 1:
        return False
    title = (table.plotted.panels[vectors[0].panel].y.title or "").upper()
    axes = "rtn" if "RTN" in title or vectors[0].trace.data.endswith("rtn") else "xyz"
    drawn = [str(line.trace.component) for line in vectors] if vectors[0].trace.component else [*axes]
    if (shown := _shown(text, drawn)) is not None:
        if not shown <= {*drawn}:
            return False
        if shown == {*drawn}:
            raise SoAlready("It is drawn so already. What do you want to change?")
        _draw(vectors, [each for each in drawn if each in shown], {}, table)
        return True
    colors = _colors(text, drawn)
    if not colors or not {*colors} <= {*drawn}:
        return False
    _draw(vectors, drawn, colors, table)
    return True


def _shown(text: str, drawn: list[str]) -> set[str] | None:
    """The components that are left, of those that are drawn; None where a sentence says nothing of it."""
    hidden, kept = matched("components.hidden", text), matched("components.kept", text)
    match = hidden or kept
    if match is None:
        return None
    named = {each.lower() for each in re.findall(r"(?<![a-z])(?:[bv]_?)?([xyzrtn])(?![a-z])", match["axes"], re.IGNORECASE)}
    return {*drawn} - named if hidden and named <= {*drawn} else named


def _colors(text: str, drawn: list[str]) -> dict[str, str]:
    """The colour of each component that is named, or of all in their order."""
    in_order = matched("components.in_order", text)
    found = [match[0] for match in form("components.color").finditer(in_order["colors"])] if in_order is not None else []
    if found and len(found) == len(drawn):
        items = dict(zip(drawn, found, strict=True))
    else:
        others = form("components.others").search(text)
        text = form("components.others").sub(" ", text)
        items = {match["axis"].lower(): match["color"] for match in form("components.item").finditer(text)}
        if matched("components.between", form("components.item").sub(" ", text)) is None:
            return {}
        items |= {axis: others["color"] for axis in drawn if axis not in items} if items and others else {}
    return {axis: re.sub("[- ]", "", color).lower() for axis, color in items.items()}


def _draw(vectors: list[Line], axes: list[str], colors: dict[str, str], table: Table) -> None:
    """Draw these components, each as a trace of its own."""
    panels, own = list(table.plotted.panels), {line.trace.component: line.trace for line in vectors}
    whole, panel = vectors[0].trace, vectors[0].panel
    parts = [own.get(axis, whole).model_copy(update={"component": axis}) for axis in axes]
    parts = [part.model_copy(update={"color": colors.get(str(part.component), part.color)}) for part in parts]
    others = [trace for trace in panels[panel].traces if trace.data != whole.data]
    panels[panel] = panels[panel].model_copy(update={"traces": [*parts, *others]})
    table.arrange(panels)
