"""What fetches of all archives do alike: report progress, fetch a corrupt file again once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from helio_dagster.archives.archive import FetchProgress, Report, SourceFile
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.transfer.settings import Retry
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

Decode = Callable[[ListedFile, CachedFile], tuple[SourceFile, Table]]


@dataclass
class Teller:
    """Tells one listener of one fetch's progress, by one thread at a time."""

    dataset: str
    report: Report | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _done: int = 0
    _total: int = 0

    def expect(self, span: TimeRange, files: int) -> None:
        """Note that so many more files will be obtained."""
        self._total += files
        self.tell(FetchProgress("listed", self.dataset, detail=f"{span}: {files} files"))

    def obtained(self, file: ListedFile, cached: CachedFile) -> None:
        """A file is in the cache."""
        self.tell(FetchProgress("downloaded" if cached.is_new else "cached", file.name, size=cached.size))

    def retried(self, retry: Retry) -> None:
        """A try failed."""
        detail = f"{retry.cause}; try {retry.attempt} of {retry.tries}, next in {retry.wait_s:.1f} s"
        self.tell(FetchProgress("retry", retry.url, detail=detail))

    def tell(self, progress: FetchProgress) -> None:
        """Pass on, with how far the fetch is."""
        if self.report is None:
            return
        with self._lock:
            if progress.event in ("downloaded", "cached"):
                self._done += 1
            self.report(replace(progress, done=self._done, total=self._total))


def decode_or_mend(
    file: ListedFile,
    cached: CachedFile,
    *,
    decode: Decode,
    download: Callable[[ListedFile], CachedFile],
    cache: FileCache,
    teller: Teller,
) -> tuple[SourceFile, Table]:
    """A file's table; a corrupt file is put aside and downloaded once more.

    Raises
    ------
    CorruptFile
        What came afresh is the same, or corrupt as well.
    HelioError
        As `decode` and `download` raise.
    """
    try:
        return decode(file, cached)
    except CorruptFile as error:
        first = error
    aside = cache.quarantine(cached)
    teller.tell(FetchProgress("quarantined", file.name, size=cached.size, detail=first.problem))
    again = download(file)
    try:
        if again.sha256 == cached.sha256:
            raise first
        return decode(file, again)
    except CorruptFile as error:
        cache.quarantine(again)
        raise CorruptFile(
            f"{file.name} cannot be decoded, downloaded afresh neither: {error.problem}",
            where=file.url,
            hint=f"It is kept as {aside} for inspection. Run the same command again once the archive has fixed it.",
        ) from error
