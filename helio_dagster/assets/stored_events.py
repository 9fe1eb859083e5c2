"""Events that another pipeline computed, as they are stored: the list of a pipeline over events. Makes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_partitions import EventPartitions, event_partitions
from helio_dagster.domain.table import Table, TableMeta, concatenate
from helio_dagster.domain.time_range import format_time
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.assets.graph import AssetNode

StoredEvents = Callable[["AssetNode", str, timedelta, timedelta], EventPartitions]
"""The partitions of a pipeline, given the step that computes its events, the pipeline's name, `before` and `after`."""
_NOTHING = Table.empty(TableMeta(kind="events", columns=()))


def no_stored_events(node: AssetNode, name: str, before: timedelta, after: timedelta) -> EventPartitions:
    """No events: there is no home to read them from."""
    return event_partitions(name, node.name, _NOTHING, before, after)


def stored_events(store: TableStore) -> StoredEvents:
    """Reads the events from the tables of a home; what keeps them from being used is in `trouble`, and nothing is raised."""

    def read(node: AssetNode, name: str, before: timedelta, after: timedelta) -> EventPartitions:
        try:
            return event_partitions(name, node.name, _rows(store, node), before, after)
        except HelioError as error:
            return EventPartitions(name, node.name, {}, _NOTHING, error)

    return read


def _rows(store: TableStore, node: AssetNode) -> Table:
    """All events that are stored, of the step as it is now.

    Raises
    ------
    InputError
        The step was never run, its result is not events, or some of it was made before the step was changed.
    StorageError
        A stored file is damaged.
    """
    grain = node.time_grain
    keys = [key for key in store.partitions(node.name) if grain is not None and grain.has_key(key)]
    if grain is None or not keys:
        problem = f"{node.name} has not been run yet, so it lists no events"
        raise InputError(problem, hint=f"Run it first: helio run {node.pipeline} START STOP")
    opened = _Opened(store.root, store.afresh())
    found = [_part(opened, node.name, key, store.state(node.name, key)) for key in keys]
    whole = f"{format_time(grain.window(keys[0]).start)} {format_time(grain.window(keys[-1]).stop)}"
    again = f"Run it again over all of them: helio run {node.pipeline} {whole}"
    other = [key for key, (code, _) in zip(keys, found, strict=True) if code != node.code_version]
    if other:
        problem = f"{len(other)} of {len(keys)} partitions of {node.name} were made before the step was changed"
        raise InputError(f"{problem}, such as {other[0]}", hint=again)
    tables = [table for _, table in found if table is not None]
    for table in tables:
        if table.meta.kind != "events":
            problem = f"{node.name} is a {table.meta.kind}, and not a list of events"
            raise InputError(problem, hint="Name a step that computes events, such as intervals_where.")
    try:
        return concatenate(tables) if tables else _NOTHING
    except ValueError as error:
        raise InputError(f"partitions of {node.name} do not fit together: {error}", hint=again) from None


@dataclass(frozen=True)
class _Opened:
    """A store that is the same as another one over the same tables, for what is remembered of it."""

    root: str
    store: TableStore = field(compare=False)


@lru_cache(maxsize=50_000)
def _part(opened: _Opened, asset: str, partition: str, _state: tuple[object, ...]) -> tuple[str, Table | None]:
    """The code version of a stored partition, and its events, if any; remembered until its file is replaced."""
    store = opened.store
    known = store.peek(asset, partition)
    if known is None or known.rows:
        table = store.read(asset, partition)  # raises if it is damaged
        return (known.provenance.get("code", "") if known else ""), table
    return known.provenance.get("code", ""), None
