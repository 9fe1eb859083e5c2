"""Put runs into Dagster's queue, from which its daemon gives them to workers, and find out what became of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import dagster as dg

from helio_dagster.assets.admission import launch_marks
from helio_dagster.assets.dynamic_events import keep_in_step, range_in_order
from helio_dagster.assets.factory import BEGUN_BY_TAG
from helio_dagster.assets.recording import asset_key
from helio_dagster.assets.run_scope import AWAITED_TAG
from helio_dagster.assets.up_to_date import CHECK
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.dispatching.extra import answering_workers, open_app
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.launch.dispatching.pieces import Piece, in_turn
from helio_dagster.launch.record.heartbeats import LONGEST_SILENCE, QUEUE, read_heartbeats
from helio_dagster.launch.record.instance import LOCATION
from helio_dagster.launch.record.one_daemon import is_daemon_of_others
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run_tags import tags_of
from helio_dagster.resources.dagster_internals import (
    JobPythonOrigin,
    ModuleCodePointer,
    RegisteredCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
    RepositoryPythonOrigin,
    create_execution_plan,
)
from helio_dagster.resources.record_tags import PERSON_TAG
from helio_dagster.storage.settings import Settings

PRIORITY_OF_A_PERSON = 10
"""Of a run in one piece, which somebody waits for; what is cut into pieces is a backfill, of priority 0."""
_REPOSITORY = "__repository__"
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def require_helpers(settings: Settings) -> None:
    """Check that runs which are queued now will be done.

    Raises
    ------
    InputError
        The extra is not installed.
    HelioError
        The broker does not answer, no worker does, or nobody runs Dagster's daemon, or only another home with this record.
    """
    app = open_app(settings)
    beat = read_heartbeats(settings).get(QUEUE)
    if beat is None or datetime.now(UTC) - beat > LONGEST_SILENCE:
        hint = "Start `helio ui` or `helio daemon` on one of the machines: the daemon hands queued runs to workers."
        raise HelioError("Dagster's daemon is not running, so queued runs would never start", hint=hint)
    if is_daemon_of_others(settings):
        problem = "Dagster's daemon on this record is that of another home, and gives runs to the workers of that home alone"
        hint = "Give this home a database of its own in record.postgres, or run without workers: HELIO_RUNS_BROKER=none."
        raise HelioError(problem, hint=hint)
    if not answering_workers(app, queue_of(settings)):
        place = settings.dispatch.place if settings.dispatch else ""
        raise HelioError(f"no worker of this home is listening at {place}", hint="Start one: helio worker")


@dataclass(frozen=True)
class Queue:
    """Queues runs of the pipelines of a home.

    Parameters
    ----------
    settings
        The home.
    instance
        Its record.
    request
        What to run.
    job
        The job of all assets of the home's library.
    marks
        Tags of every run.
    """

    settings: Settings
    instance: dg.DagsterInstance
    request: RunRequest
    job: dg.JobDefinition
    marks: Mapping[str, str]

    @classmethod
    def open(
        cls, settings: Settings, instance: dg.DagsterInstance, request: RunRequest, *, begun_by: str, person: str, name: str
    ) -> Queue:
        """A queue for the runs of one request, which its name tells from others."""
        job = library_definitions(settings).resolve_implicit_global_asset_job_def()
        if request.events is not None:
            keep_in_step(instance, request.events)
        marks = {BEGUN_BY_TAG: begun_by, PERSON_TAG: person, AWAITED_TAG: name}
        return cls(settings, instance, request, job, {**launch_marks(settings), **marks})

    def put(self, piece: Piece, *, priority: int, number: int = 0, is_last: bool = False) -> str:
        """Queue one run and return its id; `number` is the piece's, and before `is_last` others made its partitions."""
        request, keys = self.request, piece.keys
        if is_last:
            request = replace(request, refresh=False, spared=request.spared | set(keys))
        first, last = keys[0], keys[-1]
        if request.events is not None:
            first, last = range_in_order(self.instance, request.events, keys)
        tags = {**tags_of(request, keys, first, last), **self.marks, "dagster/priority": str(priority)}
        selected = frozenset(asset_key(name) for name in piece.names)
        job, config = self.job.get_subset(asset_selection=selected), _QUIET
        place = {
            asset_key(name).to_python_identifier(): at for at, name in enumerate(in_turn(piece.names, request.graph, number))
        }
        steps = sorted(
            (each.name for each in job.nodes if each.name != CHECK), key=place.__getitem__
        )  # the check is the sensor's
        run = self.instance.create_run_for_job(
            job_def=job,
            execution_plan=create_execution_plan(job, run_config=config, step_keys_to_execute=steps, tags=tags),
            run_config=config,
            tags=tags,
            asset_selection=selected,
            remote_job_origin=self._for_the_daemon(),
            job_code_origin=self._for_the_worker(),
        )
        self.instance.submit_run(run.run_id, workspace=None)  # type: ignore[arg-type]  # its queue asks for none
        return run.run_id

    def _for_the_daemon(self) -> RemoteJobOrigin:
        return RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(LOCATION), _REPOSITORY), self.job.name)

    def _for_the_worker(self) -> JobPythonOrigin:
        pointer = ModuleCodePointer("helio_dagster.definitions", "defs")
        return JobPythonOrigin(self.job.name, RepositoryPythonOrigin(sys.executable, pointer, None, ["dagster"], {}))
