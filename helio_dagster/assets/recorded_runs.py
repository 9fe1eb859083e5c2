"""Read which runs a home's record holds from its database, without loading Dagster, which takes seconds.

The table names, states and tags are Dagster's own; a test checks them against the installed version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helio_dagster.assets.record_database import RecordDatabase

_FIRST, _LAST, _ONE = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end", "dagster/partition"
_PIPELINE, _BEGUN_BY, _SCHEDULE = "helio/pipeline", "helio/begun_by", "helio/schedule"
_BEGINNERS = {"dagster/backfill": "backfill", "dagster/schedule_name": "schedule", "dagster/sensor_name": "on change"}
_BY_HAND = "Dagster"
_STATES = {"SUCCESS": "success", "FAILURE": "failed", "CANCELED": "cancelled", "CANCELING": "running", "STARTED": "running"}
_RUNS = "SELECT run_id, status, create_timestamp, start_time, end_time FROM runs ORDER BY id DESC LIMIT ?"
_RUNS_OF = """SELECT run_id, status, create_timestamp, start_time, end_time
FROM (SELECT * FROM runs ORDER BY id DESC LIMIT 2000) AS latest WHERE run_body LIKE ? ESCAPE '!' ORDER BY id DESC LIMIT ?"""
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


def recorded_runs(database: RecordDatabase, most: int, pipeline: str | None = None) -> Sequence[RecordedRun]:
    """The runs in a record, the last begun first; with a pipeline, those among the last 2,000 that were to make its steps."""
    if pipeline is None:
        rows = list(database.rows(_RUNS, (most,)))
    else:
        name = pipeline.replace("_", "!_")
        rows = list(database.rows(_RUNS_OF, (f'%"path": ["{name}", %', most)))
    return [_run(*row, tags=dict(database.rows(_TAGS, (row[0],)))) for row in rows]


def _run(
    run_id: str, status: str, created: str | datetime, started: float | None, ended: float | None, *, tags: dict[str, str]
) -> RecordedRun:
    one = tags.get(_ONE, "")
    began = next((words for tag, words in _BEGINNERS.items() if tag in tags), _BY_HAND)
    begun_by = tags.get(_BEGUN_BY) or ("helio" if _PIPELINE in tags else began)
    begun = created if isinstance(created, datetime) else datetime.fromisoformat(created)
    return RecordedRun(
        id=run_id,
        pipeline=tags.get(_PIPELINE) or (tags.get(_SCHEDULE, "") if begun_by == "schedule" else ""),
        begun_by=begun_by,
        first=tags.get(_FIRST, one),
        last=tags.get(_LAST, one),
        begun=begun.replace(tzinfo=UTC),
        state=_STATES.get(status, "waiting"),
        seconds=round(ended - started, 3) if started is not None and ended is not None else None,
    )
