"""A HAPI parameter whose records have several axes, and the bins along each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.files.column_names import unique_names
from helio_dagster.archives.hapi.bins import bin_axis, first_text, label_of, masked_columns, unit_of
from helio_dagster.archives.hapi.messages import Bins, Parameter, printable
from helio_dagster.domain.axes import RecordAxis, unit_of_axis
from helio_dagster.domain.table import ColumnMeta
from helio_dagster.domain.units import normalize_unit

Arrays = Mapping[str, NDArray[Any]]
"""Values of the answer's parameters by name, shape (record, value), fills not masked."""


def sizes_and_bins(parameter: Parameter) -> list[tuple[int, Bins | None]]:
    """Size and bins of each axis of a record, without those of length one."""
    given = parameter.bins or []
    return [(size, given[place] if place < len(given) else None) for place, size in enumerate(parameter.size) if size > 1]


def is_nd(parameter: Parameter) -> bool:
    """Whether a record has several axes, of which one at least has a number for each bin."""
    axes = sizes_and_bins(parameter)
    return len(axes) > 1 and any(bins is not None and bool(bins.centers or bins.ranges) for _, bins in axes)


def read_records(
    parameter: Parameter, fields: Sequence[Parameter], arrays: Arrays, chosen: NDArray[np.intp] | slice
) -> tuple[list[ColumnMeta], tuple[RecordAxis, ...], list[NDArray[Any]]]:
    """The parameter as one column of doubles, its axes, and columns of the bins that vary by record.

    Parameters
    ----------
    parameter
        The parameter.
    fields
        What the answer holds.
    arrays
        Values of each field, shape (record, value).
    chosen
        The records to take: indices of shape (taken,), or a slice.

    Returns
    -------
    tuple
        Columns and axes, and the values of each column, fills NaN: of the parameter, float64, shape (taken, *size); of bins,
        float64, shape (taken, bin).

    Raises
    ------
    ValueError
        Bins that a parameter of their own holds are not in the answer.
    """
    axes = sizes_and_bins(parameter)
    shape = tuple(size for size, _ in axes)
    name = unique_names([parameter.name])[0]
    columns = [ColumnMeta(name=name, label=label_of(parameter), unit=unit_of(parameter))]
    found = [_records(arrays[parameter.name][chosen], parameter).reshape(-1, *shape)]
    made: list[RecordAxis] = []
    for place, (size, bins) in enumerate(axes):
        taken = [*(column.name for column in columns), *(axis.name for axis in made)]
        wished = printable(bins.name) if bins and bins.name else f"axis_{place + 1}"
        if bins is None or not isinstance(bins.centers, str):
            own = unique_names([wished], taken=taken)[0]
            made.append(_fixed(bins, own, size))
            continue
        axis = next((field for field in fields if field.name == bins.centers), None)
        if axis is None or axis.width != size or axis.type not in ("double", "integer"):
            raise ValueError(f"the bins of {printable(parameter.name)} are not in the answer")
        own = unique_names([axis.name], taken=taken)[0]
        label, unit = first_text(bins.label) or printable(bins.name), normalize_unit(first_text(bins.units))
        made.append(RecordAxis(name=own, size=size, label=label, unit=unit, column=own))
        columns.append(ColumnMeta(name=own, label=label, unit=unit, role="bin"))
        found.append(_records(arrays[axis.name][chosen], axis))
    return columns, tuple(made), found


def _records(values: NDArray[Any], parameter: Parameter) -> NDArray[Any]:
    """Doubles, shape (record, value), fills NaN."""
    return np.stack(masked_columns(values, parameter), axis=1).astype(np.float64)


def _fixed(bins: Bins | None, name: str, size: int) -> RecordAxis:
    """An axis whose bins are the same for all records: ranges say how wide they are; without numbers it counts from 1."""
    if bins is None:
        return RecordAxis(name=name, size=size, label="channel", values=tuple(float(place + 1) for place in range(size)))
    axis = bin_axis(bins, size)
    widths: tuple[float, ...] = ()
    if isinstance(bins.ranges, list) and len(bins.ranges) == size:
        edges = [each if each is not None and len(each) == 2 else [None, None] for each in bins.ranges]
        reach = np.array([[np.nan if edge is None else edge for edge in each] for each in edges], dtype=np.float64)
        widths = tuple(float(width) for width in np.abs(reach[:, 1] - reach[:, 0]))
    return RecordAxis(
        name=name,
        size=size,
        label=axis.label,
        unit=unit_of_axis(axis.unit, name, axis.label, axis.centers),
        scale=axis.scale,
        values=axis.centers,
        widths=widths,
    )
