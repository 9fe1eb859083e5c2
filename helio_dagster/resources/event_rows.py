"""Serialize many events of one kind: what a step's events have in common is packed only once.

Dagster takes a third of a millisecond to pack a materialization, mostly for what all partitions of an asset share. A contract
test checks that the text equals Dagster's own.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import dagster as dg

from helio_dagster.resources.dagster_internals import (
    WHITELIST_MAP,
    AssetMaterializationPlannedData,
    AssetObservationData,
    MetadataFieldSerializer,
    StepMaterializationData,
    pack_value,
)

_METADATA = MetadataFieldSerializer()
_OWN = {
    dg.IntMetadataValue: ("int", "value"),
    dg.FloatMetadataValue: ("float", "value"),
    dg.JsonMetadataValue: ("json", "data"),
    dg.PathMetadataValue: ("path", "path"),
}
"""What is different in each metadata value of a kind, by the name that it has in the value and when packed."""


def serialize_events(events: Iterable[dg.EventLogEntry]) -> Iterator[str]:
    """Each event as `serialize_value` gives it."""
    packed: dict[Hashable, dict[str, Any]] = {}
    values: dict[Hashable, Any] = {}
    for event in events:
        like = _common(event)
        if like not in packed:
            packed[like] = pack_value(event)  # type: ignore[assignment]  # an object is packed as a dictionary
        yield json.dumps(_with_own(packed[like], event, values))


def _common(event: dg.EventLogEntry) -> Hashable:
    """Everything in an event except its time and what is specific to a partition."""
    inner = event.get_dagster_event()
    about = inner.event_specific_data
    shared = (event.run_id, event.level, event.user_message, event.job_name, event.step_key, inner.message, inner.pid)
    if isinstance(about, StepMaterializationData):
        made = about.materialization
        return (*shared, "made", made.asset_key, made.description, tuple(about.asset_lineage))
    if isinstance(about, AssetMaterializationPlannedData) and about.partitions_subset is None:
        return (*shared, "planned", about.asset_key)
    return id(event)


def _with_own(packed: dict[str, Any], event: dg.EventLogEntry, values: dict[Hashable, Any]) -> dict[str, Any]:
    inner = event.get_dagster_event()
    about, specific = inner.event_specific_data, packed["dagster_event"]["event_specific_data"]
    if isinstance(about, StepMaterializationData):
        made = about.materialization
        own = {
            "partition": made.partition,
            "tags": dict(made.tags) if made.tags is not None else None,
            "metadata_entries": [_packed_entry(name, value, values) for name, value in made.metadata.items()],
        }
        specific = {**specific, "materialization": {**specific["materialization"], **own}}
    elif isinstance(about, AssetMaterializationPlannedData) and about.partitions_subset is None:
        specific = {**specific, "partition": about.partition}
    return {
        **packed,
        "timestamp": event.timestamp,
        "dagster_event": {**packed["dagster_event"], "event_specific_data": specific},
    }


def asset_of(event: dg.EventLogEntry) -> tuple[dg.AssetKey, str | None, Mapping[str, str]]:
    """Asset, partition and tags of an event about an asset, without Dagster's own properties.

    Each of those words the message of an error that it does not raise, and a batch asks them a dozen times for each event.
    """
    inner = event.get_dagster_event()
    about = inner.event_specific_data
    if isinstance(about, StepMaterializationData):
        made = about.materialization
        return made.asset_key, made.partition, made.tags or {}
    if isinstance(about, AssetObservationData):
        seen = about.asset_observation
        return seen.asset_key, seen.partition, seen.tags or {}
    if isinstance(about, AssetMaterializationPlannedData):
        return about.asset_key, about.partition, {}
    if inner.asset_key is None:
        raise TypeError(f"{inner.event_type_value} is not about an asset")
    return inner.asset_key, inner.partition, {}


def _packed_entry(name: str, value: dg.MetadataValue[Any], values: dict[Hashable, Any]) -> Any:
    """A metadata entry as Dagster packs it; schemas and texts, mostly the same for all partitions, are packed once.

    Of numbers, paths and JSON the entry is packed once for each name, and only the value put in.
    """
    key: Hashable = None
    own = _OWN.get(type(value))
    if own is not None:
        like = values.get((name, own))
        if like is None:
            (like,) = _METADATA.pack({name: value}, WHITELIST_MAP, "metadata")
            values[name, own] = like
            return like
        return {**like, "entry_data": {**like["entry_data"], own[1]: getattr(value, own[1])}}
    if isinstance(value, dg.TableSchemaMetadataValue):
        key = (name, id(value))
    elif isinstance(value, dg.TextMetadataValue):
        key = (name, value.text)
    if key is None or key not in values:
        (packed,) = _METADATA.pack({name: value}, WHITELIST_MAP, "metadata")
        if key is None:
            return packed
        values[key] = value, packed  # keeps the value, so that no other gets its id
    return values[key][1]
