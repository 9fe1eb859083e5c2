"""A ledger in memory, for work that leaves no record, such as recomputing to compare. `recording` has Dagster's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.assets.outcomes import Materialization, Observation, Record


class MemoryLedger:
    """Keep the last record of each partition in memory."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str | None], Record] = {}
        self._seen: dict[tuple[str, str], str] = {}

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""
        return {key: self._records[asset, key] for key in partitions if (asset, key) in self._records}

    def record(self, materialization: Materialization) -> None:
        """Keep one partition's record."""
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
        """Keep observations by partition."""
        self._seen.update({(files, key): observation.revision for key, observation in observations.items()})

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Do nothing: there is no second record to agree with."""

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""
