"""One bin of an axis, or some of its bins: slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field, StrictInt, model_validator

from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.record_axes import DISTRIBUTION, OfRecords, find_axis, left_meta, left_table, parts_of
from helio_dagster.compute.operations.spectra_as_records import as_records, meta_as_records
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.records import axis_centers, axis_widths, record_values
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.unit_conversion import conversion_factor

Place = Annotated[StrictInt, Field(ge=0)]
FLUX = ExampleTable(
    kind="nd",
    unit="cm^-2 s^-1 sr^-1 keV^-1",
    columns={"f": (1, 2, 3, 4, 5, 6, 7, None, 9, 10, 11, 12)},
    axes=(
        RecordAxis(name="pitch", label="Pitch angle", unit="deg", size=2, values=(45.0, 135.0)),
        RecordAxis(name="energy", label="Energy", unit="eV", scale="log", size=3, values=(10.0, 100.0, 1000.0)),
    ),
)
"""Two records over pitch angle and energy."""


class SliceOptions(Options):
    """Which axis, and which of its bins; exactly one of `value`, `index`, and `first` with `stop`."""

    axis: str | StrictInt
    """The axis by name or label, or its position counted from 0."""
    value: float | None = None
    """Take the bin whose center is nearest to this value, in the axis's unit; the axis goes."""
    unit: str | None = None
    """Unit of `value`, if not the axis's."""
    index: Place | None = None
    """Take the bin at this position, counted from 0; the axis goes."""
    first: Place | None = None
    """Keep the bins from this position on; the axis stays, shorter."""
    stop: Place | None = None
    """Keep the bins before this position."""

    @model_validator(mode="after")
    def _is_one_choice(self) -> SliceOptions:
        is_range = self.first is not None or self.stop is not None
        if [self.value is not None, self.index is not None, is_range].count(True) != 1:
            raise ValueError("it takes one of value, index, and first with stop. Give one of them")
        if self.unit is not None and self.value is None:
            raise ValueError("a unit is that of a value. Give a value, or leave the unit out")
        if is_range and (self.first is None or self.stop is None or self.stop <= self.first):
            raise ValueError("a range of bins needs first and a greater stop. Give both")
        return self


class Slice(OfRecords[SliceOptions]):
    """One bin of an axis, or a range of them."""

    id = "slice"
    version = 2
    summary = "The values at one bin of an axis, which then goes, or at a range of its bins."
    when = "Use it to look at one energy or direction of a distribution or spectrogram, or to keep some bins."
    inputs = {"distribution": Input((*DISTRIBUTION.kinds, "spectrogram"), "values over one or several axes")}
    reference = (
        "f(x_i): the bin i whose center is nearest to the value, on an axis of scale log by the ratio. The axis `energy` is "
        "the one in a unit of energy, whatever its name."
    )
    output = (
        "What is left: a series over no axis, a spectrogram over one (a vector over labels), else data over several, in the "
        "same unit at the same times. Where bins vary, each record's own count. NaN where the value is outside the record's "
        "outer bins, or the bin has a fill."
    )
    options = SliceOptions
    examples = (
        Example(
            inputs={"distribution": FLUX},
            options={"axis": "energy", "value": 80.0},
            expected={"pitch_1": (2, None), "pitch_2": (5, 11)},
            unit="cm^-2 s^-1 sr^-1 keV^-1",
            source="by hand: the second of three energies",
        ),
        Example(
            inputs={"distribution": FLUX},
            options={"axis": "pitch", "index": 1},
            expected={"energy_1": (4, 10), "energy_2": (5, 11), "energy_3": (6, 12)},
            unit="cm^-2 s^-1 sr^-1 keV^-1",
            source="by hand",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: SliceOptions) -> dict[str, Any]:
        """The axis by its position, and the value in its unit; ComputeError for a spectrogram."""
        meta = inputs["distribution"]
        if meta.kind == "spectrogram":
            raise ComputeError("a spectrogram has no plain form here", hint="")
        place = find_axis(meta, options.axis)
        axis = meta.axes[place]
        own = {"axis": place, "value": _in_its_unit(axis, options).value, "unit": axis.unit if options.unit else None}
        return {**super().plain_options(inputs, options), **own}

    def _meta(self, inputs: Mapping[str, TableMeta], options: SliceOptions, name: str) -> TableMeta:
        meta = meta_as_records(inputs["distribution"])
        place = find_axis(meta, options.axis)
        axis = meta.axes[place]
        options = _in_its_unit(axis, options)
        _check(axis, options)
        label = f"{meta.label or name} {_where(axis, options)}"
        return left_meta(meta, _kept(meta, place, options), name, label=label, unit=data_unit(meta))

    def _compute(self, inputs: Mapping[str, Table], options: SliceOptions, meta: TableMeta) -> Table:
        table = as_records(inputs["distribution"])
        place = find_axis(table.meta, options.axis)
        options = _in_its_unit(table.meta.axes[place], options)
        kept = _kept(table.meta, place, options)
        if options.first is not None:
            return left_table(_cut(table, place, options), kept, _cut_values(table, place, options), meta)
        values = np.concatenate([_picked(part, place, options) for part in parts_of(table)])
        return left_table(table, kept, values, meta)


def _in_its_unit(axis: RecordAxis, options: SliceOptions) -> SliceOptions:
    """The options with the value in the unit of the axis."""
    if options.value is None or options.unit is None:
        return options
    value = options.value * float(conversion_factor(options.unit, axis.unit))
    return options.model_copy(update={"value": value, "unit": None})


def _cut_values(table: Table, place: int, options: SliceOptions) -> Floats:
    """The values in a range of bins."""
    chosen = tuple(slice(None) for _ in range(place + 1))
    return record_values(table)[(*chosen, slice(options.first, options.stop))].astype(np.float64)


def _cut(table: Table, place: int, options: SliceOptions) -> Table:
    """The table with the bins of an axis cut to a range."""
    axis, values = table.meta.axes[place], _cut_values(table, place, options)
    companions = {name: table.columns[name][:, options.first : options.stop] for name in axis.companions}
    columns = {**table.columns, table.meta.data_names[0]: values, **companions}
    meta = table.meta.model_copy(update={"axes": tuple(_kept(table.meta, place, options))})
    return replace(table, columns=columns, meta=meta)


def _kept(meta: TableMeta, place: int, options: SliceOptions) -> list[RecordAxis]:
    axis = meta.axes[place]
    if options.first is None:
        return [*meta.axes[:place], *meta.axes[place + 1 :]]
    bins = slice(options.first, options.stop)
    update = {
        "size": len(range(axis.size)[bins]),
        "values": axis.values[bins],
        "widths": axis.widths[bins],
        "labels": axis.labels[bins],
    }
    return [*meta.axes[:place], axis.model_copy(update=update), *meta.axes[place + 1 :]]


def _check(axis: RecordAxis, options: SliceOptions) -> None:
    last = max((each for each in (options.index, options.first, (options.stop or 1) - 1) if each is not None), default=0)
    if last >= axis.size:
        raise ComputeError(f"the axis {axis.name} has {axis.size} bins", hint=f"Positions go from 0 to {axis.size - 1}.")
    known = [value for value in axis.values if np.isfinite(value)]
    if options.value is not None and known and not _is_inside(options.value, axis):
        problem = f"{options.value:g} is outside the axis {axis.name}, whose centers go from {min(known):g} to {max(known):g}"
        raise ComputeError(f"{problem} {axis.unit}".strip(), hint="Give a value in the axis's unit.")


def _is_inside(value: float, axis: RecordAxis) -> bool:
    empty = Table.empty(TableMeta(kind="series", columns=()))
    low, high = _edges(axis_centers(empty, axis), axis_widths(empty, axis))
    return bool((low <= value).all() and (value <= high).all())


def _edges(centers: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """Below the lowest and above the highest bin of each record."""
    half = np.where(np.isfinite(widths), widths / 2, 0.0)
    return np.fmin.reduce(centers - half, axis=1), np.fmax.reduce(centers + half, axis=1)


def _where(axis: RecordAxis, options: SliceOptions) -> str:
    what = axis.label or axis.name
    if options.value is not None:
        return f"at {what} {options.value:g} {axis.unit}".strip()
    if axis.labels and options.index is not None:
        return f"at {axis.labels[options.index]}"
    place = f"bin {options.index}" if options.index is not None else f"bins {options.first}-{options.stop}"
    return f"in {place} of {what}"


def _picked(part: Table, place: int, options: SliceOptions) -> Floats:
    """The values at one bin of an axis, record by record."""
    axis = part.meta.axes[place]
    values = np.moveaxis(record_values(part), place + 1, 1)
    if options.index is not None:
        return np.ascontiguousarray(values[:, options.index], dtype=np.float64)
    wanted, centers = float(options.value or 0.0), axis_centers(part, axis)
    low, high = _edges(centers, axis_widths(part, axis))
    with np.errstate(all="ignore"):
        away = np.abs(np.log(centers / wanted)) if axis.scale == "log" and wanted > 0 else np.abs(centers - wanted)
    nearest = np.where(np.isfinite(away), away, np.inf).argmin(axis=1)
    is_inside = (low <= wanted) & (wanted <= high)
    if len(nearest) == 1:  # the same bin of all records
        here = np.ascontiguousarray(values[:, nearest[0]], dtype=np.float64)
        return here if is_inside[0] else np.full_like(here, np.nan)
    picked: Floats = values[np.arange(len(values)), np.broadcast_to(nearest, len(values))].astype(np.float64)
    picked[np.broadcast_to(~is_inside, len(values))] = np.nan
    return picked
