"""Kernels of the registry's servers: listed once for each fetch, downloaded into the cache."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from helio_dagster.archives.files.cache import CachedFile, FileCache, archive_folder
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.spice.directory import KernelDirectory
from helio_dagster.archives.spice.messages import BINARY, KernelKind
from helio_dagster.archives.spice.registry import KernelSource, ListedKernel, sources
from helio_dagster.archives.spice.selection import with_stops
from helio_dagster.archives.transfer.settings import OnRetry, Received, TransferSettings
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import ArchiveAnswerError

_TEXTS: Mapping[KernelKind, str] = {"lsk": "leap seconds", "pck": "constants", "fk": "frames", "sclk": "a spacecraft's clock"}
"""What text kernels hold."""


class RemoteKernels:
    """Kernels of missions, from the servers that publish them, or from a mirror of those.

    Parameters
    ----------
    cache_dir
        Folder of the downloaded files of all archives.
    mirror
        URL of a server that holds each of the others as a folder (`<mirror>/naif.jpl.nasa.gov/pub/…`); without one they are
        asked themselves. Kernels are recorded and cached under their own URL either way.
    settings
        Limits of transfers.
    """

    def __init__(self, cache_dir: Path, *, mirror: str = "", settings: TransferSettings | None = None) -> None:
        self._mirror, self._settings = mirror.rstrip("/"), settings
        self._cache = FileCache(archive_folder(cache_dir, SPICE_ARCHIVE), lambda: self._is_closed)
        self._servers: dict[str, KernelDirectory] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def sources(self) -> tuple[KernelSource, ...]:
        """What the registry says of them."""
        return sources("kernels")

    def list_kernels(
        self, source: KernelSource, bodies: tuple[str, ...], on_retry: OnRetry | None = None
    ) -> list[ListedKernel]:
        """The kernels of a source that serve these bodies now, in order of start.

        Raises
        ------
        ArchiveError
            The folder cannot be listed.
        """
        place = self._place(source.folder)
        found = []
        for entry in self._server(place).entries(place, on_retry):
            span = source.span(entry.name, bodies)
            if span is not None:
                file = ListedFile(f"{source.folder}{entry.name}", entry.name, *span, None, entry.last_modified)
                found.append(source.kernel(file))
        if not found and source.kind not in BINARY:
            hint = "The archive may have renamed its files."
            held = _TEXTS.get(source.kind, source.kind)
            raise ArchiveAnswerError(f"{place} holds no kernel of {held}", where=place, hint=hint)
        return with_stops(found)

    def obtain(self, file: ListedFile, *, verify: bool = False, on_retry: OnRetry | None = None) -> CachedFile:
        """The kernel on this disk, downloaded unless it is there.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be downloaded, or cannot be stored.
        """
        place = self._place(file.url)

        def download(into: Path) -> Received:
            return self._server(place).download(place, into, on_retry)

        return self._cache.get(file.url, file.last_modified, None, download, verify=verify)

    def put_aside(self, cached: CachedFile) -> Path:
        """Keep a damaged kernel for inspection, so that it is fetched again."""
        return self._cache.quarantine(cached)

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a kernel is in the cache."""
        return self._cache.path(file.url, file.last_modified).exists()

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        with self._lock:
            self._is_closed = True
            servers = list(self._servers.values())
        for server in servers:
            server.close()

    def _place(self, url: str) -> str:
        """Where a URL is asked for: at the mirror, if there is one."""
        parts = urlsplit(url)
        return f"{self._mirror}/{parts.netloc}{parts.path}" if self._mirror else url

    def _server(self, place: str) -> KernelDirectory:
        parts = urlsplit(place)
        host = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            if host not in self._servers:
                self._servers[host] = KernelDirectory(host, self._settings)
            return self._servers[host]
