"""Rebuild Dagster's record from a home's files after it was lost. Changes no data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from helio_dagster.assets.checks import check_results
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.recording import DagsterLedger
from helio_dagster.assets.rediscovery import Damaged, Rediscovered, rediscover, rediscover_figures, rediscover_over_range
from helio_dagster.assets.result_spans import stored_spans
from helio_dagster.domain.report import Fact
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.home_lock import occupied

OnAsset = Callable[[str, int], None]


class DamagedFile(Fact):
    """A file that was not trusted; for a figure, the partition is its range."""

    partition: str | None
    problem: str


class AssetReport(Fact):
    """How many partitions of an asset were recorded again, and how many were known already."""

    asset: str
    recorded: int
    known: int
    damaged: list[DamagedFile]


class ReindexReport(Fact):
    """The result of `helio reindex`."""

    home: str
    assets: list[AssetReport]

    @property
    def exit_code(self) -> int:
        """1 if a file was not trusted, else 0."""
        return 1 if any(asset.damaged for asset in self.assets) else 0


def reindex(graph: AssetGraph, workbench: Workbench, *, on_asset: OnAsset | None = None) -> ReindexReport:
    """Record every stored partition that has no record, inputs first.

    Parameters
    ----------
    graph
        All assets of the home; files of other assets are left alone.
    workbench
        The home's parts.
    on_asset
        Called with each asset and the number of its files to check.

    Raises
    ------
    StorageError
        A run is writing into the home, or the home cannot be used.
    """
    reports = []
    with occupied(workbench.settings.home, alone=True), open_instance(workbench.settings) as instance:
        ledger = DagsterLedger(instance)
        for node in graph.nodes.values():
            found = _look(node, workbench, ledger, on_asset)
            if found.recorded or found.known or found.damaged:
                reports.append(found)
    return ReindexReport(home=str(workbench.settings.home), assets=reports)


def _look(node: AssetNode, workbench: Workbench, ledger: DagsterLedger, on_asset: OnAsset | None) -> AssetReport:
    """Record one asset's partitions."""
    report = AssetReport(asset=node.name, recorded=0, known=0, damaged=[])
    keys = _stored_keys(node, workbench)
    if on_asset is not None and keys:
        on_asset(node.name, len(keys))
    known = ledger.latest(node.name, keys) if keys else {}
    report.known = len(known)
    recorded: dict[str | None, Outcome] = {}
    for found in _found(node, [key for key in keys if key not in known], workbench):
        if isinstance(found, Damaged):
            report.damaged.append(DamagedFile(partition=found.partition, problem=found.problem))
        elif found.materialization.partition not in known:
            ledger.record(found.materialization)
            recorded[found.materialization.partition] = found.outcome
    ledger.flush()
    if recorded:
        ledger.report_checks(check_results(node, recorded))
    report.recorded = len(recorded)
    return report


def _stored_keys(node: AssetNode, workbench: Workbench) -> list[str | None]:
    """The stored partitions of an asset that have its grain."""
    if node.kind == "figure" and node.grain is not None:
        spans = workbench.figures.spans(node.name)
        return list(dict.fromkeys(key for span in spans for key in node.grain.keys(span)))
    stored = workbench.store.keys(node.name)
    if node.grain is None:
        return [key for key in stored if key is None]
    if node.over == "range":
        return list(dict.fromkeys(key for span in _spans(node, workbench) for key in node.grain.keys(span)))
    return [key for key in stored if key is not None and node.grain.has_key(key)]


def _found(node: AssetNode, keys: Iterable[str | None], workbench: Workbench) -> Iterator[Rediscovered | Damaged]:
    if node.kind == "figure":
        wanted = set(keys)
        for found in rediscover_figures(node, workbench.figures, workbench.store):
            if isinstance(found, Damaged) or found.materialization.partition in wanted:
                yield found
        return
    if node.over == "range":
        wanted = set(keys)
        for span in _spans(node, workbench):
            for found in rediscover_over_range(node, span_key(span), workbench.store):
                if isinstance(found, Damaged) or found.materialization.partition in wanted:
                    yield found
        return
    for key in keys:
        yield rediscover(node, key, workbench.store)


def _spans(node: AssetNode, workbench: Workbench) -> list[TimeRange]:
    """The ranges for which a result is stored, in the order in which they were written."""
    found = stored_spans(node.name, workbench.store)
    return sorted(found, key=lambda span: workbench.store.written_ns(node.name, span_key(span)))
