"""What is relied on in the installed Dagster although it is not public, each held by what helio needs of it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import dagster as dg
import pytest
from dagster_postgres import PostgresEventLogStorage, PostgresRunStorage, PostgresScheduleStorage

from helio_dagster.resources import dagster_internals as internals

PACKAGE = Path(internals.__file__).parents[1]
OVERRIDDEN = [
    (internals.SqliteEventLogStorage, "_connect", ["self", "shard"]),
    (PostgresEventLogStorage, "_connect", ["self"]),
    (PostgresEventLogStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (PostgresRunStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (PostgresScheduleStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (internals.SqlEventLogStorage, "store_event", ["self", "event"]),
    (internals.SqlEventLogStorage, "store_event_batch", ["self", "events"]),
    (internals.SqlEventLogStorage, "_store_asset_event", ["self", "conn", "event", "event_id"]),
    (internals.SqlEventLogStorage, "_store_asset_event_tags", ["self", "conn", "events", "event_ids"]),
    (internals.SqlEventLogStorage, "_store_asset_check_evaluation_planned", ["self", "event", "event_id"]),
    (internals.SqlEventLogStorage, "_store_runless_asset_check_evaluation", ["self", "event", "event_id"]),
    (internals.SqlEventLogStorage, "get_asset_tags_to_index", ["self", "tag_keys"]),
]
COLUMNS = {"id", "run_id", "event", "dagster_event_type", "timestamp", "step_key", "asset_key", "partition"}


@pytest.mark.slow
def test_private_modules_of_dagster_are_named_in_one_module() -> None:
    """No other module of the package imports one."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
        if name.startswith(("dagster._", "dagster_shared", "dagster_postgres."))
    }
    assert found == {"resources/dagster_internals.py", "launch/record/instance.py"}


def test_each_of_them_is_used() -> None:
    """What is no longer used is not kept."""
    texts = [path.read_text() for path in PACKAGE.rglob("*.py") if path.name != "dagster_internals.py"]
    assert [name for name in internals.__all__ if not any(name in text for text in texts)] == []


@pytest.mark.parametrize(("storage", "name", "parameters"), OVERRIDDEN, ids=lambda each: getattr(each, "__name__", None))
def test_what_we_override_and_call_takes_what_we_think(storage: type, name: str, parameters: list[str]) -> None:
    """The methods of storages by their parameters, which Dagster may change without a word."""
    assert list(inspect.signature(getattr(storage, name)).parameters) == parameters


def test_the_tables_have_the_columns_that_we_write() -> None:
    """A new column with a default would be left empty, a missing one would fail."""
    assert set(internals.SqlEventLogStorageTable.c.keys()) == COLUMNS
    assert {"asset_key", "check_name", "partition", "run_id"} <= set(internals.AssetCheckExecutionsTable.c.keys())
    assert {"partitions_def_name", "partition"} <= set(internals.DynamicPartitionsTable.c.keys())


def test_planned_and_made_partitions_are_events_about_assets() -> None:
    """The kinds that are written together."""
    kinds = dg.DagsterEventType
    assert {kinds.ASSET_MATERIALIZATION, kinds.ASSET_OBSERVATION, kinds.ASSET_MATERIALIZATION_PLANNED} <= internals.ASSET_EVENTS
