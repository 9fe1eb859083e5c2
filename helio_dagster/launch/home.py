"""A home's settings, its pipelines and their graph. Reads files; runs nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.library import check_files, graph_of
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.domain.errors import PipelineError, Problem
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.storage.pipeline_library import PipelineLibrary
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_tables
from helio_dagster.storage.tables import TableStore


class Home:
    """The pipelines of a home.

    Parameters
    ----------
    settings
        The settings of the home.
    files
        Its pipelines by name, where they were read already.
    problems
        What is wrong with them, where they were checked already.
    """

    def __init__(
        self, settings: Settings, *, files: dict[str, PipelineFile] | None = None, problems: Sequence[Problem] | None = None
    ) -> None:
        self.settings = settings
        self._files = files
        self._graph: AssetGraph | None = None
        self._found = problems

    @cached_property
    def library(self) -> PipelineLibrary:
        """The folder of pipeline files."""
        return PipelineLibrary(self.settings.pipelines)

    @cached_property
    def catalog(self) -> KnownCatalog:
        """The datasets known without asking an archive."""
        return known_catalog(self.settings)

    @cached_property
    def operations(self) -> OperationLibrary:
        """Shipped and saved operations."""
        return OperationLibrary(self.settings.operations)

    @cached_property
    def _store(self) -> TableStore:
        return open_tables(self.settings)

    @property
    def files(self) -> dict[str, PipelineFile]:
        """Name to every readable pipeline of the library, cached until `reread`."""
        if self._files is None:
            self._files = {found.pipeline.name: found for found in self.library.load_all()}
        return self._files

    @property
    def graph(self) -> AssetGraph:
        """The graph of all valid pipelines of the library."""
        if self._graph is None:
            self._graph = self._graph_of(self.files, self.problems)
        return self._graph

    def reread(self) -> None:
        """Read the library again on next use, because one of its files changed."""
        self._files = self._graph = self._found = None

    def open(self, pipeline: str | Path | Pipeline) -> OpenPipeline:
        """A checked pipeline, with the graph of it and all others.

        Parameters
        ----------
        pipeline
            A name in the library, the path of a file, or a pipeline.

        Raises
        ------
        InputError
            There is no such pipeline.
        PipelineError
            The pipeline is invalid.
        """
        if isinstance(pipeline, Pipeline):
            found = parse_pipeline(dump_pipeline(pipeline), file=f"{pipeline.name}.yaml")
        else:
            found = self.library.load(str(pipeline))
        return OpenPipeline(found.pipeline, self.graph_with(found))

    def graph_with(self, found: PipelineFile, arriving: Mapping[str, str] | None = None) -> AssetGraph:
        """The graph of all valid pipelines and this one, which must be valid; `arriving` as in `check_files`."""
        saved = self.files.get(found.pipeline.name)
        is_saved = saved is not None and (saved.file, saved.text) == (found.file, found.text)
        files = self.files if is_saved else {**self.files, found.pipeline.name: found}
        problems = self.problems if is_saved else self._check(files, arriving)
        own = [problem for problem in problems if problem.file == found.file]
        if own:
            raise PipelineError(own)
        if is_saved:
            return self.graph
        return self._graph_of(files, problems, arriving)

    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with the pipelines of the library, so far as it keeps them from running; found once until `reread`."""
        if self._found is None:
            self._found = self._check(self.files)
        return self._found

    def _check(self, files: Mapping[str, PipelineFile], arriving: Mapping[str, str] | None = None) -> Sequence[Problem]:
        lists, operation = self.settings.pipelines, self.operations.get
        return check_files(files, self.catalog, operation, is_thorough=False, lists=lists, arriving=arriving).problems

    def _graph_of(
        self, files: Mapping[str, PipelineFile], problems: Sequence[Problem], arriving: Mapping[str, str] | None = None
    ) -> AssetGraph:
        lists, store, operation = self.settings.pipelines, self._store, self.operations.get
        return graph_of(files, self.catalog, operation, lists=lists, store=store, known=problems, arriving=arriving)
