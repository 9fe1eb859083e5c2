"""A partition's outcome and its record: the values passed between materialization and recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from helio_dagster.domain.catalog_entry import Form
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import Status

State = Literal["computed", "reused", "skipped", "failed"]


@dataclass(frozen=True)
class Quality:
    """What the checks need to know of a table, taken when it is written so that no check reads it again.

    `columns` are the column names; `coverage` is the share of the window with data, None without a window. `form` is None for
    a table without columns. `is_excluded` says whether exclusions leave nothing of the window, `is_list` whether the rows are
    events, of which there may be none.
    """

    columns: tuple[str, ...]
    is_in_order: bool
    coverage: float | None
    form: Form | None = None
    is_excluded: bool = False
    is_list: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of one partition of one asset in a run.

    `status` and `data_version` are set if a table is stored; `error` says why a partition failed or was skipped; `quality` is
    set for a table that was made in this run.
    """

    state: State
    status: Status | None = None
    data_version: str | None = None
    error: HelioError | None = None
    quality: Quality | None = None

    @property
    def is_usable(self) -> bool:
        """Whether other partitions can be made from it."""
        return self.state in ("computed", "reused")


def usable_versions(outcomes: Mapping[str | None, Outcome]) -> dict[str | None, str | None]:
    """Partition to data version, of those from which others can be made."""
    return {key: outcome.data_version for key, outcome in outcomes.items() if outcome.is_usable}


@dataclass(frozen=True)
class Record:
    """The last recorded materialization of a partition.

    `inputs` is the fingerprint of the data versions it was made from; `replaced` says which less mature data it replaced,
    as a tag.
    """

    data_version: str
    code_version: str
    inputs: str
    storage_id: int = 0
    replaced: str = ""


@dataclass(frozen=True)
class Materialization:
    """The materialization of one partition to record.

    `upstream` maps each asset it was made from to one data version over the partitions read.
    """

    asset: str
    partition: str | None
    record: Record
    upstream: Mapping[str, str]
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class Observation:
    """The observed state of an archive's files of one partition: their revision, and details for people."""

    revision: str
    details: Mapping[str, Any]


class RecordReader(Protocol):
    """Reads recorded materializations and observations."""

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:
        """The last record of each partition that has one."""

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:
        """The last observed revision of each partition of an archive's files that has one."""

    def partitions(self, asset: str) -> set[str]:
        """The partitions of an asset that were ever recorded."""

    def has_any(self, asset: str) -> bool:
        """Whether anything of an asset was ever recorded."""


class Ledger(RecordReader, Protocol):
    """Records materializations and observations: Dagster's event log, without Dagster's types."""

    def observe(self, files: str, observations: Mapping[str, Observation]) -> None:
        """Record observations by partition, immediately."""

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Record that partitions are made from the archive's files as last observed."""

    def record(self, materialization: Materialization) -> None:
        """Record one partition; it may be buffered until `flush`."""

    def flush(self) -> None:
        """Write what is buffered."""


class Progress(Protocol):
    """Called for every settled partition."""

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Report that one partition of an asset was settled."""
