"""One scale of colours for all spectrograms of a figure, and one bar beside those that stand together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import ColorKey, Parts
from helio_dagster.figures.spectrograms import color_bar


def check_shared(images: Sequence[tuple[str, str]]) -> None:
    """Refuse spectrograms of several units in one scale; `images` are path and unit of each. Raises FigureError."""
    units = dict.fromkeys(unit for _, unit in images)
    if len(units) > 1:
        named = ", ".join(unit or "no unit" for unit in units)
        raise FigureError(
            f"colours are shared by spectrograms of one unit, and these have {named}",
            where="figure.color_bar",
            hint="Leave `color_bar` out, or bring them to one unit.",
        )


def check_one_column(columns: Sequence[go.Figure]) -> None:
    """Refuse one scale of colours for spectrograms of several columns; raises FigureError."""
    if sum(any(isinstance(trace, go.Heatmap) for trace in column.data) for column in columns) > 1:
        raise FigureError(
            "spectrograms that share a colour bar must be in one column",
            where="figure.color_bar",
            hint="Leave `color_bar` out and give each panel the same `z: {range: …}`, or put them into one column.",
        )


def share_colors(parts: Sequence[Parts], places: Sequence[Place]) -> None:
    """Give the images of all rows with a spectrogram the same colours; those without a value have none.

    Raises
    ------
    FigureError
        Their units differ, or one is logarithmic and another is not.
    """
    images = [
        (part.colors, trace, index)
        for index, part in enumerate(parts)
        if part.colors is not None
        for trace in part.traces
        if isinstance(trace, go.Heatmap)
    ]
    if len(images) < 2:
        return
    check_shared([(key.path, key.unit) for key, _, _ in images])
    if len({key.scale for key, _, _ in images}) > 1:
        odd = next(key for key, _, _ in images if key.scale != images[0][0].scale)
        raise FigureError(
            f"colours are shared by spectrograms of one scale, and one is {odd.scale}",
            where=f"{odd.path}.z.scale",
            hint="Write `z: {scale: log}`, or linear, for all of them.",
        )
    limits = (min(trace.zmin for _, trace, _ in images), max(trace.zmax for _, trace, _ in images))
    titles = list(dict.fromkeys(key.title for key, _, _ in images))
    for number, (key, trace, index) in enumerate(images):
        trace.zmin, trace.zmax = limits
        if key.scale == "log":  # a measured zero has the lowest colour
            trace.z = np.where(np.asarray(trace.customdata) <= 0, np.float32(limits[0]), np.asarray(trace.z))
        is_first = number == 0 or images[number - 1][2] != index - 1
        trace.showscale = is_first
        if is_first:
            last = _last_beside(images, number)
            whole = replace(places[index], low=places[last].low)
            trace.colorbar = color_bar(", ".join(titles[:3]), key.unit, limits, key.scale, whole)


def even_bar_titles(parts: Sequence[Parts]) -> None:
    """Write the titles of all colour bars in one size, that of the longest."""
    bars = [bar for part in parts for trace in part.traces if (bar := _bar_of(trace)) is not None]
    sizes = [bar.title.font.size for bar in bars if bar.title.text and bar.title.font.size]
    for bar in bars:
        if bar.title.text and sizes:
            bar.title.font.size = min(sizes)


def _bar_of(trace: BaseTraceType) -> go.heatmap.ColorBar | None:
    """The colour bar beside a trace, if one is drawn."""
    holder = trace if isinstance(trace, go.Heatmap) else getattr(trace, "marker", None)
    if holder is None or holder.showscale is False:
        return None
    return holder.colorbar if isinstance(trace, go.Heatmap) or holder.showscale else None


def _last_beside(images: Sequence[tuple[ColorKey, go.Heatmap, int]], number: int) -> int:
    """The last row of those that follow each other from an image on."""
    last = images[number][2]
    for _, _, index in images[number + 1 :]:
        if index != last + 1:
            break
        last = index
    return last
