"""A ledger in memory, for work that leaves no record, such as redoing to compare. Dagster's stands in `recording`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.assets.outcomes import Materialization, Observation, Record


class MemoryLedger:
    """Remembers the last record of each partition as long as it lives."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str | None], Record] = {}
        self._seen: dict[tuple[str, str], str] = {}

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""
        return {key: self._records[asset, key] for key in partitions if (asset, key) in self._records}

    def record(self, materialization: Materialization) -> None:
        """Remember one partition."""
        self._records[materialization.asset, materialization.partition] = materialization.record

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:
        """The last observed revision of each partition of an archive's files that has one."""
        return {key: self._seen[files, key] for key in partitions if (files, key) in self._seen}

    def partitions(self, asset: str) -> set[str]:
        """The partitions of an asset that were recorded."""
        return {partition for name, partition in self._records if name == asset and partition is not None}

    def has_any(self, asset: str) -> bool:
        """Whether anything of an asset was recorded."""
        return any(name == asset for name, _ in self._records)

    def observe(self, files: str, observations: Mapping[str, Observation]) -> None:
        """Remember observations by partition."""
        self._seen.update({(files, key): observation.revision for key, observation in observations.items()})

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Nothing stands beside the records that would have to agree with them."""

    def flush(self) -> None:
        """Nothing is kept back."""
