"""One UTC day of a dataset as it was put together from answers: records by time, and from when to when they are known.

The server forgets after a week; this is what stays. An answer adds records, and replaces those of the same time; it never
takes any away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

from helio_dagster.archives.swpc.answers import Values
from helio_dagster.domain.real_time import SWPC_ARCHIVE
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange, datetime_to_ns


class _Kept(BaseModel):
    """A day's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    columns: tuple[str, ...]
    since: str
    until: str
    records: dict[str, tuple[float | None, ...]]


@dataclass(frozen=True)
class Day:
    """Records of a day by time, in order; all that there were from `since` to `until`, as texts of the same form."""

    columns: tuple[str, ...]
    since: str
    until: str
    records: Mapping[str, Values]

    @property
    def revision(self) -> str:
        """What names this state of the day."""
        return hashlib.sha256(self.to_bytes()).hexdigest()[:16]

    def to_bytes(self) -> bytes:
        """The content of the day's file."""
        return to_json(
            {"columns": self.columns, "since": self.since, "until": self.until, "records": dict(sorted(self.records.items()))}
        )

    def merged(self, later: Day) -> Day:
        """Both days as one; the later one counts where both have a record.

        Where something is missing between the two, what is known reaches from the later one on: the gap cannot be filled
        any more, and what was kept before it stays among the records.
        """
        records = {**self.records, **later.records}
        if not later.is_known:
            return Day(later.columns, self.since, self.until, records)
        if not self.is_known:
            return Day(later.columns, later.since, later.until, records)
        is_joined = later.since <= self.until and self.since <= later.until
        since = min(self.since, later.since) if is_joined else later.since
        return Day(later.columns, since, max(self.until, later.until), records)

    @property
    def is_known(self) -> bool:
        """Whether it is known of any part of the day what there was."""
        return self.since < self.until

    def covers(self, start: str, stop: str) -> bool:
        """Whether all records between two times are here."""
        return self.since <= start and stop <= self.until


def read_day(content: bytes) -> Day:
    """What a day's file holds.

    Raises
    ------
    ValueError
        It is not such a file.
    """
    try:
        kept = _Kept.model_validate(from_json(content))
    except (ValidationError, ValueError) as error:
        raise ValueError("the file is not a day of kept records") from error
    if any(len(values) != len(kept.columns) for values in kept.records.values()):
        raise ValueError("a record of the file does not have all columns")
    return Day(kept.columns, kept.since, kept.until, kept.records)


def day_table(day: Day, columns: Sequence[str], *, kind: Kind, label: str, unit: str, frame: str | None) -> Table:
    """Some columns of a day as a table of float64, NaN where there is no number."""
    times = np.array(list(day.records), dtype="datetime64[ns]")
    places = [day.columns.index(name) for name in columns]
    values = np.array(list(day.records.values()), dtype="float64").reshape(len(times), len(day.columns))
    meta = TableMeta(
        kind=kind,
        columns=tuple(ColumnMeta(name=name, label=name, unit=unit) for name in columns),
        label=label,
        unit=unit,
        frame=frame,
        maturity="real-time",
        attributes={"SOURCE": SWPC_ARCHIVE},
    )
    return Table(times, {name: values[:, place].copy() for name, place in zip(columns, places, strict=True)}, meta)


def edges(window: TimeRange) -> tuple[str, str]:
    """Start and stop of a window in the form of a record's time."""
    start, stop = (str(edge.astype("datetime64[us]")) for edge in map(datetime_to_ns, (window.start, window.stop)))
    return start, stop
