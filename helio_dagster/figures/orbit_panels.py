"""A row of orbits: positions in planes of their frame, with what is at the origin, model boundaries and marks of time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.boundaries import bow_shock_re, magnetopause_re
from helio_dagster.domain.distances import kilometres
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_kinds import Orbit, Plane
from helio_dagster.domain.table import Table
from helio_dagster.figures import look
from helio_dagster.figures.bodies import LEAST_PX, body_traces
from helio_dagster.figures.cells import (
    CELL_GAP_PX,
    Cell,
    cell_x_title,
    lines_of_items,
    make_cells,
    square_axes,
    strip_labels,
    strip_px,
    without_strip,
)
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits
from helio_dagster.figures.markup import unit_to_html
from helio_dagster.figures.own_axes import OWN_AXIS_PX, corner_note
from helio_dagster.figures.parts import AxisTitle, Parts, fit_title, panel_note
from helio_dagster.figures.positions import (
    RADIUS_KM,
    SUNWARD_FRAMES,
    Body,
    Track,
    body_of,
    first_unit,
    frame_of,
    tracks_of,
    unit_of,
)
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.text_width import width_px
from helio_dagster.figures.ticks import linear_labels
from helio_dagster.figures.tracks import DrawnTrack, add_tracks, px_per_unit, track_labels
from helio_dagster.figures.whole_labels import is_named_alone

MAGNETOPAUSE_COLOR, BOW_SHOCK_COLOR = look.PURPLE, look.BROWN

_ROOM = 1.08
_MOST_TICKS, _TICK_FONT_PX = 6, 12
_MOST_CELL_PX = 460.0
_SIDES_PX, _NARROW_SIDES_PX = 156.0, 124.0
"""Beside the planes: for tick labels and titles at the left, and the least room at the right."""
_THETA = np.linspace(-np.pi, np.pi, 1441)[1:-1]
_ROW_OF = {"X": 0, "Y": 1, "Z": 2, "R": 3}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OrbitPanel:
    """A panel of orbits with everything it shows; positions have a fourth row, the distance from the X axis."""

    path: str
    panel: Panel
    orbit: Orbit
    tracks: tuple[Track, ...]
    frame: str
    body: Body
    unit: str
    is_converted: bool
    is_named: bool = False
    lines: tuple[tuple[tuple[str, str], ...], ...] = ()
    height_px: float = 0.0
    columns: int = 1

    @property
    def km_per_unit(self) -> float:
        """How many kilometres the unit of the axes is."""
        return kilometres(self.unit) or 1.0

    @property
    def boundaries(self) -> list[tuple[str, str, Floats, str]]:
        """Name, colour, distances at `_THETA` (its shape) in the unit of the axes, and source of the models asked for."""
        wind, found = self.orbit.solar_wind, []
        scale = RADIUS_KM["earth"] / self.km_per_unit
        if self.orbit.magnetopause:
            distances = magnetopause_re(_THETA, wind.pressure, wind.bz) * scale
            found.append(("magnetopause", MAGNETOPAUSE_COLOR, distances, "Shue et al. 1998"))
        if self.orbit.bow_shock:
            distances = bow_shock_re(_THETA, wind.pressure) * scale
            found.append(("bow shock", BOW_SHOCK_COLOR, distances, "Jelínek et al. 2012"))
        return found

    @property
    def wind_words(self) -> str:
        """The conditions that the boundaries are drawn for, as markup."""
        wind = self.orbit.solar_wind
        field = f", B<sub>z</sub> {wind.bz:g} nT" if self.orbit.magnetopause else ""
        return f"solar wind {wind.pressure:g} nPa{field}".replace("-", "−")

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of the labels: spacecraft, start and stop, boundaries."""
        items = track_labels(self.tracks, room_px, is_named=self.is_named)
        items += [(f"╌ {name} ({words})", color) for name, color, _, words in self.boundaries]
        if self.boundaries:
            items.append((self.wind_words, look.QUIET))
        if self.is_converted and self.unit in ("R_E", "R_S"):
            items.append((f"1 {unit_to_html(self.unit)} = {kilometres(self.unit):,g} km", look.QUIET))
        return items


def make_orbit_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> OrbitPanel:
    """What a panel of orbits shows; one orbit alone is named where its spacecraft is known or the file names it.

    Raises
    ------
    FigureError
        A table does not hold positions.
    """
    orbit = panel.orbit
    assert orbit is not None  # noqa: S101 - asked only of such panels
    known = [tables[trace.data].meta for trace in panel.traces if tables[trace.data].meta.columns]
    frame = frame_of(known[0], orbit) if known else (orbit.frame or "").upper()
    own_unit = first_unit(panel.traces, tables)
    body = body_of(orbit, frame, own_unit)
    unit = unit_of(orbit, body, own_unit)
    tracks = tracks_of(panel, tables, path, unit, spacecraft)
    is_named = is_named_alone(panel, spacecraft)
    is_converted = own_unit not in ("", unit)
    return OrbitPanel(path, panel, orbit, tracks, frame, body, unit, is_converted=is_converted, is_named=is_named)


def plan_orbit(panel: OrbitPanel, sheet: Sheet, panel_px: float | None = None) -> OrbitPanel:
    """The panel with its labels in lines of a sheet, and the row's height.

    It is that of square planes, beside each other or, on a narrow sheet, below each other. `panel_px` is the width of the
    panels, about that of the sheet where not given.
    """
    columns, rows = _grid(panel, is_narrow=sheet.is_narrow)
    room_px = panel_px or sheet.width_px - (_NARROW_SIDES_PX if sheet.is_narrow else _SIDES_PX)
    cell_px = (room_px - (columns - 1) * CELL_GAP_PX) / columns
    lines = lines_of_items(panel.labels(room_px), room_px)
    height = rows * min(_MOST_CELL_PX * panel.panel.height, cell_px) + (rows - 1) * OWN_AXIS_PX + strip_px(lines)
    return replace(panel, lines=tuple(map(tuple, lines)), height_px=height, columns=columns)


def _grid(panel: OrbitPanel, *, is_narrow: bool) -> tuple[int, int]:
    count = len(panel.orbit.planes)
    columns = 1 if is_narrow else min(count, 3) if count != 4 else 2
    return columns, math.ceil(count / columns)


def draw_orbit(panel: OrbitPanel, place: Place, panel_px: float) -> Parts:
    """The row of a panel of orbits; one without a position says why."""
    below = without_strip(place, panel.lines)
    cells = make_cells(below, len(panel.orbit.planes), panel.columns, panel_px, below_px=OWN_AXIS_PX)
    is_empty = not any(track.is_known.any() for track in panel.tracks)
    limits = {} if is_empty else _limits(panel)
    parts = Parts(AxisTitle("", look.FONT_PX, 0.0), None, 0.0)
    for cell, plane in zip(cells, panel.orbit.planes, strict=True):
        _draw_plane(parts, panel, cell, plane, limits)
    if is_empty:
        is_filled = any(len(track.time_ms) for track in panel.tracks)
        parts.annotations.append(panel_note("all fill values" if is_filled else "no data", below))
    for note in corner_note(_notes(panel, cells[0], limits), cells[0].place, xref=f"{cells[0].x} domain"):
        parts.annotations.append(note.update(yref=f"{cells[0].y} domain", y=0))
    parts.annotations += strip_labels(panel.lines, place)
    return parts


def _draw_plane(parts: Parts, panel: OrbitPanel, cell: Cell, plane: Plane, limits: Mapping[str, Limits]) -> None:
    """One plane with its axes and titles, and what it shows."""
    x_limits, y_limits = limits.get(plane[0]), limits.get(plane[1])
    x_axis, y_axis = square_axes(cell, x_limits, y_limits)
    titles = [axis_title(panel, letter) for letter in plane]
    parts.annotations.append(cell_x_title(titles[0], panel.unit, cell))
    if cell.column:
        parts.annotations.append(_upright_title(titles[1], panel.unit, cell, y_limits))
    else:
        parts.more_titles.append((fit_title(titles[1], panel.unit, cell.place.height_px), cell.place))
        parts.tick_px = max(parts.tick_px, _tick_px(y_limits))
    if cell.number:
        parts.more_axes |= dict(zip(cell.axis_keys, (x_axis, y_axis), strict=True))
    else:
        parts.own_x, parts.axis = x_axis, y_axis
    if x_limits is None or y_limits is None:
        parts.traces.append(go.Scatter(x=[], y=[], **cell.axes))
        return
    px = px_per_unit(cell, x_limits, y_limits)
    parts.traces += [_boundary(each, plane, cell) for each in panel.boundaries]
    if panel.body != "none":
        radius = RADIUS_KM[panel.body] / panel.km_per_unit
        is_sunward = panel.frame in SUNWARD_FRAMES
        parts.traces += body_traces(panel.body, radius, px, plane, cell, is_sunward=is_sunward)
    drawn = [
        DrawnTrack(track, in_plane(track.places, plane), is_dotted=trace.draw == "points")
        for track, trace in zip(panel.tracks, panel.panel.traces, strict=True)
    ]
    add_tracks(parts, drawn, cell, (x_limits, y_limits), panel.orbit.every)


def axis_title(panel: OrbitPanel, letter: str) -> str:
    """The plain title of a coordinate: the panel's, else its letter with the frame."""
    axis = {"X": panel.panel.x, "Y": panel.panel.y, "Z": panel.panel.z}.get(letter)
    if axis is not None and axis.title is not None:
        return axis.title
    letters = "√(Y² + Z²)" if letter == "R" else letter
    return f"{letters} {panel.frame}".strip()


def _upright_title(title: str, unit: str, cell: Cell, limits: Limits | None) -> go.layout.Annotation:
    """The title of a plane that is not the first of its line, between its tick labels and the plane before."""
    shift = _tick_px(limits) + 16
    fitted = fit_title(title, unit, cell.place.height_px)
    return go.layout.Annotation(
        xref=f"{cell.x} domain",
        yref=f"{cell.y} domain",
        x=0,
        y=0.5,
        xshift=-shift - fitted.thickness_px / 2 + 4,
        xanchor="center",
        yanchor="middle",
        textangle=-90,
        text=fitted.text,
        showarrow=False,
        borderpad=0,
        font={"size": fitted.font_px},
    )


def _tick_px(limits: Limits | None) -> float:
    """Width of the widest tick label."""
    labels = linear_labels(*limits, most=_MOST_TICKS) if limits is not None else []
    return max((width_px(label, _TICK_FONT_PX) for label in labels), default=0.0)


def in_plane(places: Floats, plane: Plane) -> Floats:
    """Positions in a plane, shape (2, record)."""
    whole = np.vstack([places, np.hypot(places[1], places[2])])
    return whole[[_ROW_OF[letter] for letter in plane]]


def _limits(panel: OrbitPanel) -> dict[str, Limits]:
    """Ends of each coordinate: the panel's, else around what is drawn, all equally long."""
    given = {"X": panel.panel.x.range, "Y": panel.panel.y.range, "Z": panel.panel.z.range}
    places = np.hstack([track.places[:, track.is_known] for track in panel.tracks])
    ends: dict[str, Limits] = {}
    for letter, values in zip("XYZ", places, strict=True):
        shown = [float(values.min()), float(values.max())]
        if panel.body != "none":
            radius = RADIUS_KM[panel.body] / panel.km_per_unit
            shown += [-radius, radius]
        for _, _, distances, _ in panel.boundaries:
            middle = len(_THETA) // 2
            flank = float(distances[np.argmin(np.abs(_THETA - np.pi / 2))])
            shown += [float(distances[middle]), -flank] if letter == "X" else [-flank, flank]
        ends[letter] = (min(shown), max(shown))
    used = {letter for plane in panel.orbit.planes for letter in plane.replace("R", "YZ")}
    free = [high - low for letter, (low, high) in ends.items() if letter in used and None in (given[letter] or (None,))]
    length = _ROOM * max(free, default=1.0)
    length = length or max(1e-9, *(abs(end) for pair in ends.values() for end in pair)) / 10
    limits = {
        letter: chosen_limits(given[letter], ((low + high - length) / 2, (low + high + length) / 2))
        for letter, (low, high) in ends.items()
    }
    far = max(abs(end) for letter in "YZ" for end in limits[letter])
    return {**limits, "R": (0.0, far)}


def _boundary(boundary: tuple[str, str, Floats, str], plane: Plane, cell: Cell) -> go.Scatter:
    """A model boundary where it cuts a plane: with X at the other coordinate zero, across X at Earth."""
    name, color, distances, words = boundary
    if plane == "YZ":
        angles = np.linspace(0, 2 * np.pi, 181)
        flank = float(np.interp(np.pi / 2, _THETA, distances))
        x, y = flank * np.cos(angles), flank * np.sin(angles)
    else:
        upper = _THETA >= 0 if plane == "XR" else np.ones(len(_THETA), dtype=bool)
        x, y = (distances * np.cos(_THETA))[upper], (distances * np.sin(_THETA))[upper]
    line = {"color": color, "width": 1.3, "dash": "dash"}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="name", name=f"{name} ({words})", **cell.axes)


def _notes(panel: OrbitPanel, cell: Cell, limits: Mapping[str, Limits]) -> list[str]:
    """What is not to scale."""
    notes = []
    if panel.body != "none" and limits:
        plane = panel.orbit.planes[0]
        px = px_per_unit(cell, limits[plane[0]], limits[plane[1]])
        if RADIUS_KM[panel.body] / panel.km_per_unit * px < LEAST_PX:
            notes.append(f"{'Earth' if panel.body == 'earth' else 'the Sun'} is not to scale")
    return notes
