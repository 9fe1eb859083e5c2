"""A row with a map of longitudes: spacecraft about the Sun, seen from above the ecliptic, with Parker spirals and the Earth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_kinds import Polar
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.bodies import SUN_COLOR
from helio_dagster.figures.cells import Cell, lines_of_items, make_cells, square_axes, strip_labels, strip_px, without_strip
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.heliosphere import earth_place, parker_spiral
from helio_dagster.figures.longitudes import frame_of, polar_tracks
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.parts import AxisTitle, Parts, panel_note
from helio_dagster.figures.positions import Track
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.ticks import number_label
from helio_dagster.figures.tracks import DrawnTrack, NamedPlace, add_tracks, track_labels
from helio_dagster.figures.whole_labels import is_named_alone

_MOST_PX = 500.0
_SIDES_PX, _NARROW_SIDES_PX = 156.0, 100.0
_CIRCLE_STEPS_AU = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_MOST_CIRCLES = 5
_OUTSIDE = 1.13
"""Of the outermost circle: room for the longitudes around it."""
_RAYS_DEG = range(0, 360, 30)
_NAMED_RAYS_DEG = (0, 45, 90, 135, 180, 225, 270, 315)
_LABELS_AT_DEG = (67.5, 22.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5)
_FONT_PX = 11
_SUN_PX, _EARTH_PX = 13.0, 10.0
_SPIRAL_POINTS = 400
_LEAST_AU = 0.005


@dataclass(frozen=True)
class PolarPanel:
    """A map of longitudes with everything it shows.

    `earth` is the Earth's longitude in degrees and distance in AU; None where it is not known or not asked for.
    """

    panel: Panel
    polar: Polar
    tracks: tuple[Track, ...]
    frame: str
    earth: tuple[float, float] | None
    is_named: bool = False
    lines: tuple[tuple[tuple[str, str], ...], ...] = ()
    height_px: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether there is no position."""
        return not any(track.is_known.any() for track in self.tracks)

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of the labels: spacecraft, start and stop, speed of the spirals, frame."""
        items = track_labels(self.tracks, room_px, is_named=self.is_named)
        if self.polar.spirals:
            items.append((f"Parker spirals: {self.polar.speed:g} km s<sup>−1</sup>", look.QUIET))
        items.append((f"longitude: {label_to_html(self.frame)}" if self.frame else "longitude: frame not known", look.QUIET))
        if self.polar.earth and self.earth is None:
            items.append(("the Earth's longitude is not known in it", look.QUIET))
        return items


def make_polar_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, span: TimeRange, spacecraft: Mapping[str, str] | None = None
) -> PolarPanel:
    """What a map of longitudes shows; the Earth is where it is at the last position, or at the end of the span.

    Raises
    ------
    FigureError
        A table does not hold positions.
    """
    polar = panel.polar
    assert polar is not None  # noqa: S101 - asked only of such panels
    known = [tables[trace.data].meta for trace in panel.traces if tables[trace.data].meta.columns]
    frame = frame_of(known[0], polar) if known else (polar.frame or "").upper()
    tracks = polar_tracks(panel, tables, path, spacecraft)
    last = [float(track.time_ms[track.is_known][-1]) for track in tracks if track.is_known.any()]
    at_ms = max(last, default=span.stop.timestamp() * 1e3)
    earth = earth_place(at_ms, frame) if polar.earth else None
    return PolarPanel(panel, polar, tracks, frame, earth, is_named=is_named_alone(panel, spacecraft))


def plan_polar(panel: PolarPanel, sheet: Sheet, panel_px: float | None = None) -> PolarPanel:
    """The panel with its labels in lines of a sheet, and the row's height."""
    room_px = panel_px or sheet.width_px - (_NARROW_SIDES_PX if sheet.is_narrow else _SIDES_PX)
    lines = lines_of_items(panel.labels(room_px), room_px)
    height = min(_MOST_PX * panel.panel.height, room_px) + strip_px(lines)
    return replace(panel, lines=tuple(map(tuple, lines)), height_px=height)


def draw_polar(panel: PolarPanel, place: Place, panel_px: float) -> Parts:
    """The row of a map of longitudes; one without a position says why."""
    below = without_strip(place, panel.lines)
    (cell,) = make_cells(below, 1, 1, panel_px, below_px=0)
    circles = _circles_au(panel)
    far = circles[-1] * _OUTSIDE
    limits = (-far, far)
    x_axis, y_axis = square_axes(cell, limits, limits)
    for axis in (x_axis, y_axis):
        axis.visible = False
    parts = Parts(AxisTitle("", look.FONT_PX, 0.0), y_axis, 0.0, own_x=x_axis)
    _add_grid(parts, circles, _free_angle_deg(panel), cell)
    earth = _add_earth(parts, panel.earth, cell) if panel.earth is not None and panel.earth[1] <= 1.02 * circles[-1] else []
    if panel.is_empty:
        is_filled = any(len(track.time_ms) for track in panel.tracks)
        note = panel_note("all fill values" if is_filled else "no data", below)
        parts.annotations.append(note.update(xref=f"{cell.x} domain"))
    else:
        known = [track for track in panel.tracks if track.is_known.any()] if panel.polar.spirals else []
        spirals = [_spiral(track, panel.polar.speed, circles[-1], cell) for track in known]
        parts.traces += spirals
        avoid = [place for spiral in spirals for place in zip(spiral.x[::4], spiral.y[::4], strict=True)]
        drawn = [
            DrawnTrack(track, track.places, is_dotted=trace.draw == "points")
            for track, trace in zip(panel.tracks, panel.panel.traces, strict=True)
        ]
        add_tracks(parts, drawn, cell, (limits, limits), panel.polar.every, others=earth, avoid=avoid)
    parts.traces.append(_dot(0.0, 0.0, SUN_COLOR, look.EVENT_EDGE, _SUN_PX, "Sun", cell))
    parts.annotations += strip_labels(panel.lines, place)
    return parts


def _circles_au(panel: PolarPanel) -> list[float]:
    """Distances of the circles: round, the last just beyond everything."""
    far = [float(np.hypot(*track.places[:, track.is_known]).max()) for track in panel.tracks if track.is_known.any()]
    if panel.earth is not None and max(far, default=1.0) > panel.earth[1] / 4:
        far.append(panel.earth[1])
    most = max(far, default=1.0) or 1.0
    step = next((step for step in _CIRCLE_STEPS_AU if most / step <= _MOST_CIRCLES), _CIRCLE_STEPS_AU[-1])
    count = int(np.ceil(most / step - 0.02))
    return [step * number for number in range(1, max(1, count) + 1)]


def _free_angle_deg(panel: PolarPanel) -> float:
    """The longitude, of some, that is farthest from everything drawn: there stand the distances of the circles."""
    taken = [np.degrees(np.arctan2(*track.places[::-1, track.is_known])) for track in panel.tracks]
    taken.append(np.array([panel.earth[0]] if panel.earth is not None else []))
    angles = np.concatenate(taken)
    if not len(angles):
        return _LABELS_AT_DEG[0]
    clear = [float(np.abs((angles - each + 180) % 360 - 180).min()) for each in _LABELS_AT_DEG]
    return _LABELS_AT_DEG[int(np.argmax(clear))]


def _add_grid(parts: Parts, circles: Sequence[float], labels_at_deg: float, cell: Cell) -> None:
    """Circles with their distances, rays with their longitudes."""
    around = np.radians(np.linspace(0, 360, 181))
    rays = np.radians(list(_RAYS_DEG))
    outer = circles[-1]
    x, y = (
        np.column_stack([0 * part(rays), outer * part(rays), np.full(len(rays), np.nan)]).ravel() for part in (np.cos, np.sin)
    )
    parts.traces.append(_grid_line(x, y, look.GRID, cell))
    for distance in circles:
        color = look.FRAME if distance == outer else look.GAP_GREY
        parts.traces.append(_grid_line(distance * np.cos(around), distance * np.sin(around), color, cell))
        at = np.radians(labels_at_deg)
        text = f"{number_label(float(f'{distance:.6g}'))} AU" if distance == outer else number_label(float(f"{distance:.6g}"))
        label = _text(distance * np.cos(at), distance * np.sin(at), text, cell)
        parts.annotations.append(label.update(bgcolor="rgba(255, 255, 255, 0.8)"))
    for angle in _NAMED_RAYS_DEG:
        east, north = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        label = _text(outer * east, outer * north, f"{angle}°", cell)
        label.update(xanchor=_side(east, "left", "right", "center"), yanchor=_side(north, "bottom", "top", "middle"))
        parts.annotations.append(label.update(xshift=5 * east, yshift=4 * north))


def _side(part: float, positive: str, negative: str, neither: str) -> str:
    return neither if abs(part) < 1e-6 else positive if part > 0 else negative


def _text(x: float, y: float, text: str, cell: Cell) -> go.layout.Annotation:
    font = {"size": _FONT_PX, "color": look.QUIET}
    return go.layout.Annotation(xref=cell.x, yref=cell.y, x=x, y=y, text=text, showarrow=False, borderpad=0, font=font)


def _grid_line(x: np.ndarray, y: np.ndarray, color: str, cell: Cell) -> BaseTraceType:
    return go.Scatter(x=x, y=y, mode="lines", line={"color": color, "width": 1}, hoverinfo="skip", **cell.axes)


def _dot(x: float, y: float, fill: str, edge: str, size: float, name: str, cell: Cell) -> BaseTraceType:
    marker = {"size": size, "color": fill, "line": {"color": edge, "width": 1}}
    return go.Scatter(x=[x], y=[y], mode="markers", marker=marker, hoverinfo="name", name=name, **cell.axes)


def _spiral(track: Track, speed_km_s: float, outer_au: float, cell: Cell) -> BaseTraceType:
    """The spiral through the last position, from the Sun to the outermost circle."""
    x, y = track.places[:, track.is_known][:, -1]
    radius, longitude = float(np.hypot(x, y)), float(np.arctan2(y, x))
    distances = np.linspace(_LEAST_AU, outer_au, _SPIRAL_POINTS)
    angles = parker_spiral(radius, longitude, speed_km_s, distances)
    return go.Scatter(
        x=distances * np.cos(angles),
        y=distances * np.sin(angles),
        mode="lines",
        line={"color": track.color, "width": 1.0, "dash": "dot"},
        hoverinfo="name",
        name=f"Parker spiral of {label_to_html(track.label)}",
        **cell.axes,
    )


def _add_earth(parts: Parts, earth: tuple[float, float], cell: Cell) -> list[NamedPlace]:
    """The Earth with its direction from the Sun; gives its place, which wants a label."""
    longitude, distance = np.radians(earth[0]), earth[1]
    x, y = distance * np.cos(longitude), distance * np.sin(longitude)
    parts.traces.append(_grid_line(np.array([0.0, x]), np.array([0.0, y]), look.SLATE, cell))
    parts.traces.append(_dot(x, y, look.SLATE, "white", _EARTH_PX, "Earth", cell))
    return [(x, y, "Earth", look.SLATE)]
