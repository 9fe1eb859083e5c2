"""Sensors of pipelines over events: partitions follow the list, and with `schedule: on_change` new events run by themselves."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime

import dagster as dg
from pydantic import BaseModel, ConfigDict, ValidationError

from helio_dagster.assets.dynamic_events import definition_name, events_definition, range_in_order
from helio_dagster.assets.factory import EVENTS_TAG
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.schedule import ON_CHANGE

_INTERVAL_S = 30
_MOST_RUNS = 20
"""Maximum number of events that are run at one evaluation; the others follow at the next ones."""


class _Done(BaseModel):
    """What was requested so far: the version of each event's row, and a hash over all for the steps over all events."""

    model_config = ConfigDict(extra="ignore")

    events: dict[str, str] = {}
    whole: str = ""


def build_event_sensors(graph: AssetGraph) -> list[dg.SensorDefinition]:
    """One sensor for each pipeline over events."""
    return [_sensor(graph, name) for name in graph.events]


def _sensor(graph: AssetGraph, name: str) -> dg.SensorDefinition:
    nodes = [node for node in graph.of_pipeline(graph.pipelines[name]).values() if node.events is not None]
    single = [asset_key(node.name) for node in nodes if node.over != "range"]
    whole = [asset_key(node.name) for node in nodes if node.over == "range"]
    is_running_them = graph.pipelines[name].schedule == ON_CHANGE

    def evaluate(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        try:
            events = graph.reread_events(name)
        except HelioError as error:
            return dg.SkipReason(f"The list of {name} cannot be read, so its events stay as they are: {error.problem}.")
        if events.trouble is not None:
            return dg.SkipReason(f"The events of {name} stay as they are: {events.trouble.problem}. {events.trouble.hint}")
        known = context.instance.get_dynamic_partitions(definition_name(events))
        done = _read(context.cursor)
        due = _due(graph, name, events, done.events)[:_MOST_RUNS] if is_running_them else []
        requests = [
            dg.RunRequest(run_key=f"{key} {events.events[key].version}", partition_key=key, asset_selection=single)
            for key in due
        ]
        asked = {key: version for key, version in done.events.items() if key in events.events}
        asked |= {key: events.events[key].version for key in due}
        state = _hash(asked)
        if is_running_them and whole and not due and asked and state != done.whole:
            requests.append(_of_all(context.instance, events, whole, list(asked), state))
            done.whole = state
        return dg.SensorResult(
            run_requests=requests,
            dynamic_partitions_requests=_changes(events, known),
            cursor=_Done(events=asked, whole=done.whole).model_dump_json(),
        )

    return dg.SensorDefinition(
        name=definition_name(graph.events[name]),
        evaluation_fn=evaluate,
        asset_selection=dg.AssetSelection.assets(*single, *whole),
        minimum_interval_seconds=_INTERVAL_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Keeps the partitions of {name} in step with its list of events.",
    )


def _read(cursor: str | None) -> _Done:
    try:
        return _Done.model_validate_json(cursor or "{}")
    except ValidationError:
        return _Done()


def _due(graph: AssetGraph, name: str, events: EventPartitions, done: dict[str, str]) -> list[str]:
    """The events that are new, or whose row changed, and whose data are complete."""
    now = datetime.now(UTC)
    changed = [event for key, event in events.events.items() if done.get(key) != event.version and event.window.stop <= now]
    return [event.key for event in changed if graph.event_over_at(name, event.window) <= now]


def _changes(
    events: EventPartitions, known: Sequence[str]
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    definition, before = events_definition(events), set(known)
    added, removed = [key for key in events.events if key not in before], sorted(before - set(events.events))
    return [
        *([definition.build_add_request(added)] if added else []),
        *([definition.build_delete_request(removed)] if removed else []),
    ]


def _of_all(
    instance: dg.DagsterInstance, events: EventPartitions, assets: Sequence[dg.AssetKey], keys: Sequence[str], state: str
) -> dg.RunRequest:
    """One run of the steps over all events."""
    first, last = range_in_order(instance, events, keys)
    tags = {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last,
        EVENTS_TAG: json.dumps(list(keys)),
    }
    return dg.RunRequest(run_key=f"all {state}", asset_selection=list(assets), tags=tags)


def _hash(versions: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()[:16]
