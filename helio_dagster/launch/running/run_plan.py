"""Plan a run: judge once what it needs, for the estimate and for the run itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.judgements import judgements_of
from helio_dagster.assets.outcomes import Ledger, Outcome, RecordReader
from helio_dagster.assets.project_assets import require_no_project
from helio_dagster.assets.range_results import RangeResults
from helio_dagster.assets.revisions import Inspector
from helio_dagster.assets.staleness import Assessment, assess
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.record.lost_record import mention_lost_record
from helio_dagster.launch.running.own_changes import observe_own_files
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.resources.workbench import Workbench

States = Mapping[str, Mapping[str | None, Assessment]]


@dataclass(frozen=True)
class RunPlan:
    """What a run has to do.

    `states` has every partition that the run needs, including those beyond the request. `keys` are the partitions from the
    first to the last that needs work, empty if none does; all others are reused.
    """

    states: States
    keys: Sequence[str]

    def beside(self, request: RunRequest) -> list[tuple[str, str | None]]:
        """(asset, partition) that the run makes though nobody requested it, such as the days below events."""
        others = [(name, states) for name, states in self.states.items() if name not in request.targets]
        return [(name, key) for name, states in others for key, state in states.items() if not state.is_current]

    def reused(self, request: RunRequest) -> dict[tuple[str, str | None], Outcome]:
        """Requested (asset, partition) outside `keys`, to its outcome."""
        todo = set(self.keys)
        found = {
            (name, key): _reused(self.states[name][key])
            for name, keys in request.targets.items()
            for key in keys
            if key not in todo and (key is not None or not todo)
        }
        if request.events is not None and not todo:  # its fetches have partitions of their own
            for node in request.graph.of_pipeline(request.pipeline).values():
                if node.time_grain is not None:
                    found |= {(node.name, key): _reused(state) for key, state in self.states.get(node.name, {}).items()}
        return found


def plan_run(request: RunRequest, workbench: Workbench) -> RunPlan:
    """Find out what a run has to do; with `refresh`, ask the archive first and record its changes as observations.

    Changes of files of one's own are recorded in any case.

    Loads Dagster only if something is recorded.

    Raises
    ------
    StorageError
        The home's record cannot be used.
    InputError
        A step reads an asset of a Dagster project, which is not loaded here.
    """
    require_no_project(request.graph, list(request.targets))
    if request.refresh:
        from helio_dagster.assets.recording import DagsterLedger
        from helio_dagster.launch.record.instance import open_instance

        with open_instance(workbench.settings) as instance:
            ledger = DagsterLedger(instance)
            return _plan(request, workbench, ledger, is_sure=_ask_archive(request, workbench, ledger))
    observe_own_files(request.graph, request.targets, workbench, workbench.clock())
    with open_history(workbench.settings) as history:
        return _plan(request, workbench, history, is_sure=True)


def _plan(request: RunRequest, workbench: Workbench, history: RecordReader, *, is_sure: bool) -> RunPlan:
    """The partitions to make: all of them if the archive could not answer for every partition.

    Figures and other results over a range are made for the whole requested range, so for a pipeline with any it is all or
    nothing.
    """
    mention_lost_record(request.graph.of_pipeline(request.pipeline).values(), history, workbench)
    now, targets = workbench.clock(), request.targets
    ranges = RangeResults(workbench.store, workbench.figures, request.shown)
    judgements = judgements_of(workbench)
    states = assess(
        request.graph,
        targets,
        ledger=history,
        store=workbench.store,
        now=now,
        ranges=ranges,
        judgements=judgements,
        shown=request.shown,
    )
    whole = request.keys
    if request.force or not is_sure:
        return RunPlan(states, whole)
    due = {key for name, keys in targets.items() for key in keys if not states[name][key].is_current}
    is_whole = any(_is_made_whole(request.graph[name], states[name], targets[name]) for name in targets)
    if is_whole and due:
        return RunPlan(states, whole)
    if due == {None}:  # a list changed and nothing that reads it: a run of any partition records the list
        return RunPlan(states, whole[:1])
    if request.events is not None:
        return RunPlan(states, [key for key in whole if key in due])
    places = [place for place, key in enumerate(whole) if key in due]
    return RunPlan(states, whole[places[0] : places[-1] + 1] if places else [])


def _is_made_whole(node: AssetNode, states: Mapping[str | None, Assessment], keys: Sequence[str | None]) -> bool:
    """Whether a step needs all requested partitions in one run; figures of events are drawn one by one."""
    if node.events is None:
        return node.is_over_range
    return node.over == "range" and any(not states[key].is_current for key in keys)


def _ask_archive(request: RunRequest, workbench: Workbench, ledger: Ledger) -> bool:
    """Ask the archive about all fetches; return whether it could answer for every partition."""
    inspector = Inspector(workbench.archive_of, workbench.store)
    found = inspector.inspect_all(request.graph, request.targets, ledger, workbench.clock())
    return not any(drift.error for each in found for drift in each.drifts)


def _reused(found: Assessment) -> Outcome:
    return Outcome("reused", "empty" if found.state == "empty" else "data", found.data_version)
