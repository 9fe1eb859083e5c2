"""CDF files of one's own, under any name: variables as columns, decoded by the worker that reads the archives' CDFs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.coverage import FileCoverage, ParameterInfo
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.own.binary.attributes import bins_of
from helio_dagster.archives.own.binary.batches import require_unit
from helio_dagster.archives.own.binary.seen import Fault, Seen
from helio_dagster.archives.own.day_scan import Batch, begun_digest, digest_records, index_batches
from helio_dagster.archives.own.index import Day, FileIndex, State, changed_while_read
from helio_dagster.archives.own.text_files import Records
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import CorruptFile, InputError, OwnFileError
from helio_dagster.domain.own_files import OwnFileFields
from helio_dagster.domain.records import record_values
from helio_dagster.domain.table import Table

_MOST_PARAMETERS = 40


class CdfTables:
    """The variables of the file that was read last, so that its days are not decoded again one by one.

    Threads hold `turn` while they read.

    Parameters
    ----------
    reader
        Decodes CDF files.
    """

    def __init__(self, reader: CdfReader) -> None:
        self._reader = reader
        self.turn = threading.Lock()
        self._of: tuple[Path, State] | None = None
        self._tables: dict[str, Table] = {}
        self._coverage: FileCoverage | None = None

    def coverage(self, path: Path) -> FileCoverage:
        """What a file says of its variables; CorruptFile if it cannot be read."""
        self._turn_to(path)
        if self._coverage is None:
            self._coverage = self._reader.coverage(path)
        return self._coverage

    def table(self, path: Path, parameter: str) -> Table:
        """All records of a variable; see `CdfReader.read`."""
        self._turn_to(path)
        if parameter not in self._tables:
            self._tables[parameter] = self._reader.read(path, parameter)
        return self._tables[parameter]

    def _turn_to(self, path: Path) -> None:
        now = path, State.of(path)
        if now != self._of:
            self._of, self._tables, self._coverage = now, {}, None


class CdfFile:
    """A CDF file with its description; records come in order of time, each time once.

    Parameters
    ----------
    described
        The description.
    path, name
        Where it is, and what messages call it.
    tables
        What reads it.
    """

    def __init__(self, described: OwnFileFields, path: Path, name: str, tables: CdfTables) -> None:
        if described.time is None:
            raise TypeError(f"{name} is not described")
        self._path, self._tables, self._name = path, tables, name
        self._fault = Fault(path, name)
        self._columns = described.columns or {}
        self._times = described.time.columns

    def scan(self, _path: Path) -> FileIndex:
        """Read the file through once.

        Raises
        ------
        OwnFileError
            It is not as described.
        """
        state = State.of(self._path)
        return index_batches([self._batch()], list(self._columns), state, self._fault)

    def read(self, day: Day, columns: list[str]) -> Records:
        """The records of one day.

        Raises
        ------
        OwnFileError
            They are not as described, or no longer those of the index.
        """
        time, values = self._batch()
        chosen = np.concatenate([np.arange(run.start, min(run.stop, len(time))) for run in day.runs])
        found = Records(time[chosen], {name: values[name][chosen] for name in columns}, np.zeros(len(chosen), dtype=np.int64))
        digest = begun_digest(columns)
        digest_records(digest, found.time, found.values)
        if digest.hexdigest() != day.sha256:
            raise changed_while_read(self._name, self._path)
        return found

    def _batch(self) -> Batch:
        try:
            with self._tables.turn:
                known = {each.name: each for each in self._tables.coverage(self._path).parameters}
                found = {name: self._column(name, known) for name in self._columns}
        except CorruptFile as error:
            raise self._fault(error.problem, "Copy the file again.") from None
        except OwnFileError:
            raise
        except InputError as error:
            raise self._fault(error.problem, error.hint) from None
        time = next(iter(found.values()))[0]
        if any(not np.array_equal(each, time) for each, _ in found.values()):
            raise self._fault("its columns have different times", "Read them in a fetch each.")
        return time, {name: values for name, (_, values) in found.items()}

    def _column(self, name: str, known: dict[str, ParameterInfo]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        parameter, _, number = name.rpartition("_")
        if name in known:
            parameter, number = name, ""
        elif parameter not in known or not number.isdigit():
            raise self._fault(f"it has no column {name!r}", remedy(name, list(known), what="Its columns"))
        info = known[parameter]
        if self._times != [info.epoch]:
            given = " and ".join(self._times)
            raise self._fault(
                f"the times of {parameter!r} are in {info.epoch!r}, not {given!r}", f"Write `columns: {info.epoch}`."
            )
        table = self._tables.table(self._path, parameter)
        data = _components(table)
        if (number and not 1 <= int(number) <= len(data)) or (not number and len(data) > 1):
            parts = f"{parameter}_1 to {parameter}_{len(data)}" if len(data) > 1 else parameter
            raise self._fault(f"{parameter!r} has {len(data)} values in each record", f"Write {parts}.")
        described = self._columns[name]
        require_unit(name, table.meta.unit or info.unit, described.unit, described.labelled, self._fault)
        values = data[int(number) - 1 if number else 0]
        return table.time.astype("datetime64[ns]").astype(np.int64), np.asarray(values, dtype=np.float64)


def seen_of_cdf(path: Path, reader: CdfReader) -> tuple[Seen, ...]:
    """The columns of a CDF file, as far as it may be asked in reasonable time: its time axes, then its variables.

    Raises
    ------
    OwnFileError
        It cannot be read.
    """
    tables = CdfTables(reader)
    try:
        coverage = tables.coverage(path)
        found, times = [], {}
        for info in sorted(coverage.parameters, key=lambda each: each.role != "data")[:_MOST_PARAMETERS]:
            try:
                table = tables.table(path, info.name)
            except InputError:
                continue
            times[info.epoch] = table
            found.append(_seen(info, table))
    except CorruptFile as error:
        raise Fault(path, path.name)(error.problem, "Copy the file again.") from None
    if not coverage.parameters:
        hint = "Name the variable of the times in the attribute DEPEND_0 of the others, as ISTP asks."
        raise Fault(path, path.name)("none of its variables says which one its times are", hint)
    epochs = [
        Seen(name=name, kind="time", records=len(table), axis=name, head=tuple(str(each)[:23] for each in table.time[:5]))
        for name, table in times.items()
    ]
    timeless = [
        Seen(name=name, kind="number", records=0, why="has no DEPEND_0, which would name its times")
        for name in coverage.timeless[:_MOST_PARAMETERS]
    ]
    return (*epochs, *found, *timeless)


def _components(table: Table) -> list[NDArray[Any]]:
    """Each value of a record as a column; of several axes the last runs fastest."""
    if table.meta.axes:
        return list(record_values(table).reshape(len(table), -1).T)
    return [table.columns[name] for name in table.meta.data_names]


def _bins(table: Table) -> dict[str, Any]:
    """The bins of a spectrogram that are the same for all records."""
    bins = table.meta.bins
    if table.meta.kind != "spectrogram" or bins is None or not bins.is_fixed:
        return {}
    return bins_of(bins.label, np.array(bins.centers), {"units": bins.unit})


def _seen(info: ParameterInfo, table: Table) -> Seen:
    data = _components(table)
    texts = {name.casefold(): value for name, value in table.meta.attributes.items() if isinstance(value, str)}
    return Seen(
        name=info.name,
        kind="number",
        records=len(table),
        width=len(data),
        unit=table.meta.unit or info.unit,
        axis=info.epoch,
        **_bins(table),
        attributes={"coordinate_system": table.meta.frame} if table.meta.frame else texts,
        head=tuple(f"{each:g}" for each in data[0][:5]),
    )
