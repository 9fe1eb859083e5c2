"""A row of points: scatter or hodogram, fitted lines, colours by a third value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.figure import Panel
from helio_dagster.domain.table import Scale, Table
from helio_dagster.figures import look
from helio_dagster.figures.axis_curves import AxisWords
from helio_dagster.figures.colors import channel_colors
from helio_dagster.figures.fits import Overlay, fit_traces, overlays_of_panel
from helio_dagster.figures.gaps import find_gaps
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import capitalized, label_to_html, with_owner
from helio_dagster.figures.own_axes import (
    corner_note,
    extent,
    own_axis,
    show_zero,
    x_title,
)
from helio_dagster.figures.panels import Row, owner_of
from helio_dagster.figures.parts import Parts, fit_label, fit_title, marked_labels, panel_note, tick_width_px, value_axis
from helio_dagster.figures.point_sets import TIME_COLORS, PointSet, axis_words_of, is_hodogram, points_of_panel
from helio_dagster.figures.spectrograms import COLOR_BAR_PX, color_bar
from helio_dagster.figures.ticks import padded_range

MOST_POINTS = 10_000
"""Points of a trace beyond which only every second, third … is drawn."""

_SIZES = ((300, 6.0), (3000, 4.5), (MOST_POINTS, 3.0))
_MARK_PX = 11
_MOST_UNLIKE = 3.0
"""How much further one of two values of one unit may reach for both axes to have the same scale."""
_LABEL_ROOM_PX = 420

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PointPanel:
    """A panel of points with everything it shows; a square one has the same units along both axes."""

    row: Row
    sets: tuple[PointSet, ...]
    x_words: AxisWords
    y_words: AxisWords
    scales: tuple[Scale, Scale]
    overlays: tuple[Overlay, ...]
    is_square: bool

    @property
    def has_colors(self) -> bool:
        """Whether a third value colours the points."""
        return any(each.z is not None and np.isfinite(each.z).any() for each in self.sets)

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of the labels at the right: points where there are several sets, start and stop of paths, facts."""
        room = _LABEL_ROOM_PX if self.is_square else room_px
        items: list[tuple[str, str]] = []
        for each in self.sets:
            shown = each.is_shown(*self.scales)
            if len(self.sets) > 1 or self.row.panel.traces[0].label:
                is_bare = not shown.any()
                text = f"{each.label}: no data" if is_bare else each.label
                items.append((fit_label(text, room), look.QUIET if is_bare else each.color))
            if each.is_path and shown.any():
                first, last = time_words((each.time_ms[shown][[0, -1]] * 1e6).astype("datetime64[ns]"))
                color = look.INK if each.is_by_time else each.color  # the bright end is pale for letters
                items += [(f"● start {first}", color), (f"■ stop {last}", color)]
        return [*items, *(label for overlay in self.overlays for label in overlay.labels(room))]


def make_point_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> PointPanel:
    """What a panel of points shows.

    Raises
    ------
    FigureError
        A table cannot be drawn as asked.
    """
    numbered = list(enumerate(panel.traces))
    pointed = [(index, trace) for index, trace in numbered if tables[trace.data].meta.kind != "facts"]
    facts = [(index, trace) for index, trace in numbered if tables[trace.data].meta.kind == "facts"]
    sets = points_of_panel(pointed, tables, path, spacecraft)
    metas = [tables[trace.data].meta for _, trace in pointed]
    by_data: Scale = "log" if all(meta.scale == "log" for meta in metas) else "linear"
    scales = (panel.x.scale or by_data, panel.y.scale or by_data)
    y_words, owner = axis_words_of(sets, 1, panel), owner_of(panel, spacecraft)
    return PointPanel(
        row=Row(path, panel, (), None, owner),
        sets=sets,
        x_words=axis_words_of(sets, 0, panel),
        y_words=y_words if panel.y.title is not None else replace(y_words, title=capitalized(with_owner(y_words.title, owner))),
        scales=scales,
        overlays=tuple(overlays_of_panel(facts, tables, path, {each.path: each.color for each in sets})),
        is_square=scales == ("linear", "linear") and (all(map(is_hodogram, metas)) or _are_alike(sets)),
    )


def _are_alike(sets: Sequence[PointSet]) -> bool:
    """Whether both values are of one unit and reach about as far, as in a Walen test: then a slope of one is at 45 degrees."""
    units = {words.unit for each in sets for words in each.words[:2]}
    ends = [extent([getattr(each, name) for each in sets], "linear") for name in ("x", "y")]
    if len(units) != 1 or not units.pop() or None in ends:
        return False
    short, long = sorted(high - low for low, high in filter(None, ends))
    return 0 < long <= _MOST_UNLIKE * short


def draw_points(panel: PointPanel, place: Place, label_room_px: float, panel_px: float) -> Parts:
    """The row of a panel of points; one without a point says why.

    Parameters
    ----------
    label_room_px
        Width for the labels at its right, in pixels.
    panel_px
        About the width of the panels, in pixels: where the colour bar of a square panel is.

    Raises
    ------
    FigureError
        The panel asks for a log axis that begins at or below zero.
    """
    x_scale, y_scale = panel.scales
    shown = [each.is_shown(x_scale, y_scale) for each in panel.sets]
    x_limits, y_limits = _limits(panel, shown)
    is_empty = not any(each.any() for each in shown)
    is_square = panel.is_square and not is_empty
    axis = value_axis(panel.row, place, y_limits, scale=y_scale)
    axis.anchor = place.own_x
    parts = Parts(fit_title(panel.y_words.title, panel.y_words.unit, place.height_px), axis, tick_width_px(axis))
    parts.own_x = own_axis(place, x_scale, x_limits, is_square=is_square)
    if is_square:
        axis.constrain = "domain"
    parts.annotations.append(x_title(panel.x_words.title, panel.x_words.unit, place))
    if is_empty or x_limits is None or y_limits is None:
        parts.traces.append(go.Scatter(x=[], y=[], xaxis=place.own_x, yaxis=place.axis))
        parts.annotations.append(panel_note(_why_empty(panel), place))
    else:
        parts.traces += _traces(panel, shown, place)
        if is_square:
            for trace in parts.traces:
                if trace.marker.showscale:
                    trace.marker.colorbar.x = min(1.0, place.height_px / panel_px)
        parts.traces += fit_traces(panel.overlays, place, x_limits, panel.scales, is_power_law=False)
        show_zero(axis)
        show_zero(parts.own_x)
    shift = COLOR_BAR_PX if panel.has_colors else 0
    room = _LABEL_ROOM_PX if panel.is_square else label_room_px - shift
    parts.annotations += marked_labels(panel.labels(room), place, xref=f"{place.own_x} domain", shift_px=shift)
    parts.annotations += corner_note(_notes(panel), place)
    return parts


def _limits(panel: PointPanel, shown: list[NDArray[np.bool_]]) -> tuple[Limits | None, Limits | None]:
    """Ends of both axes: the panel's, else by what is drawn; as long as each other where the panel is square."""
    ends: list[Limits | None] = []
    for name, axis, scale in (("x", panel.row.panel.x, panel.scales[0]), ("y", panel.row.panel.y, panel.scales[1])):
        given = given_ends(axis, scale, f"{panel.row.path}.{name}.range")
        found = extent([getattr(each, name)[which] for each, which in zip(panel.sets, shown, strict=True)], scale)
        ends.append(chosen_limits(given, padded_range(*found, scale) if found else None))
    x_limits, y_limits = ends
    if panel.is_square and x_limits and y_limits and panel.row.panel.x.range is None and panel.row.panel.y.range is None:
        half = max(x_limits[1] - x_limits[0], y_limits[1] - y_limits[0]) / 2
        return _around(x_limits, half), _around(y_limits, half)
    return x_limits, y_limits


def _around(limits: Limits, half: float) -> Limits:
    middle = (limits[0] + limits[1]) / 2
    return middle - half, middle + half


def _traces(panel: PointPanel, shown: list[NDArray[np.bool_]], place: Place) -> list[BaseTraceType]:
    found: list[BaseTraceType] = []
    has_bar = False
    for each, which in zip(panel.sets, shown, strict=True):
        if not which.any():
            continue
        every = math.ceil(int(which.sum()) / MOST_POINTS)
        meta = {"samples": int(which.sum())} if every > 1 else None
        axes = {"xaxis": place.own_x, "yaxis": place.axis, "name": label_to_html(each.label)}
        if each.is_path:
            found += _path(each, which, every, axes)
        if each.z is not None or not each.is_path:
            marker = _marker(panel, each, which, every, place, has_bar=has_bar)
            has_bar = has_bar or each.z is not None
            x, y = each.x[which][::every], each.y[which][::every]
            found.append(go.Scatter(x=x, y=y, mode="markers", marker=marker, meta=None if each.is_path else meta, **axes))
        if each.is_path:
            found += _ends(each, which, axes)
    return found


def _path(each: PointSet, which: NDArray[np.bool_], every: int, axes: dict[str, str]) -> list[BaseTraceType]:
    """The points joined in order of time, broken where records or values are missing; in pieces where colour goes with time."""
    kept = np.flatnonzero(which)
    is_break = np.zeros(len(each.x) + 1, dtype=np.intp)
    is_break[find_gaps(each.time_ms)] = 1
    piece_of = (np.cumsum(is_break[:-1] + ~which))[kept][::every]
    drawn = kept[::every]
    colors = channel_colors(TIME_COLORS) if each.is_by_time else [look.GAP_GREY if each.z is not None else each.color]
    edges = np.linspace(each.time_ms[kept[0]], each.time_ms[kept[-1]], len(colors) + 1)[1:-1]
    ends = [0, *np.searchsorted(each.time_ms[drawn], edges), len(drawn)]
    samples = np.diff([0, *np.searchsorted(each.time_ms[kept], edges), len(kept)])
    found: list[BaseTraceType] = []
    for first, stop, count, color in zip(ends, ends[1:], samples, colors, strict=False):
        if stop == first:
            continue
        part = slice(first, min(stop + 1, len(drawn)))  # up to the first point of the next piece
        breaks = np.flatnonzero(np.diff(piece_of[part])) + 1
        x, y = (np.insert(values[drawn[part]], breaks, np.nan) for values in (each.x, each.y))
        line = {"color": color, "width": each.width}
        meta = {"samples": int(count)} if every > 1 else None
        found.append(go.Scatter(x=x, y=y, mode="lines", line=line, connectgaps=False, meta=meta, **axes))
    return found


def _ends(each: PointSet, which: NDArray[np.bool_], axes: dict[str, str]) -> list[BaseTraceType]:
    """A disc where the path starts, a square where it stops."""
    places = np.flatnonzero(which)[[0, -1]]
    found = []
    for place, symbol, color in zip(places, ("circle", "square"), each.end_colors, strict=True):
        marker = {"size": _MARK_PX, "symbol": symbol, "color": color, "line": {"color": "white", "width": 1.5}}
        x, y = each.x[[place]], each.y[[place]]
        found.append(go.Scatter(x=x, y=y, mode="markers", marker=marker, hoverinfo="skip", **axes))
    return found


def _marker(
    panel: PointPanel, each: PointSet, which: NDArray[np.bool_], every: int, place: Place, *, has_bar: bool
) -> dict[str, object]:
    count = int(which.sum()) // every
    size = next((size for most, size in _SIZES if count <= most), _SIZES[-1][1])
    marker: dict[str, object] = {"size": size, "opacity": 0.75, "color": each.color, "line": {"width": 0}}
    limits, scale = _color_limits(panel)
    if each.z is None or limits is None:
        return marker
    values = each.z[which][::every]
    if scale == "log":
        values = np.log10(np.where(values > 0, values, np.nan))
    words = each.words[2]
    title = panel.row.panel.z.title if panel.row.panel.z.title is not None else words.title
    bar = color_bar(title, words.unit, limits, scale, place).to_plotly_json()
    known = {"color": values, "cmin": limits[0], "cmax": limits[1], "colorscale": look.COLORSCALE, "opacity": 0.9}
    return {**marker, **known, "showscale": not has_bar, "colorbar": None if has_bar else bar}


def _color_limits(panel: PointPanel) -> tuple[Limits | None, Scale]:
    scale: Scale = panel.row.panel.z.scale or "linear"
    given = given_ends(panel.row.panel.z, scale, f"{panel.row.path}.z.range")
    found = extent([each.z for each in panel.sets if each.z is not None], scale)
    return chosen_limits(given, padded_range(*found, scale) if found else None), scale


def _why_empty(panel: PointPanel) -> str:
    if any(each.left_out(*panel.scales) for each in panel.sets):
        return "no positive value for a log axis"
    return "all fill values" if any(len(each.x) for each in panel.sets) else "no data"


def _notes(panel: PointPanel) -> list[str]:
    """What of the data is not drawn."""
    count = sum(each.left_out(*panel.scales) for each in panel.sets)
    notes = [f"{count:,} {'point' if count == 1 else 'points'} at or below zero not drawn"] if count else []
    for each in panel.sets:
        total = int(each.is_shown(*panel.scales).sum())
        if total > MOST_POINTS:
            notes.append(f"1 in {math.ceil(total / MOST_POINTS)} of {total:,} points drawn")
    return notes
