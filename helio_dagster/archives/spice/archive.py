"""An `Archive` of ephemerides: kernels listed, chosen for each window, fetched, and evaluated in the worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from helio_dagster.archives.archive import Fetched, Listed, Report, SourceFile
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import CachedFile
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.spice.messages import BINARY, OF_ATTITUDES, OF_PLACES, Kernel
from helio_dagster.archives.spice.reader import DamagedKernel, EphemerisReader, NotCovered
from helio_dagster.archives.spice.registry import KernelSource, ListedKernel
from helio_dagster.archives.spice.selection import kernels_for
from helio_dagster.archives.transfer.settings import OnRetry
from helio_dagster.domain.bodies import Body
from helio_dagster.domain.ephemeris import Ephemeris, bodies_of_dataset, ephemeris_of_names, is_attitude
from helio_dagster.domain.errors import CorruptFile, HelioError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_DOWNLOADS = 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Kernels(Protocol):
    """Where kernels are had from. Methods may be called from several threads at once."""

    @property
    def sources(self) -> tuple[KernelSource, ...]:
        """What the registry says of them."""
        ...

    def list_kernels(
        self, source: KernelSource, bodies: tuple[str, ...], on_retry: OnRetry | None = None
    ) -> list[ListedKernel]:
        """The kernels of a source that serve these bodies now; ArchiveError if they cannot be listed."""
        ...

    def obtain(self, file: ListedFile, *, verify: bool = False, on_retry: OnRetry | None = None) -> CachedFile:
        """The kernel on this disk; ArchiveError or StorageError if it cannot be downloaded or stored."""
        ...

    def put_aside(self, cached: CachedFile) -> Path:
        """Keep a damaged kernel for inspection, so that it is fetched again."""
        ...

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a kernel need not be downloaded."""
        ...

    def close(self) -> None:
        """Give back connections."""
        ...


@dataclass(frozen=True)
class _Asked:
    """The kernels that serve each body, and those that serve all, as listed now."""

    by_source: tuple[tuple[KernelSource, tuple[ListedKernel, ...]], ...]
    bodies: tuple[Body, ...]

    def for_window(self, window: TimeRange) -> list[ListedKernel]:
        """Those that a window is made from, in order of loading: general ones first."""
        groups = [[kernel for source, found in self.by_source if "*" in source.bodies for kernel in found]]
        groups += [
            [kernel for source, found in self.by_source if body.name in source.bodies for kernel in found]
            for body in self.bodies
        ]
        chosen = [kernel for group in groups for kernel in kernels_for(group, window)]
        return list(dict.fromkeys(chosen))

    def starts_after(self, window: TimeRange) -> bool:
        """Whether a body's first kernel begins only after the window: it was not there yet, and nothing is missing."""
        for body in self.bodies:
            own = [
                kernel.file
                for source, found in self.by_source
                if body.name in source.bodies and source.kind in BINARY
                for kernel in found
            ]
            is_early = body.start is not None and window.stop <= body.start
            if is_early and all(file.start >= window.stop for file in own):
                return True
        return False


class SpiceArchive:
    """Where bodies are, were and will be, by the kernels of their missions.

    Parameters
    ----------
    name
        As in pipelines and asset keys.
    kernels
        Where they are had from; closed here.
    reader
        Evaluates them; not closed here.
    is_synthetic
        Whether the orbits are made up.
    """

    def __init__(self, name: str, kernels: Kernels, reader: EphemerisReader, *, is_synthetic: bool = False) -> None:
        self._name, self._kernels, self._reader, self._is_synthetic = name, kernels, reader, is_synthetic

    @property
    def name(self) -> str:
        """The archive's name in pipelines and asset keys."""
        return self._name

    @property
    def is_synthetic(self) -> bool:
        """Whether its orbits are made up."""
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
        """Evaluate an ephemeris for each window, in order; see `Archive.fetch`.

        A window before the launch is empty. One that the kernels do not cover fails, and its error says how far they reach.
        """
        asked = ephemeris_of_names(self._name, dataset, parameter)
        teller = Teller(dataset, report)
        for listed, kernels in self._listed(dataset, windows, teller):
            if listed.error is not None:
                yield Fetched(listed.window, None, (), listed.error)
                continue
            try:
                yield self._evaluated(asked, listed, kernels, teller, verify=verify)
            except HelioError as error:
                yield Fetched(listed.window, None, (), error)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The kernels that each window is made from now; see `Archive.listed`."""
        return (listed for listed, _ in self._listed(dataset, windows, Teller(dataset, report)))

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a kernel is in the cache; see `Archive.is_at_hand`."""
        return self._kernels.is_at_hand(file)

    def close(self) -> None:
        """Give back connections."""
        self._kernels.close()

    def _listed(
        self, dataset: str, windows: Sequence[TimeRange], teller: Teller
    ) -> Iterator[tuple[Listed, list[ListedKernel]]]:
        bodies = bodies_of_dataset(self._name, dataset)
        names = tuple(body.name for body in bodies)
        kinds = OF_ATTITUDES if is_attitude(dataset) else OF_PLACES
        try:
            asked = _Asked(
                tuple(
                    (source, tuple(self._kernels.list_kernels(source, names, teller.retried)))
                    for source in self._kernels.sources
                    if source.kind in kinds and source.serves(names)
                ),
                bodies,
            )
        except HelioError as error:
            for window in windows:
                yield Listed(window, (), error), []
            return
        for window in windows:
            kernels = [] if asked.starts_after(window) else asked.for_window(window)
            yield Listed(window, tuple(kernel.file for kernel in kernels), None), kernels

    def _evaluated(
        self, asked: Ephemeris, listed: Listed, kernels: Sequence[ListedKernel], teller: Teller, *, verify: bool
    ) -> Fetched:
        if not kernels:
            return Fetched(listed.window, Table.empty(asked.meta), (), None, listed.revision)
        _check_grid(asked, listed.window)

        def obtain(kernel: ListedKernel) -> CachedFile:
            return self._kernels.obtain(kernel.file, verify=verify, on_retry=teller.retried)

        with ThreadPoolExecutor(_DOWNLOADS, "helio-kernels") as pool:
            obtained = list(pool.map(obtain, kernels))
        for kernel, cached in zip(kernels, obtained, strict=True):
            teller.obtained(kernel.file, cached)
        try:
            table = self._reader.evaluate(asked, _on_disk(kernels, obtained), listed.window)
        except DamagedKernel as damaged:
            obtained = self._mended(damaged, kernels, obtained, teller)
            table = self._reader.evaluate(asked, _on_disk(kernels, obtained), listed.window)
        used = [
            SourceFile(kernel.file.name, kernel.file.url, cached.size, kernel.file.last_modified, cached.sha256)
            for kernel, cached in zip(kernels, obtained, strict=True)
        ]
        return Fetched(listed.window, table, tuple(used), None, listed.revision)

    def _mended(
        self, damaged: DamagedKernel, kernels: Sequence[ListedKernel], obtained: list[CachedFile], teller: Teller
    ) -> list[CachedFile]:
        """The kernels, the damaged one fetched afresh; the same error where it comes the same."""
        place = next((number for number, cached in enumerate(obtained) if str(cached.path) == damaged.path), None)
        if place is None:
            raise damaged
        first, file = obtained[place], kernels[place].file
        aside = self._kernels.put_aside(first)
        again = self._kernels.obtain(file, on_retry=teller.retried)
        if again.sha256 == first.sha256:
            hint = f"It is kept as {aside} for inspection. Run the same command again once the archive has fixed it."
            raise CorruptFile(damaged.problem, where=file.url, hint=hint) from damaged
        return [*obtained[:place], again, *obtained[place + 1 :]]


def _on_disk(kernels: Sequence[ListedKernel], obtained: Sequence[CachedFile]) -> list[Kernel]:
    return [
        Kernel(path=str(cached.path), name=kernel.file.name, kind=kernel.kind, quality=kernel.quality)
        for kernel, cached in zip(kernels, obtained, strict=True)
    ]


def _check_grid(asked: Ephemeris, window: TimeRange) -> None:
    """Refuse a window in which no sample falls: it would look empty, and nothing is missing."""
    if asked.cadence > window.duration and (window.start - _EPOCH) % asked.cadence:
        hint = "Use longer partitions, or a cadence that fits into one."
        raise NotCovered(f"no position falls into {window}: the cadence is longer than the partition", hint=hint)
