"""One parameter of an opened CDF file as a table: the order of the work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf import columns as cdf_columns
from helio_dagster.archives.cdf.axes import Records, chosen_pieces, read_records
from helio_dagster.archives.cdf.axis_order import ordered_axes
from helio_dagster.archives.cdf.epochs import find_epoch, find_variable, read_times
from helio_dagster.archives.cdf.extents import read_extents
from helio_dagster.archives.cdf.functions import ALTERNATE_VIEW
from helio_dagster.archives.cdf.masking import masked_columns, valid_rule
from helio_dagster.archives.cdf.raw import Attribute, RawFile, RawVariable
from helio_dagster.archives.cdf.virtual import WithVirtual
from helio_dagster.archives.cdf.virtual_parts import components, function_of
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.frames import find_frame
from helio_dagster.domain.large_arrays import MOST_HELD_BYTES
from helio_dagster.domain.maturity import maturity_of
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta

MOST_COLUMNS = 4096
"""Values a record may have that become columns, or bins along one axis."""
MOST_VALUES = 2**20
"""Values a record with several axes may have."""
_NUMBER_BYTES = 8
_Columns = list[NDArray[Any]]


@dataclass(frozen=True)
class Decoded:
    """A table; where its records are many, without the values of its data column, which `values` has some records at a time.

    Such a table need not be in order of time.
    """

    table: Table
    values: Iterator[NDArray[Any]] | None = None


def decode(file: RawFile, parameter: str, *, synthetic: bool = False) -> Table:
    """All records of a parameter, in order of time, each time once, invalid values NaN.

    A scalar is a `series`; a record with one axis is a `vector` or a `spectrogram`, whose bins, where they vary per record, are
    companion columns; a record with more axes is `nd` where numbers stand along one of them, and else flattened into a
    `vector`, the last axis running fastest. Columns of data and their dtypes follow from the definition alone, never from the
    values; reals keep their precision. How far records reach is as the epoch's deltas say.

    Parameters
    ----------
    file
        The opened file.
    parameter
        The parameter's exact name.
    synthetic
        Mark the table as generated data.

    Raises
    ------
    UnknownDataset
        The file has no such parameter.
    InputError
        It is not a time series of numbers, too wide, or computed by the archive and not stored.
    ValueError
        The file contradicts itself, or the library found it damaged.
    """
    return decode_in_pieces(file, parameter, synthetic=synthetic, most_held=None).table


def decode_in_pieces(
    file: RawFile, parameter: str, *, synthetic: bool = False, most_held: int | None = MOST_HELD_BYTES
) -> Decoded:
    """As `decode`, but the values of a variable with several axes some at a time where they take more than `most_held` bytes.

    Raises
    ------
    CorruptFile
        While the values are read: they differ from their checksums.
    UnknownDataset, InputError, ValueError
        As `decode`.
    """
    file = WithVirtual(file)
    variable, stored = _find_parameter(file, parameter)
    _check_fetchable(variable)
    epoch = find_epoch(file, variable)
    times = read_times(file, epoch, variable)
    if stored.records > len(times):
        raise ValueError(f"{parameter} has {stored.records} records but only {len(times)} times")
    times = times[: stored.records]
    chosen = sorted_unique(times)
    axes, warnings = ordered_axes(file, variable)
    kind = cdf_columns.find_kind(variable, axes)
    _check_size(variable, kind)
    pieces = None
    if kind == "nd" and most_held is not None and stored.records * stored.width * _NUMBER_BYTES > most_held:
        pieces = file.pieces(stored.name)
    if pieces is not None and not isinstance(chosen, slice):
        chosen = np.sort(chosen)
    if kind == "nd":
        made = read_records(file, variable, stored, axes, chosen, pieces)
        columns, arrays, record_axes = made.columns, made.arrays, made.axes
    else:
        columns, arrays, record_axes = cdf_columns.data_columns(file, variable, axes), _masked(file, stored, chosen), ()
    bins = None
    if kind == "spectrogram":
        bins, columns, arrays = _with_bins(file, axes[0], columns, arrays, records=stored.records, chosen=chosen)
    meta = _describe(file, variable, kind=kind, columns=columns, bins=bins, synthetic=synthetic, warnings=warnings)
    meta = meta.model_copy(update={"axes": record_axes}) if record_axes else meta
    table = Table(times[chosen], {column.name: array for column, array in zip(columns, arrays, strict=True)}, meta)
    extents = read_extents(file, epoch, len(times))
    table = table.with_extents(extents.take(chosen)) if extents is not None else table
    return Decoded(table, chosen_pieces(variable, stored, chosen, pieces) if pieces is not None else None)


def _find_parameter(file: WithVirtual, parameter: str) -> tuple[RawVariable, RawVariable]:
    """A parameter as described, and the variable that stores its values: another one for an `alternate_view`."""
    if parameter not in file.names:
        data = [name for name in file.names if file.variable(name).text("VAR_TYPE").casefold() == "data"]
        near = get_close_matches(parameter, [*data, *file.names], n=3, cutoff=0.5)
        meant = f"Did you mean {' or '.join(dict.fromkeys(near))}? " if near else ""
        raise UnknownDataset(
            f"there is no parameter {parameter!r}", hint=f"{meant}Its data parameters: {', '.join(data) or 'none'}."
        )
    variable = stored = file.variable(parameter)
    for _ in range(4):
        function = function_of(stored)
        if not function:
            break
        sources = components(stored)
        if function != ALTERNATE_VIEW or not sources:
            reason = file.why_not(stored.name)
            raise InputError(
                f"{parameter} is not stored but computed by the archive (FUNCT {stored.text('FUNCT') or function})"
                + (f"; here it cannot be: {reason}" if reason else ""),
                hint=f"Fetch what it is computed from and compute it in a step: {', '.join(sources) or 'see the archive'}.",
            )
        stored = _find_source(file, parameter, sources[0])
    attributes = {**stored.attributes, **variable.attributes}
    return replace(stored, name=parameter, attributes=attributes), stored


def _find_source(file: WithVirtual, parameter: str, name: str) -> RawVariable:
    """What a parameter is another view of."""
    try:
        return find_variable(file, name)
    except ValueError:
        hint = "Choose another parameter of the dataset."
        raise InputError(f"{parameter} is another view of {name}, which the file has not", hint=hint) from None


def _check_fetchable(variable: RawVariable) -> None:
    hint = "Choose another parameter of the dataset."
    if variable.type != "number":
        content = "text" if variable.type == "text" else "times"
        raise InputError(f"{variable.name} holds {content}, not numbers", hint=hint)
    if not variable.is_varying:
        raise InputError(f"{variable.name} is one constant record for the whole file, not a time series", hint=hint)
    if not variable.width:
        raise ValueError(f"{variable.name} has an axis without values")


def _check_size(variable: RawVariable, kind: Kind) -> None:
    """Refuse more values a record than a table can have."""
    is_nd = kind == "nd"
    if variable.width > (MOST_VALUES if is_nd else MOST_COLUMNS) or (is_nd and max(variable.shape) > MOST_COLUMNS):
        shape, most = (
            " x ".join(map(str, variable.shape)),
            f"{MOST_VALUES} or {MOST_COLUMNS} along one axis" if is_nd else MOST_COLUMNS,
        )
        raise InputError(
            f"{variable.name} has {shape} = {variable.width} values a record, more than the {most} a table can have",
            hint="Choose a parameter that the archive has summed over one of these axes.",
        )


def _masked(file: RawFile, stored: RawVariable, chosen: Records) -> _Columns:
    values = file.numbers(stored.name)[chosen]
    return masked_columns(values.reshape(len(values), stored.width), valid_rule(stored, values.dtype))


def _with_bins(
    file: RawFile, axis: RawVariable | None, columns: list[ColumnMeta], arrays: _Columns, *, records: int, chosen: Records
) -> tuple[BinAxis, list[ColumnMeta], _Columns]:
    """A spectrogram's bin axis, and its columns: with companions where it varies, without those that have no place on it."""
    bins = cdf_columns.bin_axis(file, axis, len(columns))
    if axis is None or bins.is_fixed:
        placed = [place for place, center in enumerate(bins.centers) if math.isfinite(center)]
        bins = bins.model_copy(update={"centers": tuple(bins.centers[place] for place in placed)})
        return bins, [columns[place] for place in placed], [arrays[place] for place in placed]
    companions = cdf_columns.bin_columns(axis, file, [column.name for column in columns])
    return bins, [*columns, *companions], [*arrays, *_varying_bins(file, axis, records=records, chosen=chosen)]


def _varying_bins(file: RawFile, axis: RawVariable, *, records: int, chosen: Records) -> _Columns:
    """Companion columns of a bin axis: record by record; its only record for all; NaN where none is written."""
    values = file.numbers(axis.name)
    rule = valid_rule(axis, values.dtype)
    values = values.reshape(len(values), axis.width)
    if len(values) not in (0, 1) and len(values) < records:
        raise ValueError(f"the bins {axis.name} have {len(values)} records for {records} of the data")
    if not len(values):
        length = len(np.empty(records, dtype=bool)[chosen])
        return [np.full(length, np.nan, dtype=column.dtype) for column in masked_columns(values, rule)]
    if len(values) == 1:
        values = np.broadcast_to(values, (records, axis.width))
    return masked_columns(values[:records][chosen], rule)


def _describe(
    file: RawFile,
    variable: RawVariable,
    *,
    kind: Kind,
    columns: list[ColumnMeta],
    bins: BinAxis | None,
    synthetic: bool,
    warnings: Sequence[str],
) -> TableMeta:
    units = {column.unit for column in columns if column.role == "data"}
    labels = [column.label for column in columns if column.role == "data"] if kind == "vector" else []
    finding = find_frame(variable.name, variable.attributes, labels)
    is_likely = kind == "vector" or finding.certainty in ("stated", "named")
    return TableMeta(
        kind=kind,
        columns=tuple(columns),
        label=variable.text("LABLAXIS") or variable.name,
        unit=units.pop() if len(units) == 1 else "",
        frame=finding.frame if is_likely else None,
        scale=cdf_columns.find_scale(file, variable),
        bins=bins,
        synthetic=synthetic,
        maturity=maturity_of([file.global_text("Data_type")]),
        attributes={name: _as_json(value) for name, value in variable.attributes.items()}
        | ({WARNINGS: list(warnings)} if warnings else {}),
    )


def _as_json(value: Attribute) -> str | int | float | Sequence[str | int | float]:
    """An attribute as JSON can hold it: one number by itself, NaN and infinity as their names."""
    if isinstance(value, str):
        return value.rstrip()
    numbers = [entry if math.isfinite(entry) else str(entry) for entry in value]
    return numbers[0] if len(numbers) == 1 else numbers
