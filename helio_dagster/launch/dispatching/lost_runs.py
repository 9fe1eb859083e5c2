"""Runs that wait for their first worker and are lost: at a broker that keeps nothing on disk, or with a worker that was killed.

Dagster's monitoring looks after those that were begun, and whose worker was killed: `resources/worker_launcher`.
"""

from __future__ import annotations

import logging
import time

import dagster as dg

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.worker_launcher import WorkerRunLauncher

_log = logging.getLogger(__name__)

_LOOK_S = 10.0
"""Longer than a worker needs from taking a run to holding it."""


class LostRuns:
    """Gives lost runs of a home, or of those that work together, to the broker again, whoever queued them.

    A run is lost if it was to be launched, no worker that lives holds it, and the queue is empty; at two looks in a row, since
    a worker may just have taken it. Should it be there all the same, its worker drops what it is given twice.

    Parameters
    ----------
    instance
        The record of the home, or of the homes that work together.
    """

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._suspects: set[str] = set()
        self._looked = time.monotonic()

    def look(self) -> None:
        """Look if it is time; what is lost is handed out again, and said. A broker that does not answer is asked later."""
        launcher = self._instance.run_launcher
        if time.monotonic() - self._looked < _LOOK_S or not isinstance(launcher, WorkerRunLauncher):
            return
        self._looked = time.monotonic()
        launched = self._instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTING]))
        try:
            taken = launcher.held.held([run.run_id for run in launched]) if launched else set()
            taken = {run_id for run_id in taken if not launcher.held.is_abandoned(run_id)}
        except StorageError:
            return  # the server is restarted
        waiting = {run.run_id: run for run in launched if run.run_id not in taken}
        if not waiting or launcher.has_waiting_runs():
            self._suspects = set()
            return
        for run_id in self._suspects & set(waiting):
            _log.warning(
                "run %s was lost: it neither waits at the broker nor has a worker, and is handed out again", run_id[:8]
            )
            launcher.launch_again(waiting[run_id])
        self._suspects = set(waiting) - self._suspects
