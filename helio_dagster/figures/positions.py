"""The positions that an orbit is drawn from: which columns they are, in which frame and unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.distances import kilometres
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.figure_kinds import Orbit
from helio_dagster.domain.lengths import EARTH_RADIUS_KM, SUN_RADIUS_KM
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures import look
from helio_dagster.figures.colors import vector_roles
from helio_dagster.figures.curve_columns import numeric_columns
from helio_dagster.figures.whole_labels import whole_labels

Floats = NDArray[np.float64]
Body = Literal["earth", "sun", "none"]
SUNWARD_FRAMES = ("GSE", "GSM")
"""Frames about Earth whose X axis is towards the Sun."""
QUANTITY = "position"
"""What a track is, in its label after the spacecraft's name."""
RADIUS_KM = {"earth": EARTH_RADIUS_KM, "sun": SUN_RADIUS_KM}

ABOUT_EARTH = ("GSE", "GSM", "GSEQ", "SM", "GEO", "GEI", "GCI", "GCE")
_ABOUT_SUN = ("HCI", "HEE", "HEEQ", "HAE", "HGI", "HG")
_UNIT_OF_BODY = {"earth": "R_E", "sun": "AU"}
_DIMENSIONS = 3
_WIDTH_PX = 1.6


@dataclass(frozen=True)
class Track:
    """The positions of one trace, in order of time.

    Parameters
    ----------
    label
        Plain text.
    time_ms
        float64, shape (record,), milliseconds since 1970-01-01 UTC.
    places
        float64, shape (coordinate, record), in the unit of the panel; NaN where one coordinate has no value.
    """

    label: str
    color: str
    width: float
    time_ms: Floats
    places: Floats

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Which records have a position; bool, shape (record,)."""
        known: NDArray[np.bool_] = np.all(np.isfinite(self.places), axis=0)
        return known


def check_orbit(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse what is not positions in one frame, and models where they do not belong; raises FigureError."""
    assert panel.orbit is not None  # noqa: S101 - asked only of such panels
    check_linear(panel, path, "an orbit")
    known = [(index, trace) for index, trace in enumerate(panel.traces) if metas[trace.data].columns]
    for index, trace in known:
        check_whole(trace, f"{path}.traces[{index}]", "an orbit")
        coordinates(metas[trace.data], trace.data, f"{path}.traces[{index}].data")
    frames = {frame_of(metas[trace.data], panel.orbit): trace.data for _, trace in known}
    if len(frames) > 1:
        said = ", ".join(f"{reference} is in {frame or 'an unknown frame'}" for frame, reference in frames.items())
        raise FigureError(
            f"positions of one panel need one frame: {said}",
            where=f"{path}.traces",
            hint="Take all positions in the same frame; `orbit: {frame: GSE}` says one that the data do not say.",
        )
    if known and (panel.orbit.magnetopause or panel.orbit.bow_shock):
        frame = next(iter(frames))
        if frame not in SUNWARD_FRAMES:
            raise FigureError(
                f"the model boundaries are drawn in GSE or GSM, and the frame of {known[0][1].data} is {frame or 'not known'}",
                where=f"{path}.orbit.{'magnetopause' if panel.orbit.magnetopause else 'bow_shock'}",
                hint="Take the positions in GSE or GSM. If they are and only do not say it, write `orbit: {frame: GSE}`.",
            )


def check_linear(panel: Panel, path: str, what: str) -> None:
    """Refuse logarithmic coordinates; raises FigureError."""
    for name, axis in (("x", panel.x), ("y", panel.y), ("z", panel.z)):
        if axis.scale == "log":
            raise FigureError(f"{what} has linear axes", where=f"{path}.{name}.scale", hint="Remove `scale`.")


def check_whole(trace: Trace, where: str, what: str) -> None:
    """Refuse a part of the positions, and another way to draw them; raises FigureError."""
    if trace.component is not None:
        hint = "Remove `component`."
        raise FigureError(f"{what} is drawn from whole positions", where=f"{where}.component", hint=hint)
    if trace.draw not in (None, "line", "points"):
        raise FigureError(f"{what} is drawn as a line or as points", where=f"{where}.draw", hint="Write `line` or `points`.")


def coordinates(meta: TableMeta, reference: str, where: str) -> list[ColumnMeta]:
    """The columns X, Y and Z of positions.

    Raises
    ------
    FigureError
        There are not three columns that are lengths.
    """
    hint = "Give X, Y and Z as one vector in R_E, km or AU; the operation compose_vector makes one of three series."
    if meta.kind not in ("vector", "points", "series"):
        raise FigureError(f"{reference} gives {meta.kind}, and an orbit needs positions over time", where=where, hint=hint)
    columns = [column for column in meta.columns if column.role == "data"]
    if len(columns) == _DIMENSIONS + 1:
        roles = vector_roles([column.label or column.name for column in columns]) or ()
        columns = [column for column, role in zip(columns, roles, strict=True) if role != "total"]
    lengths = [column for column in columns if kilometres(column.unit or meta.unit) is not None]
    if len(columns) == _DIMENSIONS and len(lengths) == _DIMENSIONS:
        return lengths
    if len(columns) == _DIMENSIONS:
        units = ", ".join(dict.fromkeys(column.unit or meta.unit or "no unit" for column in columns))
        raise FigureError(f"an orbit needs lengths, and {reference} is in {units}", where=where, hint=hint)
    named = ", ".join(column.name for column in columns[:6])
    raise FigureError(f"an orbit needs X, Y and Z, and {reference} has {named}", where=where, hint=hint)


def frame_of(meta: TableMeta, orbit: Orbit) -> str:
    """The frame in upper case; empty where nothing says it."""
    return (meta.frame or orbit.frame or "").upper()


def body_of(orbit: Orbit, frame: str, unit: str) -> Body:
    """What is at the origin: as asked, else by the frame, else by the unit of the data."""
    if orbit.body is not None:
        return orbit.body
    if frame:
        return "earth" if frame in ABOUT_EARTH else "sun" if frame in _ABOUT_SUN else "none"
    return "earth" if unit == "R_E" else "sun" if unit in ("AU", "R_S") else "none"


def unit_of(orbit: Orbit, body: Body, unit: str) -> str:
    """The unit of the axes."""
    return orbit.unit or _UNIT_OF_BODY.get(body) or unit or "km"


def first_unit(traces: Sequence[Trace], tables: Mapping[str, Table]) -> str:
    """The unit of the first positions; empty where there are none."""
    for trace in traces:
        meta = tables[trace.data].meta
        if meta.columns:
            return coordinates(meta, trace.data, "")[0].unit or meta.unit
    return ""


def tracks_of(
    panel: Panel, tables: Mapping[str, Table], path: str, unit: str, spacecraft: Mapping[str, str] | None = None
) -> tuple[Track, ...]:
    """The positions of each trace in one unit, with labels and colours that tell them apart.

    Raises
    ------
    FigureError
        A table does not hold positions.
    """
    labels = whole_labels(panel.traces, tables, spacecraft, quantity=QUANTITY)
    colors = colors_of(panel.traces)
    found = []
    for index, (trace, label, color) in enumerate(zip(panel.traces, labels, colors, strict=True)):
        table, where = tables[trace.data], f"{path}.traces[{index}].data"
        if table.meta.columns:
            columns = coordinates(table.meta, trace.data, where)
            if {column.name for column in columns} - {column.name for column in numeric_columns(table)}:
                raise FigureError(f"the positions of {trace.data} hold no numbers", where=where, hint="Give numbers.")
            factors = [(kilometres(column.unit or table.meta.unit) or 1.0) / (kilometres(unit) or 1.0) for column in columns]
            values = np.array(
                [table.columns[column.name].astype(np.float64) * each for column, each in zip(columns, factors, strict=True)]
            )
            values = np.where(np.isfinite(values).all(axis=0), values, np.nan)
        else:
            values = np.empty((_DIMENSIONS, 0))
        time_ms = table.time.astype("datetime64[ns]").astype(np.int64) / 1e6 if values.size else np.empty(0)
        found.append(Track(label, color, trace.width or _WIDTH_PX, time_ms, values))
    return tuple(found)


def colors_of(traces: Sequence[Trace]) -> list[str]:
    """A colour for each trace: its own, else one of the colourway that no other has."""
    given = {trace.color for trace in traces}
    free = [color for color in look.COLORWAY if color not in given] or list(look.COLORWAY)
    return [trace.color or free[place % len(free)] for place, trace in enumerate(traces)]
