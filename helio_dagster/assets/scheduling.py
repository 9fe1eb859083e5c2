"""Schedules and sensors of pipelines: when Dagster starts runs by itself. `domain.due` decides what is due."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, timedelta

import dagster as dg

from helio_dagster.assets.automation import Watch, watched
from helio_dagster.assets.factory import REFRESH_TAG
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.due import due_span, open_span
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.schedule import ON_CHANGE, cron_of
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.dagster_internals import UnresolvedAssetJobDefinition

SCHEDULE_TAG = "helio/schedule"
"""Run tag: the schedule that started the run."""
_MOST_PER_SENSOR = 400
"""Dagster's limit on the assets of a sensor that is evaluated with user code."""
_Answer = dg.RunRequest | dg.SkipReason


def build_schedules(graph: AssetGraph, named: Callable[[str], str] = str) -> list[dg.ScheduleDefinition]:
    """One schedule for each pipeline with a scheduled time, and one per grain that checks the watched files.

    They are on by default, because the pipeline file asks for them. All of a grain share one job, because jobs take Dagster
    longer to load than schedules. `named` makes the names of jobs and of schedules that are not a pipeline's.
    """
    own = [pipeline for pipeline in graph.pipelines.values() if pipeline.name not in graph.events]
    timed = [pipeline for pipeline in own if pipeline.schedule not in (None, ON_CHANGE)]
    jobs = {grain: _job(named(f"scheduled_{grain}"), _assets(graph, timed, grain)) for grain in _grains(timed)}
    return [*(_schedule(graph, pipeline, jobs[pipeline.grain]) for pipeline in timed), *_file_schedules(graph, named)]


def build_sensors(graph: AssetGraph, named: Callable[[str], str] = str) -> list[dg.AutomationConditionSensorDefinition]:
    """The sensors that evaluate the conditions of watched assets, in the code location because the conditions are ours."""
    names = list(watched(graph))
    parts = [names[first : first + _MOST_PER_SENSOR] for first in range(0, len(names), _MOST_PER_SENSOR)]
    return [
        dg.AutomationConditionSensorDefinition(
            named(f"on_change_{number}" if number else "on_change"),
            target=dg.AssetSelection.assets(*(asset_key(name) for name in part)),
            default_status=dg.DefaultSensorStatus.RUNNING,
            run_tags={SCHEDULE_TAG: ON_CHANGE},
            use_user_code_server=True,
            description="Runs the missing or stale partitions of pipelines with `schedule: on_change`.",
        )
        for number, part in enumerate(parts)
    ]


def _schedule(graph: AssetGraph, pipeline: Pipeline, job: UnresolvedAssetJobDefinition) -> dg.ScheduleDefinition:
    grain, nodes = pipeline.grain, list(graph.of_pipeline(pipeline).values())
    keys = [asset_key(node.name) for node in nodes]
    lag, recheck = pipeline.lag or timedelta(0), pipeline.recheck or 0

    def evaluate(context: dg.ScheduleEvaluationContext) -> _Answer:
        now = context.scheduled_execution_time.astimezone(UTC)
        made = _newest_made(graph, nodes, context.instance)
        over = graph.all_over(nodes, now - lag)
        span = due_span(grain, over + lag, start=graph.starts[grain], lag=lag, recheck_days=recheck, newest_made=made)
        if pipeline.open:
            span = open_span(grain, now, start=graph.starts[grain], newest_made=made)
        if span is None:
            return dg.SkipReason(f"{pipeline.name} has no complete {grain} partition yet, or all are made already.")
        return _request(pipeline.name, grain, span, keys, refresh=recheck > 0)

    return dg.ScheduleDefinition(
        name=pipeline.name,
        cron_schedule=cron_of(pipeline.schedule or ""),
        job=job,
        execution_fn=evaluate,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=f"Runs {pipeline.title or pipeline.name} for the latest complete partitions.",
    )


def _file_schedules(graph: AssetGraph, named: Callable[[str], str]) -> list[dg.ScheduleDefinition]:
    """Schedules that ask the archive every hour whether the files of watched partitions changed."""
    by_grain: dict[Grain, dict[str, Watch]] = {}
    for name, watch in watched(graph).items():
        grain = graph[name].time_grain
        if graph[name].files and grain is not None:
            by_grain.setdefault(grain, {})[name] = watch
    return [_file_schedule(graph, grain, watches, named) for grain, watches in by_grain.items()]


def _file_schedule(
    graph: AssetGraph, grain: Grain, watches: Mapping[str, Watch], named: Callable[[str], str]
) -> dg.ScheduleDefinition:
    names = list(dict.fromkeys(graph[name].files for name in watches))
    widest = Watch(min(watch.lag for watch in watches.values()), max(1, *(watch.recheck_days for watch in watches.values())))

    def evaluate(context: dg.ScheduleEvaluationContext) -> _Answer:
        now = context.scheduled_execution_time.astimezone(UTC)
        span = widest.span(graph[next(iter(watches))], graph, now)
        if span is None:
            return dg.SkipReason(f"There is no complete {grain} partition yet.")
        return _request(f"files_{grain}", grain, span, [asset_key(name) for name in names], refresh=False)

    return dg.ScheduleDefinition(
        name=named(f"files_{grain}"),
        cron_schedule="0 * * * *",
        job=_job(named(f"watched_files_{grain}"), names),
        execution_fn=evaluate,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Asks the archives whether recent files changed, for pipelines with `schedule: on_change`.",
    )


def _request(name: str, grain: Grain, span: TimeRange, keys: Sequence[dg.AssetKey], *, refresh: bool) -> dg.RunRequest:
    partitions = grain.keys(span)
    tags = {
        "dagster/asset_partition_range_start": partitions[0],
        "dagster/asset_partition_range_end": partitions[-1],
        SCHEDULE_TAG: name,
        REFRESH_TAG: str(refresh).lower(),
    }
    return dg.RunRequest(asset_selection=keys, tags=tags)


def _newest_made(graph: AssetGraph, nodes: Sequence[AssetNode], instance: dg.DagsterInstance) -> str | None:
    """The newest partition of which all final steps were made."""
    names = {node.name for node in nodes}
    last = [node for node in nodes if node.grain is not None and not names.intersection(graph.children[node.name])]
    made = [set(instance.get_materialized_partitions(asset_key(node.name))) for node in last]
    return max(set.intersection(*made), default=None) if made else None


def _assets(graph: AssetGraph, pipelines: Sequence[Pipeline], grain: Grain) -> list[str]:
    of_grain = [pipeline for pipeline in pipelines if pipeline.grain is grain]
    return list(dict.fromkeys(node.name for each in of_grain for node in graph.of_pipeline(each).values()))


def _grains(pipelines: Sequence[Pipeline]) -> list[Grain]:
    return list(dict.fromkeys(pipeline.grain for pipeline in pipelines))


def _job(name: str, assets: Sequence[str]) -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(name, selection=dg.AssetSelection.assets(*(asset_key(each) for each in assets)))
