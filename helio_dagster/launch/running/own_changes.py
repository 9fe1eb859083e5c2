"""Notice that files of one's own changed. They are on this machine, so every run and status looks, without being asked to."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.revisions import Inspector
from helio_dagster.assets.staleness import demand
from helio_dagster.resources.workbench import Workbench

_log = logging.getLogger(__name__)


def observe_own_files(
    graph: AssetGraph, targets: Mapping[str, Sequence[str | None]], workbench: Workbench, now: datetime
) -> None:
    """Record which partitions were made from files of one's own that are different now.

    Loads Dagster only if something is recorded.
    """
    own = {name: keys for name, keys in demand(graph, targets, now).items() if graph[name].is_own}
    if not own:
        return
    inspector = Inspector(workbench.archive_of, workbench.store)
    drifts = {name: inspector.compare(graph[name], filter(None, keys)) for name, keys in own.items()}
    for error in dict.fromkeys(str(drift.error) for found in drifts.values() for drift in found if drift.error is not None):
        _log.warning("cannot tell whether stored partitions are still up to date: %s", error)
    changed = {name: keys for name, found in drifts.items() if (keys := [drift.partition for drift in found if drift.changes])}
    if changed:
        from helio_dagster.assets.recording import DagsterLedger
        from helio_dagster.launch.record.instance import open_instance

        with open_instance(workbench.settings) as instance:
            ledger = DagsterLedger(instance)
            for name, keys in changed.items():
                inspector.inspect(graph[name], keys, ledger)
