"""Give Dagster's runs to the workers of a home. Configured in `dagster.yaml`; needs the extra `celery`.

dagster-celery sends each run to the broker as a Celery task. Added here: whether a worker lives is seen by the lock that it
holds in the record, since a broker cannot say that one was killed; and a canceled run is canceled in the record, too.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from contextlib import closing
from functools import cached_property
from typing import Any, Self

import dagster as dg
from celery import Celery
from dagster_celery.config import DEFAULT_CONFIG, TASK_RESUME_JOB_NAME
from dagster_celery.defaults import broker_transport_options
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.make_app import make_app
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG
from dagster_celery.tasks import create_resume_job_task
from dagster_postgres import PostgresEventLogStorage

from helio_dagster.domain.dispatch import with_password
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.postgres_address import libpq_address
from helio_dagster.resources.dagster_internals import (
    CheckRunHealthResult,
    ConfigurableClassData,
    LaunchRunContext,
    ResumeRunArgs,
    ResumeRunContext,
    StringSource,
    WorkerStatus,
    pack_value,
)
from helio_dagster.resources.held_runs import HeldRuns
from helio_dagster.resources.record_tags import TAKEN_UP_TAG

_log = logging.getLogger(__name__)
_VISIBILITY_S = 600
"""After which Redis hands out again what a killed worker had taken and not begun; a run that was begun ignores it."""
_PUBLISHING = {"max_retries": 40, "interval_start": 0.2, "interval_step": 0.3, "interval_max": 2.0}
"""A run is handed to a broker that is restarted for up to a minute and a half; Dagster's daemon calls it failed after that."""
_ANSWER_S = 10.0
_NO_QUEUE = "404"
_LOST_S = 20.0
"""Longer than a worker needs from taking a run to holding it."""


def celery_options(queue: str) -> dict[str, Any]:
    """What both sides of the broker agree on."""
    return {
        **DEFAULT_CONFIG,
        "task_default_queue": queue,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_publish_retry_policy": _PUBLISHING,
        "worker_prefetch_multiplier": 1,
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {**broker_transport_options, "visibility_timeout": _VISIBILITY_S},
    }


def celery_app(broker: str, queue: str) -> Celery:
    """The Celery app of a home's workers.

    Parameters
    ----------
    broker
        The address of the broker, with its password if it needs one.
    queue
        The queue of the home.
    """
    given = {"broker": broker, "backend": None, "config_source": celery_options(queue), "task_default_queue": queue}
    return make_app(given)  # type: ignore[no-untyped-call]  # dagster-celery annotates little


class WorkerRunLauncher(CeleryRunLauncher):
    """Launches the runs of a home on its workers.

    Parameters
    ----------
    broker, queue
        Where runs are handed to workers.
    record
        The record that says which worker has a run; by default that of the instance.
    lost_after_s
        How long nobody has a run, with nothing waiting at the broker, before its message counts as lost.
    """

    def __init__(
        self,
        broker: str,
        queue: str,
        record: str = "",
        inst_data: ConfigurableClassData | None = None,
        *,
        lost_after_s: float = _LOST_S,
    ) -> None:
        super().__init__(default_queue=queue, broker=broker, config_source=celery_options(queue), inst_data=inst_data)
        self._record = record
        self._lost_after_s, self._waits_since = lost_after_s, dict[str, float]()

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """The fields in `dagster.yaml`; `held` is of earlier releases, and has no effect."""
        optional = dg.Field(StringSource, is_required=False)
        return {"broker": StringSource, "queue": StringSource, "record": optional, "held": optional}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Build from `dagster.yaml`; the password of the broker is in the environment."""
        broker = with_password(config_value["broker"], os.environ)
        return cls(broker, config_value["queue"], config_value.get("record", ""), inst_data)

    @cached_property
    def held(self) -> HeldRuns:
        """The runs that workers have.

        Raises
        ------
        InputError
            Neither the launcher nor the instance has a record in PostgreSQL.
        """
        storage = self._instance.event_log_storage if not self._record else None
        address = storage.postgres_url if isinstance(storage, PostgresEventLogStorage) else self._record
        if not address:
            hint = "Name it as `record` in the config of WorkerRunLauncher in dagster.yaml."
            raise InputError("the launcher of workers needs a record in PostgreSQL", hint=hint)
        return HeldRuns(libpq_address(address))

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Whether a run that was begun has a worker that lives, or waits at the broker for another one.

        While the record or the broker cannot be asked, it is believed to. What the broker has lost is given to it again here:
        Dagster would count it as one of the few times that a run may lose its worker.
        """
        try:
            if self.held.is_abandoned(run.run_id):
                return CheckRunHealthResult(WorkerStatus.FAILED, "The process of its worker was killed.")
            if DAGSTER_CELERY_TASK_ID_TAG in run.tags and self._is_lost(run.run_id):
                _log.warning("run %s neither waits at the broker nor has a worker, and is handed out again", run.run_id)
                self._give_on(run)
        except StorageError:
            pass
        return CheckRunHealthResult(WorkerStatus.RUNNING)

    def has_waiting_runs(self) -> bool:
        """Whether runs wait at the broker, or it does not say; Redis forgets a queue that is empty."""
        from kombu.exceptions import OperationalError

        with closing(self.celery.connection_for_write(connect_timeout=_ANSWER_S)) as connection:
            try:
                return int(connection.default_channel.queue_declare(self.default_queue, passive=True).message_count) > 0
            except connection.channel_errors as error:
                return str(getattr(error, "reply_code", "")) != _NO_QUEUE
            except (OperationalError, OSError, *connection.connection_errors):
                return True

    def _is_lost(self, run_id: str) -> bool:
        """Whether no worker has held a run that was handed out again for a while, with nothing waiting at the broker."""
        if self.held.held([run_id]) or self.has_waiting_runs():
            self._waits_since.pop(run_id, None)
            return False
        since = self._waits_since.setdefault(run_id, time.monotonic())
        if time.monotonic() - since < self._lost_after_s:
            return False
        del self._waits_since[run_id]
        return True

    def launch_again(self, run: dg.DagsterRun) -> None:
        """Hand a run to the broker that it lost; a worker that finds it begun drops it."""
        self.launch_run(LaunchRunContext(run, workspace=None))

    def resume_run(self, context: ResumeRunContext) -> None:
        """Give the run to another worker."""
        run = context.dagster_run
        self.held.let_go(run.run_id)
        self._instance.add_run_tags(run.run_id, {TAKEN_UP_TAG: str(int(run.tags.get(TAKEN_UP_TAG, "0")) + 1)})
        self._give_on(run)

    def _give_on(self, run: dg.DagsterRun) -> None:
        """Hand a run that was begun to the broker."""
        arguments = ResumeRunArgs(
            job_origin=run.job_code_origin,  # type: ignore[arg-type]  # a run that was launched has one
            run_id=run.run_id,
            instance_ref=self._instance.get_ref(),
            set_exit_code_on_failure=True,
        )
        # dagster-celery's own `resume_run` names the argument of the other task, and so always fails
        task = create_resume_job_task(self.celery).si(resume_job_args_packed=pack_value(arguments))
        self._launch_celery_task_run(run=run, task_signature=task, routing_key=TASK_RESUME_JOB_NAME)

    def terminate(self, run_id: str) -> bool:
        """Interrupt a run, or take it back if no worker has it yet."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        self._instance.report_run_canceling(run)
        task = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        if task is not None:
            self.celery.control.revoke(task, terminate=True, signal="SIGINT")
        if not self.held.held([run_id]) or self.held.is_abandoned(run_id):
            self._instance.report_run_canceled(run)
        return True

    def get_run_worker_debug_info(  # Dagster's signature
        self,
        run: dg.DagsterRun,  # noqa: ARG002
        include_container_logs: bool | None = True,  # noqa: ARG002
    ) -> str | None:
        """Nothing: there are no results at the broker to ask for."""
        return None
