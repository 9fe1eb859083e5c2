"""One HAPI data answer as a table: columns, fills, bins, frame, as the CDF path has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.files.column_names import unique_names
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.archives.hapi.axes import is_nd, read_records
from helio_dagster.archives.hapi.bins import (
    bin_axis,
    bins_fault,
    first_text,
    label_of,
    masked_columns,
    units_of,
)
from helio_dagster.archives.hapi.extents import stated_extent
from helio_dagster.archives.hapi.isotime import parse_isotimes
from helio_dagster.archives.hapi.messages import (
    MOST_COLUMNS,
    MOST_VALUES,
    NO_DATA,
    OK,
    OUT_OF_RANGE,
    Info,
    Parameter,
    flat,
    printable,
    read_status,
)
from helio_dagster.archives.hapi.records import read_binary, read_csv, split_header
from helio_dagster.domain.axes import SMALLEST_SPECTROGRAM
from helio_dagster.domain.errors import CorruptFile, InputError
from helio_dagster.domain.extent import Extents
from helio_dagster.domain.frames import find_frame
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta, Times
from helio_dagster.domain.time_range import EARLIEST, LATEST, datetime_to_ns

_EMPTY = TableMeta(kind="series", columns=())

_Columns = list[NDArray[Any]]


def read_answer(body: bytes, name: str, *, info: Info, is_binary: bool) -> Table:
    """The records of a data answer for one parameter, sorted by time, each time once, fills NaN.

    The answer's own header says what they are; `info` only where it has none. A `double` is a float64 column, an `integer` an
    int32 one, or float64 where it has a fill value. A parameter with one axis is a `vector`, or a `spectrogram` where its bins
    are numbers; one with more axes is `nd` where the bins of one are numbers, and else flattened into a `vector`, the last axis
    running fastest. Records have an extent where the server says its cadence and where in it its stamps are.

    Parameters
    ----------
    body
        As received, with `include=header`; nothing, or a JSON status of no data, is an empty table.
    name
        The parameter.

    Raises
    ------
    CorruptFile
        The bytes are not what their header says, or a record is of an impossible time, infinite, or there with two values.
    InputError
        The parameter holds texts, or too many values a record.
    """
    status = read_status(body) if body[:1] == b"{" else None
    if not body or (status is not None and status.code in (NO_DATA, OUT_OF_RANGE)):
        return Table.empty(_EMPTY)
    try:
        header, records = split_header(body)
        if header is not None and header.status.code not in (OK, NO_DATA, OUT_OF_RANGE):
            raise ValueError(f"the archive sent an error in place of data: {header.status.sentence}")
        fields = _fields(header or info, name, is_asked=header is None)
        wanted = next(field for field in fields if field.name == name)
        check_fetchable(wanted)
        arrays = (read_binary if is_binary else read_csv)(records, fields)
        table, extent = _table(fields, wanted, arrays), stated_extent(header or info)
        return table.with_extents(Extents.constant(extent, len(table))) if extent and len(table) else table
    except ValueError as error:
        raise CorruptFile(f"the answer cannot be decoded: {error}", hint="The archive may be at fault.") from error


def check_fetchable(parameter: Parameter) -> None:
    """Refuse what can be no table of numbers.

    Raises
    ------
    InputError
        It holds texts or times, or too many values a record.
    """
    hint = "Choose another parameter of the dataset."
    if parameter.type in ("string", "isotime"):
        content = "text" if parameter.type == "string" else "times"
        raise InputError(f"{printable(parameter.name)} holds {content}, not numbers", hint=hint)
    most = MOST_VALUES if is_nd(parameter) else MOST_COLUMNS
    if parameter.width > most or max(parameter.size, default=1) > MOST_COLUMNS:
        shape = " x ".join(map(str, parameter.size))
        problem = f"{printable(parameter.name)} has {shape} values a record, more than the {most} a table can have"
        raise InputError(problem, hint=hint)


def _fields(info: Info, name: str, *, is_asked: bool) -> list[Parameter]:
    """The parameters that a record holds, times first: all of the answer's header, or those asked for of the dataset's."""
    if not info.parameters or info.parameters[0].type != "isotime" or info.parameters[0].width != 1:
        raise ValueError("the header does not begin with times")
    fields = [info.parameters[0], *(info.with_bins(name) if is_asked else info.parameters[1:])]
    names = [field.name for field in fields]
    if len(set(names)) != len(names):
        raise ValueError("the header names a parameter twice")
    if name not in names[1:]:
        raise ValueError(f"the header has no {printable(name)}")
    return fields


def _table(fields: Sequence[Parameter], wanted: Parameter, arrays: Sequence[NDArray[Any]]) -> Table:
    by_name = {field.name: values for field, values in zip(fields[1:], arrays[1:], strict=True)}
    times = parse_isotimes(arrays[0].reshape(-1))
    _require_reasonable(times, arrays[0].reshape(-1))
    chosen = sorted_unique(times)
    _require_agreement(times, arrays[0].reshape(-1), by_name[wanted.name])
    if is_nd(wanted):
        columns, axes, data = read_records(wanted, fields, by_name, chosen)
        meta = _describe(wanted, "nd", columns, None).model_copy(update={"axes": axes})
        return Table(times[chosen], {column.name: values for column, values in zip(columns, data, strict=True)}, meta)
    columns, data = _data_columns(wanted), masked_columns(by_name[wanted.name][chosen], wanted)
    bins = None
    kind = _kind(wanted)
    if kind == "spectrogram" and wanted.bins:
        bins = bin_axis(wanted.bins[0], wanted.width)
        axis = next((field for field in fields if field.name == wanted.bins[0].centers), None)
        if bins.is_fixed:
            placed = [place for place, center in enumerate(bins.centers) if np.isfinite(center)]
            bins = bins.model_copy(update={"centers": tuple(bins.centers[place] for place in placed)})
            columns, data = [columns[place] for place in placed], [data[place] for place in placed]
        elif axis is None or axis.width != wanted.width or axis.type not in ("double", "integer"):
            raise ValueError(f"the bins of {printable(wanted.name)} are not in the answer")
        else:
            names = unique_names([f"{axis.name}_{n + 1}" for n in range(axis.width)], taken=[each.name for each in columns])
            columns += [ColumnMeta(name=name, label=bins.label, unit=bins.unit, role="bin") for name in names]
            data += masked_columns(by_name[axis.name][chosen], axis)
    meta = _describe(wanted, kind, columns, bins)
    return Table(times[chosen], {column.name: values for column, values in zip(columns, data, strict=True)}, meta)


def _require_reasonable(times: Times, texts: NDArray[np.bytes_]) -> None:
    """Refuse a record of no time that a measurement can have."""
    is_far = ~((times >= datetime_to_ns(EARLIEST)) & (times < datetime_to_ns(LATEST)))
    if is_far.any():
        text = texts[int(np.flatnonzero(is_far)[0])][:40].decode("ascii", "replace")
        raise ValueError(f"a record is of {printable(text)}, outside {EARLIEST:%Y} to {LATEST:%Y}")


def _require_agreement(times: Times, texts: NDArray[np.bytes_], values: NDArray[Any]) -> None:
    """Refuse two records of one time with different values. A leap second and the second after it differ in their text."""
    order = np.argsort(times, kind="stable")
    is_again = times[order][1:] == times[order][:-1]
    one, other = order[:-1][is_again], order[1:][is_again]
    is_other = (values[one] != values[other]) & ~((values[one] != values[one]) & (values[other] != values[other]))
    is_conflict = is_other.any(axis=1) & (texts[one] == texts[other])
    if is_conflict.any():
        text = texts[one[int(np.flatnonzero(is_conflict)[0])]][:40].decode("ascii", "replace")
        raise ValueError(f"two records of {printable(text)} have different values")


def _kind(parameter: Parameter) -> Kind:
    if parameter.width == 1:
        return "series"
    if len([size for size in parameter.size if size > 1]) > 1 or parameter.width < SMALLEST_SPECTROGRAM or not parameter.bins:
        return "vector"
    axis = parameter.bins[0]
    return "spectrogram" if axis.centers or axis.ranges else "vector"


def _data_columns(parameter: Parameter) -> list[ColumnMeta]:
    """One column per value, named by the archive's labels; without them by the parameter's name and the place from 1."""
    label, units = label_of(parameter), units_of(parameter)
    if parameter.width == 1:
        return [ColumnMeta(name=unique_names([parameter.name])[0], label=label, unit=units[0])]
    given = _texts(parameter.label) or [f"{label} {text}" for text in _texts(parameter.components)]
    if len(given) == parameter.width:
        labels, names = given, unique_names(given)
    else:
        sizes = [size for size in parameter.size if size > 1]
        numbered = [[str(place + 1) for place in index] for index in np.ndindex(*sizes)]
        labels = [f"{label} {', '.join(numbers)}" for numbers in numbered]
        names = unique_names([f"{parameter.name}_{'_'.join(numbers)}" for numbers in numbered])
    return [ColumnMeta(name=name, label=text, unit=unit) for name, text, unit in zip(names, labels, units, strict=True)]


def _describe(parameter: Parameter, kind: Kind, columns: Sequence[ColumnMeta], bins: BinAxis | None) -> TableMeta:
    units = {column.unit for column in columns if column.role == "data"}
    stated = {"COORDINATE_SYSTEM": first_text(parameter.frame), "CATDESC": parameter.description}
    labels = [column.label for column in columns if column.role == "data"] if kind == "vector" else []
    finding = find_frame(parameter.name, stated, labels)
    is_likely = kind == "vector" or finding.certainty in ("stated", "named")
    said = {
        "UNITS": first_text(parameter.units),
        "FILLVAL": parameter.fill or "",
        "CATDESC": parameter.description,
        "COORDINATE_SYSTEM": first_text(parameter.frame),
    }
    fault = bins_fault(parameter.bins[0], parameter.width) if kind == "spectrogram" and parameter.bins else ""
    return TableMeta(
        kind=kind,
        columns=tuple(columns),
        label=label_of(parameter),
        unit=units.pop() if len(units) == 1 else "",
        frame=finding.frame if is_likely else None,
        bins=bins,
        attributes={key: text for key, text in said.items() if text} | ({WARNINGS: [fault]} if fault else {}),
    )


def _texts(value: Any) -> list[str]:
    """All texts of a list, or nothing where one of them is blank or none."""
    texts = [printable(text) if isinstance(text, str) else "" for text in flat(value)]
    return texts if all(texts) else []
