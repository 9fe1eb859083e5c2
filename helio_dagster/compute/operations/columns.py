"""Columns of results and numbers of inputs: names, labels, units, float64 values."""

from __future__ import annotations

import re
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import FineDuration
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

Floats = NDArray[np.float64]

_AXIS_WORD = r"[bvejpdu]?([xyzrtnlm])"
_TOTAL_WORDS = frozenset({"bt", "btot", "total", "tot", "mag", "magnitude", "abs", "vt", "vtot", "et", "t"})


def scalar_meta(name: str, *, label: str, unit: str, frame: str | None, scale: TableMeta) -> TableMeta:
    """Metadata of a one-column series; the axis scale is that of the table `scale`."""
    column = ColumnMeta(name=name, label=label, unit=unit)
    return TableMeta(kind="series", columns=(column,), label=label, unit=unit, frame=frame, scale=scale.scale)


def like_meta(meta: TableMeta, name: str, *, label: str, unit: str | None = None) -> TableMeta:
    """Metadata of a result with the input's columns: same names and labels, but a lone series is named by its step.

    The archive's attributes describe the archive's variable and are not carried; `unit` replaces every data column's unit.
    """
    columns = tuple(
        column if unit is None or column.role == "bin" else column.model_copy(update={"unit": unit}) for column in meta.columns
    )
    if meta.kind == "series" and len(columns) == 1:
        columns = (columns[0].model_copy(update={"name": name, "label": label}),)
    unit = meta.unit if unit is None else unit
    return meta.model_copy(update={"columns": columns, "label": label, "unit": unit, "attributes": {}})


def floats(table: Table, column: str) -> Floats:
    """A column as float64, shape (record,), NaN where there is no valid value.

    Raises
    ------
    ComputeError
        The column holds text or times.
    """
    values = table.columns[column]
    if values.dtype.kind not in "fiub":
        raise ComputeError(f"column {column!r} holds no numbers", hint="Operations compute with numeric columns only.")
    return values.astype(np.float64)


def data_unit(meta: TableMeta) -> str:
    """The unit that all data columns share.

    Raises
    ------
    ComputeError
        They differ.
    """
    units = {column.unit for column in meta.columns if column.role == "data"}
    if len(units) > 1:
        listed = ", ".join(f"{column.name} [{column.unit}]" for column in meta.columns if column.role == "data")
        raise ComputeError(f"the components have different units: {listed}", hint="Take one with the operation component.")
    return next(iter(units), "") or meta.unit


def axis_letter(column: ColumnMeta) -> str:
    """The axis (`x`, `y`, `z`, `r`, `t`, `n`, …) of a component by its label, else its name; empty where they say none."""
    for text in (column.label, column.name):
        for word in re.findall(r"[a-z]+", text.lower()):
            match = re.fullmatch(_AXIS_WORD, word)
            if match:
                return match.group(1)
    return ""


def cartesian(meta: TableMeta, operation_id: str) -> tuple[ColumnMeta, ColumnMeta, ColumnMeta]:
    """The three Cartesian components: all of three, or the first three of four when the fourth is their total.

    Raises
    ------
    ComputeError
        There are not three.
    """
    columns = [column for column in meta.columns if column.role == "data"]
    if len(columns) == 4 and is_total(columns[3], tuple(columns[:3])):
        columns = columns[:3]
    if len(columns) != 3:
        named = ", ".join(column.name for column in columns)
        raise ComputeError(
            f"{operation_id} needs three components, not {len(columns)} ({named})",
            hint="Take a parameter with three Cartesian components, or one column with the operation component.",
        )
    return columns[0], columns[1], columns[2]


def is_total(column: ColumnMeta, components: tuple[ColumnMeta, ...]) -> bool:
    """Whether a column's label or name says, unlike those of the components, that it is their length."""
    shared = frozenset[str]().union(*(_words(component) for component in components))
    return bool((_words(column) - shared) & _TOTAL_WORDS) or "|" in column.label


def _words(column: ColumnMeta) -> set[str]:
    return set(re.findall(r"[a-z]+", f"{column.label} {column.name}".lower()))


def readable_duration(length: timedelta) -> str:
    """A duration as labels print it: `10 min`, `90 s`, `6 h`, `27 d`."""
    for unit, size in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if length >= size and not length % size:
            return f"{length // size} {unit}"
    return f"{length.total_seconds():{'.12g' if isinstance(length, FineDuration) else 'g'}} s"
