"""A Dagster component that mounts a folder of pipelines in your own project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import dagster as dg

from helio_dagster.definitions import library_definitions
from helio_dagster.storage.settings import CDAWEB_URL, Settings

Plain = Annotated[str, dg.Resolver.passthrough()]
"""Literal text, never a template."""


class PipelinesComponent(dg.Component, dg.Model, dg.Resolvable):
    """Mounts helio pipelines as partitioned assets.

    Relative folders are resolved against the folder of the component's `defs.yaml`.
    """

    pipelines: Plain = "."
    """Folder of pipeline files."""
    home: Plain = ".helio"
    """Folder that holds data, cache and figures."""
    cdaweb_url: Plain = CDAWEB_URL
    """Base URL of the CDAS service, up to and including `sp_phys/`."""

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """Definitions of all valid pipelines in the folder."""
        root = Path(context.path)
        folder = root if root.is_dir() else root.parent
        settings = Settings(folder / self.home, folder / self.pipelines, self.cdaweb_url)
        return library_definitions(settings)
