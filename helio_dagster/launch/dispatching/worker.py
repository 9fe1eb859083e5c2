"""A worker of a home: takes its queued runs, one after the other, each in a process of its own. `helio worker` starts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import dagster as dg
from celery import Celery, Task
from dagster_celery.config import TASK_EXECUTE_JOB_NAME
from dagster_celery.tasks import create_execute_job_task, create_resume_job_task

from helio_dagster.launch.dispatching.extra import open_app
from helio_dagster.launch.dispatching.names import name_of_worker, queue_of
from helio_dagster.resources.dagster_internals import unpack_value
from helio_dagster.storage.held_runs import hold, let_go
from helio_dagster.storage.settings import Settings

_UNBEGUN = (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING)


class HeldRun(Task):  # type: ignore[misc]  # Celery has no types
    """Does a run while holding its lock, by which others see that this process lives.

    A broker may hand out a run twice, and hands out again what a killed worker had. What was begun is left to Dagster's
    monitoring, which alone gives it to another worker.
    """

    held: Path

    def __call__(self, **packed: Any) -> int:
        """Do the run, unless another process has it."""
        message: Any = unpack_value(next(iter(packed.values())))
        run_id = str(message.run_id)
        if not self._is_due(run_id):
            return 0
        with hold(self.held, run_id) as is_ours:
            if not is_ours or not self._is_due(run_id):  # another process did it, or began it, meanwhile
                return 0
            result = int(self.run(**packed))
            run = _found(run_id)
            if run is None or run.is_finished:
                let_go(self.held, run_id)
            return result

    def _is_due(self, run_id: str) -> bool:
        run = _found(run_id)
        if run is None or run.is_finished:
            return False
        return self.name != TASK_EXECUTE_JOB_NAME or run.status in _UNBEGUN


def _found(run_id: str) -> dg.DagsterRun | None:
    with dg.DagsterInstance.get() as instance:
        return instance.get_run_by_id(run_id)


def worker_app(settings: Settings) -> Celery:
    """The Celery app with the tasks that a worker does."""
    app, base = open_app(settings), cast("Any", type("HeldRun", (HeldRun,), {"held": settings.held}))
    create_execute_job_task(app, base=base)
    create_resume_job_task(app, base=base)
    return app


def serve(settings: Settings, runs: int) -> None:
    """Take runs until stopped.

    Parameters
    ----------
    settings
        The home, whose record, tables and downloads all workers share.
    runs
        How many runs are done at a time.
    """
    app = worker_app(settings)
    import helio_dagster.definitions  # noqa: F401 - what every run needs is loaded before the processes are forked

    app.worker_main(
        [
            *("worker", "--pool", "prefork", "--concurrency", str(runs), "--max-tasks-per-child", "1"),
            *("--queues", queue_of(settings), "--hostname", name_of_worker(settings), "--loglevel", "WARNING"),
            *("--without-gossip", "--without-mingle"),
        ]
    )


def main(arguments: Sequence[str]) -> None:
    """Serve with the settings in the environment; the first argument is the number of runs at a time."""
    serve(Settings.read(os.environ, Path.cwd()), int(arguments[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
