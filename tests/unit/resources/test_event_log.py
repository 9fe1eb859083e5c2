"""Contract of the event log: what it keeps back or stores together, everyone reads as if stored one by one."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import AssetMaterializationPlannedData, DagsterEvent
from dagster._core.instance.ref import InstanceRef
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value
from dagster_postgres import PostgresEventLogStorage
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from helio_dagster.assets.dynamic_events import definition_name, keep_in_step
from helio_dagster.domain.event_partitions import EventPartitions, partitions_of_list
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.batched_events import BatchedEventLog
from helio_dagster.resources.event_log import PooledSqliteEventLogStorage
from helio_dagster.storage.settings import Settings
from tests.postgres import ask

DAYS = dg.DailyPartitionsDefinition("2023-01-01", end_date="2023-01-08")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def instance(request: pytest.FixtureRequest, tmp_path: Path, fresh_instance: Path) -> Iterator[dg.DagsterInstance]:
    """The instance of an empty home, with its record in SQLite or in PostgreSQL."""
    shared = request.getfixturevalue("postgres") if request.param == "postgres" else None
    settings = Settings(tmp_path / "home", tmp_path / "pipelines", postgres=shared)
    if shared is None:
        shutil.copytree(fresh_instance, settings.instance)
    with open_instance(settings) as opened:
        yield opened


def _log(instance: dg.DagsterInstance) -> BatchedEventLog:
    storage = instance.event_log_storage
    assert isinstance(storage, BatchedEventLog)
    return storage


def _stored(instance: dg.DagsterInstance, run_id: str) -> int:
    """How many events of a run the database has, asked by a connection of the test's own."""
    log = _log(instance)
    if isinstance(log, PooledSqliteEventLogStorage):
        with closing(sqlite3.connect(Path(log._base_dir) / f"{run_id}.db")) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM event_logs").fetchone()[0])
    assert isinstance(log, PostgresEventLogStorage)
    address = log.postgres_url.replace("+psycopg2", "")
    return int(ask(address, "SELECT COUNT(*) FROM event_logs WHERE run_id = %s", (run_id,))[0][0])


def _materialize(instance: dg.DagsterInstance, *, broken: bool = False) -> dg.ExecuteInProcessResult:
    """One run over a week; `broken` materializes only its first three days and fails."""

    @dg.asset(
        partitions_def=DAYS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        check_specs=[dg.AssetCheckSpec("fine", asset="b")],
    )
    def b(context: dg.AssetExecutionContext) -> Iterator[object]:
        with _log(instance).batch():
            for key in context.partition_keys[: 3 if broken else None]:
                tags = {"dagster/data_version": f"v-{key}", "helio/inputs": "none"}
                context.log_event(dg.AssetMaterialization("b", partition=key, tags=tags))
        if broken:
            raise dg.Failure("four days are wanting")
        yield dg.AssetCheckResult(passed=True, check_name="fine")
        yield dg.MaterializeResult(metadata={"__source_asset_observation__": True})

    tags = {"dagster/asset_partition_range_start": "2023-01-01", "dagster/asset_partition_range_end": "2023-01-07"}
    return dg.materialize([b], instance=instance, tags=tags, raise_on_error=False)


def test_each_partition_of_a_batch_has_its_own_version(instance: dg.DagsterInstance) -> None:
    """Events stored together are found by partition, with their own tags."""
    assert _materialize(instance).success
    tags = _log(instance).get_latest_tags_by_partition(
        dg.AssetKey("b"), dg.DagsterEventType.ASSET_MATERIALIZATION, ["dagster/data_version"]
    )
    assert {key: found["dagster/data_version"] for key, found in tags.items()} == {
        key: f"v-{key}" for key in DAYS.get_partition_keys()
    }


def test_storage_ids_are_those_of_the_events(instance: dg.DagsterInstance) -> None:
    """Ids given in bulk are unique, rise in the order of the batch, and the asset's newest event is the last."""
    _materialize(instance)
    records = instance.fetch_materializations(dg.AssetKey("b"), limit=100, ascending=True).records
    ids = [record.storage_id for record in records]
    assert [record.partition_key for record in records] == DAYS.get_partition_keys()
    assert ids == sorted(set(ids))
    newest = instance.get_latest_materialization_event(dg.AssetKey("b"))
    assert newest is not None
    assert newest.asset_materialization is not None
    assert newest.asset_materialization.partition == "2023-01-07"


def test_a_failed_run_leaves_just_the_missing_partitions_failed(instance: dg.DagsterInstance) -> None:
    """Planned events that were kept back mark the partitions without an event as failed."""
    assert not _materialize(instance, broken=True).success
    assert _failed(instance) == ["2023-01-04", "2023-01-05", "2023-01-06", "2023-01-07"]


def _failed(instance: dg.DagsterInstance) -> list[str]:
    found = get_and_update_asset_status_cache_value(instance, dg.AssetKey("b"), DAYS)
    assert found is not None
    return sorted(found.deserialize_failed_partition_subsets(DAYS).get_partition_keys())


def test_planned_events_are_read_as_soon_as_they_are_stored(instance: dg.DagsterInstance) -> None:
    """Whoever reads after an event was kept back finds it."""
    _materialize(instance)
    run_id = instance.get_run_records(limit=1)[0].dagster_run.run_id
    planned = instance.event_log_storage.get_logs_for_run(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED)
    assert [event.get_dagster_event().partition for event in planned] == DAYS.get_partition_keys()


@pytest.mark.slow
def test_many_planned_events_are_stored_in_their_order(instance: dg.DagsterInstance) -> None:
    """However many are planned at once, each is there once; those of a run that is killed meanwhile do not all wait."""
    keys = [f"k{number:04d}" for number in range(2100)]
    for key in keys:
        data = AssetMaterializationPlannedData(dg.AssetKey("b"), partition=key)
        kind = dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED
        event = DagsterEvent(event_type_value=kind.value, job_name="job", event_specific_data=data)
        instance.report_dagster_event(event, "r")
    assert 2000 <= _stored(instance, "r") < len(keys)
    planned = instance.event_log_storage.get_logs_for_run("r")
    assert [event.get_dagster_event().partition for event in planned] == keys


def test_a_batch_with_an_error_stores_nothing(instance: dg.DagsterInstance) -> None:
    """None of a batch's events is stored when its block fails."""

    def batch_with_error() -> None:
        with _log(instance).batch():
            instance.report_runless_asset_event(dg.AssetMaterialization("c"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        batch_with_error()
    assert instance.get_latest_materialization_event(dg.AssetKey("c")) is None


def test_the_tags_of_a_batch_are_those_that_dagster_indexes(instance: dg.DagsterInstance) -> None:
    """Of materializations and observations; ours besides."""
    tags = {"dagster/data_version": "1", "dagster/code_version": "c", "helio/inputs": "i"}
    events: list[dg.AssetMaterialization | dg.AssetObservation] = [
        dg.AssetMaterialization("b", partition="2023-01-01", tags=tags),
        dg.AssetMaterialization("b", partition="2023-01-02", tags={**tags, "dagster/data_version": "2"}),
        dg.AssetMaterialization("b", partition="2023-01-03"),
        dg.AssetObservation("b", partition="2023-01-01", tags={"dagster/data_version": "3"}),
    ]
    kinds = (dg.DagsterEventType.ASSET_MATERIALIZATION, dg.DagsterEventType.ASSET_OBSERVATION)
    with dg.DagsterInstance.ephemeral() as theirs, _log(instance).batch():
        for each in events:
            instance.report_runless_asset_event(each)
            theirs.report_runless_asset_event(each)
        log, version = theirs.event_log_storage, ["dagster/data_version"]
        expected = [log.get_latest_tags_by_partition(dg.AssetKey("b"), kind, version) for kind in kinds]
    ours = {"dagster/code_version": "c", "helio/inputs": "i"}
    wanted = [*version, *ours]
    found = [_log(instance).get_latest_tags_by_partition(dg.AssetKey("b"), kind, wanted) for kind in kinds]
    assert expected[0] == {"2023-01-01": {"dagster/data_version": "1"}, "2023-01-02": {"dagster/data_version": "2"}}
    assert found[0] == {key: {**each, **ours} for key, each in expected[0].items()}
    assert found[1] == expected[1] == {"2023-01-01": {"dagster/data_version": "3"}}


def _listed(*days: str) -> EventPartitions:
    """The partitions of a list with these events."""
    given = EventTable(csv="onset\n" + "\n".join(days), source="me")
    return partitions_of_list("storms", "storms/listed", given, timedelta(), timedelta(days=1))


def test_events_of_a_long_list_are_added_in_its_order(instance: dg.DagsterInstance) -> None:
    """However many statements that takes, and each once."""
    first = datetime(2000, 1, 1, tzinfo=UTC)
    events = _listed(*[f"{first + timedelta(days=day):%Y-%m-%d}" for day in range(1001)])
    assert keep_in_step(instance, events) == list(events.events)
    assert list(instance.get_dynamic_partitions(definition_name(events))) == list(events.events)
    assert keep_in_step(instance, events) == []


def test_events_that_left_a_list_are_removed_together(instance: dg.DagsterInstance) -> None:
    """In one transaction, however many; other partitions stay, also those of the same key in another definition."""
    whole, left = _listed("2023-01-01", "2023-02-01", "2023-03-01", "2023-04-01"), _listed("2023-02-01")
    keep_in_step(instance, whole)
    instance.add_dynamic_partitions("others", list(whole.events))
    commits: list[object] = []

    def note(connection: object) -> None:
        commits.append(connection)

    listen(Engine, "commit", note)
    try:
        assert keep_in_step(instance, left) == []
    finally:
        remove(Engine, "commit", note)
    assert instance.get_dynamic_partitions(definition_name(left)) == list(left.events)
    assert instance.get_dynamic_partitions("others") == list(whole.events)
    assert len(commits) < 3  # one to look, one to remove


def test_a_check_over_a_range_is_one_execution(instance: dg.DagsterInstance) -> None:
    """The evaluation of a range takes the place of its plan; nothing stays planned."""
    _materialize(instance)
    key = dg.AssetCheckKey(dg.AssetKey("b"), "fine")
    history = instance.event_log_storage.get_asset_check_execution_history(key, limit=10)
    assert [record.status.value for record in history] == ["SUCCEEDED"]


@pytest.mark.parametrize("given", [None, "own"])
def test_the_workspace_opens_without_a_dagster_home(given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`dagster dev` in a fresh clone, with no variables set, records where `helio run` does; a DAGSTER_HOME counts first."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    shutil.copy(Path(__file__).parents[3] / "dagster.yaml", folder)
    monkeypatch.chdir(tmp_path)
    for name in ("HELIO_HOME", "HELIO_PIPELINES", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    if given:
        monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / given))
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(folder))) as opened:
        assert isinstance(opened.event_log_storage, PooledSqliteEventLogStorage)
    assert (tmp_path / (given or ".helio/dagster/history/runs") / "index.db").exists()
