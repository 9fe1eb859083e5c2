"""A worker of a home: takes its queued runs and does them in processes that have everything loaded. `helio worker` starts it.

A process does many runs, one after the other. It keeps what takes long to start: the connections to the record, and the
processes that decode files and run code. Pipelines it loads anew for each run.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import dagster as dg
from celery import Celery, Task
from celery.exceptions import Reject
from dagster_celery.config import TASK_EXECUTE_JOB_NAME
from dagster_celery.tasks import create_execute_job_task, create_resume_job_task

from helio_dagster.domain.errors import StorageError
from helio_dagster.launch.dispatching.extra import open_app
from helio_dagster.launch.dispatching.names import name_of_worker, queue_of
from helio_dagster.resources.dagster_internals import ReconstructableJob, unpack_value
from helio_dagster.resources.held_runs import HeldRuns
from helio_dagster.resources.postgres_patience import RECORD_ERRORS, is_cut_off
from helio_dagster.resources.shared_tables import leave
from helio_dagster.resources.workers import keep_workers
from helio_dagster.storage.settings import Settings

_log = logging.getLogger(__name__)
_UNBEGUN = (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING)
_PAUSE_S = 1.0
_RUNS_OF_A_PROCESS = 100
_LARGEST_PROCESS_KIB = 2 * 2**20
"""A process that is larger after a run, or has done so many, is replaced by a new one."""
_LOADED_FIRST = (
    "helio_dagster.definitions",
    "helio_dagster.resources.io_manager",
    "helio_dagster.resources.postgres_claims",
    "helio_dagster.resources.postgres_record",
    "helio_dagster.resources.postgres_slots",
    "helio_dagster.archives.cdas.archive",
    "helio_dagster.archives.cdf.reader",
    "helio_dagster.archives.hapi.archive",
    "dagster._core.executor.in_process",
)
"""What every run imports, some of it only when it is needed."""


class HeldRun(Task):  # type: ignore[misc]  # Celery has no types
    """Does a run while holding its lock, by which others see that this process lives.

    A broker may hand out a run twice, and hands out again what a killed worker had. What was begun is left to Dagster's
    monitoring, which alone gives it to another worker. What could not begin, as the record was away, goes back to the broker.
    """

    settings: Settings

    def __call__(self, **packed: Any) -> int:
        """Do the run, unless another process has it."""
        message: Any = unpack_value(next(iter(packed.values())))
        try:
            return self._do(str(message.run_id), packed)
        except (StorageError, *RECORD_ERRORS) as error:
            if not isinstance(error, StorageError) and not is_cut_off(error):
                raise
            _log.warning("run %s goes back to the broker: %s", message.run_id, error)
            time.sleep(_PAUSE_S)
            raise Reject(str(error), requeue=True) from error

    def _do(self, run_id: str, packed: Mapping[str, Any]) -> int:
        if not self._is_due(run_id):
            return 0
        with self._held.hold(run_id) as is_ours:
            if not is_ours or not self._is_due(run_id):  # another process did it, or began it, meanwhile
                return 0
            workers = keep_workers(self.settings)
            _forget_definitions()
            result = int(self.run(**packed))
            run = self._record.get_run_by_id(run_id)
            if run is None or run.is_finished:
                with suppress(StorageError):  # of a run that is over nobody asks
                    self._held.let_go(run_id)
            elif run.status in _UNBEGUN:  # Dagster passes over errors of a record in which it cannot note them
                self._held.let_go(run_id)
                raise StorageError(f"run {run_id} could not begin, as the record did not answer")
            if run is None or run.status != dg.DagsterRunStatus.SUCCESS:
                workers.close()  # one of them may have been interrupted in mid-answer
            return result

    def _is_due(self, run_id: str) -> bool:
        run = self._record.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        return self.name != TASK_EXECUTE_JOB_NAME or run.status in _UNBEGUN

    @cached_property
    def _held(self) -> HeldRuns:
        return HeldRuns(str(self.settings.postgres))

    @cached_property
    def _record(self) -> dg.DagsterInstance:
        """The record, opened once by each process: a connection cannot be shared with the process that forked it."""
        return dg.DagsterInstance.get()


def _forget_definitions() -> None:
    """Make Dagster load the pipelines as they are now: it keeps those of the last run of a process."""
    ReconstructableJob.get_repository_definition.cache_clear()
    ReconstructableJob.get_definition.cache_clear()


def worker_app(settings: Settings) -> Celery:
    """The Celery app with the tasks that a worker does."""
    app, base = open_app(settings), cast("Any", type("HeldRun", (HeldRun,), {"settings": settings}))
    create_execute_job_task(app, base=base)
    create_resume_job_task(app, base=base)
    return app


def serve(settings: Settings, runs: int, *, leaves: bool = False) -> None:
    """Take runs until stopped.

    Parameters
    ----------
    settings
        The home, whose record, tables and downloads all workers share.
    runs
        How many runs are done at a time.
    leaves
        Whether the home shares its tables for this worker alone, and no longer when it stops.
    """
    app = worker_app(settings)
    for module in _LOADED_FIRST:
        import_module(module)
    gc.collect()
    gc.freeze()  # what is loaded is shared by the processes, and not walked by the collector of each
    try:
        app.worker_main(
            [
                *("worker", "--pool", "prefork", "--concurrency", str(runs)),
                *("--max-tasks-per-child", str(_RUNS_OF_A_PROCESS), "--max-memory-per-child", str(_LARGEST_PROCESS_KIB)),
                *("--queues", queue_of(settings), "--hostname", name_of_worker(settings), "--loglevel", "WARNING"),
                *("--without-gossip", "--without-mingle"),
            ]
        )
    finally:
        if leaves:  # not before: obstore has threads, which processes that are forked later would miss
            leave(settings)


def main(arguments: Sequence[str]) -> None:
    """Serve with the settings in the environment.

    Parameters
    ----------
    arguments
        The number of runs at a time, and `leaves` where the home shares its tables for this worker alone.
    """
    serve(Settings.read(os.environ, Path.cwd()), int(arguments[0]), leaves="leaves" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
