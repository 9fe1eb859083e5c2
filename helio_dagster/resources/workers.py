"""The processes that decode files and run code for a workbench, started on first use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from helio_dagster.storage.settings import Settings

if TYPE_CHECKING:
    from helio_dagster.archives.cdf.reader import CdfReader
    from helio_dagster.archives.own.binary.reader import BinaryReader
    from helio_dagster.archives.pds.reader import ProductReader
    from helio_dagster.archives.spice.reader import EphemerisReader
    from helio_dagster.sandbox.sandbox import Sandbox

_MOST_READERS = 4


class Workers:
    """Processes for one workbench, or for several in turn: starting them takes longer than a small run.

    They keep no state between calls and none of a home, so results do not depend on what was made before.

    Parameters
    ----------
    settings
        How code is confined.
    """

    def __init__(self, settings: Settings) -> None:
        self._limits, self._allow_weak = settings.code_limits, settings.allow_weak_sandbox
        self.cores = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        self._reader: CdfReader | None = None
        self._own_files: BinaryReader | None = None
        self._ephemerides: EphemerisReader | None = None
        self._products: ProductReader | None = None
        self._sandbox: Sandbox | None = None
        self._differing: tuple[Sandbox, Sandbox] | None = None

    @property
    def reader(self) -> CdfReader:
        """Decodes CDF files."""
        if self._reader is None:
            from helio_dagster.archives.cdf.reader import CdfReader

            self._reader = CdfReader(workers=min(self.cores, _MOST_READERS))
        return self._reader

    @property
    def own_files(self) -> BinaryReader:
        """Decodes binary files of one's own; its process starts with the first call."""
        if self._own_files is None:
            from helio_dagster.archives.own.binary.reader import BinaryReader

            self._own_files = BinaryReader()
        return self._own_files

    @property
    def ephemerides(self) -> EphemerisReader:
        """Evaluates SPICE kernels; its process starts with the first call."""
        if self._ephemerides is None:
            from helio_dagster.archives.spice.reader import EphemerisReader

            self._ephemerides = EphemerisReader()
        return self._ephemerides

    @property
    def products(self) -> ProductReader:
        """Reads products of the PDS; its processes start with the first call."""
        if self._products is None:
            from helio_dagster.archives.pds.reader import ProductReader

            self._products = ProductReader(workers=min(self.cores, 2))
        return self._products

    @property
    def sandbox(self) -> Sandbox:
        """Runs the code of steps; its worker starts with the first call."""
        if self._sandbox is None:
            from helio_dagster.sandbox.sandbox import Sandbox
            from helio_dagster.sandbox.static_check import check_code

            self._sandbox = Sandbox(self._limits, allow_weak=self._allow_weak, check_code=check_code)
        return self._sandbox

    @property
    def differing(self) -> tuple[Sandbox, Sandbox]:
        """Runs code that is new to a home twice more; the workers start with the first call."""
        if self._differing is None:
            from helio_dagster.sandbox.determinism import differing_sandboxes
            from helio_dagster.sandbox.static_check import check_code

            self._differing = differing_sandboxes(self._limits, allow_weak=self._allow_weak, check_code=check_code)
        return self._differing

    def close(self) -> None:
        """Stop all workers; the next use starts new ones."""
        for each in (self._reader, self._own_files, self._ephemerides, self._products, self._sandbox, *(self._differing or ())):
            if each is not None:
                each.close()
        self._reader = self._own_files = self._ephemerides = self._products = self._sandbox = self._differing = None


def keep_workers(settings: Settings) -> Workers:
    """One set of workers for all runs of a home that Dagster starts in this process from now on, until it ends."""
    if not _kept:
        _kept.append(Workers(settings))
    return _kept[0]


def kept_workers() -> Workers | None:
    """The workers that this process keeps from run to run; None where each run has its own."""
    return _kept[0] if _kept else None


# What a process that does many runs holds between them: starting these takes longer than a small run.
_kept: list[Workers] = []
