"""What archives share whose files are listed, downloaded through the cache and decoded, each by its own requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Protocol, Self

from helio_dagster.archives.archive import Fetched, Listed, Report, SourceFile
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.window_fetch import FetchSteps, WindowFetch
from helio_dagster.archives.window_listing import list_windows
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange


class FileRequest(Protocol):
    """What is asked for by one fetch; see `FetchSteps`."""

    teller: Teller

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The files around a time range."""
        ...

    def obtain(self, file: ListedFile) -> CachedFile:
        """A file on this disk."""
        ...

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """A file's table, and the file it came from."""
        ...


class Connection(Protocol):
    """What an archive speaks to a server with."""

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        ...


class RemoteArchive(ABC):
    """An `Archive` over a server.

    Parameters
    ----------
    name
        As in pipelines and asset keys.
    connection
        Closed with the archive.
    cache
        The downloaded files.
    downloads, decoders
        How many files are downloaded, and decoded, at once.
    is_synthetic
        Marks all tables.
    """

    def __init__(
        self,
        name: str,
        connection: Connection,
        cache: FileCache,
        *,
        downloads: int,
        decoders: int,
        is_synthetic: bool = False,
    ) -> None:
        self._name, self._connection, self._cache = name, connection, cache
        self._downloads, self._decoders, self._is_synthetic = downloads, decoders, is_synthetic

    @property
    def name(self) -> str:
        """The archive's name in pipelines and asset keys."""
        return self._name

    @property
    def is_synthetic(self) -> bool:
        """Whether its data are made up; what a server gives is taken for measured unless it is known to be made up."""
        return self._is_synthetic

    def fetch(
        self,
        dataset: str,
        parameter: str,
        windows: Sequence[TimeRange],
        *,
        verify: bool = False,
        report: Report | None = None,
    ) -> Iterator[Fetched]:
        """Fetch a parameter for each window, in order; see `Archive.fetch`."""
        request = self._request(dataset, parameter, verify=verify, report=report)
        steps = FetchSteps(request.list_files, request.teller.expect, request.obtain, request.decode)
        fetch = WindowFetch(steps, downloads=self._downloads, decoders=self._decoders, synthetic=self._is_synthetic)
        return fetch.run(windows)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The files that make up each window now, in order; see `Archive.listed`."""
        return list_windows(self._request(dataset, "", verify=False, report=report).list_files, windows)

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a file is in the cache; see `Archive.is_at_hand`."""
        return self._cache.path(file.url, file.last_modified).exists()

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> FileRequest:
        """What a fetch asks for; without a parameter, for the listing alone."""
