"""What one fetch from a HAPI server does with a range or a chunk: list, download through the cache, decode, report."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from helio_dagster.archives.archive import SourceFile
from helio_dagster.archives.file_steps import Teller, decode_or_mend
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.hapi.chunks import chunk_grain, chunks, dataset_span
from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.hapi.isotime import format_isotime
from helio_dagster.archives.hapi.messages import Info, printable
from helio_dagster.archives.hapi.tables import check_fetchable, read_answer
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_DURATIONS = {timedelta(hours=1): ("%Y%m%dT%H", "PT1H"), timedelta(days=1): ("%Y%m%d", "P1D")}
_MONTH = ("%Y%m", "P1M")
_INSIDE = timedelta(milliseconds=1)  # a stop that is not midnight is listed as inclusive


@dataclass
class HapiRequest:
    """A dataset's parameter, asked for by one fetch; without a parameter for its listing alone.

    `now` is what time it is; `verify` verifies every cached chunk again, and requests again those of a dataset without date.
    """

    client: HapiClient
    cache: FileCache
    archive: str
    dataset: str
    parameter: str
    now: datetime
    verify: bool
    teller: Teller
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _info: Info | None = None

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The chunks around a time range, dated as the server dates the dataset.

        Raises
        ------
        UnknownDataset
            The server has no such dataset or parameter.
        ArchiveError
            The description cannot be fetched.
        """
        info = self.info
        held = dataset_span(info, f"{self.archive}/{self.dataset}")
        return [self._listed(chunk, info, held) for chunk in chunks(chunk_grain(info), span, held, self.now)]

    def obtain(self, file: ListedFile) -> CachedFile:
        """The chunk on this disk, downloaded unless it is there.

        Raises
        ------
        ArchiveError, StorageError, UnknownDataset
            It cannot be downloaded, or cannot be stored.
        """
        cached = self._get(file, afresh=self.verify and not self.info.modified)
        self.teller.obtained(file, cached)
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The chunk's table; a corrupt one is put aside and downloaded once more.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be decoded, had or kept.
        """
        return decode_or_mend(file, cached, decode=self._decode, download=self._get, cache=self.cache, teller=self.teller)

    @property
    def info(self) -> Info:
        """The dataset's description, asked for once."""
        with self._lock:
            if self._info is None:
                info = self.client.info(self.dataset, on_retry=self.teller.retried)
                if self.parameter:
                    wanted = info.parameter(self.parameter)
                    if wanted is None:
                        raise self.client.unknown_parameter(self.parameter, self.dataset, info)
                    check_fetchable(wanted)
                self._info = info
            return self._info

    def _listed(self, chunk: TimeRange, info: Info, held: tuple[datetime, datetime]) -> ListedFile:
        form, length = _DURATIONS.get(chunk.duration, _MONTH)
        is_part = chunk.duration < timedelta(hours=1)
        if is_part:
            form, length = "%Y%m%dT%H", f"PT{chunk.duration // timedelta(minutes=1)}M"
        name = f"{re.sub(r'[^A-Za-z0-9.@+-]', '_', self.dataset)}_{chunk.start.strftime(form)}_{length}.hapi"
        asked = TimeRange(max(chunk.start, held[0]), chunk.stop)
        names = [each.name for each in info.with_bins(self.parameter)] if self.parameter else []
        url = self.client.data_url(self.dataset, names, asked, on_retry=self.teller.retried)
        date = printable(info.modified)
        if held[1] < chunk.stop - timedelta(seconds=1):
            date = f"{date} until {format_isotime(held[1])}".strip()
        stop = chunk.stop - _INSIDE if is_part or length == "PT1H" else chunk.stop
        return ListedFile(url, name, chunk.start, stop, None, date)

    def _get(self, file: ListedFile, *, afresh: bool = False) -> CachedFile:
        def download(into: Path) -> Received:
            return self.client.download(file.url, into, on_retry=self.teller.retried)

        return self.cache.get(file.url, file.last_modified, None, download, verify=self.verify, afresh=afresh)

    def _decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        is_binary = parse_qs(urlsplit(file.url).query).get("format") == ["binary"]
        try:
            table = read_answer(cached.path.read_bytes(), self.parameter, info=self.info, is_binary=is_binary)
        except CorruptFile as error:
            raise CorruptFile(f"{file.name}: {error.problem}", where=file.url, hint=error.hint) from error
        source = SourceFile(file.name, file.url, cached.size, file.last_modified, cached.sha256)
        chunk = TimeRange(file.start, file.stop + _INSIDE if file.stop.microsecond else file.stop)
        start, stop = chunk.bounds_ns()
        is_near = (table.time >= start - (stop - start)) & (table.time < stop + (stop - start))
        if len(table) and not is_near.any():
            raise CorruptFile(
                f"{file.name}: the archive was asked for {chunk} and sent records of {table.time[0]} to {table.time[-1]}",
                where=file.url,
                hint="Tell the archive.",
            )
        return source, table.clip(chunk)
