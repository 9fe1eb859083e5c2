"""What is relied on in the installed Dagster although it is not public, each held by what helio needs of it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import dagster as dg
import pytest
from celery import Celery
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tasks import create_execute_job_task, create_resume_job_task
from dagster_postgres import PostgresEventLogStorage, PostgresRunStorage, PostgresScheduleStorage

from helio_dagster.resources import dagster_internals as internals

PACKAGE = Path(internals.__file__).parents[1]
OVERRIDDEN = [
    (internals.SqliteEventLogStorage, "_connect", ["self", "shard"]),
    (internals.SqliteEventLogStorage, "_initdb", ["self", "engine", "for_index_shard"]),
    (PostgresEventLogStorage, "_connect", ["self"]),
    (PostgresRunStorage, "connect", ["self"]),
    (PostgresScheduleStorage, "connect", ["self", "run_id"]),
    (internals.SqlEventLogStorage, "store_asset_check_event", ["self", "event", "event_id"]),
    (internals.SqlEventLogStorage, "_event_to_row", ["self", "event"]),
    (PostgresEventLogStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (PostgresRunStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (PostgresScheduleStorage, "optimize_for_webserver", ["self", "statement_timeout", "pool_recycle", "max_overflow"]),
    (internals.SqlEventLogStorage, "store_event", ["self", "event"]),
    (internals.SqlEventLogStorage, "store_event_batch", ["self", "events"]),
    (internals.SqlEventLogStorage, "_store_asset_event", ["self", "conn", "event", "event_id"]),
    (internals.SqlEventLogStorage, "_event_insert_timestamp", ["self", "event"]),
    (internals.SqlEventLogStorage, "_has_asset_key_col_on_connection", ["self", "conn", "column_name"]),
    (internals.SqlEventLogStorage, "_store_asset_check_evaluation_planned", ["self", "event", "event_id"]),
    (internals.SqlEventLogStorage, "_store_runless_asset_check_evaluation", ["self", "event", "event_id"]),
    (CeleryRunLauncher, "_launch_celery_task_run", ["self", "run", "task_signature", "routing_key"]),
    (CeleryRunLauncher, "check_run_worker_health", ["self", "run"]),
    (CeleryRunLauncher, "resume_run", ["self", "context"]),
    (CeleryRunLauncher, "terminate", ["self", "run_id"]),
    (CeleryRunLauncher, "get_run_worker_debug_info", ["self", "run", "include_container_logs"]),
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
    assert found == {"resources/dagster_internals.py", "resources/postgres_patience.py"}


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


def test_definitions_that_were_loaded_can_be_forgotten() -> None:
    """A process that does many runs would else use the pipelines as they were at its first."""
    for name in ("get_definition", "get_repository_definition"):
        assert callable(getattr(internals.ReconstructableJob, name).cache_clear)


def test_a_plan_may_have_some_steps_alone() -> None:
    """The run that is created from it keeps which."""
    assert {"job", "run_config", "step_keys_to_execute", "tags"} <= inspect.signature(
        internals.create_execution_plan
    ).parameters.keys()
    assert "execution_plan" in inspect.signature(dg.DagsterInstance.create_run_for_job).parameters


class Nothing(dg.IOManager):
    """Keeps nothing."""

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        """Forget it."""

    def load_input(self, context: dg.InputContext) -> None:
        """Nothing."""


def test_a_value_is_loaded_with_resources_that_are_open() -> None:
    """Contexts made by their classes take them; those of `build_input_context` open a new Dagster instance each time."""
    taken = inspect.signature(dg.InputContext).parameters.keys()
    assert {"upstream_output", "resources", "resource_config", "asset_partitions_subset", "log_manager", "instance"} <= taken
    assert {"definition_metadata", "op_def", "resources", "resource_config"} <= inspect.signature(
        dg.OutputContext
    ).parameters.keys()
    needs = dg.IOManagerDefinition(
        lambda _: Nothing(), {"folder": dg.Field(str, default_value="here")}, required_resource_keys={"a"}
    )
    given = {"reads": needs, "a": dg.ResourceDefinition.hardcoded_resource(1), "b": dg.ResourceDefinition.hardcoded_resource(2)}
    assert internals.get_transitive_required_resource_keys({"a"}, given) == {"a"}
    assert internals.get_mapped_resource_config({"reads": needs}, {})["reads"].config == {"folder": "here"}
    with dg.build_resources({"a": given["a"]}) as resources:
        assert dg.InputContext(resources=resources).resources is resources
    assert isinstance(internals.default_job_io_manager_with_fs_io_manager_schema, dg.IOManagerDefinition)


def test_planned_and_made_partitions_are_events_about_assets() -> None:
    """The kinds that are written together."""
    kinds = dg.DagsterEventType
    assert {kinds.ASSET_MATERIALIZATION, kinds.ASSET_OBSERVATION, kinds.ASSET_MATERIALIZATION_PLANNED} <= internals.ASSET_EVENTS


def test_a_message_of_the_broker_says_its_run() -> None:
    """Packed by the launcher, unpacked by the worker; as dagster-celery's own tasks name it."""
    pointer = internals.ModuleCodePointer("helio_dagster.definitions", "defs")
    origin = internals.JobPythonOrigin("job", internals.RepositoryPythonOrigin("python", pointer, None, ["dagster"], {}))
    packed = internals.pack_value(
        internals.ResumeRunArgs(job_origin=origin, run_id="r1", instance_ref=None, set_exit_code_on_failure=True)
    )
    found = internals.unpack_value(packed)
    assert isinstance(found, internals.ResumeRunArgs)
    assert (found.run_id, found.job_origin) == ("r1", origin)
    app = Celery("test")
    assert list(inspect.signature(create_execute_job_task(app).run).parameters) == ["execute_job_args_packed"]
    assert list(inspect.signature(create_resume_job_task(app).run).parameters) == ["resume_job_args_packed"]


def test_the_daemon_finds_a_job_by_its_origin() -> None:
    """Through the code location that serves it."""
    location = internals.RegisteredCodeLocationOrigin("helio")
    origin = internals.RemoteJobOrigin(internals.RemoteRepositoryOrigin(location, "__repository__"), "job")
    assert (origin.job_name, origin.repository_origin.repository_name, origin.location_name) == (
        "job",
        "__repository__",
        "helio",
    )


def test_a_run_whose_worker_failed_is_resumed() -> None:
    """Neither of the states that the monitoring takes for life; and it is asked only of launchers that say they can."""
    assert internals.WorkerStatus.FAILED not in (internals.WorkerStatus.RUNNING, internals.WorkerStatus.SUCCESS)
    assert internals.CheckRunHealthResult(internals.WorkerStatus.FAILED, "killed").status is internals.WorkerStatus.FAILED
    assert "dagster_run" in internals.ResumeRunContext._fields
    launcher = object.__new__(CeleryRunLauncher)
    assert launcher.supports_resume_run
    assert launcher.supports_check_run_worker_health
