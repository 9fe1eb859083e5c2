"""The archive of docs/add-an-archive.md: a folder on a web server for each dataset, a CSV file in it for each day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

from helio_dagster.archives.archive import Report, SourceFile
from helio_dagster.archives.file_steps import Teller, decode_or_mend
from helio_dagster.archives.files.cache import CachedFile, FileCache, archive_folder
from helio_dagster.archives.files.record_order import sorted_unique
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.remote_archive import RemoteArchive
from helio_dagster.archives.transfer.folder_page import Entry, read_folder_page
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.settings import Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.errors import ArchiveAnswerError, CorruptFile, UnknownDataset
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

NAME = "daily_csv"
_FILE = re.compile(r"(\d{8})\.csv")
_CHECK = "Check the address of the archive."
_FILL = -1e30


class CsvServer:
    """The web server: pages of folders, and downloads. Methods may be called from several threads at once."""

    def __init__(self, url: str, settings: TransferSettings) -> None:
        self.url, self.settings = url.rstrip("/"), settings
        self.transfer = HttpTransfer(f"{self.url}/", settings, check_url=_CHECK)

    def files(self, dataset: str, teller: Teller) -> list[Entry]:
        """The files of a dataset; UnknownDataset where there is no such folder, ArchiveError where nobody answers."""
        place = f"{self.url}/{dataset}/"

        def parse(reply: Reply) -> list[Entry]:
            if reply.status == 404:
                raise UnknownDataset(f"{NAME} has no dataset {dataset[:80]!r}", hint=_CHECK)
            if reply.status != 200 or not is_html(reply.body, reply.content_type):
                raise ArchiveAnswerError(f"not the page of a folder (status {reply.status})", where=place, hint=_CHECK)
            return read_folder_page(reply.body.decode("utf-8", "replace"), place, self.settings.most_listed)

        return self.transfer.get(place, parse, on_retry=teller.retried)

    def download(self, url: str, into: Path, teller: Teller) -> Received:
        """Write a file to a path; a web page in its place is refused."""

        def check_head(head: bytes) -> None:
            if is_html(head):
                raise TransferTrouble("sent a web page instead of a file")

        return self.transfer.download(url, into, length=None, check_head=check_head, on_retry=teller.retried)

    def close(self) -> None:
        """End waits and refuse further requests."""
        self.transfer.close()


@dataclass
class CsvRequest:
    """One fetch of a parameter; of the listing alone, where the parameter is empty."""

    server: CsvServer
    cache: FileCache
    dataset: str
    parameter: str
    verify: bool
    teller: Teller

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The files of the days around a range: each with its URL, what it covers, and the archive's own date."""
        found = []
        for entry in self.server.files(self.dataset, self.teller):
            if (match := _FILE.fullmatch(entry.name)) is None:
                continue
            day = datetime.strptime(match[1], "%Y%m%d").replace(tzinfo=UTC)
            if day < span.stop and span.start < day + timedelta(days=1):
                url = f"{self.server.url}/{self.dataset}/{entry.name}"
                found.append(ListedFile(url, entry.name, day, day + timedelta(days=1), None, entry.last_modified))
        return found

    def obtain(self, file: ListedFile) -> CachedFile:
        """The file in the cache, downloaded if it is not there with this date."""
        cached = self._get(file)
        self.teller.obtained(file, cached)
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The file as a table; one that cannot be read is downloaded once more, and then put aside."""
        return decode_or_mend(
            file,
            cached,
            decode=self._decoded,
            download=lambda each: self._get(each, afresh=True),
            cache=self.cache,
            teller=self.teller,
        )

    def _get(self, file: ListedFile, *, afresh: bool = False) -> CachedFile:
        def download(into: Path) -> Received:
            return self.server.download(file.url, into, self.teller)

        return self.cache.get(file.url, file.last_modified, file.length, download, verify=self.verify, afresh=afresh)

    def _decoded(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        try:  # what the file says is a stranger's: it is read strictly, in one place
            frame = pd.read_csv(cached.path, dtype=str)
            times = pd.to_datetime(frame["time"], format="ISO8601", utc=True).dt.tz_localize(None).to_numpy("datetime64[ns]")
            columns = {str(name): frame[name].astype(float).to_numpy(dtype=np.float64) for name in frame if name != "time"}
        except (ValueError, KeyError) as error:
            raise CorruptFile(f"{file.name} cannot be read: {error}", where=file.url, hint="Ask the archive.") from error
        if self.parameter not in columns:
            hint = f"It has {', '.join(columns)}."
            raise UnknownDataset(f"{self.dataset} has no parameter {self.parameter[:80]!r}", hint=hint)
        order = sorted_unique(times)
        values = columns[self.parameter][order]
        column = ColumnMeta(name=self.parameter, label=self.parameter, unit="nT")
        meta = TableMeta(kind="series", columns=(column,), label=self.parameter, unit="nT")
        table = Table(times[order], {self.parameter: np.where(values == _FILL, np.nan, values)}, meta)
        return SourceFile(file.name, file.url, cached.size, file.last_modified, cached.sha256), table


class DailyCsvArchive(RemoteArchive):
    """An `Archive` over a web server with a folder for each dataset and a CSV file for each day."""

    def __init__(self, cache_dir: Path, url: str, settings: TransferSettings) -> None:
        self._server = CsvServer(url, settings)
        cache = FileCache(archive_folder(cache_dir, NAME), lambda: self._server.transfer.is_closed)
        super().__init__(NAME, self._server, cache, downloads=settings.at_once, decoders=2)

    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> CsvRequest:
        return CsvRequest(self._server, self._cache, dataset, parameter, verify, Teller(dataset, report))
