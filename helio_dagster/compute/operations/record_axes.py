"""What operations on records with several axes share: finding an axis, and the table that is left when axes are gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Generic

import numpy as np

from helio_dagster.compute.operations.columns import Floats, scalar_meta
from helio_dagster.compute.operations.contract import OptionsT
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.large_arrays import record_blocks
from helio_dagster.domain.records import record_values
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.unit_conversion import can_convert

_BLOCK_BYTES = 4 * 2**20
DISTRIBUTION = Input(("nd",), "values over several axes")


class OfRecords(ShippedOperation[OptionsT], Generic[OptionsT]):
    """An operation that gives something for each record of a table with several axes, from that record alone."""

    inputs: Mapping[str, Input] = {"distribution": DISTRIBUTION}
    is_record_wise = True

    def halo(self, options: OptionsT) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)


def find_axis(meta: TableMeta, wanted: str | int) -> int:
    """The place of an axis that is named by name or label, or counted from 0; `energy` is also the only one of energies.

    Raises
    ------
    InputError
        There is none, or more than one; the hint lists them.
    """
    text = str(wanted).strip()
    names = [axis.name for axis in meta.axes]
    if text.isdecimal() and text not in names and int(text) < len(names):
        return int(text)
    for found in (
        [place for place, axis in enumerate(meta.axes) if axis.name == text],
        [place for place, axis in enumerate(meta.axes) if text.casefold() in (axis.name.casefold(), axis.label.casefold())],
    ):
        if len(found) == 1:
            return found[0]
    of_energies = _of_energies(meta)
    if text.casefold() == "energy" and len(of_energies) == 1:
        return of_energies[0]
    listed = ", ".join(f"{axis.name} ({axis.label})" if axis.label else axis.name for axis in meta.axes)
    raise InputError(f"there is no axis {text!r}", hint=f"{remedy(text, names, what='axes')} They are {listed}.")


def energy_axis(meta: TableMeta, wanted: str | int | None) -> int:
    """The axis of energies: the one that is named, else the only one whose unit is one of energy.

    Raises
    ------
    InputError
        There is none of that name.
    ComputeError
        Without a name there is none, or there are several.
    """
    if wanted is not None:
        return find_axis(meta, wanted)
    found = _of_energies(meta)
    if len(found) != 1:
        units = ", ".join(f"{axis.name} in {axis.unit or 'no unit'}" for axis in meta.axes)
        problem = f"{'several axes are' if found else 'no axis is'} of energies: {units}"
        raise ComputeError(problem, hint="Name it with the option `axis`.")
    return found[0]


def _of_energies(meta: TableMeta) -> list[int]:
    return [place for place, axis in enumerate(meta.axes) if axis.unit and can_convert(axis.unit, "eV") and axis.unit != "K"]


def parts_of(table: Table) -> Iterator[Table]:
    """The records some at a time, so that not all of them are held in double precision."""
    for block in record_blocks(record_values(table), _BLOCK_BYTES):
        plain = table.with_extents(None)
        yield replace(plain, time=plain.time[block], columns={name: values[block] for name, values in plain.columns.items()})


def left_meta(meta: TableMeta, kept: Sequence[RecordAxis], name: str, *, label: str, unit: str) -> TableMeta:
    """Metadata of what is left over some axes: a series over none, a spectrogram over one, a vector of labels, else `nd`."""
    if not kept:
        return scalar_meta(name, label=label, unit=unit, frame=meta.frame, scale=meta)
    if len(kept) == 1 and kept[0].labels:
        columns = tuple(
            ColumnMeta(name=f"{name}_{place}", label=text, unit=unit) for place, text in enumerate(kept[0].labels, start=1)
        )
        return TableMeta(kind="vector", columns=columns, label=label, unit=unit, scale=meta.scale)
    if len(kept) == 1:
        return _spectrogram_meta(meta, kept[0], label=label, unit=unit)
    companions = {each for axis in kept for each in axis.companions}
    while name in companions:
        name += "_"
    columns = (
        ColumnMeta(name=name, label=label, unit=unit),
        *(column for column in meta.columns if column.name in companions),
    )
    return meta.model_copy(update={"columns": columns, "label": label, "unit": unit, "axes": tuple(kept), "attributes": {}})


def left_table(table: Table, kept: Sequence[RecordAxis], values: Floats, meta: TableMeta) -> Table:
    """Values over the axes that are left, shape (record, *kept), as the table that `left_meta` describes."""
    companions = {name: table.columns[name].astype(np.float64) for axis in kept for name in axis.companions}
    if not kept:
        return Table(table.time, {meta.columns[0].name: values}, meta)
    if len(kept) > 1:
        return Table(table.time, {meta.columns[0].name: values, **{name: companions[name] for name in _others(meta)}}, meta)
    axis = kept[0]
    places = [place for place in range(axis.size) if not axis.values or np.isfinite(axis.values[place])]
    arrays = [np.ascontiguousarray(values[:, place]) for place in places]
    if axis.column is not None:
        arrays += [np.ascontiguousarray(each) for each in companions[axis.column].T]
    return Table(table.time, dict(zip((column.name for column in meta.columns), arrays, strict=True)), meta)


def _others(meta: TableMeta) -> Iterator[str]:
    return (column.name for column in meta.columns[1:])


def _spectrogram_meta(meta: TableMeta, axis: RecordAxis, *, label: str, unit: str) -> TableMeta:
    digits = len(str(axis.size))
    numbered = [f"{axis.name}_{place:0{digits}d}" for place in range(1, axis.size + 1)]
    bins = BinAxis(label=axis.label or axis.name, unit=axis.unit, scale=axis.scale)
    if axis.column is not None:
        columns = [ColumnMeta(name=each, label=each, unit=unit) for each in numbered]
        columns += [ColumnMeta(name=f"{each}_bin", label=bins.label, unit=axis.unit, role="bin") for each in numbered]
    else:
        placed = [(name, center) for name, center in zip(numbered, axis.values, strict=True) if np.isfinite(center)]
        columns = [ColumnMeta(name=name, label=f"{center:.5g} {axis.unit}".strip(), unit=unit) for name, center in placed]
        bins = bins.model_copy(update={"centers": tuple(center for _, center in placed)})
    return TableMeta(
        kind="spectrogram",
        columns=tuple(columns),
        label=label,
        unit=unit,
        frame=meta.frame,
        scale=meta.scale,
        bins=bins,
    )
