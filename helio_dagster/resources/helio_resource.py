"""The Dagster resource that opens a home's workbench for a run and closes it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
from pydantic import Field

from helio_dagster.resources.workbench import Workbench
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.storage.home import CDAWEB_URL, Settings


class HelioResource(dg.ConfigurableResource[Workbench]):
    """Where a home lies and which archive service is asked."""

    home: str = Field(description="Folder that holds data, cache and figures")
    pipelines: str = Field(default="pipelines", description="Folder of pipeline files")
    cdaweb_url: str = Field(default=CDAWEB_URL, description="Base of the CDAS service, up to and with sp_phys/")
    code_limits: dict[str, float] = Field(default={}, description="Limits of a step's code where they are not the default")
    allow_weak_sandbox: bool = Field(default=False, description="Run code even where this machine cannot confine it")

    @classmethod
    def from_settings(cls, settings: Settings) -> HelioResource:
        """The resource of these settings."""
        return cls(
            home=str(settings.home),
            pipelines=str(settings.pipelines),
            cdaweb_url=settings.cdaweb_url,
            code_limits=settings.code_limits.model_dump(exclude_defaults=True),
            allow_weak_sandbox=settings.allow_weak_sandbox,
        )

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Workbench]:  # noqa: ARG002 - Dagster's signature
        """The workbench for the length of a run or step."""
        settings = Settings(
            Path(self.home),
            Path(self.pipelines),
            self.cdaweb_url,
            SandboxLimits.model_validate(self.code_limits),
            self.allow_weak_sandbox,
        )
        workbench = Workbench(settings)
        try:
            yield workbench
        finally:
            workbench.close()
