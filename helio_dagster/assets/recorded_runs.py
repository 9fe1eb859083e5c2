"""Read which runs a home's record holds from SQLite, without loading Dagster, which takes seconds.

The table names, states and tags are Dagster's own; a test checks them against the installed version.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_BUSY_TIMEOUT_S = 60.0
_FIRST, _LAST, _ONE = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end", "dagster/partition"
_PIPELINE = "helio/pipeline"
_STATES = {"SUCCESS": "success", "FAILURE": "failed", "CANCELED": "cancelled", "CANCELING": "running", "STARTED": "running"}
_RUNS = "SELECT run_id, status, create_timestamp, start_time, end_time FROM runs ORDER BY id DESC LIMIT ?"
_TAGS = "SELECT key, value FROM run_tags WHERE run_id = ?"


@dataclass(frozen=True)
class RecordedRun:
    """A run of the record.

    Parameters
    ----------
    id
        Dagster's id of it.
    pipeline
        The pipeline, of a run that helio began; empty for one that was begun on Dagster's own pages or by a schedule.
    first, last
        The first and last partition; empty where the run has none.
    begun
        When it was made, in UTC.
    state
        running, success, failed, cancelled, or waiting.
    seconds
        How long it took, once it is over.
    """

    id: str
    pipeline: str
    first: str
    last: str
    begun: datetime
    state: str
    seconds: float | None


def recorded_runs(instance_folder: Path, most: int) -> Sequence[RecordedRun]:
    """The runs in an instance's folder, the last begun first; none if nothing was ever written.

    Raises
    ------
    sqlite3.DatabaseError
        The database is damaged.
    """
    path = instance_folder / "history" / "runs.db"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)) as connection:
        rows = connection.execute(_RUNS, (most,)).fetchall()
        return [_run(*row, tags=dict(connection.execute(_TAGS, (row[0],)))) for row in rows]


def _run(
    run_id: str, status: str, created: str, started: float | None, ended: float | None, *, tags: dict[str, str]
) -> RecordedRun:
    one = tags.get(_ONE, "")
    return RecordedRun(
        id=run_id,
        pipeline=tags.get(_PIPELINE, ""),
        first=tags.get(_FIRST, one),
        last=tags.get(_LAST, one),
        begun=datetime.fromisoformat(created).replace(tzinfo=UTC),
        state=_STATES.get(status, "waiting"),
        seconds=round(ended - started, 3) if started is not None and ended is not None else None,
    )
