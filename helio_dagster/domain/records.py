"""Records with several axes, as arrays: values, centers and widths of bins of a table of kind `nd`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.axes import Floats, RecordAxis, widths_between
from helio_dagster.domain.large_arrays import record_blocks
from helio_dagster.domain.table import Table

_MOST_LABELS = 12
"""Labels of an axis that are named in a line."""


def record_values(table: Table) -> NDArray[Any]:
    """The values of a table of kind `nd`, not copied: float32 or float64, shape (record, *axes), NaN where none is valid."""
    return table.columns[table.meta.data_names[0]]


def axis_centers(table: Table, axis: RecordAxis) -> Floats:
    """The centers of an axis's bins in its unit, shape (record, size), or (1, size) where they are the same for all."""
    if axis.column is None:
        return np.array([axis.values], dtype=np.float64)
    return table.columns[axis.column].astype(np.float64)


def axis_widths(table: Table, axis: RecordAxis) -> Floats:
    """The widths of an axis's bins in its unit: as the archive says, else between midpoints of the centers.

    float64, shape (record, size), or (1, size) where they are the same for all records.
    """
    if axis.widths:
        return np.array([axis.widths], dtype=np.float64)
    if axis.width_column is not None:
        return table.columns[axis.width_column].astype(np.float64)
    centers = axis_centers(table, axis)
    if len(centers) == 1:
        return widths_between(centers, is_log=axis.scale == "log")
    modes, place = np.unique(centers, axis=0, return_inverse=True, equal_nan=True)
    return widths_between(modes, is_log=axis.scale == "log")[place.reshape(-1)]


def axis_words(axis: RecordAxis) -> str:
    """An axis in a line: `Energy: 32 bins, 10 to 30000 eV`; of one that varies only how many bins it has, and the unit."""
    label, unit = axis.label or axis.name, f" {axis.unit}" if axis.unit else ""
    if axis.labels:
        more = f" and {axis.size - _MOST_LABELS} more" if axis.size > _MOST_LABELS else ""
        return f"{label}: {', '.join(axis.labels[:_MOST_LABELS])}{more}"
    known = [value for value in axis.values if np.isfinite(value)]
    if not known:
        return f"{label}: {axis.size} bins{f' in {axis.unit}' if unit else ''} that vary from record to record"
    return f"{label}: {axis.size} bins, {min(known):.6g} to {max(known):.6g}{unit}"


def axis_document(axis: RecordAxis) -> dict[str, Any]:
    """An axis as documents for programs have it; `from` and `to` are its outer centers, unless they vary."""
    known = [value for value in axis.values if np.isfinite(value)]
    ends = {"from": float(f"{min(known):.6g}"), "to": float(f"{max(known):.6g}")} if known else {}
    about = {"axis": axis.name, "label": axis.label, "unit": axis.unit, "bins": axis.size}
    return {**about, **ends, "varies": not axis.is_fixed, **({"labels": list(axis.labels)} if axis.labels else {})}


def has_value(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which records of real numbers have any valid value, shape (record,)."""
    found = np.empty(len(values), dtype=np.bool_)
    for block in record_blocks(values):
        found[block] = ~np.isnan(values[block]).all(axis=tuple(range(1, values.ndim)))
    return found


def record_extremes(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the greatest valid value of each record, shape (record,) each, NaN where none is valid."""
    axes = tuple(range(1, values.ndim))
    ends = [
        (np.fmin.reduce(values[each], axis=axes), np.fmax.reduce(values[each], axis=axes)) for each in record_blocks(values)
    ]
    if not ends:
        return np.fmin.reduce(values, axis=axes), np.fmax.reduce(values, axis=axes)
    least, greatest = (np.concatenate(side) for side in zip(*ends, strict=True))
    return least, greatest


def count_valid(values: NDArray[Any]) -> int:
    """How many of all values, of any shape, are valid."""
    return sum(each.size - int(np.count_nonzero(np.isnan(each))) for each in (values[block] for block in record_blocks(values)))


def in_words(table: Table) -> Table:
    """The table with a text for each record that has axes, such as `11 x 72 values, 0.5 to 3e+06`; itself where none has."""
    if not table.meta.axes:
        return table
    columns = {name: values if values.ndim == 1 else _texts(values) for name, values in table.columns.items()}
    return Table(table.time, columns, table.meta.model_copy(update={"axes": ()}))


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    shape = " x ".join(map(str, values.shape[1:]))
    ends = zip(*record_extremes(values), strict=True)
    words = [f"{shape} values, {'none valid' if np.isnan(least) else f'{least:.6g} to {most:.6g}'}" for least, most in ends]
    return np.array(words, dtype=object)
