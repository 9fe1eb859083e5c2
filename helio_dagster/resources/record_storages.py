"""Dagster's SQLite storages of runs and of schedules, opened faster. Configured in `dagster.yaml`.

Dagster reads its ninety migrations whenever it opens one of them, and needs them only for a database that is new.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, create_engine
from sqlalchemy.pool import NullPool

from helio_dagster.resources.dagster_internals import (
    OPTIONAL_RUN_MIGRATIONS,
    OPTIONAL_SCHEDULE_MIGRATIONS,
    REQUIRED_RUN_MIGRATIONS,
    REQUIRED_SCHEDULE_MIGRATIONS,
    ConfigurableClassData,
    RunStorageSqlMetadata,
    ScheduleStorageSqlMetadata,
    SqliteRunStorage,
    SqliteScheduleStorage,
    create_db_conn_string,
)
from helio_dagster.resources.record_tables import create_missing_tables, has_migration, is_new


class QuickRunStorage(SqliteRunStorage):
    """The runs of a home."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> QuickRunStorage:
        """Open the database in the configured folder; create it where it is missing."""
        folder = str(config_value["base_dir"])
        if not _is_complete(folder, "runs", RunStorageSqlMetadata, (*REQUIRED_RUN_MIGRATIONS, *OPTIONAL_RUN_MIGRATIONS)):
            cls.from_local(folder)
        return cls(create_db_conn_string(folder, "runs"), inst_data)


class QuickScheduleStorage(SqliteScheduleStorage):
    """The schedules of a home."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> QuickScheduleStorage:
        """Open the database in the configured folder; create it where it is missing."""
        folder = str(config_value["base_dir"])
        migrated = (*REQUIRED_SCHEDULE_MIGRATIONS, *OPTIONAL_SCHEDULE_MIGRATIONS)
        if not _is_complete(folder, "schedules", ScheduleStorageSqlMetadata, migrated):
            cls.from_local(folder)
        return cls(create_db_conn_string(folder, "schedules"), inst_data)


def _is_complete(folder: str, name: str, tables: MetaData, migrated: Iterable[str]) -> bool:
    """Whether a database is complete, after creating a new one; Dagster completes what an earlier release has begun."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    engine = create_engine(create_db_conn_string(folder, name), poolclass=NullPool)
    with engine.connect() as connection:
        if has_migration(connection):
            return True
        if not is_new(connection):
            return False
    create_missing_tables(engine, tables, migrated=migrated)
    return True
