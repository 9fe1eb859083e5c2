"""A ledger in memory, for work that leaves no record, such as redoing to compare. Dagster's stands in `recording`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.assets.outcomes import Materialization, Record


class MemoryLedger:
    """Remembers the last record of each partition as long as it lives."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str | None], Record] = {}

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""
        return {key: self._records[asset, key] for key in partitions if (asset, key) in self._records}

    def record(self, materialization: Materialization) -> None:
        """Remember one partition."""
        self._records[materialization.asset, materialization.partition] = materialization.record

    def flush(self) -> None:
        """Nothing is kept back."""
