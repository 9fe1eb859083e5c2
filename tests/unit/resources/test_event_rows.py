"""Contract with the installed Dagster: many events packed at once read like Dagster's own text of each."""

import json
from typing import Any

import dagster as dg
from dagster._core.definitions.dependency import NodeHandle
from dagster._core.events import (
    AssetMaterializationPlannedData,
    DagsterEvent,
    DagsterEventType,
    EventSpecificData,
    StepMaterializationData,
)
from dagster._core.execution.plan.handle import StepHandle
from dagster._serdes import deserialize_value, serialize_value

from helio_dagster.resources.event_rows import serialize_events

NODE = NodeHandle("bench__b", None)


def _entry(kind: DagsterEventType, about: EventSpecificData, timestamp: float, step: str = "bench__b") -> dg.EventLogEntry:
    inner = DagsterEvent(
        event_type_value=kind.value,
        job_name="job",
        step_handle=StepHandle(NODE) if kind is DagsterEventType.ASSET_MATERIALIZATION else None,
        node_handle=NODE if kind is DagsterEventType.ASSET_MATERIALIZATION else None,
        logging_tags={"run_id": "r"},
        event_specific_data=about,
        message="Materialized.",
        pid=7,
        step_key=step,
    )
    return dg.EventLogEntry(  # type: ignore[no-untyped-call]  # Dagster annotates all but its constructor
        error_info=None,
        level=10,
        user_message="",
        run_id="r",
        timestamp=timestamp,
        step_key=step,
        job_name="job",
        dagster_event=inner,
    )


def _made(key: str, day: str, metadata: dict[str, Any], tags: dict[str, str]) -> StepMaterializationData:
    return StepMaterializationData(
        dg.AssetMaterialization(dg.AssetKey(key.split("/")), partition=day, metadata=metadata, tags=tags)
    )


def _events() -> list[dg.EventLogEntry]:
    schema = dg.MetadataValue.table_schema(dg.TableSchema([dg.TableColumn("time", "timestamp[ns]", description="UTC")]))
    full = {
        "rows": 5,
        "schema": schema,
        "columns": dg.MetadataValue.json([{"min": "1 \u2212"}]),
        "path": dg.MetadataValue.path("/x"),
        "unit": "nT",
        "label": "nT",
        "coverage": 0.5,
        "is_twice_the_same": True,
        "sources": dg.MetadataValue.json([{"name": "a", "size": 1}]),
        "figure": dg.MetadataValue.url("/figures/a.html"),
    }
    like = {"schema": schema, "unit": "km/s", "label": "nT", "path": dg.MetadataValue.path("/y"), "rows": 7, "coverage": 1.0}
    other = {
        "rows": 0.5,  # of another kind under the same name
        "coverage": 1,
        "columns": dg.MetadataValue.json({"a": [None, True, {"b": [0.1, -2]}]}),
        "sources": dg.MetadataValue.json([]),
        "figure": dg.MetadataValue.url("/figures/b.html"),
        "is_twice_the_same": False,
        "unit": dg.MetadataValue.path("nT"),
    }
    planned = [AssetMaterializationPlannedData(dg.AssetKey("a"), partition=day) for day in ("2023-01-02", "2023-01-03", None)]
    made, plan = DagsterEventType.ASSET_MATERIALIZATION, DagsterEventType.ASSET_MATERIALIZATION_PLANNED
    return [
        _entry(made, _made("bench/b", "2023-01-02", full, {"dagster/data_version": "1"}), 1.5),
        _entry(made, _made("bench/b", "2023-01-03", {"rows": 0}, {}), 2.5),
        _entry(made, _made("bench/b", "2023-01-04", like, {}), 2.5),
        _entry(made, _made("bench/b", "2023-01-05", other, {}), 2.5),
        _entry(made, _made("bench/b", "2023-01-06", {**full, "columns": dg.MetadataValue.json({"a": 1})}, {"t": "u"}), 2.5),
        _entry(made, _made("bench/other", "2023-01-03", {}, {"t": "u"}), 3.5, step="other"),
        *[_entry(plan, each, 4.5 + number) for number, each in enumerate(planned)],
    ]


def test_the_text_reads_as_the_event() -> None:
    """What is read back is the event that was written, for partitions with more, less, no and partly the same metadata."""
    events = _events()
    assert [deserialize_value(text, dg.EventLogEntry) for text in serialize_events(events)] == events


def test_the_text_is_dagster_s_own() -> None:
    """To the letter, but for the order of names."""
    events = _events()
    assert [json.loads(text) for text in serialize_events(events)] == [json.loads(serialize_value(event)) for event in events]
