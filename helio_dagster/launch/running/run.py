"""Run a pipeline over a range and report the outcome. A run with nothing to do does not load Dagster."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import timedelta

from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.result_spans import spans
from helio_dagster.assets.writing.table_writer import MANY_TABLES, TableWriter
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.report import Failure, FigureReport, RunReport, StepReport
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.record.living_process import has_abandoned_runs
from helio_dagster.launch.running.data_warnings import warnings_of_run
from helio_dagster.launch.running.expectations import judge_run
from helio_dagster.launch.running.facts import events_of_run, facts_of_run
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run_plan import RunPlan, plan_run
from helio_dagster.resources.collector import collector_at_rest
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.figure_files import height_of_page
from helio_dagster.storage.pipeline_library import PipelineLibrary

_log = logging.getLogger(__name__)

_LATEST_NEWS = timedelta(days=8)
"""How long after its stop a partition may be open: archives of data in real time forget after a week."""

Listener = Callable[[str, str | None, Outcome], None]
Outcomes = dict[tuple[str, str | None], Outcome]


def run(
    request: RunRequest,
    workbench: Workbench,
    *,
    listener: Listener | None = None,
    plan: RunPlan | None = None,
    began: float | None = None,
) -> RunReport:
    """Bring a pipeline's partitions up to date.

    Parameters
    ----------
    request
        What to run.
    workbench
        The home's parts; stays open.
    listener
        Called for every settled partition.
    plan
        An existing result of `plan_run`, to avoid planning again.
    began
        The `time.monotonic` at which the command began, from which the report counts its seconds; by default now.

    Returns
    -------
    RunReport
        What was done; failures of partitions are in the report and not raised.

    Raises
    ------
    StorageError
        The home or its instance cannot be used.
    """
    began = time.monotonic() if began is None else began
    outcomes: Outcomes = {}

    def note(asset: str, partition: str | None, outcome: Outcome) -> None:
        outcomes[asset, partition] = outcome
        if outcome.state != "reused":
            _log.debug("%s %s %s%s", outcome.state, asset, partition or "", f": {outcome.error}" if outcome.error else "")
        if listener is not None:
            listener(asset, partition, outcome)

    plan = plan or plan_run(request, workbench)
    for (asset, partition), outcome in plan.reused(request).items():
        note(asset, partition, outcome)
    run_id: str | None = None
    if plan.keys and _is_for_workers(request, workbench):
        from helio_dagster.launch.dispatching.dispatch import dispatch

        run_id = dispatch(request, plan.keys, workbench, note)
        for name in request.targets:
            workbench.store.look_again(name)
        workbench.figures.look_again()
    elif plan.keys or has_abandoned_runs(workbench.settings.running):
        with closing(TableWriter(workbench.workers.cores)) as writer:
            _start_workers(request, plan, workbench, writer)
            with collector_at_rest():
                from helio_dagster.launch.running.execution import execute  # loads Dagster, while the workers start

            run_id = execute(request, plan.keys, workbench, note, writer)
    return _report(request, workbench, outcomes, run_id, time.monotonic() - began)


def _is_for_workers(request: RunRequest, workbench: Workbench) -> bool:
    """Whether workers do the run: where the home has some, and they find the pipeline in its library."""
    if workbench.settings.dispatch is None:
        return False
    library, name = PipelineLibrary(workbench.settings.pipelines), request.pipeline.name
    if library.path(name).exists() and library.load(name).pipeline == request.pipeline:
        return True
    _log.warning("%s is not in the library as it is run here, so it is run in this process and not by workers.", name)
    return False


def _start_workers(request: RunRequest, plan: RunPlan, workbench: Workbench, writer: TableWriter) -> None:
    """Start the processes that the run will need, beside this one, which is about to load Dagster."""
    stale = {name: sum(not state.is_current for state in states.values()) for name, states in plan.states.items()}
    due = [request.graph[name] for name, count in stale.items() if count]
    if sum(stale.values()) >= MANY_TABLES:
        writer.start()
    if any(node.fetch is not None and not node.fetch.archive.startswith(HAPI_PREFIX) for node in due):
        workbench.workers.reader.start()


def _report(
    request: RunRequest,
    workbench: Workbench,
    outcomes: Mapping[tuple[str, str | None], Outcome],
    run_id: str | None,
    seconds: float,
) -> RunReport:
    nodes, targets = request.graph.of_pipeline(request.pipeline), request.targets
    steps = {
        step: count_outcomes(
            node.name,
            [outcomes.get((node.name, key)) for key in targets[node.name]]
            if node.name in targets
            else [outcome for (name, _), outcome in outcomes.items() if name == node.name],
        )
        for step, node in nodes.items()
    }
    critical = {step for step, node in nodes.items() if node.step.critical}
    unmet = judge_run(request, workbench, outcomes)
    unmade = sum(steps[step].failed + steps[step].skipped for step in critical)
    unmade += sum(each.severity == "block" and each.step in critical for each in unmet)
    made = sum(report.computed + report.reused + report.empty for report in steps.values())
    failed = [(asset, key, outcome) for (asset, key), outcome in outcomes.items() if outcome.state == "failed"]
    step_of = {node.name: step for step, node in nodes.items()}
    errors = [outcome.error for _, _, outcome in failed if outcome.error is not None]
    usable = _usable(targets, outcomes)
    return RunReport(
        pipeline=request.pipeline.name,
        start=format_time(request.span.start),
        stop=format_time(request.span.stop),
        status="success" if not unmade else "partial" if made else "failed",
        run_id=run_id,
        seconds=round(seconds, 3),
        partitions=request.keys,
        steps=steps,
        failures=[
            Failure(step=step_of.get(asset, asset), partition=key, error=error.problem, hint=error.hint, details=error.details)
            for (asset, key, _), error in zip(failed, errors, strict=True)
        ],
        figures=_figures(request, workbench, usable),
        facts=facts_of_run(request, workbench.store, usable),
        events=events_of_run(request, workbench.store, usable),
        unmet=unmet,
        warnings=list(warnings_of_run(request, workbench.store, usable)),
        open_until=_open_until(request, workbench),
        is_wrong_input=bool(errors) and all(isinstance(error, InputError) for error in errors),
    )


def _open_until(request: RunRequest, workbench: Workbench) -> str | None:
    """Up to when the results of the last partition are complete; None where it is closed."""
    if request.events is not None or not request.keys:
        return None
    key = request.keys[-1]
    if request.pipeline.grain.window(key).stop <= workbench.clock() - _LATEST_NEWS:
        return None
    nodes = [
        node for node in request.graph.of_pipeline(request.pipeline).values() if node.time_grain and not node.is_over_range
    ]
    stored = [found.meta.open_until for node in nodes if (found := workbench.store.peek(node.name, key)) is not None]
    return format_time(min(until for until in stored if until)) if any(stored) else None


def count_outcomes(asset: str, outcomes: Sequence[Outcome | None]) -> StepReport:
    """Count the outcomes of an asset's partitions in a run; None is a partition without outcome."""
    found = [outcome for outcome in outcomes if outcome is not None]
    states = [outcome.state for outcome in found]
    return StepReport(
        asset=asset,
        computed=sum(outcome.state == "computed" and outcome.status != "empty" for outcome in found),
        reused=states.count("reused"),
        empty=sum(outcome.status == "empty" for outcome in found),
        skipped=states.count("skipped") + len(outcomes) - len(found),
        failed=states.count("failed"),
    )


def _usable(
    targets: Mapping[str, Sequence[str | None]], outcomes: Mapping[tuple[str, str | None], Outcome]
) -> dict[str, list[str | None]]:
    """Asset to its requested partitions that were made or reused: a result over a range is of these alone."""
    return {
        name: [key for key in keys if (found := outcomes.get((name, key))) and found.is_usable]
        for name, keys in targets.items()
    }


def _figures(request: RunRequest, workbench: Workbench, usable: Mapping[str, Sequence[str | None]]) -> list[FigureReport]:
    reports = []
    for step, node in request.graph.of_pipeline(request.pipeline).items():
        if node.kind != "figure" or node.name not in request.targets:
            continue
        for span, _ in spans(node, usable[node.name], shown=request.shown):
            html = workbench.figures.brought(node.name, span)
            png = html.with_suffix(".png")
            if html.is_file():
                picture = str(png) if png.is_file() else None
                reports.append(FigureReport(step=step, html=str(html), png=picture, height_px=height_of_page(html)))
    return reports
