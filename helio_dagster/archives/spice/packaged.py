"""The demo archive's kernels, which ship with the package: listed and had like those of a server."""

from __future__ import annotations

import hashlib
from pathlib import Path

from helio_dagster.archives.files.cache import CachedFile
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.spice.registry import KernelSource, ListedKernel, sources
from helio_dagster.archives.spice.selection import with_stops
from helio_dagster.archives.transfer.settings import OnRetry

_DATE = "2026-11-24T00:00:00.000Z"
"""LastModified of every kernel. Whoever writes them anew must change this too: partitions go by it."""


class PackagedKernels:
    """Kernels in a folder of this disk, which stay where they are.

    Parameters
    ----------
    folder
        Holds the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._had: dict[str, CachedFile] = {}

    @property
    def sources(self) -> tuple[KernelSource, ...]:
        """What the registry says of them."""
        return sources("demo")

    def list_kernels(
        self, source: KernelSource, bodies: tuple[str, ...], on_retry: OnRetry | None = None
    ) -> list[ListedKernel]:
        """The kernels of a source that serve these bodies, in order of name."""
        del on_retry
        found = []
        for path in sorted(self._folder.iterdir()):
            span = source.span(path.name, bodies)
            if span is not None:
                file = ListedFile(f"demo:/kernels/{path.name}", path.name, *span, path.stat().st_size, _DATE)
                found.append(source.kernel(file))
        return with_stops(found)

    def obtain(self, file: ListedFile, *, verify: bool = False, on_retry: OnRetry | None = None) -> CachedFile:
        """The file where it is, hashed once."""
        del verify, on_retry
        if file.name not in self._had:
            path = self._folder / file.name
            content = path.read_bytes()
            self._had[file.name] = CachedFile(path, len(content), hashlib.sha256(content).hexdigest(), is_new=False)
        return self._had[file.name]

    def put_aside(self, cached: CachedFile) -> Path:
        """Nothing: what ships with the package is not replaced."""
        return cached.path

    def is_at_hand(self, file: ListedFile) -> bool:
        """True."""
        return (self._folder / file.name).is_file()

    def close(self) -> None:
        """Nothing is open."""
