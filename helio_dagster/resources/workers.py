"""The processes that decode files, run code and draw pictures for a workbench: started when first used. They know no home."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from helio_dagster.storage.settings import Settings

if TYPE_CHECKING:
    from helio_dagster.archives.cdf.reader import CdfReader
    from helio_dagster.figures.rendering import PngRenderer
    from helio_dagster.sandbox.sandbox import Sandbox

_MOST_READERS = 4


class Workers:
    """Processes for one workbench, or for several one after the other: starting them takes longer than a small run.

    They hold nothing of a home and remember nothing of what they did, so what is made does not depend on who made what before.

    Parameters
    ----------
    settings
        How code is confined.
    """

    def __init__(self, settings: Settings) -> None:
        self._limits, self._allow_weak = settings.code_limits, settings.allow_weak_sandbox
        self.cores = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        self._reader: CdfReader | None = None
        self._renderer: PngRenderer | None = None
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
    def renderer(self) -> PngRenderer:
        """Makes pictures, where a browser is found."""
        if self._renderer is None:
            from helio_dagster.figures.rendering import PngRenderer

            self._renderer = PngRenderer()
        return self._renderer

    @property
    def sandbox(self) -> Sandbox:
        """Where the code of steps runs; its worker starts with the first call."""
        if self._sandbox is None:
            from helio_dagster.sandbox.sandbox import Sandbox
            from helio_dagster.sandbox.static_check import check_code

            self._sandbox = Sandbox(self._limits, allow_weak=self._allow_weak, check_code=check_code)
        return self._sandbox

    @property
    def differing(self) -> tuple[Sandbox, Sandbox]:
        """Where code that is new to a home is run twice more; their workers start with the first call."""
        if self._differing is None:
            from helio_dagster.sandbox.determinism import differing_sandboxes
            from helio_dagster.sandbox.static_check import check_code

            self._differing = differing_sandboxes(self._limits, allow_weak=self._allow_weak, check_code=check_code)
        return self._differing

    def close(self) -> None:
        """End all of them; the next use starts new ones."""
        for each in (self._reader, self._renderer, self._sandbox, *(self._differing or ())):
            if each is not None:
                each.close()
        self._reader = self._renderer = self._sandbox = self._differing = None
