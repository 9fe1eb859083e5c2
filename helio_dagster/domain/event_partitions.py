"""Events as partitions: one partition for each event of a list, over a window around it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

import numpy as np

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_lists.conventions import ID_NAMES, STOP_NAMES, named
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, ns_to_datetime

_LONGEST_ID = 40
_LONGEST_WINDOW = timedelta(days=400)
_MOST_EVENTS = 100_000


@dataclass(frozen=True)
class ListedEvent:
    """One event of a list: its partition key, its window, and a hash of its row."""

    key: str
    start: datetime
    window: TimeRange
    version: str
    row: int


@dataclass(frozen=True)
class EventPartitions:
    """The partitions of a pipeline with `partitions: {events: ...}`, in order of time.

    It answers the same questions as a `Grain`. Windows may overlap and lie apart; nothing is rounded.

    Parameters
    ----------
    name
        The pipeline, and the name of Dagster's dynamic partitions.
    list_asset
        The asset whose rows are the events.
    events
        Partition key to event.
    rows
        The list.
    trouble
        Why the list cannot be used now, if it is one that another pipeline computes; it has no events then.
    """

    name: str
    list_asset: str
    events: Mapping[str, ListedEvent] = field(hash=False)
    rows: Table = field(hash=False, compare=False)
    trouble: HelioError | None = field(default=None, hash=False, compare=False)

    value = "event"

    def __str__(self) -> str:
        return self.value

    def window(self, key: str) -> TimeRange:
        """The time range around an event.

        Raises
        ------
        InputError
            The list has no such event.
        """
        if key not in self.events:
            raise InputError(f"{key!r} is not an event of {self.list_asset}", hint=f"Its events: {_some(self.events)}.")
        return self.events[key].window

    def require_usable(self) -> None:
        """Raise what keeps the list from being used, or InputError if it holds no event."""
        if self.trouble is not None:
            raise self.trouble
        if not self.events:
            raise InputError(f"the list of {self.name} is empty: {self.list_asset} has no event", hint="Add events to it.")

    def rows_of(self, keys: Iterable[str]) -> Table:
        """The rows of some events, in order of time."""
        rows = np.array(sorted(self.events[key].row for key in keys), dtype=np.int64)
        columns = {name: values[rows] for name, values in self.rows.columns.items()}
        return replace(self.rows, time=self.rows.time[rows], columns=columns)

    def has_key(self, key: str) -> bool:
        """Whether the list has the event."""
        return key in self.events

    def keys(self, span: TimeRange) -> list[str]:
        """The events that start inside a range, in order of time."""
        return [event.key for event in self.events.values() if span.start <= event.start < span.stop]

    def cover(self, span: TimeRange) -> TimeRange:
        """The range itself."""
        return span

    def floor(self, moment: datetime) -> datetime:
        """The moment itself: events do not lie on a grid."""
        return moment

    def ceil(self, moment: datetime) -> datetime:
        """The moment itself: events do not lie on a grid."""
        return moment

    @cached_property
    def hull(self) -> TimeRange | None:
        """The whole days in which events start, from the first to the last; None without events."""
        days = [event.start.replace(hour=0, minute=0, second=0, microsecond=0) for event in self.events.values()]
        return TimeRange(days[0], days[-1] + timedelta(days=1)) if days else None

    @property
    def earliest(self) -> datetime | None:
        """Where the first window begins; None without events."""
        return min((event.window.start for event in self.events.values()), default=None)


@lru_cache(maxsize=8)
def partitions_of_list(name: str, list_asset: str, given: EventTable, before: timedelta, after: timedelta) -> EventPartitions:
    """As `event_partitions`, of a list as it is given; remembered, as the check and the graph need the same.

    Raises
    ------
    EventTableError
        The list cannot be read.
    InputError
        As `event_partitions`.
    """
    return event_partitions(name, list_asset, read_events(given), before, after)


def event_partitions(name: str, list_asset: str, rows: Table, before: timedelta, after: timedelta) -> EventPartitions:
    """One partition for each row of a list, over its time, or its time to its stop, widened by `before` and `after`.

    Raises
    ------
    InputError
        A window is empty or longer than 400 days, two events have one key, or the list is longer than 100,000 rows.
    """
    if len(rows) > _MOST_EVENTS:
        raise InputError(f"{list_asset} has {len(rows):,} events, more than {_MOST_EVENTS:,}", hint="Split the list.")
    names = list(rows.columns)
    stop_name = rows.meta.role_name("stop") or named(names, STOP_NAMES)
    id_name = rows.meta.role_name("id") or named(names, ID_NAMES)
    starts = [ns_to_datetime(time) for time in rows.time]
    keys = _keys(list_asset, starts, [_id_text(each) for each in rows.columns[id_name]] if id_name else [""] * len(rows))
    found: dict[str, ListedEvent] = {}
    for row, (start, key) in enumerate(zip(starts, keys, strict=True)):
        last = rows.columns[stop_name][row] if stop_name else np.datetime64("NaT")
        stop = start if np.isnat(last) else ns_to_datetime(last)
        window = _window(list_asset, key, start - before, stop + after)
        found[key] = ListedEvent(key, start, window, _version(rows, row, window), row)
    return EventPartitions(name, list_asset, found, rows)


def _keys(list_asset: str, starts: Sequence[datetime], ids: Sequence[str]) -> list[str]:
    """A key for each event: its start and its id, with a hash of the id where others have the same readable part."""
    plain = [_stamp(start) + (f"_{slug}" if (slug := _slug(each)) else "") for start, each in zip(starts, ids, strict=True)]
    seen: dict[str, set[str]] = {}
    for key, each in zip(plain, ids, strict=True):
        seen.setdefault(key, set()).add(each)
    keys = [f"{key}_{_short_hash(each)}" if len(seen[key]) > 1 else key for key, each in zip(plain, ids, strict=True)]
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    if twice is not None:
        problem = f"two events of {list_asset} have the key {twice}"
        raise InputError(problem, hint="Events that start at the same time need different ids: give the list a column `id`.")
    return keys


def _id_text(value: object) -> str:
    """An id as text; a whole number without its point, nothing for a missing one."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}" if value.is_integer() and abs(value) < 1e15 else str(value)
    return str(value)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _window(list_asset: str, key: str, start: datetime, stop: datetime) -> TimeRange:
    if stop <= start:
        raise InputError(
            f"the window of {key} in {list_asset} is empty", hint="Set `before` or `after`, or give the event a stop."
        )
    if stop - start > _LONGEST_WINDOW:
        problem = f"the window of {key} in {list_asset} is {(stop - start).days} days long"
        raise InputError(
            problem, hint=f"Windows of up to {_LONGEST_WINDOW.days} days are allowed: check the stop of the event."
        )
    return TimeRange(start, stop)


def _version(rows: Table, row: int, window: TimeRange) -> str:
    values = [str(rows.time[row]), *(f"{name}={values[row]}" for name, values in rows.columns.items()), str(window)]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:32]


def _stamp(start: datetime) -> str:
    return start.strftime("%Y%m%dT%H%M" if not (start.second or start.microsecond) else "%Y%m%dT%H%M%S")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST_ID]


def _some(events: Mapping[str, ListedEvent]) -> str:
    listed = list(events)
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "") if listed else "none"
