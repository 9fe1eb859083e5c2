"""What a run records of a table that was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio_dagster.assets.description import describe_table, quality_of
from helio_dagster.assets.outcomes import Quality
from helio_dagster.domain.table import Status, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.table_format import StoredTable


@dataclass(frozen=True)
class Written:
    """Where a table was written, its bytes, status, data version, description and quality."""

    place: str
    size: int
    status: Status
    data_version: str
    described: dict[str, Any]
    quality: Quality

    @classmethod
    def of(cls, stored: StoredTable, table: Table, window: TimeRange | None, excluded_s: float) -> Written:
        """Describe a table that was stored; see `describe_table`."""
        described = describe_table(table, stored.status, window, excluded_s)
        return cls(stored.place, stored.size, stored.status, stored.data_version, described, quality_of(table, described))
