"""The parts that make assets: store, archives, figures. Built when first used, closed together; decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from helio_dagster.archives.archive import Archive
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import HAPI_PREFIX
from helio_dagster.figures.rendering import PngRenderer
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.home import Settings
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.sandbox.sandbox import Sandbox

ARCHIVES = ("cdaweb", "demo", "hapi:<server>")
_T = TypeVar("_T")


def utc_now() -> datetime:
    """The clock of a real run."""
    return datetime.now(UTC)


class Workbench:
    """One home's parts for the length of a run.

    Parameters
    ----------
    settings
        Where the home lies and where the archive is asked.
    clock
        What time it is; partitions that are not over by then do not exist.
    transfers
        How patient archives are asked.
    lender
        Whose sandboxes are used instead of own ones, and stay open: starting one takes longer than most code.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime] = utc_now,
        transfers: TransferSettings | None = None,
        lender: Workbench | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.transfers = transfers
        self._lender = lender
        self.progress: Callable[..., None] | None = None
        self.cores = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        self._archives: dict[str, Archive] = {}
        self._built: dict[str, object] = {}
        self._held = ExitStack()

    @cached_property
    def store(self) -> TableStore:
        """Tables at rest."""
        return TableStore(self.settings.data)

    @cached_property
    def tables(self) -> TableCache:
        """Tables in memory."""
        return TableCache(self.store)

    @cached_property
    def figures(self) -> FigureFiles:
        """Figures at rest."""
        return FigureFiles(self.settings.figures)

    @cached_property
    def renderer(self) -> PngRenderer:
        """Pictures, where a browser is found."""
        return PngRenderer()

    @cached_property
    def reader(self) -> CdfReader:
        """CDF decoding in worker processes."""
        return CdfReader(workers=min(self.cores, 4))

    @cached_property
    def sandbox(self) -> Sandbox:
        """Where the code of steps runs; its worker starts with the first call."""
        if self._lender is not None:
            return self._lender.sandbox
        from helio_dagster.sandbox.sandbox import Sandbox
        from helio_dagster.sandbox.static_check import check_code

        settings = self.settings
        return Sandbox(settings.code_limits, allow_weak=settings.allow_weak_sandbox, check_code=check_code)

    @cached_property
    def differing(self) -> tuple[Sandbox, Sandbox]:
        """Where code that is new to the home is run twice more; their workers start with the first call."""
        if self._lender is not None:
            return self._lender.differing
        from helio_dagster.sandbox.determinism import differing_sandboxes
        from helio_dagster.sandbox.static_check import check_code

        settings = self.settings
        return differing_sandboxes(settings.code_limits, allow_weak=settings.allow_weak_sandbox, check_code=check_code)

    def archive(self, name: str) -> Archive:
        """The archive of this name.

        Raises
        ------
        InputError
            There is none.
        """
        if name not in self._archives:
            self._archives[name] = self._open(name)
        return self._archives[name]

    def occupy(self) -> None:
        """Hold the home until `close`, so that nobody tidies it up meanwhile."""
        self.once("occupied", lambda: self._held.enter_context(occupied(self.settings.home)))

    def once(self, key: str, build: Callable[[], _T]) -> _T:
        """What `build` made at the first call for this key."""
        if key not in self._built:
            self._built[key] = build()
        return cast(_T, self._built[key])

    def close(self) -> None:
        """Stop worker processes, servers and connections."""
        for archive in self._archives.values():
            archive.close()
        self._archives.clear()
        own = [self.__dict__.pop(name) for name in ("reader", "renderer") if name in self.__dict__]
        sandboxes = [*self.__dict__.pop("differing", ()), *filter(None, [self.__dict__.pop("sandbox", None)])]
        for each in [*own, *(sandboxes if self._lender is None else [])]:
            each.close()
        self._built.pop("occupied", None)
        self._held.close()

    def _open(self, name: str) -> Archive:
        if name == "cdaweb":
            return CdasArchive(self.settings.cdaweb_url, self.settings.cache, self.reader, settings=self.transfers)
        if name == "demo":
            from helio_dagster.archives.demo.archive import DemoArchive

            return DemoArchive(self.settings.cache, self.reader)
        if name.startswith(HAPI_PREFIX):
            from helio_dagster.archives.hapi.archive import HapiArchive

            return HapiArchive(name, self.settings.cache, clock=self.clock, settings=self.transfers)
        raise InputError(f"there is no archive {name!r}", hint=f"Known are {', '.join(ARCHIVES)}.")
