"""Read which runs a home's record holds from its database, without loading Dagster, which takes seconds.

The table names, states and tags are Dagster's own; a test checks them against the installed version.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from helio_dagster.assets.record_database import RecordDatabase
from helio_dagster.domain.errors import InputError
from helio_dagster.resources.record_tags import PERSON_TAG

_FIRST, _LAST, _ONE = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end", "dagster/partition"
_PIPELINE, _BEGUN_BY, _SCHEDULE = "helio/pipeline", "helio/begun_by", "helio/schedule"
_BEGINNERS = {"dagster/backfill": "backfill", "dagster/schedule_name": "schedule", "dagster/sensor_name": "on change"}
_BY_HAND = "Dagster"
_STATES = {"SUCCESS": "success", "FAILURE": "failed", "CANCELED": "cancelled", "CANCELING": "running", "STARTED": "running"}
_RUNS = "SELECT run_id, status, create_timestamp, start_time, end_time FROM runs ORDER BY id DESC LIMIT ?"
_RUNS_BEGUN_FOR = """SELECT id, run_id, status, create_timestamp, start_time, end_time FROM runs
WHERE id < ? AND run_id IN (SELECT run_id FROM run_tags WHERE key IN ('helio/pipeline', 'helio/schedule') AND value = ?)
ORDER BY id DESC LIMIT ?"""
_RUNS_WITH_STEPS_OF = """SELECT id, run_id, status, create_timestamp, start_time, end_time FROM runs
WHERE id < ? AND id >= ? AND run_body LIKE ? ESCAPE '!' AND NOT EXISTS (SELECT 1 FROM run_tags
  WHERE run_tags.run_id = runs.run_id AND run_tags.key IN ('helio/pipeline', 'helio/schedule') AND run_tags.value = ?)
ORDER BY id DESC LIMIT ?"""
_LOWEST_OF_WINDOW = "SELECT min(id) FROM (SELECT id FROM runs WHERE id < ? ORDER BY id DESC LIMIT ?) AS latest"
_WINDOW = 2_000
"""Runs begun for something else that are read for one page, to find those that made a step of a pipeline."""
_LATEST = 10**17
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
    person
        Who began it; empty of a run that helio did not begin.
    """

    id: str
    pipeline: str
    begun_by: str
    first: str
    last: str
    begun: datetime
    state: str
    seconds: float | None
    person: str = ""


@dataclass(frozen=True)
class RunsCursor:
    """Where the next page of a pipeline's runs begins: below these rows of the record.

    `own` is that of runs begun for the pipeline, `other` that of all others, which are found by the steps that they make.
    """

    own: int = _LATEST
    other: int = _LATEST

    def __str__(self) -> str:
        return f"{self.own}-{self.other}"

    @classmethod
    def parse(cls, text: str) -> RunsCursor:
        """The cursor that `str` wrote; InputError for anything else."""
        parts = re.fullmatch(r"(\d{1,18})-(\d{1,18})", text, re.ASCII)
        if parts is None:
            raise InputError(f"{text!r:.60} is not a place in the list of runs", hint="Take `older` as it was given.")
        return cls(int(parts[1]), int(parts[2]))


@dataclass(frozen=True)
class RunsPage:
    """Some runs of a pipeline, the last begun first; `older` is where the next page begins, None where there is no more."""

    runs: Sequence[RecordedRun]
    older: RunsCursor | None


def recorded_runs(database: RecordDatabase, most: int) -> Sequence[RecordedRun]:
    """The last runs in a record, the last begun first."""
    return [_run(database, row) for row in database.rows(_RUNS, (most,))]


def runs_of_pipeline(database: RecordDatabase, pipeline: str, most: int, below: RunsCursor | None = None) -> RunsPage:
    """A page of the runs that were to make steps of a pipeline.

    Runs begun for the pipeline are found by their tag, which the record has an index for, however old they are. Of other runs,
    such as backfills in Dagster, 2,000 are looked through for a page; a page can therefore be short, or empty, and have an
    older one, and such a run can stand on a later page than an older one begun for the pipeline.
    """
    below = below or RunsCursor()
    pattern = f'%"path": ["{pipeline.replace("_", "!_")}", %'
    ((lowest,),) = database.rows(_LOWEST_OF_WINDOW, (below.other, _WINDOW))
    own = list(database.rows(_RUNS_BEGUN_FOR, (below.own, pipeline, most + 1)))
    other = list(database.rows(_RUNS_WITH_STEPS_OF, (below.other, lowest or 0, pattern, pipeline, most + 1)))
    shown = sorted([*own, *other], reverse=True)[:most]
    ids = {row[0] for row in shown}
    left = [row[0] for row in other if row[0] not in ids]
    has_older = bool(left) or (
        lowest is not None and bool(list(database.rows("SELECT 1 FROM runs WHERE id < ? LIMIT 1", (lowest,))))
    )
    next_own = min((row[0] for row in own if row[0] in ids), default=below.own)
    next_other = left[0] + 1 if left else lowest or 0
    is_over = not has_older and all(row[0] in ids for row in own)
    return RunsPage([_run(database, row[1:]) for row in shown], None if is_over else RunsCursor(next_own, next_other))


def _run(database: RecordDatabase, row: Sequence[Any]) -> RecordedRun:
    run_id, status, created, started, ended = row
    tags: dict[str, str] = dict(database.rows(_TAGS, (run_id,)))
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
        person=tags.get(PERSON_TAG, ""),
    )
