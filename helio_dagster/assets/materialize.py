"""Bring partitions up to date: decide what to make, reuse or skip. Does not import Dagster.

The command line, web UI, schedules, backfills and Python all come through here. A partition is always made from whole
up-to-date partitions of its inputs, even outside the requested range, so the result does not depend on that range.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.archives.files.selection import newest_revision
from helio_dagster.assets.batches import Batch, Made, Maker, Pending
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.judgements import Judgements
from helio_dagster.assets.outcomes import Ledger, Materialization, Observation, Outcome, Progress, Record
from helio_dagster.assets.project_assets import NO_PROJECT, ProjectAssets, ProjectReads, ProjectView
from helio_dagster.assets.range_results import RangeResults, Stored
from helio_dagster.assets.revisions import Inspector
from helio_dagster.assets.staleness import (
    attempt_of,
    differs,
    fetch_fingerprint,
    input_fingerprint,
    recorded_upstream,
    upstream_versions,
)
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.shortage import require_room, shortage_of
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.storage.claims import ClaimLost, Claims, NoClaims
from helio_dagster.storage.tables import TableStore

_log = logging.getLogger(__name__)


def not_as_expected(node: AssetNode, key: str | None, why: str) -> HelioError:
    """Why what reads a partition is not made."""
    place = f"{node.name} {key}" if key else node.name
    hint = "Change what is expected of that step in the pipeline's file, or write `severity: warn` there."
    return HelioError(f"its input {place} is not as expected: {why}", hint=hint)


def _not_there(around: ProjectReads) -> Outcome | None:
    """Failed if an asset of the project around cannot be read."""
    return Outcome("failed", error=around.trouble) if around.trouble is not None else None


EVENTS_AT_ONCE = 80
"""So many events of a step are made, inputs first, before the next ones are looked at: memory is for these and not for all."""


@dataclass(frozen=True)
class Request:
    """What to remake and what to recheck.

    `force` remakes every requested partition; of those that are `spared`, only results over ranges. `refresh` asks the archive
    whether any file that is read has changed, and remakes what was made from changed files. `shown` is the range that figures
    show if it is shorter than the requested partitions.
    """

    force: bool = False
    refresh: bool = False
    shown: TimeRange | None = None
    spared: frozenset[str] = frozenset()

    def remakes(self, node: AssetNode, key: str | None) -> bool:
        """Whether a requested partition is made again even if nothing has changed."""
        return self.force and (node.is_over_range or key not in self.spared)


class Materializer:
    """Bring assets up to date in one run and remember what was settled.

    Parameters
    ----------
    graph
        All assets.
    store
        Stores the tables.
    ledger
        Records materializations.
    makers
        Step kind to the maker of its partitions.
    inspector
        Asks the archive whether its files changed.
    ranges
        The figures and other results over ranges that exist.
    judgements
        Says which results are not as expected, and must not be read; by default all may be.
    clock
        Gives the time by which a partition must be over to exist.
    claims
        Keeps other runs from making the same partitions meanwhile; by default there are no others.
    project
        Knows the assets of the Dagster project around that steps read; by default there is none.
    events_at_once
        How many events of a step are brought up to date together.
    """

    def __init__(
        self,
        graph: AssetGraph,
        store: TableStore,
        ledger: Ledger,
        makers: Mapping[str, Maker],
        inspector: Inspector,
        *,
        ranges: RangeResults,
        clock: Callable[[], datetime],
        judgements: Judgements | None = None,
        request: Request | None = None,
        progress: Progress | None = None,
        claims: Claims | None = None,
        project: ProjectAssets = NO_PROJECT,
        events_at_once: int = EVENTS_AT_ONCE,
    ) -> None:
        self._graph, self._store, self._ledger, self._makers = graph, store, ledger, makers
        self._inspector = inspector
        self._ranges = ranges
        self._judgements = judgements
        self._now = clock()
        self._request = request or Request()
        self._progress = progress
        self._claims = claims or NoClaims()
        self._project = project
        self._events_at_once = events_at_once
        self._settled: dict[tuple[str, str | None], Outcome] = {}

    def with_ledger(self, ledger: Ledger) -> None:
        """Use this ledger from now on."""
        self._ledger = ledger

    def materialize(
        self, name: str, keys: Sequence[str | None], *, beside: Sequence[str | None] = ()
    ) -> dict[str | None, Outcome]:
        """Bring the requested partitions up to date, applying `force` and `refresh`.

        Parameters
        ----------
        name
            The asset.
        keys
            Its partitions.
        beside
            Partitions that later steps of the run need: made first, so that the requested ones are recorded last. Those that
            another run makes just now are waited for at the end.

        Returns
        -------
        dict
            Partition key to its outcome, in the order of `keys`.
        """
        further = [key for key in beside if key not in keys]
        busy = self._claims.busy(name, further)
        self._bring_up_to_date(name, [key for key in further if key not in busy], self._unforced)
        self._bring_up_to_date(name, keys, self._request)
        self._bring_up_to_date(name, [key for key in further if key in busy], self._unforced)
        self._ledger.flush()
        return {key: self._settled[name, key] for key in keys}

    def causes(self) -> dict[str, HelioError]:
        """Asset and first partition to each error that made a partition fail in this run, in order; skipped ones excluded."""
        found: dict[tuple[str, str], tuple[str, HelioError]] = {}
        for (name, key), outcome in self._settled.items():
            if outcome.state == "failed" and outcome.error is not None:
                found.setdefault((name, outcome.error.problem), (f"{name} {key or ''}".strip(), outcome.error))
        return dict(found.values())

    def reused(self, name: str, keys: Sequence[str | None]) -> list[str | None]:
        """Those of an asset's partitions that were up to date already."""
        return [key for key in keys if (name, key) in self._settled and self._settled[name, key].state == "reused"]

    @property
    def _unforced(self) -> Request:
        """The request for partitions that were not requested themselves."""
        return Request(refresh=self._request.refresh)

    def _bring_up_to_date(self, name: str, keys: Sequence[str | None], request: Request) -> None:
        node = self._graph[name]
        todo = [key for key in keys if (name, key) not in self._settled]
        size = len(todo) if node.events is None or self._is_of_all(node) else self._events_at_once
        for first in range(0, len(todo), max(size, 1)):
            self._bring_block(node, todo[first : first + size], request)

    def _is_of_all(self, node: AssetNode) -> bool:
        """Whether an asset's partitions must be judged together: of results over a range, and of what expectations stop."""
        return node.is_over_range or any(self._graph[asset].expected for asset in node.inputs.values())

    def _bring_block(self, node: AssetNode, todo: Sequence[str | None], request: Request) -> None:
        """Bring partitions up to date together, inputs first."""
        name = node.name
        needs = {key: self._graph.needs(node, key, self._now) for key in todo}
        for upstream in dict.fromkeys(node.inputs.values()):
            wanted = dict.fromkeys(each for key in todo for each in needs[key][upstream])
            self._bring_up_to_date(upstream, list(wanted), self._unforced)
        while needs:
            lost: set[str | None] = set()
            for free in self._claims.rounds(name, [None] if node.is_over_range else list(needs)):
                ours = list(needs) if node.is_over_range else free  # a result over a range is made of all together
                self._store.look_again(name)
                lost |= self._make(node, self._batch(node, {key: needs[key] for key in ours}, request))
            needs = {key: each for key, each in needs.items() if key in lost}  # another run makes them, or has made them

    def _batch(
        self, node: AssetNode, needs: Mapping[str | None, Mapping[str, Sequence[str | None]]], request: Request
    ) -> Batch:
        """Settle what is blocked or can be reused; return the rest."""
        recorded = self._ledger.latest(node.name, list(needs))
        if node.files and (request.refresh or node.is_own):
            self._inspect(node, recorded)
        revisions = self._revisions(node, recorded)
        asked: list[Pending] = []
        stopped, view = self._stopped(node, needs), ProjectView(node, self._project)
        for key, needed in needs.items():
            around = view.reads(key)
            blocked = self._early(node, key) or self._blocked(needed) or stopped.get(key) or _not_there(around)
            if blocked is not None:
                self._settle(node.name, key, blocked)
            elif (node.name, key) not in self._settled:
                asked.append(self._pending(node, key, needed, around, revisions.get(key), recorded.get(key)))
        failed = self._store.failures(node.name)
        if node.is_over_range and not request.force:
            return self._range_batch(node, asked, recorded, failed)
        pending: list[Pending] = []
        for item in asked:
            key = item.partition
            if request.remakes(node, key):
                pending.append(item)
                continue
            found = differs(node, key, item.inputs, recorded.get(key), self._store, has_failed=key in failed)
            if isinstance(found, str):
                pending.append(item)
            else:
                self._settle(node.name, key, Outcome("reused", found.status, found.data_version))
        return Batch(pending, asked, revisions, failed)

    def _range_batch(
        self, node: AssetNode, asked: Sequence[Pending], recorded: Mapping[str | None, Record], failed: Collection[str | None]
    ) -> Batch:
        """Reuse the results over the requested ranges that exist, and make the others.

        One that was made before another range was asked for is recorded again: the record shows what was asked for last.
        """
        by_key = {item.partition: item for item in asked}
        stored = self._ranges.stored(node, {item.partition: item.inputs for item in asked})
        pending: list[Pending] = []
        for _span, keys in self._ranges.spans(node, list(by_key)):
            records = [recorded.get(key) for key in keys]
            is_known = all(record is not None and record.code_version == node.code_version for record in records)
            if is_known and all(key in stored and key not in failed for key in keys):
                for key in keys:
                    self._reuse_over_range(node, by_key[key], stored[key], recorded[key])
            else:
                pending += [by_key[key] for key in keys]
        return Batch(pending, asked, failed=failed)

    def _reuse_over_range(self, node: AssetNode, item: Pending, found: Stored, record: Record) -> None:
        outcome = Outcome("reused", found.status, found.data_version)
        if record.inputs != item.inputs:
            self._record(node, Made(item, outcome, {"reused": True}), None)
        self._settle(node.name, item.partition, outcome)

    def _inspect(self, node: AssetNode, recorded: Mapping[str | None, Record]) -> None:
        """Ask the archive about partitions made before; if it cannot answer, they fail in this run and keep their data."""
        for drift in self._inspector.inspect(node, [key for key in recorded if key is not None], self._ledger):
            if drift.error is not None:
                self._settle(node.name, drift.partition, Outcome("failed", error=drift.error))

    def _revisions(self, node: AssetNode, recorded: Mapping[str | None, Record]) -> Mapping[str | None, str]:
        """The observed file revisions of partitions made before."""
        keys = [key for key in recorded if key is not None]
        return dict(self._ledger.observed(node.files, keys).items()) if node.files and keys else {}

    def _make(self, node: AssetNode, batch: Batch) -> set[str | None]:
        """Make the pending partitions; returns those that another run took over meanwhile."""
        lost: set[str | None] = set()
        if not batch.pending:
            return lost
        try:
            require_room()
            for made in self._makers[node.kind](node, batch):
                if isinstance(made.outcome.error, ClaimLost):
                    _log.warning("%s", made.outcome.error.problem)
                    lost.add(made.pending.partition)
                    continue
                if made.outcome.state == "computed" and made.outcome.data_version:
                    if made.pending.partition in batch.failed:
                        self._store.forget_failure(node.name, made.pending.partition)
                    self._record(node, made, batch.revisions.get(made.pending.partition))
                elif made.outcome.error is not None:
                    attempt = attempt_of(node, made.pending.inputs)
                    self._store.record_failure(node.name, made.pending.partition, made.outcome.error, attempt)
                self._settle(node.name, made.pending.partition, made.outcome)
        except (MemoryError, OSError, RuntimeError) as error:
            short = shortage_of(error)
            if short is None:
                raise
            for item in batch.pending:
                if (node.name, item.partition) not in self._settled:
                    self._settle(node.name, item.partition, Outcome("failed", error=short))
        finally:
            self._ledger.flush()
        return lost

    def _record(self, node: AssetNode, made: Made, revision: str | None) -> None:
        upstream = recorded_upstream(node, made.pending.upstream, lambda name: self._settled[name, None].data_version)
        if revision is not None and made.pending.partition is not None and node.files in upstream:
            upstream[node.files] = newest_revision(revision, upstream[node.files])
            if upstream[node.files] != revision:  # the archive changed again during the request
                self._ledger.observe(node.files, {made.pending.partition: Observation(upstream[node.files], {})})
        record = Record(made.outcome.data_version or "", node.code_version, made.pending.inputs, replaced=made.replaced)
        self._ledger.record(Materialization(node.name, made.pending.partition, record, upstream, made.metadata))

    def _settle(self, name: str, key: str | None, outcome: Outcome) -> None:
        self._settled[name, key] = outcome
        if self._progress is not None:
            self._progress(name, key, outcome)

    def _early(self, node: AssetNode, key: str | None) -> Outcome | None:
        """Skipped if a longer partition it is made from is not over: missing data may still come."""
        if node.grain is None or key is None or self._graph.is_open(node, key, self._now):
            return None
        over_at = self._graph.over_at(node.name, node.grain.window(key))
        if over_at <= self._now:
            return None
        problem = f"{node.name} {key}, or a longer partition it is made from, is not over before {format_time(over_at)}"
        return Outcome("skipped", error=HelioError(problem, hint="Run the same command again after that."))

    def _blocked(self, needs: Mapping[str, Sequence[str | None]]) -> Outcome | None:
        for asset, keys in needs.items():
            for key in keys:
                outcome = self._settled[asset, key]
                if not outcome.is_usable:
                    cause = outcome.error or HelioError("it was not made")
                    where = f"{asset} {key}" if key else asset
                    problem = cause.problem if outcome.state == "skipped" else f"its input {where} failed: {cause.problem}"
                    return Outcome("skipped", error=HelioError(problem, hint=cause.hint))
        return None

    def _stopped(
        self, node: AssetNode, needs: Mapping[str | None, Mapping[str, Sequence[str | None]]]
    ) -> dict[str | None, Outcome]:
        """Partitions that are skipped because an input is not as expected, and its step says that this stops what reads it."""
        found: dict[str | None, Outcome] = {}
        for asset in dict.fromkeys(node.inputs.values()):
            upstream = self._graph[asset]
            if not upstream.expected or self._judgements is None:
                continue
            wanted = dict.fromkeys(each for needed in needs.values() for each in needed[asset])
            versions = {key: outcome.data_version for key in wanted if (outcome := self._settled[asset, key]).is_usable}
            bad = self._judgements.blocking(node, upstream, versions, shown=self._request.shown)
            for key, needed in needs.items():
                for each in needed[asset]:
                    if each in bad:
                        found.setdefault(key, Outcome("skipped", error=not_as_expected(upstream, each, bad[each])))
        return found

    def _pending(
        self,
        node: AssetNode,
        key: str | None,
        needs: Mapping[str, Sequence[str | None]],
        around: ProjectReads,
        revision: str | None,
        record: Record | None,
    ) -> Pending:
        if node.files:
            return Pending(key, fetch_fingerprint(node, key, revision, record), {})
        upstream = upstream_versions(node, key, needs, lambda asset, each: self._settled[asset, each].data_version)
        upstream |= around.versions
        return Pending(key, input_fingerprint(node, key, upstream), upstream)
