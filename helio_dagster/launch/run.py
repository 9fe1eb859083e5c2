"""Runs a pipeline over a range: one Dagster run in this process, or none where nothing is to be done."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import dagster as dg

from helio_dagster.assets.factory import FORCE_TAG, OWN_RUN_TAG, REFRESH_TAG, SHOWN_TAG
from helio_dagster.assets.figure_spans import spans
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.recording import DagsterLedger, asset_key
from helio_dagster.definitions import build_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import Failure, FigureReport, RunReport, StepReport
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.abandoned import PROCESS_TAG, end_abandoned_runs, living_process
from helio_dagster.launch.instance import open_instance
from helio_dagster.launch.lost_record import mention_lost_record
from helio_dagster.launch.outlook import Outlook, look_ahead
from helio_dagster.launch.request import RunRequest
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import sweep

Listener = Callable[[str, str | None, Outcome], None]
Outcomes = dict[tuple[str, str | None], Outcome]


def run(
    request: RunRequest, workbench: Workbench, *, listener: Listener | None = None, outlook: Outlook | None = None
) -> RunReport:
    """Bring a pipeline's partitions up to date.

    Parameters
    ----------
    request
        What to run.
    workbench
        The home's parts; stays open.
    listener
        Told of every settled partition.
    outlook
        What `look_ahead` has just found, so that it need not look again.

    Returns
    -------
    RunReport
        What was done; failures of partitions are in it and not raised.

    Raises
    ------
    StorageError
        The home or its instance cannot be used.
    """
    began = time.monotonic()
    outcomes: Outcomes = {}

    def note(asset: str, partition: str | None, outcome: Outcome) -> None:
        outcomes[asset, partition] = outcome
        if listener is not None:
            listener(asset, partition, outcome)

    run_id: str | None = None
    with open_instance(workbench.settings) as instance, _settled_objects_left_alone():
        end_abandoned_runs(workbench.settings.running, instance)
        mention_lost_record(request.graph.of_pipeline(request.pipeline).values(), DagsterLedger(instance), workbench)
        outlook = outlook or look_ahead(request, workbench, instance)
        for (asset, partition), outcome in outlook.reused(request).items():
            note(asset, partition, outcome)
        if outlook.keys:
            workbench.progress = note
            _sweep(request, workbench)
            if any(request.graph[name].kind == "figure" for name in request.targets):
                workbench.workers.renderer.start()
            with living_process(workbench.settings.running) as process:
                run_id = _execute(request, outlook.keys, workbench, instance, process)
    return _report(request, workbench, outcomes, run_id, time.monotonic() - began)


def _sweep(request: RunRequest, workbench: Workbench) -> None:
    """Take away what killed runs left unfinished where this one will write."""
    for name in request.graph.with_ancestors(request.targets):
        workbench.store.sweep(name)
    sweep(workbench.settings.figures)


@contextmanager
def _settled_objects_left_alone() -> Iterator[None]:
    """Spare the garbage collector what was there before: walking all of Dagster's modules takes longer than a month's run."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _execute(request: RunRequest, keys: Sequence[str], workbench: Workbench, instance: dg.DagsterInstance, process: str) -> str:
    names = list(request.targets)
    definitions = build_definitions(request.graph, helio=workbench, names=request.graph.with_ancestors(names))
    tags = {
        "dagster/asset_partition_range_start": keys[0],
        "dagster/asset_partition_range_end": keys[-1],
        OWN_RUN_TAG: request.pipeline.name,
        PROCESS_TAG: process,
        FORCE_TAG: str(request.force).lower(),
        REFRESH_TAG: str(request.refresh).lower(),
    }
    if request.shown is not None:
        tags[SHOWN_TAG] = f"{request.shown.start.isoformat()}/{request.shown.stop.isoformat()}"
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
                raise RuntimeError(f"step {event.step_key} broke: {error.to_string()}")
    return result.run_id


def _report(
    request: RunRequest,
    workbench: Workbench,
    outcomes: Mapping[tuple[str, str | None], Outcome],
    run_id: str | None,
    seconds: float,
) -> RunReport:
    nodes, targets = request.graph.of_pipeline(request.pipeline), request.targets
    steps = {
        step: count_outcomes(node.name, [outcomes.get((node.name, key)) for key in targets[node.name]])
        for step, node in nodes.items()
    }
    critical = {step for step, node in nodes.items() if node.step.critical}
    wanting = sum(steps[step].failed + steps[step].skipped for step in critical)
    made = sum(report.computed + report.reused + report.empty for report in steps.values())
    failed = [(asset, key, outcome) for (asset, key), outcome in outcomes.items() if outcome.state == "failed"]
    step_of = {node.name: step for step, node in nodes.items()}
    errors = [outcome.error for _, _, outcome in failed if outcome.error is not None]
    return RunReport(
        pipeline=request.pipeline.name,
        start=format_time(request.span.start),
        stop=format_time(request.span.stop),
        status="success" if not wanting else "partial" if made else "failed",
        run_id=run_id,
        seconds=round(seconds, 3),
        partitions=request.pipeline.partitions.keys(request.span),
        steps=steps,
        failures=[
            Failure(step=step_of.get(asset, asset), partition=key, error=error.problem, hint=error.hint)
            for (asset, key, _), error in zip(failed, errors, strict=True)
        ],
        figures=_figures(request, workbench, outcomes),
        is_wrong_input=bool(errors) and all(isinstance(error, InputError) for error in errors),
    )


def count_outcomes(asset: str, outcomes: Sequence[Outcome | None]) -> StepReport:
    """What became of an asset's partitions in a run, in numbers; None is one of which nothing was heard."""
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


def _figures(
    request: RunRequest, workbench: Workbench, outcomes: Mapping[tuple[str, str | None], Outcome]
) -> list[FigureReport]:
    reports = []
    for step, node in request.graph.of_pipeline(request.pipeline).items():
        if node.kind != "figure":
            continue
        usable = [key for key in request.targets[node.name] if (found := outcomes.get((node.name, key))) and found.is_usable]
        for span, _ in spans(node, usable, shown=request.shown):
            html, png = workbench.figures.html(node.name, span), workbench.figures.png(node.name, span)
            if html.is_file():
                reports.append(FigureReport(step=step, html=str(html), png=str(png) if png.is_file() else None))
    return reports
