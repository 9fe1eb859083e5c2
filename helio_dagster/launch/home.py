"""A home as the edge sees it: its settings, its pipelines, their graph. Reads files; runs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.library import check_files, graph_of
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.storage.pipeline_library import PipelineLibrary
from helio_dagster.storage.settings import Settings


@dataclass(frozen=True)
class Home:
    """The pipelines of a home."""

    settings: Settings

    @cached_property
    def library(self) -> PipelineLibrary:
        """The folder of pipeline files."""
        return PipelineLibrary(self.settings.pipelines)

    @cached_property
    def catalog(self) -> KnownCatalog:
        """The datasets that are known without asking an archive."""
        return known_catalog(self.settings)

    @cached_property
    def operations(self) -> OperationLibrary:
        """Shipped and saved operations."""
        return OperationLibrary(self.settings.operations)

    @cached_property
    def files(self) -> dict[str, PipelineFile]:
        """Name to every readable pipeline of the library."""
        return {found.pipeline.name: found for found in self.library.load_all()}

    def open(self, name_or_path: str) -> tuple[Pipeline, AssetGraph]:
        """A checked pipeline, and the graph of it with all others.

        Raises
        ------
        InputError
            There is no such pipeline.
        PipelineError
            The pipeline is wrong.
        """
        found = self.library.load(name_or_path)
        return found.pipeline, self.graph_with(found)

    def graph_with(self, found: PipelineFile) -> AssetGraph:
        """The graph of all sound pipelines and this one, which must be sound."""
        files = {**self.files, found.pipeline.name: found}
        findings = check_files(files, self.catalog, self.operations.get, is_thorough=False)
        own = [problem for problem in findings.problems if problem.file == found.file]
        if own:
            raise PipelineError(own)
        return graph_of(files, self.catalog, self.operations.get)

    def forget_files(self) -> None:
        """Read the library anew when it is asked for next: a file of it was changed."""
        for cached in ("files", "graph"):
            self.__dict__.pop(cached, None)

    @cached_property
    def graph(self) -> AssetGraph:
        """The graph of all sound pipelines of the library."""
        return graph_of(self.files, self.catalog, self.operations.get)
