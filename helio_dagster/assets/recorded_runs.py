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
_PIPELINE, _BEGUN_BY, _SCHEDULE = "helio/pipeline", "helio/begun_by", "helio/schedule"
_BEGINNERS = {"dagster/backfill": "backfill", "dagster/schedule_name": "schedule", "dagster/sensor_name": "on change"}
_BY_HAND = "Dagster"
_STATES = {"SUCCESS": "success", "FAILURE": "failed", "CANCELED": "cancelled", "CANCELING": "running", "STARTED": "running"}
_RUNS = "SELECT run_id, status, create_timestamp, start_time, end_time FROM runs ORDER BY id DESC LIMIT ?"
_RUNS_OF = """SELECT run_id, status, create_timestamp, start_time, end_time
FROM (SELECT * FROM runs ORDER BY id DESC LIMIT 2000) WHERE instr(run_body, ?) ORDER BY id DESC LIMIT ?"""
_TAGS = "SELECT key, value FROM run_tags WHERE run_id = ?"


@dataclass(frozen=True)
class RecordedRun:
    """A run of the record.

    Parameters
    ----------
    id
        Dagster's id of it.
    pipeline
        The pipeline, of a run that helio or its schedule began; empty for one that was begun on Dagster's own pages.
    begun_by
        `command line`, `Python`, `HTTP` or `conversation ID` of a run that helio began; `schedule`, `on change`, `backfill`, or
        `Dagster` for one begun by hand on its pages.
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
    begun_by: str
    first: str
    last: str
    begun: datetime
    state: str
    seconds: float | None


def recorded_runs(instance_folder: Path, most: int, pipeline: str | None = None) -> Sequence[RecordedRun]:
    """The runs in an instance's folder, the last begun first; none if nothing was ever written.

    With a pipeline, those among the last 2,000 that were to make any of its steps.

    Raises
    ------
    sqlite3.DatabaseError
        The database is damaged.
    """
    path = instance_folder / "history" / "runs.db"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)) as connection:
        if pipeline is None:
            rows = connection.execute(_RUNS, (most,)).fetchall()
        else:
            rows = connection.execute(_RUNS_OF, (f'"path": ["{pipeline}", ', most)).fetchall()
        return [_run(*row, tags=dict(connection.execute(_TAGS, (row[0],)))) for row in rows]


def _run(
    run_id: str, status: str, created: str, started: float | None, ended: float | None, *, tags: dict[str, str]
) -> RecordedRun:
    one = tags.get(_ONE, "")
    began = next((words for tag, words in _BEGINNERS.items() if tag in tags), _BY_HAND)
    begun_by = tags.get(_BEGUN_BY) or ("helio" if _PIPELINE in tags else began)
    return RecordedRun(
        id=run_id,
        pipeline=tags.get(_PIPELINE) or (tags.get(_SCHEDULE, "") if begun_by == "schedule" else ""),
        begun_by=begun_by,
        first=tags.get(_FIRST, one),
        last=tags.get(_LAST, one),
        begun=datetime.fromisoformat(created).replace(tzinfo=UTC),
        state=_STATES.get(status, "waiting"),
        seconds=round(ended - started, 3) if started is not None and ended is not None else None,
    )
