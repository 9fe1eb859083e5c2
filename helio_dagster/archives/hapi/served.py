"""A provider's CDF files as HAPI sees them: datasets, parameters, records."""

from __future__ import annotations

import math
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.archive import TableReader
from helio_dagster.archives.files.merge import merge_files
from helio_dagster.archives.files.provider import DatasetEntry, FileEntry, FileProvider
from helio_dagster.archives.files.selection import ListedFile, Listing
from helio_dagster.archives.hapi.extents import stated_extent
from helio_dagster.archives.hapi.isotime import format_isotime
from helio_dagster.archives.hapi.messages import Info
from helio_dagster.archives.hapi.source import FILL, ServedDataset, time_parameter, write_records
from helio_dagster.domain.errors import CorruptFile, InputError
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange, format_duration

_KEPT_TABLES = 64
_LOOKED_AT = 3
"""Files read, the newest first, to learn a parameter's shape and cadence."""


class ServedFiles:
    """The datasets and records in a provider's files; called from several threads at once.

    Parameters
    ----------
    provider
        Where datasets and files come from.
    reader
        Decodes files; not closed here.
    """

    def __init__(self, provider: FileProvider, reader: TableReader) -> None:
        self._provider = provider
        self._reader = reader
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[FileEntry, str], Table] = OrderedDict()
        self._described: dict[str, tuple[tuple[FileEntry, ...], ServedDataset]] = {}

    title = "CDF files of a folder, served by helio"

    def titles(self) -> Sequence[tuple[str, str]]:
        """Id and title of all datasets, in order of id."""
        return [(entry.id, entry.label) for entry in self._provider.datasets()]

    def dataset(self, name: str) -> ServedDataset | None:
        """The dataset with this id; described again when its files have changed.

        Raises
        ------
        CorruptFile
            None of the files looked at can be decoded.
        """
        entry = next((entry for entry in self._provider.datasets() if entry.id == name), None)
        if entry is None:
            return None
        files = tuple(self._newest(entry, entry.span))
        with self._lock:
            known = self._described.get(entry.id)
        if known is not None and known[0] == files:
            return known[1]
        described = self._describe(entry, files)
        with self._lock:
            self._described[entry.id] = files, described
        return described

    def records(self, dataset: ServedDataset, names: Sequence[str], span: TimeRange, *, is_binary: bool) -> bytes:
        """The records of parameters in `[start, stop)`; empty where there are none.

        Raises
        ------
        InputError
            The parameters do not share their times.
        CorruptFile
            A file cannot be decoded.
        """
        entry = next((entry for entry in self._provider.datasets() if entry.id == dataset.id), None)
        files = [] if entry is None else self._newest(entry, span)
        arrays: list[NDArray[Any]] = []
        times: NDArray[Any] | None = None
        for described in [each for each in dataset.parameters[1:] if each["name"] in names]:
            owner, is_bins = described.get("x_bins_of", described["name"]), "x_bins_of" in described
            table = self._merged(files, owner, span)
            if times is not None and not np.array_equal(times, table.time):
                raise InputError("these parameters do not share their times: ask for one at a time")
            times = table.time
            columns = table.meta.bin_names if is_bins else table.meta.data_names
            if "x_column" in described:
                columns = (described["x_column"],)
            arrays.append(_values(table, columns, described))
        if times is None:
            first = dataset.parameters[1]["name"] if len(dataset.parameters) > 1 else ""
            times = self._merged(files, first, span).time
        return write_records(times, arrays, is_binary=is_binary)

    def _merged(self, files: Sequence[FileEntry], name: str, span: TimeRange) -> Table:
        tables = []
        for file in files:
            try:
                tables.append((file.name, self._read(file, name)))
            except InputError:  # an older file without this parameter
                continue
        return merge_files(tables, span) if tables else Table.empty(TableMeta(kind="series", columns=()))

    def _newest(self, entry: DatasetEntry, span: TimeRange) -> list[FileEntry]:
        """The files that cover a time range, each in its newest version."""
        found = {file.name: file for file in self._provider.files(entry.id, span)}
        listed = [ListedFile(name, name.rsplit("/", 1)[-1], file.start, file.stop, None, "") for name, file in found.items()]
        return [found[file.url] for file in Listing(listed).files_for(span.widened(timedelta(0), timedelta(milliseconds=1)))]

    def _read(self, file: FileEntry, name: str) -> Table:
        with self._lock:
            if (file, name) in self._tables:
                self._tables.move_to_end((file, name))
                return self._tables[file, name]
        with tempfile.NamedTemporaryFile(suffix=".cdf") as copy:
            copy.write(self._provider.read(file.name))
            copy.flush()
            table = self._reader.read(Path(copy.name), name)
        with self._lock:
            self._tables[file, name] = table
            while len(self._tables) > _KEPT_TABLES:
                self._tables.popitem(last=False)
        return table

    def _describe(self, entry: DatasetEntry, files: Sequence[FileEntry]) -> ServedDataset:
        parameters: list[dict[str, Any]] = [time_parameter()]
        cadence, examples = "", []
        for variable in entry.variables:
            table = self._example(files, variable.name)
            if table is not None and table.columns:
                parameters += _parameters(variable.name, variable.long or variable.short, table)
                cadence = cadence or cadence_of(table.time)
                examples.append(table)
        about = {
            "startDate": format_isotime(entry.span.start),
            "stopDate": format_isotime(entry.span.stop),
            "modificationDate": format_isotime(max(file.last_modified for file in files)) if files else "",
            "description": entry.label,
            "contact": entry.pi_name,
            **({"cadence": cadence} if cadence else {}),
            **stamp_location({each.meta.extent for each in examples}, cadence),
        }
        return ServedDataset(entry.id, about, parameters)

    def _example(self, files: Sequence[FileEntry], name: str) -> Table | None:
        """A parameter's table from one of the newest files, best one with records; None where it can be no table."""
        found: Table | None = None
        for file in list(reversed(files))[:_LOOKED_AT]:
            try:
                table = self._read(file, name)
            except (InputError, CorruptFile):
                continue
            if len(table):
                return table
            found = found or table
        return found


def _parameters(name: str, description: str, table: Table) -> Iterator[dict[str, Any]]:
    """The HAPI parameter of a table, and the one of its bins where they vary by record."""
    meta = table.meta
    if meta.axes:
        yield from _over_axes(name, description, meta)
        return
    columns = [column for column in meta.columns if column.role == "data"]
    kinds = {table.columns[column.name].dtype for column in columns}
    is_whole = all(np.can_cast(kind, np.int32) for kind in kinds)
    described: dict[str, Any] = {
        "name": name,
        "type": "integer" if is_whole else "double",
        "units": columns[0].unit if len({column.unit for column in columns}) == 1 else [column.unit for column in columns],
        "fill": None if is_whole else str(FILL),
        "description": description,
        "label": meta.label if len(columns) == 1 else [column.label for column in columns],
    }
    if len(columns) > 1:
        described["size"] = [len(columns)]
    if meta.frame:
        described["coordinateSystemName"] = meta.frame
    if meta.bins is not None:
        bins_name = f"{name}_bins"
        centers: Any = list(meta.bins.centers) if meta.bins.is_fixed else bins_name
        described["bins"] = [{"name": meta.bins.label or "bins", "units": meta.bins.unit, "centers": centers}]
        if not meta.bins.is_fixed:
            yield described
            about = {"name": bins_name, "units": meta.bins.unit, "label": meta.bins.label, "x_bins_of": name}
            yield {**about, "type": "double", "fill": str(FILL), "size": described["size"]}
            return
    yield described


def _over_axes(name: str, description: str, meta: TableMeta) -> Iterator[dict[str, Any]]:
    """The HAPI parameter of data over several axes, and one for the bins of each axis that varies by record."""
    own = {axis.name: f"{name}_{place}_bins" for place, axis in enumerate(meta.axes, start=1) if not axis.is_fixed}
    yield {
        "name": name,
        "type": "double",
        "units": next(column.unit for column in meta.columns if column.role == "data"),
        "fill": str(FILL),
        "description": description,
        "label": meta.label,
        "size": list(meta.shape),
        "bins": [
            {
                "name": axis.name,
                "label": axis.label,
                "units": axis.unit,
                "centers": own.get(axis.name) or known_centers(axis.values),
            }
            for axis in meta.axes
        ],
    }
    for axis in meta.axes:
        if axis.name in own:
            about = {"name": own[axis.name], "units": axis.unit, "label": axis.label, "size": [axis.size]}
            yield {**about, "type": "double", "fill": str(FILL), "x_bins_of": name, "x_column": axis.column}


def known_centers(values: Iterable[float]) -> list[float | None]:
    """Centers of bins as JSON has them: null for one that has no place."""
    return [float(value) if math.isfinite(value) else None for value in values]


def cadence_of(times: NDArray[Any]) -> str:
    """The median step between times of shape (record,) as an ISO duration; empty if there is none, or below a millisecond."""
    steps = np.diff(times)
    if not len(steps):
        return ""
    median_s = float(np.median(steps.astype("int64"))) / 1e9
    return format_duration(timedelta(seconds=median_s)) if median_s >= 0.001 else ""


def stamp_location(extents: Collection[Extent | None], cadence: str) -> dict[str, str]:
    """Where in its cadence each record is stamped, if all parameters reach over just one."""
    extent = next(iter(extents)) if len(extents) == 1 else None
    for stamp in ("BEGIN", "CENTER", "END") if extent and cadence else ():
        if extent == stated_extent(Info.model_validate({"cadence": cadence, "timeStampLocation": stamp})):
            return {"timeStampLocation": stamp}
    return {}


def _values(table: Table, columns: Sequence[str], described: dict[str, Any]) -> NDArray[Any]:
    """Values of a table's columns as they are sent, shape (record, value): int32, or float64 with fills."""
    if not len(table):
        return np.empty((0, *described.get("size", [1])))
    stacked = table.columns[columns[0]] if table.meta.axes else np.stack([table.columns[name] for name in columns], axis=1)
    if described["type"] == "integer":
        return stacked.astype("<i4")
    numbers = stacked.astype("<f8")
    return np.where(np.isnan(numbers), FILL, numbers)
