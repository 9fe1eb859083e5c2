"""The objects that the steps of one Dagster run share in a process, and the Dagster resource that provides them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import cached_property

import dagster as dg

from helio_dagster.assets.admission import admit
from helio_dagster.assets.batches import Maker
from helio_dagster.assets.compute_builder import ComputeMaker
from helio_dagster.assets.fetch_builder import FetchMaker
from helio_dagster.assets.figure_builder import FigureMaker
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.judgements import Judgements, judgements_of
from helio_dagster.assets.list_builder import EventTableMaker
from helio_dagster.assets.materialize import EVENTS_AT_ONCE, Materializer, Request
from helio_dagster.assets.outcome_lines import OutcomeWriter
from helio_dagster.assets.outcomes import Ledger, Progress
from helio_dagster.assets.project_assets import NO_PROJECT, ProjectAssets
from helio_dagster.assets.range_results import RangeResults
from helio_dagster.assets.revisions import Inspector
from helio_dagster.assets.staleness import demand
from helio_dagster.assets.writing.table_writer import TableWriter
from helio_dagster.resources.collector import give_back_memory
from helio_dagster.resources.workbench import Workbench
from helio_dagster.resources.workers import kept_workers
from helio_dagster.storage.claims import Claims, NoClaims
from helio_dagster.storage.settings import Settings

AWAITED_TAG = "helio/awaited"
"""Run tag: somebody waits for the run and wants to know of each partition; the runs of one request have the same value."""
RESOURCE = "helio"
"""The name of the resource, which is a `RunScope`."""


class RunScope:
    """What the steps of one Dagster run share: the workbench, one materializer, and the partitions the run needs.

    Parameters
    ----------
    workbench
        The parts of the home, open for the duration of the run.
    run_id
        The run, by which others know who makes what it has claimed.
    progress
        Called for every settled partition.
    writer
        Writes small tables beside the run.
    """

    def __init__(
        self, workbench: Workbench, run_id: str = "", progress: Progress | None = None, writer: TableWriter | None = None
    ) -> None:
        self.workbench = workbench
        self._writer = writer
        self._run_id = run_id
        self._progress = progress
        self._materializer: Materializer | None = None
        self._needed: Mapping[str, list[str | None]] | None = None
        self._is_admitted = False

    @cached_property
    def inspector(self) -> Inspector:
        """Compares the archive's files with what stored partitions were made from; requests each listing once."""
        return Inspector(self.workbench.archive_of, self.workbench.store)

    @cached_property
    def judgements(self) -> Judgements:
        """Which stored results are not as expected."""
        return judgements_of(self.workbench)

    def admit(self, context: dg.AssetExecutionContext, graph: AssetGraph) -> None:
        """Check once whether this process may do the run; dagster.Failure if it must not."""
        if not self._is_admitted:
            admit(context, self.workbench.settings, graph)
            self._is_admitted = True

    def materializer(
        self, graph: AssetGraph, request: Request, ledger: Ledger, project: ProjectAssets = NO_PROJECT
    ) -> Materializer:
        """The run's materializer, using this ledger from now on; `project` is what is around the run."""
        give_back_memory()  # of planning, or of the step before
        if self._materializer is None:
            self.workbench.occupy()
            self._materializer = build_materializer(
                graph,
                self.workbench,
                ledger,
                request=request,
                progress=self._progress,
                judgements=self.judgements,
                claims=self.workbench.claims_of(self._run_id),
                project=project,
                writer=self._writer,
            )
        self._materializer.with_ledger(ledger)
        return self._materializer

    def needed(self, graph: AssetGraph, targets: Mapping[str, Sequence[str | None]]) -> Mapping[str, list[str | None]]:
        """Asset to the partitions that the run's steps read, halos included; computed once, from the run's targets."""
        if self._needed is None:
            self._needed = demand(graph, targets, self.workbench.clock())
        return self._needed


def own_resource(settings: Settings) -> dg.ResourceDefinition:
    """The resource for runs that Dagster starts: opens the home and closes it afterwards.

    Its settings are fixed when the code is loaded, and Dagster refuses a run with config for it. Otherwise anyone with access
    to Dagster's web UI could write to another home or fetch from another archive.
    """

    def opened(context: dg.InitResourceContext) -> Iterator[RunScope]:
        with Workbench(settings, workers=kept_workers()) as workbench, ExitStack() as stack:
            progress = None
            if context.run is not None and AWAITED_TAG in context.run.tags and settings.postgres is not None:
                progress = stack.enter_context(closing(OutcomeWriter(settings.postgres, context.run.run_id)))
            writer = stack.enter_context(closing(TableWriter(workbench.workers.cores)))
            yield RunScope(workbench, _run_id(context), progress, writer)

    return dg.ResourceDefinition(opened, config_schema={}, description=f"The home {settings.home}")


def lent_resource(
    workbench: Workbench, progress: Progress | None = None, writer: TableWriter | None = None
) -> dg.ResourceDefinition:
    """The resource for runs in this process, over a workbench and a writer that the caller opens and closes."""

    def lent(context: dg.InitResourceContext) -> RunScope:
        return RunScope(workbench, _run_id(context), progress, writer)

    return dg.ResourceDefinition(lent, config_schema={}, description=f"The home {workbench.settings.home}")


def _run_id(context: dg.InitResourceContext) -> str:
    return context.run.run_id if context.run is not None else ""


def build_materializer(
    graph: AssetGraph,
    workbench: Workbench,
    ledger: Ledger,
    *,
    request: Request | None = None,
    progress: Progress | None = None,
    has_pictures: bool = True,
    judgements: Judgements | None = None,
    claims: Claims | None = None,
    project: ProjectAssets = NO_PROJECT,
    events_at_once: int = EVENTS_AT_ONCE,
    writer: TableWriter | None = None,
) -> Materializer:
    """The materializer of a run; without pictures, figures are HTML pages only; without judgements, nothing is stopped.

    Without claims, nobody else makes the same partitions; without a writer, this process writes all tables.
    """
    request, claims = request or Request(), claims or NoClaims()
    store, tables = workbench.store, workbench.tables
    ranges = RangeResults(store, workbench.figures, request.shown)
    makers: dict[str, Maker] = {
        "fetch": FetchMaker(
            workbench.archive_of, store, tables, claims, writer, verify=request.force or request.refresh, now=workbench.clock()
        ),
        "compute": ComputeMaker(
            graph,
            store,
            tables,
            lambda: workbench.workers.sandbox,
            lambda: workbench.workers.differing,
            ranges,
            claims,
            writer,
            threads=workbench.workers.cores,
            project=project,
        ),
        "table": EventTableMaker(store, tables, claims),
        "figure": FigureMaker(graph, tables, workbench.figures, ranges, has_pictures=has_pictures),
    }
    return Materializer(
        graph,
        store,
        ledger,
        makers,
        Inspector(workbench.archive_of, store),
        ranges=ranges,
        clock=workbench.clock,
        judgements=judgements,
        request=request,
        progress=progress,
        claims=claims,
        project=project,
        events_at_once=events_at_once,
    )
