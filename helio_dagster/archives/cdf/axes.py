"""Records of a CDF variable with several axes, and the bins along each: numbers that `DEPEND_i` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.columns import axis_labels, find_scale, has_numbers, units_of
from helio_dagster.archives.cdf.masking import masked_records, valid_rule
from helio_dagster.archives.cdf.raw import Pieces, RawFile, RawVariable
from helio_dagster.archives.files.column_names import unique_names
from helio_dagster.domain.axes import RecordAxis, unit_of_axis
from helio_dagster.domain.table import ColumnMeta, Role

Records = NDArray[np.intp] | slice


@dataclass(frozen=True)
class RecordColumns:
    """The columns of a table of kind `nd`, the data first, and its axes."""

    columns: list[ColumnMeta]
    axes: tuple[RecordAxis, ...]
    arrays: list[NDArray[Any]]


@dataclass
class _Bins:
    """What stands along one axis: what is the same for all records in `fixed`, what varies in columns."""

    fixed: dict[str, Any]
    columns: list[ColumnMeta] = field(default_factory=list)
    arrays: list[NDArray[Any]] = field(default_factory=list)


def read_records(
    file: RawFile,
    variable: RawVariable,
    stored: RawVariable,
    axes: Sequence[RawVariable | None],
    chosen: Records,
    pieces: Pieces | None = None,
) -> RecordColumns:
    """A variable whose records have several axes, as one column, with its bins.

    Integers become the smallest reals that hold them exactly, 64-bit ones doubles; fills are NaN. An axis without numbers
    counts from 1. It keeps the labels that the archive gives, and so does one whose numbers only count. Widths are
    DELTA_PLUS_VAR plus DELTA_MINUS_VAR of the axis, in its unit.

    Of values that come in `pieces`, which `chosen_pieces` goes through, the column is NaN and takes no memory.

    Raises
    ------
    ValueError
        Bins that vary have fewer records than the data.
    """
    if pieces is not None:
        rule, none = valid_rule(stored, pieces.dtype), np.empty((0, stored.width), pieces.dtype)
        blank = masked_records(none, rule).dtype.type(np.nan)
        data = np.broadcast_to(blank, (len(np.empty(stored.records, dtype=bool)[chosen]), *variable.shape))
    else:
        values = file.numbers(stored.name)
        flat = values.reshape(len(values), stored.width)[chosen]
        data = masked_records(flat, valid_rule(stored, values.dtype)).reshape(-1, *variable.shape)
    name = unique_names([variable.name])[0]
    label = variable.text("LABLAXIS") or variable.name
    found = RecordColumns([ColumnMeta(name=name, label=label, unit=units_of(file, variable)[0])], (), [data])
    for place, (axis, size) in enumerate(zip(axes, variable.shape, strict=True)):
        taken = [*(column.name for column in found.columns), *(other.name for other in found.axes)]
        if axis is None or not has_numbers(axis, size):
            own = unique_names([f"axis_{place + 1}"], taken=taken)[0]
            numbers = tuple(float(each + 1) for each in range(size))
            labels = tuple(axis_labels(file, variable, place, axis))
            counted = RecordAxis(name=own, label="channel", size=size, values=numbers, labels=labels)
            found = RecordColumns(found.columns, (*found.axes, counted), found.arrays)
            continue
        own = unique_names([axis.name], taken=taken)[0]
        made = _bins_of(file, axis, own, records=stored.records, chosen=chosen)
        if _only_counts(made.fixed, size):
            made.fixed["labels"] = tuple(axis_labels(file, variable, place, axis))
        found = RecordColumns(
            [*found.columns, *made.columns],
            (*found.axes, RecordAxis(name=own, size=size, **made.fixed)),
            [*found.arrays, *made.arrays],
        )
    return found


def chosen_pieces(variable: RawVariable, stored: RawVariable, chosen: Records, pieces: Pieces) -> Iterator[NDArray[Any]]:
    """The records to take of a variable, as `read_records` gives them, some at a time; `chosen` is in ascending order."""
    rule, first = valid_rule(stored, pieces.dtype), 0
    for piece in pieces.values:
        flat = piece.reshape(len(piece), stored.width)
        if not isinstance(chosen, slice):
            here = slice(*np.searchsorted(chosen, (first, first + len(piece))))
            flat = flat[chosen[here] - first]
        first += len(piece)
        if len(flat):
            yield masked_records(flat, rule).reshape(-1, *variable.shape)


def _bins_of(file: RawFile, axis: RawVariable, name: str, *, records: int, chosen: Records) -> _Bins:
    label, unit = axis.text("LABLAXIS") or axis.name, units_of(file, axis)[0]
    centers = _along(file, axis, records=records, chosen=chosen)
    unit = unit_of_axis(unit, axis.name, label, centers.ravel()) if not axis.is_varying else unit
    made = _Bins({"label": label, "unit": unit, "scale": find_scale(file, axis)})
    if not axis.is_varying and not np.isfinite(centers).any():
        counted = tuple(float(place + 1) for place in range(axis.width))
        return _Bins({"label": "channel", "values": counted})
    _put(made, "values", "column", name, centers, label=label, unit=unit, role="bin", is_varying=axis.is_varying)
    sides = [_side(file, axis, f"DELTA_{side}_VAR", records=records, chosen=chosen) for side in ("MINUS", "PLUS")]
    if sides[0] is not None and sides[1] is not None:
        widths = sides[0] + sides[1]
        if np.isfinite(widths).any() or len(widths) != 1:
            _put(
                made,
                *("widths", "width_column", f"{name}_width", widths),
                label=f"width of {label}",
                unit=unit,
                role="width",
                is_varying=any(_is_varying(file, axis, side) for side in ("MINUS", "PLUS")),
            )
    return made


def _only_counts(fixed: dict[str, Any], size: int) -> bool:
    """Whether an axis has no more than the numbers of its places."""
    return not fixed.get("unit") and not fixed.get("widths") and fixed.get("values") == tuple(map(float, range(1, size + 1)))


def _put(
    made: _Bins,
    fixed: str,
    varying: str,
    name: str,
    values: NDArray[Any],
    *,
    label: str,
    unit: str,
    role: Role,
    is_varying: bool,
) -> None:
    if is_varying:
        made.fixed[varying] = name
        made.columns.append(ColumnMeta(name=name, label=label, unit=unit, role=role))
        made.arrays.append(np.ascontiguousarray(values))
    else:
        made.fixed[fixed] = tuple(float(value) for value in values[0])


def _is_varying(file: RawFile, axis: RawVariable, side: str) -> bool:
    return file.variable(axis.text(f"DELTA_{side}_VAR")).is_varying


def _side(file: RawFile, axis: RawVariable, attribute: str, *, records: int, chosen: Records) -> NDArray[Any] | None:
    """How far bins reach to one side; None where the file does not say it in the axis's unit, for each bin or for all alike."""
    name = axis.text(attribute)
    if name not in file.names:
        return None
    delta = file.variable(name)
    is_alike = delta.width in (1, axis.width) and delta.type == "number" and bool(delta.records)
    if not is_alike or units_of(file, delta)[0] not in ("", units_of(file, axis)[0]):
        return None
    found = _along(file, delta, records=records, chosen=chosen)
    return np.broadcast_to(found, (len(found), axis.width))


def _along(file: RawFile, variable: RawVariable, *, records: int, chosen: Records) -> NDArray[Any]:
    """Numbers along an axis, NaN where none is valid: record by record; of one that is the same for all, shape (1, size).

    The only record of one that varies stands for all; one without records is NaN.
    """
    values = file.numbers(variable.name)
    rule = valid_rule(variable, values.dtype)
    values = values.reshape(len(values), variable.width)
    if not variable.is_varying:
        return masked_records(values[:1], rule) if len(values) else np.full((1, variable.width), np.nan)
    if not len(values):
        length = len(np.empty(records, dtype=bool)[chosen])
        return np.full((length, variable.width), np.nan, dtype=masked_records(values, rule).dtype)
    if len(values) == 1:
        values = np.broadcast_to(values, (records, variable.width))
    if len(values) < records:
        raise ValueError(f"the bins {variable.name} have {len(values)} records for {records} of the data")
    return masked_records(values[:records][chosen], rule)
