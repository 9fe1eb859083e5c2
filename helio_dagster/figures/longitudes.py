"""The positions that a map of longitudes is drawn from: X and Y, or distance and longitude, about the Sun."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.distances import degrees, kilometres
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_kinds import Polar
from helio_dagster.domain.lengths import AU_KM
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures.colors import vector_roles
from helio_dagster.figures.curve_columns import numeric_columns
from helio_dagster.figures.positions import ABOUT_EARTH, QUANTITY, Track, check_linear, check_whole, colors_of
from helio_dagster.figures.whole_labels import whole_labels

Floats = NDArray[np.float64]
_LATITUDE = re.compile(r"lat", re.IGNORECASE)
_LONGITUDE = re.compile(r"lon", re.IGNORECASE)
_PLANE, _SPACE = 2, 3
_WIDTH_PX = 1.6


def check_polar(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse what is not positions about the Sun in one frame; raises FigureError."""
    assert panel.polar is not None  # noqa: S101 - asked only of such panels
    check_linear(panel, path, "a map of longitudes")
    known = [(index, trace) for index, trace in enumerate(panel.traces) if metas[trace.data].columns]
    for index, trace in known:
        where = f"{path}.traces[{index}]"
        check_whole(trace, where, "a map of longitudes")
        polar_columns(metas[trace.data], trace.data, f"{where}.data")
        if (frame := frame_of(metas[trace.data], panel.polar)) in ABOUT_EARTH:
            raise FigureError(
                f"a map of longitudes is about the Sun, and {trace.data} is in {frame}, about the Earth",
                where=f"{where}.data",
                hint="Take positions in HCI, HGI, HAE, HEE or HEEQ, or draw an `orbit`.",
            )
    frames = {frame_of(metas[trace.data], panel.polar): trace.data for _, trace in known}
    if len(frames) > 1:
        said = ", ".join(f"{reference} is in {frame or 'an unknown frame'}" for frame, reference in frames.items())
        hint = "Take all positions in the same frame; `polar: {frame: HCI}` says one that the data do not say."
        raise FigureError(f"positions of one panel need one frame: {said}", where=f"{path}.traces", hint=hint)


def frame_of(meta: TableMeta, polar: Polar) -> str:
    """The frame in upper case; empty where nothing says it."""
    return (meta.frame or polar.frame or "").upper()


def polar_columns(meta: TableMeta, reference: str, where: str) -> tuple[list[ColumnMeta], bool]:
    """The columns of positions, and whether they are X and Y; else distance, longitude and, if given, latitude.

    Raises
    ------
    FigureError
        There are none such.
    """
    hint = (
        "Give X and Y, or distance and longitude: as a vector, as points (scatter makes them of two series), "
        "or as columns of one step."
    )
    if meta.kind not in ("vector", "points", "series"):
        problem = f"{reference} gives {meta.kind}, and a map of longitudes needs positions over time"
        raise FigureError(problem, where=where, hint=hint)
    columns = [column for column in meta.columns if column.role == "data"]
    lengths = [column for column in columns if kilometres(column.unit or meta.unit) is not None]
    angles = [column for column in columns if degrees(column.unit or meta.unit) is not None]
    if len(lengths) == 1 and angles and len(lengths) + len(angles) == len(columns):
        flat = [column for column in angles if _LATITUDE.search(f"{column.name} {column.label}")]
        around = [column for column in angles if _LONGITUDE.search(f"{column.name} {column.label}")]
        around = around or [column for column in angles if column not in flat]
        if len(around) == 1 and len(flat) <= 1:
            return [lengths[0], around[0], *flat], False
    if len(lengths) == len(columns):
        if len(lengths) == _SPACE + 1:
            roles = vector_roles([column.label or column.name for column in lengths]) or ()
            lengths = [column for column, role in zip(lengths, roles, strict=True) if role != "total"]
        if len(lengths) in (_PLANE, _SPACE):
            return lengths[:_PLANE], True
    named = ", ".join(f"{column.name} in {column.unit or meta.unit or 'no unit'}" for column in columns[:4])
    raise FigureError(f"{reference} holds no position about the Sun: it has {named or 'no columns'}", where=where, hint=hint)


def polar_tracks(
    panel: Panel, tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> tuple[Track, ...]:
    """The positions of each trace, X and Y in AU, with labels and colours that tell them apart.

    Raises
    ------
    FigureError
        A table does not hold positions.
    """
    found = []
    labels = whole_labels(panel.traces, tables, spacecraft, quantity=QUANTITY)
    distinct_curves = zip(panel.traces, labels, colors_of(panel.traces), strict=True)
    for index, (trace, label, color) in enumerate(distinct_curves):
        table, where = tables[trace.data], f"{path}.traces[{index}].data"
        places = np.empty((_PLANE, 0))
        time_ms = np.empty(0)
        if table.meta.columns:
            columns, is_cartesian = polar_columns(table.meta, trace.data, where)
            if {column.name for column in columns} - {column.name for column in numeric_columns(table)}:
                raise FigureError(f"the positions of {trace.data} hold no numbers", where=where, hint="Give numbers.")
            places = _places(table, columns, is_cartesian=is_cartesian)
            time_ms = table.time.astype("datetime64[ns]").astype(np.int64) / 1e6
        found.append(Track(label, color, trace.width or _WIDTH_PX, time_ms, places))
    return tuple(found)


def _places(table: Table, columns: Sequence[ColumnMeta], *, is_cartesian: bool) -> Floats:
    """X and Y in AU, shape (2, record); NaN where a value is missing."""
    values = [table.columns[column.name].astype(np.float64) for column in columns]
    units = [column.unit or table.meta.unit for column in columns]
    if is_cartesian:
        x, y = (each * (kilometres(unit) or 1.0) / AU_KM for each, unit in zip(values, units, strict=True))
    else:
        distance = values[0] * (kilometres(units[0]) or 1.0) / AU_KM
        angles = [np.radians(each * (degrees(unit) or 1.0)) for each, unit in zip(values[1:], units[1:], strict=True)]
        flat = distance * np.cos(angles[1]) if len(angles) > 1 else distance
        x, y = flat * np.cos(angles[0]), flat * np.sin(angles[0])
    both = np.array([x, y])
    return np.where(np.isfinite(both).all(axis=0), both, np.nan)
