"""What one fetch from a CDAS service does with a range or a file: list, download through the cache, decode, report."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from helio_dagster.archives.archive import FetchProgress, Report, SourceFile, TableReader
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.transfer.settings import Received, Retry
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, CorruptFile, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_MARGIN = timedelta(minutes=1)  # listed on both sides: servers differ on whether a file that touches an edge overlaps


@dataclass
class CdasRequest:
    """A dataset's parameter, asked for by one fetch. Its methods are called from several threads.

    `public_url` gives the URL under which a file is recorded and cached; `verify` verifies every file again.
    """

    client: CdasClient
    cache: FileCache
    reader: TableReader
    public_url: Callable[[str], str]
    archive: str
    is_synthetic: bool
    dataset: str
    parameter: str
    verify: bool
    report: Report | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _reporting: threading.Lock = field(default_factory=threading.Lock)
    _variables: set[str] | None = None
    _done: int = 0
    _total: int = 0

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """Files around a time range.

        Raises
        ------
        UnknownDataset
            The archive has no such dataset.
        ArchiveError
            The listing cannot be had.
        """
        return self.client.files(self.dataset, span.start - _MARGIN, span.stop + _MARGIN, on_retry=self._retried)

    def expect(self, span: TimeRange, files: int) -> None:
        """Note that so many more files will be obtained."""
        self._total += files
        self._tell(FetchProgress("listed", self.dataset, detail=f"{span}: {files} files"))

    def obtain(self, file: ListedFile) -> CachedFile:
        """The file on this disk, downloaded unless it is there.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be had, or not kept.
        """
        if not file.name.lower().endswith(".cdf"):
            raise ArchiveAnswerError(
                f"{file.name} is not a CDF file, and no other format can be read",
                where=file.url,
                hint="Choose another dataset: `helio catalog search` offers them.",
            )

        cached = self._cached(file)
        self._tell(FetchProgress("downloaded" if cached.is_new else "cached", file.name, size=cached.size))
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The file's table; a corrupt file is put aside and downloaded once more.

        Raises
        ------
        UnknownDataset
            Neither the file nor the archive's list of the dataset's variables has the parameter.
        ArchiveError, StorageError
            The file cannot be decoded, had or kept.
        """
        try:
            return self._decode(file, cached)
        except CorruptFile as error:
            first = error
        aside = self.cache.quarantine(cached)
        self._tell(FetchProgress("quarantined", file.name, size=cached.size, detail=first.problem))
        again = self._cached(file)
        try:
            if again.sha256 == cached.sha256:
                raise first
            return self._decode(file, again)
        except CorruptFile as error:
            self.cache.quarantine(again)
            raise CorruptFile(
                f"{file.name} cannot be decoded, downloaded afresh neither: {error.problem}",
                where=file.url,
                hint=f"It is kept as {aside} for inspection. Run the same command again once the archive has mended it.",
            ) from error

    def _decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        try:
            table = self.reader.read(cached.path, self.parameter, synthetic=self.is_synthetic)
        except UnknownDataset as error:
            if not self._is_listed_variable():
                raise UnknownDataset(error.problem, where=f"{self.archive}/{self.dataset}", hint=error.hint) from error
            raise ArchiveAnswerError(
                f"{file.name} has no {self.parameter}, which other files of the dataset have", where=file.url, hint=error.hint
            ) from error
        source = SourceFile(file.name, self.public_url(file.url), cached.size, file.last_modified, cached.sha256)
        return source, table

    def _cached(self, file: ListedFile) -> CachedFile:
        def download(into: Path) -> Received:
            return self.client.download(file, into, on_retry=self._retried)

        return self.cache.get(self.public_url(file.url), file.last_modified, file.length, download, verify=self.verify)

    def _is_listed_variable(self) -> bool:
        with self._lock:
            if self._variables is None:
                try:
                    listed = self.client.variables(self.dataset, on_retry=self._retried)
                except ArchiveError:
                    listed = []  # the file's own word is all there is
                self._variables = {variable.name for variable in listed}
            return self.parameter in self._variables

    def _retried(self, retry: Retry) -> None:
        detail = f"{retry.cause}; try {retry.attempt} of {retry.tries}, next in {retry.wait_s:.1f} s"
        self._tell(FetchProgress("retry", retry.url, detail=detail))

    def _tell(self, progress: FetchProgress) -> None:
        if self.report is None:
            return
        with self._reporting:
            if progress.event in ("downloaded", "cached"):
                self._done += 1
            self.report(replace(progress, done=self._done, total=self._total))
