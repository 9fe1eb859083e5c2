"""One parameter of a product as a table: the order of the work. Loaded only by the worker."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from helio_dagster.archives.files.column_names import unique_names
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.archives.pds.clock_columns import find_clock
from helio_dagster.archives.pds.frames import frame_of_fields
from helio_dagster.archives.pds.layout import LabelledField, Product
from helio_dagster.archives.pds.parameters import Chosen, find_parameter
from helio_dagster.archives.pds.record_times import read_times
from helio_dagster.archives.pds.records import Records
from helio_dagster.archives.pds.units import label_unit
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta

_VECTOR = 3


def decode(path: Path, product: Product, parameter: str) -> Table:
    """All records of a parameter, in order of time, each time once, missing values NaN.

    One field of one number is a `series`; three fields in one frame are a `vector`; a field of several items is a
    `spectrogram` over the items' numbers, since a label does not say what they stand for; other fields are `points`' pairs or a
    plain `vector` without frame.

    Raises
    ------
    UnknownDataset
        The product has no such parameter.
    InputError
        It is not made of numbers with a time in UTC.
    LabelFault
        The file does not hold what its label says.
    """
    chosen = find_parameter(product, parameter)
    clock = find_clock(chosen.table)
    if clock.problem:
        raise InputError(f"{parameter} cannot be fetched: {clock.problem}", hint="Choose another dataset.")
    records = Records(path, chosen.table)
    times = read_times(records, clock)
    order = sorted_unique(times)
    columns = [records.numbers(field, item)[order] for field in chosen.fields for item in range(field.items)]
    meta = describe(chosen, parameter)
    names = [column.name for column in meta.columns]
    floats = [values.astype(np.float64) if values.dtype.kind in "iu" else values for values in columns]
    return Table(times[order], dict(zip(names, floats, strict=True)), meta)


def describe(chosen: Chosen, parameter: str) -> TableMeta:
    """What the table of a parameter means, by its label alone."""
    fields = chosen.fields
    unit = label_unit(fields[0].unit)
    labels = [_label(field, item) for field in fields for item in range(field.items)]
    columns = tuple(
        ColumnMeta(name=name, label=label, unit=unit) for name, label in zip(unique_names(labels), labels, strict=True)
    )
    frame = frame_of_fields((field.name, field.description) for field in fields) if len(fields) == _VECTOR else None
    kind: Kind = "series" if len(columns) == 1 else "vector"
    bins = None
    if fields[0].items > 1:
        kind, bins = "spectrogram", BinAxis(label="item", centers=tuple(float(item + 1) for item in range(fields[0].items)))
    described = {field.name: " ".join(field.description.split())[:400] for field in fields if field.description}
    return TableMeta(
        kind=kind,
        columns=columns,
        label=parameter,
        unit=unit,
        frame=frame,
        bins=bins,
        attributes={"CATDESC": next(iter(described.values()))} if described else {},
    )


def _label(field: LabelledField, item: int) -> str:
    return field.name if field.items == 1 else f"{field.name} {item + 1}"
