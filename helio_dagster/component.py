"""A Dagster component that mounts a folder of pipelines in your own project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import dagster as dg
from dagster.components.component_scaffolding import scaffold_component
from pydantic import Field

from helio_dagster.assets.mounting import Mounting
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.object_address import object_address
from helio_dagster.storage.settings import CDAWEB_URL, Settings

EXAMPLE = """version: 1
name: ace_field
title: ACE magnetic field
partitions: daily
start: 2023-01-01
steps:
  - id: b_gse
    intent: Fetch the ACE magnetic field vector in GSE
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    intent: Magnitude of the field
    compute: {operation: magnitude, inputs: {vector: b_gse}}
"""
"""A first pipeline that needs no network."""


def _described(text: str) -> dg.Resolver:
    """An attribute whose meaning editors and Dagster's pages show."""
    shown: dg.Resolver = dg.Resolver.default(description=text)
    return shown


class PipelinesScaffolder(dg.Scaffolder[Any]):
    """What `dg scaffold defs` writes: the component's file, and a folder with a first pipeline."""

    def scaffold(self, request: dg.ScaffoldRequest[Any]) -> None:
        """Write them."""
        home = '{{ env("HELIO_HOME", "") }}'
        scaffold_component(request, {"pipelines": "pipelines", "home": home})
        folder = request.target_path if request.target_path.is_dir() else request.target_path.parent
        (folder / "pipelines").mkdir(exist_ok=True)
        (folder / "pipelines" / "ace_field.yaml").write_text(EXAMPLE)


@dg.scaffold_with(PipelinesScaffolder)
class PipelinesComponent(dg.Component, dg.Model, dg.Resolvable):
    """Mounts helio pipelines as partitioned assets.

    Relative folders are resolved against the folder of the component's `defs.yaml`. Texts may hold `{{ env("NAME") }}`.
    """

    pipelines: Annotated[str, _described("Folder of pipeline files.")] = "."
    home: Annotated[str, _described("Folder of data, cache and figures; empty for `.helio` in the root of the project.")] = ""
    tables: Annotated[
        str, _described("Address of the tables in an object store, as s3://bucket/folder; empty for a folder in the home.")
    ] = ""
    cdaweb_url: Annotated[str, _described("Base URL of the CDAS service, up to and including `sp_phys/`.")] = CDAWEB_URL
    name: Annotated[str, _described("Tells several components of a project apart; by default the path of the folder.")] = ""
    owners: Annotated[list[str], _described("Owners of all assets: addresses, or `team:name`.")] = Field(default_factory=list)
    tags: Annotated[dict[str, str], _described("Tags of all assets.")] = Field(default_factory=dict)
    partitions_per_run: Annotated[
        int | None, _described("The most partitions that a backfill puts into one run; by default all of them.")
    ] = Field(default=None, ge=1)
    skip_invalid: Annotated[bool, _described("Leave out invalid pipelines with a warning, not an error.")] = False

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """Definitions of all pipelines in the folder; PipelineError where one is invalid."""
        root = Path(context.path)
        folder = root if root.is_dir() else root.parent
        home = folder / self.home if self.home else context.project_root / ".helio"
        tables = object_address(self.tables) if self.tables else None
        settings = Settings(home.resolve(), (folder / self.pipelines).resolve(), self.cdaweb_url, tables=tables)
        mounting = Mounting(
            self.name or _name_of(context, folder),
            owners=tuple(self.owners),
            tags=self.tags,
            partitions_per_run=self.partitions_per_run,
        )
        return library_definitions(settings, mounting, is_strict=not self.skip_invalid, is_guest=True)


def _name_of(context: dg.ComponentLoadContext, folder: Path) -> str:
    """The path of a component in its project's folder of definitions, and its place where several share one file."""
    inside = folder.relative_to(context.defs_module_path) if folder.is_relative_to(context.defs_module_path) else folder
    place = context.component_path.instance_key
    return re.sub(r"\W+", "_", "_".join([*inside.parts, *([str(place)] if place else [])])).strip("_")
