"""Dagster's dynamic partitions of pipelines over events, kept in step with their lists."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.resources.batched_events import BatchedEventLog

_ADDED_AT_ONCE = 500
"""So many events are added in one statement, which SQLAlchemy words for each of them."""


def events_definition(events: EventPartitions) -> dg.DynamicPartitionsDefinition:
    """The definition whose partitions are the events of one pipeline."""
    return dg.DynamicPartitionsDefinition(name=definition_name(events))


def definition_name(events: EventPartitions) -> str:
    """Its name in Dagster."""
    return f"events_of_{events.name}"


def keep_in_step(instance: dg.DagsterInstance, events: EventPartitions) -> list[str]:
    """Add the partitions of new events and remove those of events that left the list; return the new keys.

    What was recorded and stored of a removed event stays until `helio prune`.
    """
    if events.trouble is not None:
        return []
    name = definition_name(events)
    known = set(instance.get_dynamic_partitions(name))
    added = [key for key in events.events if key not in known]
    for first in range(0, len(added), _ADDED_AT_ONCE):
        instance.add_dynamic_partitions(name, added[first : first + _ADDED_AT_ONCE])
    if gone := sorted(known - set(events.events)):
        _remove(instance, name, gone)
    return added


def _remove(instance: dg.DagsterInstance, name: str, keys: Sequence[str]) -> None:
    """Remove partitions: at once where the record can, for Dagster itself knows only one after the other."""
    storage = instance.event_log_storage
    if isinstance(storage, BatchedEventLog):
        storage.delete_dynamic_partitions(name, keys)
        return
    for key in keys:
        instance.delete_dynamic_partition(name, key)


def range_in_order(instance: dg.DagsterInstance, events: EventPartitions, keys: Sequence[str]) -> tuple[str, str]:
    """First and last of some partitions in Dagster's own order, which is that in which events were added."""
    wanted = set(keys)
    ordered = [key for key in instance.get_dynamic_partitions(definition_name(events)) if key in wanted]
    return ordered[0], ordered[-1]
