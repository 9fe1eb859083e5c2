"""Bringing partitions of assets up to date: what must be made anew, what can be reused, what is skipped. Knows no Dagster.

The one way to a result: command line, web UI, schedule, backfill and Python all come through here. A partition is always made
from whole up-to-date partitions of its inputs, also beyond the edges of what was asked for, so that the cut never shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Ledger, Materialization, Outcome, Progress, Record
from helio_dagster.assets.staleness import combined_version, differs, fingerprint
from helio_dagster.domain.errors import HelioError
from helio_dagster.storage.tables import TableStore


@dataclass(frozen=True)
class Pending:
    """A partition that must be made, with the data versions of what it is made from.

    `upstream` maps input asset to (partition, data version) in order of time; a partition without data version is absent.
    """

    partition: str | None
    inputs: str
    upstream: Mapping[str, tuple[tuple[str | None, str | None], ...]]


@dataclass(frozen=True)
class Made:
    """What a maker yields for a partition: an outcome, and metadata to record where it succeeded."""

    pending: Pending
    outcome: Outcome
    metadata: Mapping[str, object]


class Maker(Protocol):
    """Makes pending partitions of one kind of asset; a partition's failure is an outcome, not an exception."""

    def __call__(self, node: AssetNode, pending: Sequence[Pending], keys: Sequence[str | None]) -> Iterable[Made]:
        """Make `pending`, which are among the `keys` asked for."""


@dataclass(frozen=True)
class Request:
    """How far the recorded past is trusted.

    `force` makes every partition anew that is asked for by name; `refresh` asks the archive again for those of fetches.
    """

    force: bool = False
    refresh: bool = False


class Materializer:
    """Brings assets up to date in one run, and remembers what it settled.

    Parameters
    ----------
    graph
        All assets.
    store
        Where tables lie.
    ledger
        Where materializations are recorded.
    makers
        Step kind to what makes its partitions.
    clock
        The time by which a partition must be over to exist.
    """

    def __init__(
        self,
        graph: AssetGraph,
        store: TableStore,
        ledger: Ledger,
        makers: Mapping[str, Maker],
        *,
        clock: Callable[[], datetime],
        request: Request | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._graph, self._store, self._ledger, self._makers = graph, store, ledger, makers
        self._now = clock()
        self._request = request or Request()
        self._progress = progress
        self._settled: dict[tuple[str, str | None], Outcome] = {}

    def with_ledger(self, ledger: Ledger) -> None:
        """Record from now on in this ledger."""
        self._ledger = ledger

    def materialize(self, name: str, keys: Sequence[str | None]) -> dict[str | None, Outcome]:
        """Bring partitions up to date as asked for by name, with `force` and `refresh` as requested.

        Returns
        -------
        dict
            Partition key to what became of it, in the order of `keys`.
        """
        self._bring_up_to_date(name, keys, self._request)
        self._ledger.flush()
        return {key: self._settled[name, key] for key in keys}

    def _bring_up_to_date(self, name: str, keys: Sequence[str | None], request: Request) -> None:
        node = self._graph[name]
        todo = [key for key in keys if (name, key) not in self._settled]
        if not todo:
            return
        needs = {key: self._graph.needs(node, key, self._now) for key in todo}
        for upstream in dict.fromkeys(node.inputs.values()):
            wanted = dict.fromkeys(each for key in todo for each in needs[key][upstream])
            self._bring_up_to_date(upstream, list(wanted), Request())
        recorded = self._ledger.latest(name, todo)
        is_asked_again = request.force or (request.refresh and node.kind == "fetch")
        pending: list[Pending] = []
        for key in todo:
            blocked = self._blocked(needs[key])
            if blocked is not None:
                self._settle(name, key, blocked)
                continue
            inputs = self._pending(key, needs[key])
            difference = differs(node, key, inputs.inputs, recorded.get(key), self._store)
            if isinstance(difference, str) or is_asked_again:
                pending.append(inputs)
            else:
                self._settle(name, key, Outcome("reused", difference.status, difference.data_version))
        if pending:
            self._make(node, pending, todo)

    def _make(self, node: AssetNode, pending: Sequence[Pending], keys: Sequence[str | None]) -> None:
        try:
            for made in self._makers[node.kind](node, pending, keys):
                if made.outcome.state == "computed" and made.outcome.data_version:
                    self._record(node, made)
                elif made.outcome.error is not None:
                    self._store.record_failure(node.name, made.pending.partition, made.outcome.error)
                self._settle(node.name, made.pending.partition, made.outcome)
        finally:
            self._ledger.flush()

    def _record(self, node: AssetNode, made: Made) -> None:
        upstream = {asset: combined_version(versions) for asset, versions in made.pending.upstream.items()}
        record = Record(made.outcome.data_version or "", node.code_version, made.pending.inputs)
        self._ledger.record(Materialization(node.name, made.pending.partition, record, upstream, made.metadata))

    def _settle(self, name: str, key: str | None, outcome: Outcome) -> None:
        self._settled[name, key] = outcome
        if self._progress is not None:
            self._progress(name, key, outcome)

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

    def _pending(self, key: str | None, needs: Mapping[str, Sequence[str | None]]) -> Pending:
        upstream = {
            asset: tuple((each, self._settled[asset, each].data_version) for each in keys) for asset, keys in needs.items()
        }
        return Pending(key, fingerprint(upstream), upstream)
