"""Contract of a home's databases: as Dagster would have made them, and completed where their making was cut off."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.schema import SqlEventLogStorageMetadata
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.schedules.sqlite.sqlite_schedule_storage import SqliteScheduleStorage
from sqlalchemy import create_engine

from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.record_tables import create_missing_tables
from helio_dagster.storage.settings import Settings


def _schema(database: Path) -> set[tuple[str, ...]]:
    """All that a database is made of, the migration it is at, and how it keeps its journal."""
    with sqlite3.connect(database) as connection:
        made = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
        (migration,) = connection.execute("SELECT version_num FROM alembic_version").fetchall()
        return {*made, migration, *connection.execute("PRAGMA journal_mode").fetchall()}


def _migrated(database: Path) -> set[str]:
    """The migrations of data that are on record as done."""
    with sqlite3.connect(database) as connection:
        done = connection.execute("SELECT name FROM secondary_indexes WHERE migration_completed IS NOT NULL").fetchall()
        return {name for (name,) in done}


def test_a_shard_is_as_dagster_makes_it(tmp_path: Path) -> None:
    """The same tables and indexes at the same migration."""
    with SqliteEventLogStorage(str(tmp_path)).run_connection("theirs"):
        pass
    create_missing_tables(create_engine(f"sqlite:///{tmp_path}/ours.db"), SqlEventLogStorageMetadata)
    assert _schema(tmp_path / "ours.db") == _schema(tmp_path / "theirs.db")


def test_a_new_record_is_as_dagster_makes_it(tmp_path: Path) -> None:
    """Index, runs and schedules: the same tables and indexes at the same migration, with the same migrations of data done."""
    SqliteEventLogStorage(str(tmp_path / "events")).dispose()
    SqliteRunStorage.from_local(str(tmp_path))
    SqliteScheduleStorage.from_local(str(tmp_path))
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    with open_instance(settings) as instance:
        assert instance.all_instigator_state() == []
    history = settings.instance / "history"
    pairs = [
        (history / "runs" / "index.db", tmp_path / "events" / "index.db"),
        (history / "runs.db", tmp_path / "runs.db"),
        (settings.instance / "schedules" / "schedules.db", tmp_path / "schedules.db"),
    ]
    for ours, theirs in pairs:
        assert _schema(ours) == _schema(theirs)
        assert _migrated(ours) == _migrated(theirs) != set()


@pytest.mark.slow
def test_a_shard_is_made_once(tmp_path: Path) -> None:
    """By threads that come at once to one that was cut off while it was made; later ones find it complete."""
    for number in range(20):  # SQLite refuses one of the four in about one of ten
        shard = tmp_path / f"{number}.db"
        address = f"sqlite:///{shard}"
        with sqlite3.connect(shard) as connection:
            connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        with ThreadPoolExecutor(4) as threads:
            list(
                threads.map(
                    lambda _, at=address: create_missing_tables(
                        create_engine(at, connect_args={"timeout": 60}), SqlEventLogStorageMetadata
                    ),
                    range(4),
                )
            )
        made = _schema(shard)
        create_missing_tables(create_engine(address), SqlEventLogStorageMetadata)
        assert _schema(shard) == made


@pytest.mark.slow
def test_a_record_that_was_not_completed_is(tmp_path: Path) -> None:
    """The databases of runs and schedules were only begun: opening it completes both."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    for begun in ("history/runs.db", "schedules/schedules.db"):
        path = settings.instance / begun
        path.parent.mkdir(parents=True)
        path.touch()
    for _ in range(2):  # the second opening finds them complete
        with open_instance(settings) as instance:
            assert instance.get_runs_count() == 0
            assert instance.all_instigator_state() == []
