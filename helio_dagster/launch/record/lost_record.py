"""Notice stored tables that are missing from Dagster's record, and say what to do about it."""

from __future__ import annotations

import logging
from collections.abc import Collection

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.outcomes import RecordReader
from helio_dagster.resources.workbench import Workbench

_log = logging.getLogger(__name__)


def mention_lost_record(nodes: Collection[AssetNode], history: RecordReader, workbench: Workbench) -> None:
    """Log one line if tables of a pipeline are stored but Dagster's record has none of them."""
    own = [node for node in nodes if node.kind not in ("fetch", "figure")] or list(nodes)
    stored = [node.name for node in own if workbench.store.has_asset(node.name)]
    if stored and not any(history.has_any(node.name) for node in own):
        _log.warning(
            "%s is stored but missing from the record in %s: `helio reindex` records it again from its files.",
            *(stored[0], workbench.settings.record_place),
        )
