"""Execute a run: one Dagster run in this process, over only the partitions that have to be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dagster as dg

from helio_dagster.assets.dynamic_events import keep_in_step, range_in_order
from helio_dagster.assets.factory import BEGUN_BY_TAG
from helio_dagster.assets.outcomes import Progress
from helio_dagster.assets.recording import asset_key
from helio_dagster.assets.run_scope import lent_resource
from helio_dagster.assets.writing.table_writer import TableWriter
from helio_dagster.definitions import build_definitions
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.shortage import shortage_in_words
from helio_dagster.launch.record.abandoned import PROCESS_TAG, end_abandoned_runs, home_tags
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.record.living_process import living_process
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run_tags import tags_of
from helio_dagster.resources.collector import settled_objects_left_alone
from helio_dagster.resources.record_tags import PERSON_TAG
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import sweep
from helio_dagster.storage.object_owner import AddressOfOthers

_KEPT_OF_EVENTS_BYTES = 12 * 2**20
"""Tables kept in memory in a run over events: they are made in blocks, whose days are read soon after they were fetched."""


def execute(
    request: RunRequest, keys: Sequence[str], workbench: Workbench, note: Progress, writer: TableWriter | None = None
) -> str | None:
    """Make partitions in one Dagster run, after ending the runs of killed processes.

    Parameters
    ----------
    request
        What to run.
    keys
        The partitions from the first to the last that needs work; none if nothing does.
    workbench
        The home's parts; stays open.
    note
        Called for every settled partition.
    writer
        Writes small tables beside the run; by default the run writes them itself.

    Returns
    -------
    str or None
        The id of the run; None if there was nothing to do.

    Raises
    ------
    StorageError
        The home or its instance cannot be used.
    """
    with open_instance(workbench.settings) as instance, settled_objects_left_alone():
        end_abandoned_runs(workbench.settings, instance)
        if not keys:
            return None
        _sweep(request, workbench)
        if request.events is not None:
            workbench.tables.keep_less(_KEPT_OF_EVENTS_BYTES)
        with living_process(workbench.settings.running) as process:
            marks = {
                PROCESS_TAG: process,
                BEGUN_BY_TAG: workbench.begun_by,
                PERSON_TAG: workbench.person,
                **home_tags(workbench.settings),
            }
            return _execute(request, keys, lent_resource(workbench, note, writer), instance, marks)


def _sweep(request: RunRequest, workbench: Workbench) -> None:
    """Delete what killed runs left unfinished in the folders that this run will write."""
    for name in request.graph.with_ancestors(request.targets):
        workbench.store.sweep(name)
    sweep(workbench.settings.figures)


def _execute(
    request: RunRequest,
    keys: Sequence[str],
    helio: dg.ResourceDefinition,
    instance: dg.DagsterInstance,
    marks: Mapping[str, str],
) -> str:
    names = list(request.targets)
    first, last = keys[0], keys[-1]
    if request.events is not None:
        keep_in_step(instance, request.events)
        first, last = range_in_order(instance, request.events, keys)
    definitions = build_definitions(request.graph, helio=helio, names=request.graph.with_ancestors(names))
    tags = {**tags_of(request, keys, first, last), **marks}
    result = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        asset_selection=[asset_key(name) for name in names],
        tags=tags,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        raise_on_error=False,
    )
    for event in result.all_events:
        if event.is_step_failure and event.step_failure_data.error is not None:
            error = event.step_failure_data.error
            if error.cls_name == dg.DagsterExecutionInterruptedError.__name__:
                raise KeyboardInterrupt
            if error.cls_name != "Failure":
                cause = error.cause or error
                known = shortage_in_words(cause.cls_name or "", cause.message) or _storage_error(cause.cls_name, cause.message)
                raise known or RuntimeError(f"step {event.step_key} broke: {error.to_string()}")
    return result.run_id


def _storage_error(kind: str | None, text: str) -> StorageError | None:
    """The error of tables that cannot be used at all, of which Dagster kept class and text; None for any other."""
    if kind not in (StorageError.__name__, AddressOfOthers.__name__):
        return None
    problem, _, hint = text.partition(": ")[2].strip().partition("\n  ")
    return StorageError(problem, hint=hint)
