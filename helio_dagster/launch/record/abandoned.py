"""End the runs of killed processes in Dagster's record, so that nothing waits for them."""

from __future__ import annotations

import dagster as dg

from helio_dagster.launch.record.living_process import sweep_dead
from helio_dagster.resources.record_tags import HOME_TAG
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings

PROCESS_TAG = "helio/process"
"""Run tag: the file whose lock the run's process holds."""
_UNFINISHED = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
_MESSAGE = "The process of this run was killed. What it had made is kept, and the next run continued from there."


def home_tags(settings: Settings) -> dict[str, str]:
    """The tags of a home's runs; none where its record is its own.

    Raises
    ------
    StorageError
        The home cannot be written.
    """
    return {} if settings.postgres is None else {HOME_TAG: home_identity(settings.home)}


def end_abandoned_runs(settings: Settings, instance: dg.DagsterInstance) -> None:
    """Record the runs of killed processes as failed; runs of other homes, which may share the record, are not ours to judge.

    Raises
    ------
    StorageError
        The folder of running processes cannot be read.
    """
    try:
        living = sweep_dead(settings.running)
    except OSError as error:
        raise storage_error(error, settings.running) from error
    for run in instance.get_runs(dg.RunsFilter(statuses=list(_UNFINISHED), tags=home_tags(settings))):
        if PROCESS_TAG in run.tags and run.tags[PROCESS_TAG] not in living:
            instance.report_run_failed(run, _MESSAGE)
