"""A table as CSV: lines that begin with `#` say what it is and where it comes from, then a header and one row a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_lists.conventions import ID_NAMES, STOP_NAMES
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.launch.exporting.header import SOFTWARE, Header
from helio_dagster.launch.exporting.plain_text import iso_times, one_line
from helio_dagster.storage.atomic import atomic_path

_MOST_FILES, _FILES_A_LINE = 40, 4
_ROLES = {
    "bin": "center of the bin",
    "axis": "axis",
    "lower": "lower end",
    "upper": "upper end",
    "before": "extent",
    "after": "extent",
}


def write_csv(path: Path, tables: Iterable[Table], comments: Iterable[str] = ()) -> None:
    """Write consecutive parts of a table, one in memory at a time.

    The column `time` is in ISO 8601 UTC; a cell is empty where there is no value. What stops and names events is called `stop`
    and `id` where its own name would not say so to a reader of lists.

    Parameters
    ----------
    path
        The file, which appears whole or not at all.
    tables
        The parts, at least one; all have the same columns.
    comments
        Lines to write above the header.
    """
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(f"# {one_line(line)}\n" for line in comments)
        is_first = True
        for table in tables:
            if table.meta.axes:
                refuse_axes(table.meta)
            names = _names(table.meta)
            columns = {
                names[name]: iso_times(values) if values.dtype.kind == "M" else values for name, values in table.columns.items()
            }
            rows = pd.DataFrame(columns, copy=False)
            rows.insert(0, "time", iso_times(table.time))
            rows.to_csv(file, index=False, header=is_first, lineterminator="\n")
            is_first = False


def refuse_axes(meta: TableMeta) -> None:
    """Refuse data that have several axes beside time; raises InputError."""
    axes = ", ".join(axis.label or axis.name for axis in meta.axes)
    raise InputError(
        f"a CSV file cannot hold {meta.label or meta.data_names[0]}, which has several axes beside time: {axes}",
        hint="Export it as netCDF, CDF or Parquet, or a step that takes axes away: slice, reduce or energy_spectrogram.",
    )


def comment_lines(header: Header) -> Iterator[str]:
    """What a table is and where it comes from, a fact a line."""
    meta, names = header.meta, _names(header.meta)
    yield f"{header.asset}: {header.intent or meta.label or header.name}"
    if header.title:
        yield f"pipeline: {header.title}"
    yield f"kind: {meta.kind}"
    if meta.synthetic:
        yield "synthetic: made by helio_dagster's demo archive, no measurement; do not use for science"
    yield f"range: {header.range_words}"
    if meta.frame:
        yield f"frame: {meta.frame}"
    if meta.extent is not None:
        yield f"each record covers {meta.extent.words}"
    for column in meta.columns:
        unit = f" [{column.unit}]" if column.unit else ""
        label, role = column.label or column.name, _ROLES.get(column.role, column.role)
        yield f"column {names[column.name]}{unit}: {label}" + (f" ({role})" if role not in ("data", label) else "")
    if meta.bins is not None and meta.bins.is_fixed:
        unit = f" [{meta.bins.unit}]" if meta.bins.unit else ""
        yield f"bins: {meta.bins.label}{unit} {' '.join(f'{center:.9g}' for center in meta.bins.centers)}"
    yield from (f"data: {each}" for each in header.dataset_words)
    yield from _files(header.parents)
    yield from ([f"formula: {header.formula}"] if header.formula else [])
    yield f"data version: {header.data_version}"
    yield f"software: {SOFTWARE}"


def _files(names: Sequence[str]) -> Iterator[str]:
    """The archive's files, some a line; of many the first and the last."""
    if len(names) > _MOST_FILES:
        yield f"made from: {len(names)} files, {names[0]} to {names[-1]}"
        return
    for start in range(0, len(names), _FILES_A_LINE):
        yield f"made from: {' '.join(names[start : start + _FILES_A_LINE])}"


def _names(meta: TableMeta) -> dict[str, str]:
    """Column to its name in the file: as it is, but for the stop and id of events."""
    names = {column.name: column.name for column in meta.columns}
    if meta.kind != "events":
        return names
    for role, known in (("stop", STOP_NAMES), ("id", ID_NAMES)):
        column = meta.role_name("stop" if role == "stop" else "id")
        lowered = {name.lower() for name in names}
        if column is not None and column.lower() not in known and not lowered & set(known):
            names[column] = role
    return names
