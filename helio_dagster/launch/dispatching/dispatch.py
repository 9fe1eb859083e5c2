"""Have a run done by the workers of a home, wait for it, and pass on what they say of each partition."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Sequence
from contextlib import closing, suppress

import dagster as dg

from helio_dagster.assets.outcome_lines import OutcomeReader
from helio_dagster.assets.outcomes import Outcome, Progress
from helio_dagster.domain.errors import HelioError, StorageError
from helio_dagster.launch.dispatching.helpers_watch import HelpersWatch
from helio_dagster.launch.dispatching.lost_runs import LostRuns
from helio_dagster.launch.dispatching.pieces import Piece, cut
from helio_dagster.launch.dispatching.queueing import PRIORITY_OF_A_PERSON, Queue, require_helpers
from helio_dagster.launch.record.abandoned import end_abandoned_runs
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.resources.record_tags import TAKEN_UP_TAG
from helio_dagster.resources.workbench import Workbench

_log = logging.getLogger(__name__)
_OWN_CLASS = re.compile(r"^helio_dagster\.domain\.errors\.\w+: ")

_POLL_S = 0.25
_CANCEL_S = 90.0
_LAST_WORDS_S = 5.0
"""How long after the end of a run its last words are waited for; one whose process was killed does not say that it was all."""


def dispatch(request: RunRequest, keys: Sequence[str], workbench: Workbench, note: Progress) -> str:
    """Have partitions made by workers and wait until they are.

    Parameters
    ----------
    request
        What to run; its pipeline is in the home's library.
    keys
        The partitions from the first to the last that needs work.
    workbench
        The home's parts.
    note
        Called for every settled partition.

    Returns
    -------
    str
        The id of the last run; all of them have the tag `helio/awaited` with the same value.

    Raises
    ------
    HelioError
        Nobody would do the run, or a worker could not.
    KeyboardInterrupt
        The person stopped it; its runs are canceled.
    """
    settings = workbench.settings
    if settings.dispatch is None or settings.postgres is None:
        raise TypeError("a home whose runs are given to workers")
    with open_instance(settings) as instance, closing(OutcomeReader(settings.postgres)) as outcomes:
        end_abandoned_runs(settings, instance)
        require_helpers(settings)
        outcomes.sweep()
        parts = cut(request, keys, settings.dispatch.partitions)
        queue = Queue.open(
            settings, instance, request, begun_by=workbench.begun_by, person=workbench.person, name=uuid.uuid4().hex
        )
        watch = HelpersWatch(lambda: require_helpers(settings))
        waiting = Waiting(instance, outcomes, note, LostRuns(instance), watch)
        priority = PRIORITY_OF_A_PERSON if len(parts.pieces) == 1 else 0
        try:
            for number, piece in enumerate(parts.pieces):
                waiting.add(queue.put(piece, priority=priority, number=number), piece)
            waiting.wait()
            if parts.whole is not None:
                waiting.add(queue.put(parts.whole, priority=PRIORITY_OF_A_PERSON, is_last=True), parts.whole)
                waiting.wait()
        except KeyboardInterrupt:
            waiting.cancel()
            raise
        return waiting.last


class Waiting:
    """Waits for queued runs and passes on their outcomes, of each partition the one that counts.

    Parameters
    ----------
    instance
        The record.
    outcomes
        What runs say.
    note
        Called for every settled partition.
    lost
        Looks after runs that the broker lost.
    watch
        Says when nobody is left who would do the runs.
    """

    def __init__(
        self, instance: dg.DagsterInstance, outcomes: OutcomeReader, note: Progress, lost: LostRuns, watch: HelpersWatch
    ) -> None:
        self._instance, self._outcomes, self._note, self._lost, self._watch = instance, outcomes, note, lost, watch
        self._open: dict[str, Piece] = {}
        self._ended: dict[str, float] = {}
        self._known: dict[tuple[str, str | None], Outcome] = {}
        self._taken_up: dict[str, str] = {}
        self.last = ""

    def add(self, run_id: str, piece: Piece) -> None:
        """Wait for this run, too."""
        self._open[run_id] = piece
        self.last = run_id

    def wait(self) -> None:
        """Wait until all runs are done.

        Raises
        ------
        HelioError
            A run ended otherwise than by the outcomes of its partitions.
        """
        while self._open:
            ended = {run.run_id: run for run in self._runs() if run.is_finished}
            self._pass_on()
            for run_id, run in ended.items():
                if self._has_said_all(run_id):
                    with suppress(StorageError):  # swept later
                        self._outcomes.forget(run_id)
                    self._judge(run, self._open.pop(run_id))
            if self._open:
                self._lost.look()
                self._watch.look()
                time.sleep(_POLL_S)

    def cancel(self) -> None:
        """Cancel what is not done, and wait until it has stopped."""
        for run_id in self._open:
            self._instance.run_coordinator.cancel_run(run_id)
        deadline = time.monotonic() + _CANCEL_S
        while time.monotonic() < deadline and not all(run.is_finished for run in self._runs()):
            time.sleep(_POLL_S)
        for run_id in self._open:
            with suppress(StorageError):
                self._outcomes.forget(run_id)

    def _runs(self) -> Sequence[dg.DagsterRun]:
        """What the record says of the runs."""
        runs = self._instance.get_runs(dg.RunsFilter(run_ids=list(self._open)))
        for run in runs:
            times = run.tags.get(TAKEN_UP_TAG)
            if times is not None and self._taken_up.get(run.run_id) != times:
                self._taken_up[run.run_id] = times
                _log.warning("a worker was killed: another one continues its run %s", run.run_id[:8])
        return runs

    def _has_said_all(self, run_id: str) -> bool:
        """Whether nothing more is to come of a run that ended."""
        since = self._ended.setdefault(run_id, time.monotonic())
        return run_id in self._outcomes.complete or time.monotonic() - since > _LAST_WORDS_S

    def _pass_on(self) -> None:
        """A partition that was made counts as made, though the next piece, or a second worker, found it there."""
        try:
            found = list(self._outcomes.new(self._open))
        except StorageError:
            return  # the server is restarted; if it stays away, Dagster says so
        for asset, key, outcome in found:
            known = self._known.get((asset, key))
            if known is None or (
                known.state != outcome.state and not (known.state == "computed" and outcome.state == "reused")
            ):
                self._known[asset, key] = outcome
                self._note(asset, key, outcome)

    def _judge(self, run: dg.DagsterRun, piece: Piece) -> None:
        """Raise if a run failed before it came to its partitions, or was canceled by somebody else."""
        if run.status == dg.DagsterRunStatus.CANCELED:
            raise HelioError(f"run {run.run_id} was canceled", hint="Run the same command again to continue.")
        settled = {name for name, _ in self._known}
        if run.status == dg.DagsterRunStatus.FAILURE and not settled.issuperset(piece.names):
            raise HelioError(f"run {run.run_id} failed on its worker: {reason_of(self._instance, run.run_id)}")


def reason_of(instance: dg.DagsterInstance, run_id: str) -> str:
    """Why a run failed, in the words of what it met."""
    kinds = {dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.RUN_FAILURE}
    events = [entry.dagster_event for entry in instance.all_logs(run_id, of_type=kinds)]
    for event in events:
        if event is not None and event.is_step_failure:
            failed = event.step_failure_data
            if failed.user_failure_data is not None and failed.user_failure_data.description:
                return failed.user_failure_data.description
            if failed.error is not None:
                return _OWN_CLASS.sub("", (failed.error.cause or failed.error).message.strip())
    return next((event.message for event in events if event is not None and event.message), "the reason is not recorded")
