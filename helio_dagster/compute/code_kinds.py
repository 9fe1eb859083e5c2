"""What code returns when its step declares a curve, a map, points, facts or events, as a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.compute.one_nan import one_nan
from helio_dagster.domain.errors import CodeError
from helio_dagster.domain.pipeline import ResultKind
from helio_dagster.domain.table import BinAxis, ColumnMeta, Role, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.sandbox.wire import Rows

_COMPANIONS: tuple[Role, ...] = ("uncertainty", "lower", "upper")
COUNT_NAMES = frozenset(("count", "pairs", "points", "samples"))
"""Columns of facts, curves and maps that say how many values the others are made of."""
_MOST = 2.0**53
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def rows_of(kind: ResultKind | None) -> Rows:
    """What the rows of a result are: those of a curve, a map and of facts belong to the whole window."""
    return "events" if kind == "events" else "numbered" if kind in ("curve", "map", "facts") else "samples"


def table_of_kind(
    result: pd.DataFrame,
    kind: ResultKind,
    window: TimeRange,
    *,
    name: str,
    unit: str,
    units: Mapping[str, str],
    frame: str | None,
) -> Table:
    """The result as a table of the declared kind.

    Parameters
    ----------
    result
        What the code returned: over times where the kind has them. Columns that end in `_uncertainty`, `_lower` or `_upper`
        belong to the column before them. The first column of a curve is its axis, the first two of a map are its axes, whose
        `_lower` and `_upper` are the edges of its bins; a column `stop` of events is when they stop,
        in seconds since 1970.
    kind
        What the step declares.
    window
        The partition, or the range.
    name
        Step id, the label of the result.
    unit, units
        Unit of all columns, and of single ones.
    frame
        Coordinate frame.

    Raises
    ------
    CodeError
        Columns or rows are not those of the kind; says what to return.
    """
    names = [str(label) for label in result.columns]
    for each in names:
        if not _NAME.fullmatch(each) or each == "time":
            raise CodeError(f"a column of the result is named {each!r}", hint="Use letters, digits and _, and not `time`.")
    for each in sorted(set(units) - set(names)):
        raise CodeError(
            f"the step gives the column {each!r} a unit, but the code returns {', '.join(names)}", hint="Rename one."
        )
    counts = [each for each in names if each in COUNT_NAMES and kind in ("facts", "curve", "map") and not units.get(each)]
    values = {each: one_nan(result[each].to_numpy(dtype="float64"), is_copied=True) for each in names}
    values |= {each: _whole(each, values[each]) for each in counts}
    roles = _roles(names, kind, counts)
    columns = _columns(names, roles, unit, {**units, **dict.fromkeys(counts, "")})
    start, stop = window.bounds_ns()
    meta = TableMeta(kind=kind, columns=columns, label=name, unit=unit, frame=frame)
    if kind == "facts":
        if len(result) != 1:
            problem = f"the code returns {len(result)} rows, where facts are one row of numbers"
            raise CodeError(problem, hint="Return a mapping: {'lag': 34.0, 'lag_uncertainty': 2.0}.")
        columns = (ColumnMeta(name="stop", label="stop", role="stop"), *columns)
        named = {"stop": np.array([stop], dtype="datetime64[ns]"), **values}
        return Table(np.array([start], dtype="datetime64[ns]"), named, meta.model_copy(update={"columns": columns}))
    if kind == "curve":
        return _curve(values, names, start, meta)
    if kind == "map":
        return _map(values, start, meta)
    time = pd.DatetimeIndex(result.index).tz_convert("UTC").tz_localize(None).to_numpy().astype("datetime64[ns]")
    if kind == "points" and not 2 <= len(names) <= 3:
        raise CodeError(f"points have two or three columns, not {len(names)}", hint="Return a DataFrame of x and y.")
    if kind == "events" and "stop" in values:
        seconds = values["stop"]
        nanoseconds = np.where(np.isnan(seconds), 0, np.round(seconds * 1e6)).astype(np.int64) * 1000
        stops = np.where(np.isnan(seconds), np.datetime64("NaT", "ns"), nanoseconds.view("datetime64[ns]"))
        if (stops <= time).any():
            raise CodeError("an event stops before it starts", hint="Return times after the index in the column `stop`.")
        return Table(time, {**values, "stop": stops}, meta)
    return Table(time, values, meta)


def _curve(values: Mapping[str, NDArray[Any]], names: Sequence[str], start: np.datetime64, meta: TableMeta) -> Table:
    axis = names[0]
    if len(names) < 2:
        raise CodeError(
            "a curve has an axis and at least one column of values", hint="Return a DataFrame; its first column is the axis."
        )
    if len(values[axis]) and not (np.diff(values[axis]) > 0).all():
        raise CodeError(f"the axis {axis!r} of the curve does not increase", hint=f"Return result.sort_values({axis!r}).")
    bins = BinAxis(label=axis, unit=meta.columns[0].unit)
    length = len(values[axis])
    return Table(np.full(length, start, dtype="datetime64[ns]"), dict(values), meta.model_copy(update={"bins": bins}))


def _map(values: Mapping[str, NDArray[Any]], start: np.datetime64, meta: TableMeta) -> Table:
    hint = "Return a DataFrame of x, y and values, one row for each pair of x and y, in order of x, then of y."
    axes = [column for column in meta.columns if column.role == "axis"]
    if len(axes) < 2 or not meta.data_names:
        raise CodeError("a map has two axes and at least one column of values", hint=hint)
    first, second = (values[axis.name] for axis in axes)
    x, y = np.unique(first), np.unique(second)
    if not (np.array_equal(first, np.repeat(x, len(y))) and np.array_equal(second, np.tile(y, len(x)))):
        names = " and ".join(axis.name for axis in axes)
        raise CodeError(f"the rows of the map are not all pairs of {names}, in order", hint=hint)
    for axis, places, which in ((axes[0], x, slice(None, None, max(1, len(y)))), (axes[1], y, slice(None, len(y)))):
        _check_bins(axis.name, places, values, meta, which)
    bins = [BinAxis(label=axis.name, unit=axis.unit) for axis in axes]
    meta = meta.model_copy(update={"first_axis": bins[0], "bins": bins[1]})
    return Table(np.full(len(first), start, dtype="datetime64[ns]"), dict(values), meta)


def _check_bins(
    axis: str, places: NDArray[np.float64], values: Mapping[str, NDArray[Any]], meta: TableMeta, which: slice
) -> None:
    """Refuse edges that are not those of bins around the places of an axis, one beside the other."""
    sides = meta.companions(axis)
    if not {"lower", "upper"} & sides.keys():
        return
    hint = f"Return both {axis}_lower and {axis}_upper, which enclose {axis} and do not overlap, or neither."
    if not {"lower", "upper"} <= sides.keys():
        raise CodeError(f"the bins of {axis} have only one edge", hint=hint)
    lower, upper = (values[sides[side]][which] for side in ("lower", "upper"))
    is_right = (lower <= places).all() and (places <= upper).all() and (lower < upper).all() and (upper[:-1] <= lower[1:]).all()
    if not is_right:
        raise CodeError(f"the edges of {axis} are not those of its bins", hint=hint)


def _columns(names: Sequence[str], roles: Mapping[str, Role], unit: str, units: Mapping[str, str]) -> tuple[ColumnMeta, ...]:
    """The columns; an uncertainty or a limit has the unit of its column unless the step gives it one."""
    found: list[ColumnMeta] = []
    own = unit
    for name in names:
        if roles[name] not in _COMPANIONS:
            own = "" if roles[name] == "stop" else units.get(name, unit)
        found.append(ColumnMeta(name=name, label=name, unit=units.get(name, own), role=roles[name]))
    return tuple(found)


def _whole(name: str, values: NDArray[np.float64]) -> NDArray[Any]:
    """A count as whole numbers."""
    if not (np.isfinite(values) & (values == np.round(values)) & (np.abs(values) < _MOST)).all():
        hint = "Return 0 where nothing was counted, give the column a unit in `units`, or call it otherwise."
        raise CodeError(f"the column {name!r} is a count, and not all its values are whole numbers", hint=hint)
    return values.astype(np.int64)


def _roles(names: Sequence[str], kind: ResultKind, counts: Sequence[str]) -> dict[str, Role]:
    """What each column holds, by its name and place."""
    found: dict[str, Role] = {}
    last, axes_left = "", {"curve": 1, "map": 2}.get(kind, 0)
    for name in names:
        companion = next((role for role in _COMPANIONS if last and name == f"{last}_{role}"), None)
        if companion is not None:
            found[name] = companion
        elif axes_left:
            found[name], axes_left = "axis", axes_left - 1
            last = name if kind == "map" else ""
        elif kind == "events" and name == "stop":
            found[name] = "stop"
        else:
            found[name], last = "data", name
    if any(role == "data" and name not in counts for name, role in found.items()):  # else the counts are what it states
        found |= {name: "count" for name in counts if found[name] == "data"}
    return found
