"""An `Archive` over described files: each day of a file takes the place of an archive's file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import numpy as np

from helio_dagster.archives.archive import Fetched, Listed, Report, SourceFile
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import CachedFile
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.own.binary.reader import BinaryFile, BinaryReader
from helio_dagster.archives.own.cdf_files import CdfFile, CdfTables
from helio_dagster.archives.own.index import Day, FileIndex, index_of, index_path
from helio_dagster.archives.own.parquet_files import ParquetFile
from helio_dagster.archives.own.places import MARGIN, OwnFile, Places
from helio_dagster.archives.own.text_files import Records, TextFile
from helio_dagster.archives.window_fetch import FetchSteps, WindowFetch
from helio_dagster.archives.window_listing import list_windows
from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.own_files import OWN_ARCHIVE, TEXT_FORMATS, OwnFileFields
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


class OwnReaders(Protocol):
    """Worker processes, started on first use."""

    @property
    def reader(self) -> CdfReader:
        """Decodes CDF files."""

    @property
    def own_files(self) -> BinaryReader:
        """Decodes other binary files of one's own."""


class OwnArchive:
    """Files of one's own, by one description.

    What a day of a file holds is listed as `<file>.<day>`, and its date is the hash of its text: a changed file marks the days
    that changed. Files are read where they are; the cache holds an index of each.

    Parameters
    ----------
    described
        The description.
    places
        Where files may be.
    cache_dir
        Folder of the downloaded files of all archives; the indexes go into a folder of it.
    readers
        The worker processes that decode files other than text and Parquet; whoever made them closes them.
    """

    def __init__(self, described: OwnFileFields, places: Places, cache_dir: Path, readers: OwnReaders) -> None:
        self._described, self._places, self._readers = described, places, readers
        self._cdf_tables: CdfTables | None = None
        self._indexes = cache_dir / OWN_ARCHIVE
        self._listed: dict[str, tuple[OwnFile, Day]] = {}

    @property
    def name(self) -> str:
        """`own`."""
        return OWN_ARCHIVE

    @property
    def is_synthetic(self) -> bool:
        """False."""
        return False

    def fetch(
        self,
        dataset: str,
        parameter: str,  # noqa: ARG002 - the description names the columns
        windows: Sequence[TimeRange],
        *,
        verify: bool = False,
        report: Report | None = None,
    ) -> Iterator[Fetched]:
        """Read each window, in order; see `Archive.fetch`. With `verify`, files that look unchanged are read through again."""
        teller = Teller(dataset, report)
        if verify:
            for file in self._places.files(self._described.file or ""):
                self._index(file, afresh=True)
        steps = FetchSteps(self.list_files, teller.expect, self._obtain, self._decode)
        return WindowFetch(steps, downloads=1, decoders=2, synthetic=False).run(windows)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:  # noqa: ARG002
        """The days of files that make up each window now; see `Archive.listed`."""
        return list_windows(self.list_files, windows)

    def is_at_hand(self, file: ListedFile) -> bool:  # noqa: ARG002
        """True: nothing is downloaded."""
        return True

    def close(self) -> None:
        """Nothing is open."""

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The days of files inside a range.

        Raises
        ------
        OwnFileError
            There are no files, or one is not as described.
        """
        found = []
        for file in self._places.files(self._described.file or ""):
            if file.span is not None and not _widened(file.span).overlaps(span):
                continue
            for number, day in self._index(file).days.items():
                start = _EPOCH + number * _DAY
                if start < span.stop and start + _DAY > span.start:
                    found.append(self._as_listed(file, start, day))
        return found

    def survey(self) -> list[tuple[OwnFile, FileIndex]]:
        """Every file and its index, for people.

        Raises
        ------
        OwnFileError
            There are no files, or one is not as described.
        """
        return [(file, self._index(file)) for file in self._places.files(self._described.file or "")]

    def _as_listed(self, file: OwnFile, start: datetime, day: Day) -> ListedFile:
        name = f"{file.name}.{start:%Y-%m-%d}"  # a name that ends in a date is not a version of another file
        self._listed[name] = file, day
        return ListedFile(f"file:{file.name}", name, start, start + _DAY, day.size, f"content {day.sha256[:16]}")

    def _index(self, file: OwnFile, *, afresh: bool = False) -> FileIndex:
        reader = self._reader(file)
        is_text = isinstance(reader, TextFile)
        kept = index_path(self._indexes, file.path, self._described.digest(of_time_alone=is_text))
        found = index_of(file.path, file.name, reader.scan, kept, afresh=afresh)
        for number in found.days:
            start = _EPOCH + number * _DAY
            if file.span is not None and not _widened(file.span).overlaps(TimeRange(start, start + _DAY)):
                problem = f"{file.name} is named after {file.span} and has records of {start:%Y-%m-%d}"
                hint = "Rename the file, or write * in the path where the name does not say the date."
                raise OwnFileError(problem, where=str(file.path), hint=hint)
        return found

    def _obtain(self, file: ListedFile) -> CachedFile:
        own, day = self._listed[file.name]
        return CachedFile(own.path, day.size, day.sha256, is_new=False)

    def _decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        own, day = self._listed[file.name]
        try:
            records = self._reader(own).read(day, list(self._described.columns or {}))
        except OSError as error:
            raise OwnFileError(f"{own.name} cannot be read: {error.strerror or error}", where=str(own.path)) from None
        source = SourceFile(file.name, file.url, cached.size, file.last_modified, cached.sha256)
        return source, table_of(records, self._described, own)

    def _reader(self, file: OwnFile) -> TextFile | ParquetFile | CdfFile | BinaryFile:
        form = self._described.file_format
        if form in TEXT_FORMATS:
            return TextFile(self._described, file.path, file.name)
        if form == "parquet":
            return ParquetFile(self._described, file.path, file.name)
        if form == "cdf":
            self._cdf_tables = self._cdf_tables or CdfTables(self._readers.reader)
            return CdfFile(self._described, file.path, file.name, self._cdf_tables)
        return BinaryFile(self._described, file.path, file.name, self._readers.own_files)


def table_of(records: Records, described: OwnFileFields, file: OwnFile) -> Table:
    """The records as a table: fill values missing, in order of time, each time once.

    Raises
    ------
    OwnFileError
        Records of one time differ, and the description does not say which to take.
    """
    values = {name: _without_fill(records.values[name], each.fill) for name, each in (described.columns or {}).items()}
    order = np.argsort(records.time, kind="stable")
    time = records.time[order]
    repeats = np.flatnonzero(np.diff(time) == 0) + 1
    if len(repeats):
        _require_same(records, values, order, repeats, described, file)
        is_kept = np.ones(len(time), dtype=bool)
        is_kept[repeats - 1 if described.duplicates == "last" else repeats] = False
        order, time = order[is_kept], time[is_kept]
    columns = {name: column[order] for name, column in values.items()}
    return Table(time.astype("datetime64[ns]"), columns, described.table_meta)


def _require_same(
    records: Records,
    values: dict[str, np.ndarray],
    order: np.ndarray,
    repeats: np.ndarray,
    described: OwnFileFields,
    file: OwnFile,
) -> None:
    if described.duplicates in ("first", "last"):
        return
    one, other = order[repeats - 1], order[repeats]
    differs = np.zeros(len(repeats), dtype=bool)
    for column in values.values():
        differs |= ~((column[one] == column[other]) | (np.isnan(column[one]) & np.isnan(column[other])))
    if differs.any():
        place = int(differs.argmax())
        when = np.datetime_as_string(records.time[one[place]].astype("datetime64[ns]"), unit="ms")
        lines = sorted((int(records.lines[one[place]]), int(records.lines[other[place]])))
        where = f", lines {lines[0]} and {lines[1]}" if lines[0] else ""
        hint = "Remove one of them, or give `duplicates: first` (or last). Clocks in local time repeat an hour each autumn."
        raise OwnFileError(f"{file.name}{where}: two records of {when} differ", where=str(file.path), hint=hint)


def _without_fill(values: np.ndarray, fill: list[float]) -> np.ndarray:
    if not fill:
        return values
    return np.where(np.isin(values, fill), np.nan, values)


def _widened(span: TimeRange) -> TimeRange:
    return span.widened(MARGIN, MARGIN)
