"""End the runs of killed processes in Dagster's record, so that nothing waits for them."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from helio_dagster.launch.record.living_process import sweep_dead
from helio_dagster.storage.atomic import storage_error

PROCESS_TAG = "helio/process"
"""Run tag: the file whose lock the run's process holds."""
_UNFINISHED = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
_MESSAGE = "The process of this run was killed. What it had made is kept, and the next run continued from there."


def end_abandoned_runs(folder: Path, instance: dg.DagsterInstance) -> None:
    """Record the runs of killed processes as failed.

    Raises
    ------
    StorageError
        The folder cannot be read.
    """
    try:
        living = sweep_dead(folder)
    except OSError as error:
        raise storage_error(error, folder) from error
    for run in instance.get_runs(dg.RunsFilter(statuses=list(_UNFINISHED))):
        if PROCESS_TAG in run.tags and run.tags[PROCESS_TAG] not in living:
            instance.report_run_failed(run, _MESSAGE)
