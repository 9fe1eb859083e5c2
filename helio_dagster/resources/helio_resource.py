"""The Dagster resource that opens a home's workbench for a run and closes it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from pydantic import Field

from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.home import CDAWEB_URL, Settings


class HelioResource(dg.ConfigurableResource[Workbench]):
    """Where a home lies and which archive service is asked."""

    home: str = Field(description="Folder that holds data, cache and figures")
    pipelines: str = Field(default="pipelines", description="Folder of pipeline files")
    cdaweb_url: str = Field(default=CDAWEB_URL, description="Base of the CDAS service, up to and with sp_phys/")

    @classmethod
    def from_settings(cls, settings: Settings) -> HelioResource:
        """The resource of these settings."""
        return cls(home=str(settings.home), pipelines=str(settings.pipelines), cdaweb_url=settings.cdaweb_url)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Workbench]:  # noqa: ARG002 - Dagster's signature
        """The workbench for the length of a run or step."""
        settings = Settings(Path(self.home), Path(self.pipelines), self.cdaweb_url)
        workbench = Workbench(settings)
        try:
            yield workbench
        finally:
            workbench.close()
