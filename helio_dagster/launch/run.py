"""Runs a pipeline over a range: one Dagster run in this process, or none where nothing is to be done."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from helio_dagster.assets.drawing import figure_stamp, spans
from helio_dagster.assets.factory import FORCE_TAG, OWN_RUN_TAG, REFRESH_TAG
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.recording import DagsterLedger, asset_key
from helio_dagster.assets.staleness import assess
from helio_dagster.definitions import build_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.abandoned import PROCESS_TAG, end_abandoned_runs, living_process
from helio_dagster.launch.instance import open_instance
from helio_dagster.launch.reindex import mention_lost_record
from helio_dagster.launch.report import Failure, FigureReport, RunReport, StepReport
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import sweep

Listener = Callable[[str, str | None, Outcome], None]
Outcomes = dict[tuple[str, str | None], Outcome]


@dataclass(frozen=True)
class RunRequest:
    """What shall be run: a pipeline of a graph over the whole partitions of a range."""

    graph: AssetGraph
    pipeline: Pipeline
    span: TimeRange
    force: bool = False
    refresh: bool = False

    @property
    def targets(self) -> dict[str, list[str | None]]:
        """Asset of the pipeline to its partitions in the range."""
        keys: list[str | None] = list(self.pipeline.partitions.keys(self.span))
        return {node.name: keys if node.grain else [None] for node in self.graph.of_pipeline(self.pipeline).values()}


def resolve_span(graph: AssetGraph, pipeline: Pipeline, asked: TimeRange, workbench: Workbench) -> TimeRange:
    """The whole partitions that cover a range.

    Raises
    ------
    InputError
        Some of them lie before the pipeline's first partition, or are not over yet.
    """
    grain = pipeline.partitions
    span, first, now = grain.cover(asked), graph.starts[grain], workbench.clock()
    last = grain.floor(graph.all_over(graph.of_pipeline(pipeline).values(), now))
    if span.start < first:
        hint = f"Ask for {format_time(first)} or later, or set an earlier `start:` in its file."
        raise InputError(f"{pipeline.name} has no partitions before {format_time(first)}; asked for {span}", hint=hint)
    if span.stop > last:
        unit = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}[grain.value]
        hint = f"The last complete {unit} stops at {format_time(last)}: give that as STOP."
        longer = " and reads longer ones" if last < grain.floor(now) else ""
        raise InputError(f"{span} is not over yet, and {pipeline.name} has {grain} partitions{longer}", hint=hint)
    return span


def run(request: RunRequest, workbench: Workbench, *, listener: Listener | None = None) -> RunReport:
    """Bring a pipeline's partitions up to date.

    Parameters
    ----------
    request
        What to run.
    workbench
        The home's parts; stays open.
    listener
        Told of every settled partition.

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
        mention_lost_record(request.graph.of_pipeline(request.pipeline).values(), instance, workbench)
        reusable = None if request.force or request.refresh else _all_reusable(request, workbench, instance)
        if reusable is not None:
            for (asset, partition), outcome in reusable.items():
                note(asset, partition, outcome)
        else:
            workbench.progress = note
            _sweep(request, workbench)
            with living_process(workbench.settings.running) as process:
                run_id = _execute(request, workbench, instance, process)
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


def _all_reusable(request: RunRequest, workbench: Workbench, instance: dg.DagsterInstance) -> Outcomes | None:
    """The outcomes of a run in which nothing is to be done; None where something is."""
    ledger, targets = DagsterLedger(instance), request.targets
    if any(len(ledger.latest(name, keys)) < len(keys) for name, keys in targets.items()):
        return None
    found = assess(request.graph, targets, ledger=ledger, store=workbench.store, now=workbench.clock())
    if not all(found[name][key].is_current for name, keys in targets.items() for key in keys):
        return None
    for name, keys in targets.items():
        node = request.graph[name]
        if node.kind == "figure":
            recorded = ledger.latest(name, keys)
            for span, parts in spans(node, keys):
                if workbench.figures.drawn_from(name, span) != figure_stamp(
                    node, [(key, recorded[key].inputs) for key in parts]
                ):
                    return None
    return {
        (name, key): Outcome("reused", "empty" if found[name][key].state == "empty" else "data", found[name][key].data_version)
        for name, keys in targets.items()
        for key in keys
    }


def _execute(request: RunRequest, workbench: Workbench, instance: dg.DagsterInstance, process: str) -> str:
    names = list(request.targets)
    definitions = build_definitions(request.graph, helio=workbench, names=request.graph.with_ancestors(names))
    keys = request.pipeline.partitions.keys(request.span)
    tags = {
        "dagster/asset_partition_range_start": keys[0],
        "dagster/asset_partition_range_end": keys[-1],
        OWN_RUN_TAG: request.pipeline.name,
        PROCESS_TAG: process,
        FORCE_TAG: str(request.force).lower(),
        REFRESH_TAG: str(request.refresh).lower(),
    }
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
        step: _count(node.name, [outcomes.get((node.name, key)) for key in targets[node.name]]) for step, node in nodes.items()
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


def _count(asset: str, outcomes: Sequence[Outcome | None]) -> StepReport:
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
        for span, _ in spans(node, usable):
            html, png = workbench.figures.html(node.name, span), workbench.figures.png(node.name, span)
            if html.is_file():
                reports.append(FigureReport(step=step, html=str(html), png=str(png) if png.is_file() else None))
    return reports
