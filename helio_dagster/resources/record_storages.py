"""Dagster's SQLite storages of runs and of schedules, opened faster. Configured in `dagster.yaml`.

Dagster reads its ninety migrations whenever it opens one of them, and needs them only for a database that is new.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from helio_dagster.resources.dagster_internals import (
    ConfigurableClassData,
    SqliteRunStorage,
    SqliteScheduleStorage,
    create_db_conn_string,
)
from helio_dagster.resources.event_tables import has_migration


class QuickRunStorage(SqliteRunStorage):
    """The runs of a home."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> QuickRunStorage:
        """Open the database in the configured folder; create it where it is missing."""
        folder = str(config_value["base_dir"])
        if not _is_complete(folder, "runs"):
            cls.from_local(folder)
        return cls(create_db_conn_string(folder, "runs"), inst_data)


class QuickScheduleStorage(SqliteScheduleStorage):
    """The schedules of a home."""

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> QuickScheduleStorage:
        """Open the database in the configured folder; create it where it is missing."""
        folder = str(config_value["base_dir"])
        if not _is_complete(folder, "schedules"):
            cls.from_local(folder)
        return cls(create_db_conn_string(folder, "schedules"), inst_data)


def _is_complete(folder: str, name: str) -> bool:
    if not Path(folder, f"{name}.db").is_file():
        return False
    with create_engine(create_db_conn_string(folder, name), poolclass=NullPool).connect() as connection:
        return has_migration(connection)
