"""Other colours for all lines, or for all values: `colour-blind safe colours`, `viridis colormap`."""

from __future__ import annotations

import re
from typing import get_args

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import matched
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
