"""Parquet files of one's own: find the days of a file, read one of them, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from helio_dagster.archives.own.day_scan import begun_digest, digest_records, index_batches
from helio_dagster.archives.own.index import Day, FileIndex, Run, State, changed_while_read
from helio_dagster.archives.own.text_files import Records
from helio_dagster.archives.own.times import Nanoseconds, TimeFault, ZoneSeen, read_times
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.own_files import OwnFileFields, TimeColumns

BATCH_RECORDS = 131_072


class ParquetFile:
    """A Parquet file with its description. The hash of a day is over the times and values that the description reads.

    Parameters
    ----------
    described
        The description.
    path, name
        Where it is, and what messages call it.
    """

    def __init__(self, described: OwnFileFields, path: Path, name: str) -> None:
        if described.time is None:
            raise TypeError(f"{name} is not described")
        self._path, self._name = path, name
        self._time: TimeColumns = described.time
        self._columns = list(described.columns or {})

    def scan(self, _path: Path) -> FileIndex:
        """Read the file through once, some records at a time.

        Raises
        ------
        OwnFileError
            It is not as described.
        """
        state = State.of(self._path)
        return index_batches(self._batches(self._columns), self._columns, state, self._fault)

    def read(self, day: Day, columns: list[str]) -> Records:
        """The records of one day, in the order of the file; only their row groups are read.

        Raises
        ------
        OwnFileError
            They are not as described, or no longer those of the index.
        """
        parts = [part for run in day.runs for part in self._batches(columns, run)]
        time = np.concatenate([time for time, _ in parts])
        values = {name: np.concatenate([each[name] for _, each in parts]) for name in columns}
        digest = begun_digest(columns)
        digest_records(digest, time, values)
        if digest.hexdigest() != day.sha256:
            raise changed_while_read(self._name, self._path)
        return Records(time, values, np.zeros(len(time), dtype=np.int64))

    def head(self, most: int) -> pd.DataFrame:
        """The first records, for people and for guesses."""
        with self._opened() as file:
            for batch in file.iter_batches(most):
                found: pd.DataFrame = batch.to_pandas(ignore_metadata=True)
                return found
            none: pd.DataFrame = file.schema_arrow.empty_table().to_pandas(ignore_metadata=True)
            return none

    def _batches(
        self, columns: list[str], run: Run | None = None
    ) -> Iterator[tuple[Nanoseconds, dict[str, NDArray[np.float64]]]]:
        """Times and values of all records, or of those of a run, some at a time."""
        zone = ZoneSeen()
        with self._opened() as file:
            known = [field.name for field in file.schema_arrow]
            for name in (*self._time.columns, *columns):
                if name not in known:
                    raise self._fault(f"it has no column {name!r}", remedy(name, known, what="Its columns"))
            place = 0
            for group in range(file.num_row_groups):
                size = file.metadata.row_group(group).num_rows
                if run is not None and (place + size <= run.start or place >= run.stop):
                    place += size
                    continue
                wanted = list(dict.fromkeys([*self._time.columns, *columns]))
                for batch in file.iter_batches(BATCH_RECORDS, row_groups=[group], columns=wanted):
                    part, first = batch, place
                    place += len(batch)
                    if run is not None:
                        low, high = max(run.start - first, 0), min(run.stop - first, len(batch))
                        if low >= high:
                            continue
                        part = batch.slice(low, high - low)
                    if len(part):
                        yield self._time_of(part, zone, first), {name: self._numbers(part, name) for name in columns}

    def _opened(self) -> pq.ParquetFile:
        try:
            return pq.ParquetFile(self._path)
        except (pa.ArrowInvalid, pa.ArrowException) as error:
            raise self._fault(f"it is not a Parquet file: {str(error)[:100]}", "Was it written to the end?") from None

    def _time_of(self, batch: pa.RecordBatch, zone: ZoneSeen, first: int) -> Nanoseconds:
        column = batch.column(self._time.columns[0])
        if column.null_count:
            raise self._fault("a record has no time", "Remove the record.")
        if pa.types.is_timestamp(column.type) and len(self._time.columns) == 1:
            times: Nanoseconds = column.cast(pa.timestamp("ns"), safe=False).to_numpy(zero_copy_only=False).astype(np.int64)
            return times
        frame = batch.select(self._time.columns).to_pandas(ignore_metadata=True)
        texts = pd.DataFrame({place: frame.iloc[:, place].astype(str) for place in range(frame.shape[1])})
        try:
            return read_times(texts, self._time, zone)
        except TimeFault as fault:
            raise self._fault(f"record {first + fault.row}: {fault.problem}", fault.hint) from None

    def _numbers(self, batch: pa.RecordBatch, name: str) -> NDArray[np.float64]:
        try:
            values: NDArray[np.float64] = batch.column(name).cast(pa.float64()).to_numpy(zero_copy_only=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise self._fault(f"the column {name!r} does not hold numbers", "Leave it out.") from None
        return values

    def _fault(self, problem: str, hint: str) -> OwnFileError:
        return OwnFileError(f"{self._name}: {problem}", where=str(self._path), hint=hint)
