"""Dagster's check `up_to_date` of each asset: what `helio status` says of the partitions ever made. It never blocks.

Dagster's own view of staleness knows no lost files, and not all that a changed archive file makes stale. A run of an asset
evaluates its check, and so does a sensor, after what happened outside of such runs: edited pipelines, observations, lost files.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg
from pydantic import BaseModel, ConfigDict, ValidationError

from helio_dagster.assets.dagster_project import project_of
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.mounting import Mounting
from helio_dagster.assets.project_assets import ProjectAssets
from helio_dagster.assets.recording import DagsterLedger, asset_key
from helio_dagster.assets.run_scope import RunScope
from helio_dagster.assets.staleness import Assessment, assess
from helio_dagster.storage.tables import TableStore

CHECK = "up_to_date"
_INTERVAL_S = 30
_LONGEST_S = 20.0
"""Dagster stops a sensor after a minute; what is left is judged at the next tick."""
_TOGETHER = 20
_MOST_LISTED = 10
_MOST_EVENTS = 500
"""With more events than this since the last tick, all assets are judged again."""


class _Seen(BaseModel):
    """What was judged: up to which event, by which code, in which hour; and the assets that are left to judge."""

    model_config = ConfigDict(extra="ignore")

    event: int = 0
    code: str = ""
    hour: str = ""
    left: list[str] = []


def build_checks(graph: AssetGraph, mounting: Mounting) -> list[dg.AssetChecksDefinition]:
    """The checks of all assets, evaluated by one step; none for a library without assets."""
    if not graph.nodes:
        return []
    names = {asset_key(name): name for name in graph.nodes}
    text = "As `helio status`, over all partitions ever made"
    specs = [dg.AssetCheckSpec(CHECK, asset=key, description=text) for key in names]
    as_checks: Callable[[_Body], dg.AssetChecksDefinition] = dg.multi_asset_check(
        name=mounting.named(CHECK), specs=specs, can_subset=True, required_resource_keys={mounting.resource}
    )

    def body(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        scope: RunScope = context.resources.original_resource_dict[mounting.resource]
        wanted = [names[key.asset_key] for key in context.selected_asset_check_keys]
        project, now = project_of(graph, context), scope.workbench.clock()
        for found in judge(graph, wanted, context.instance, scope.workbench.store, now, project):
            yield dg.AssetCheckResult(
                asset_key=found.asset_key,
                check_name=CHECK,
                passed=found.passed,
                severity=found.severity,
                description=found.description,
            )

    return [as_checks(body)]


_Body = Callable[[dg.AssetCheckExecutionContext], Iterator[dg.AssetCheckResult]]


def judge(
    graph: AssetGraph,
    names: Iterable[str],
    instance: dg.DagsterInstance,
    store: TableStore,
    now: datetime,
    project: ProjectAssets,
) -> Iterator[dg.AssetCheckEvaluation]:
    """The check's evaluation of each asset."""
    ledger = DagsterLedger(instance)
    targets = {name: _made(graph[name], ledger, now) for name in names}
    found = assess(graph, targets, ledger=ledger, store=store, now=now, project=project)
    for name, keys in targets.items():
        behind = {key: found[name][key] for key in keys if not found[name][key].is_current}
        yield dg.AssetCheckEvaluation(
            asset_key=asset_key(name),
            check_name=CHECK,
            passed=not behind,
            severity=dg.AssetCheckSeverity.WARN,
            description=_in_words(behind, len(keys)),
        )


def build_sensor(graph: AssetGraph, store: TableStore, mounting: Mounting) -> list[dg.SensorDefinition]:
    """The sensor that evaluates the checks after anything that may change them, and once an hour; no run is started."""
    code = hashlib.sha256(repr([(node.name, node.code_version) for node in graph.nodes.values()]).encode()).hexdigest()[:16]

    def evaluate(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        if context.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]), limit=1):
            return dg.SkipReason("A run is in progress; judged after it.")
        began, now, seen = time.monotonic(), datetime.now(UTC), _read(context.cursor)
        newest = context.instance.event_log_storage.get_maximum_record_id() or 0
        hour = now.strftime("%Y-%m-%dT%H")
        is_new = (seen.code, seen.hour) != (code, hour)
        touched = list(graph.nodes) if is_new else _touched(graph, context.instance, seen.event) if newest > seen.event else []
        left = list(dict.fromkeys([*seen.left, *touched]))
        project = project_of(graph, context)
        changed: list[dg.AssetCheckEvaluation] = []
        while left and time.monotonic() - began < _LONGEST_S:
            part, left = [name for name in left[:_TOGETHER] if name in graph.nodes], left[_TOGETHER:]
            changed += _changed(context.instance, judge(graph, part, context.instance, store, now, project))
        return dg.SensorResult(
            asset_events=changed, cursor=_Seen(event=newest, code=code, hour=hour, left=left).model_dump_json()
        )

    return (
        [
            dg.SensorDefinition(
                name=mounting.named(CHECK),
                evaluation_fn=evaluate,
                minimum_interval_seconds=_INTERVAL_S,
                default_status=dg.DefaultSensorStatus.RUNNING,
                description="Keeps the checks `up_to_date` as `helio status` is; starts no run.",
            )
        ]
        if graph.nodes
        else []
    )


def _made(node: AssetNode, ledger: DagsterLedger, now: datetime) -> list[str | None]:
    """The partitions of an asset that were ever made, and still are its partitions; not the one that may be open."""
    if node.grain is None:
        return [None] if ledger.has_any(node.name) else []
    grain = node.grain
    limit = now + timedelta(days=1)
    windows = {key: grain.window(key) for key in sorted(ledger.partitions(node.name)) if grain.has_key(key)}
    return [key for key, window in windows.items() if window.stop <= limit and not window.start < now < window.stop]


def _in_words(behind: dict[str | None, Assessment], made: int) -> str:
    if not behind:
        return f"All {made} partitions ever made are up to date." if made else "Nothing was made yet."
    lines = [f"{key or 'the table'}: {', '.join(each.why) or each.state}" for key, each in list(behind.items())[:_MOST_LISTED]]
    more = f"; and {len(behind) - _MOST_LISTED} more" if len(behind) > _MOST_LISTED else ""
    return f"{len(behind)} of {made} partitions are not up to date: {'; '.join(lines)}{more}"


def _touched(graph: AssetGraph, instance: dg.DagsterInstance, after: int) -> list[str]:
    """The assets of which something was recorded since an event, and all that is made from them."""
    files = {node.files: node.name for node in graph.nodes.values() if node.files}
    found: set[str] = set()
    for kind in (dg.DagsterEventType.ASSET_MATERIALIZATION, dg.DagsterEventType.ASSET_OBSERVATION):
        wanted = dg.EventRecordsFilter(kind, after_cursor=after)
        records = instance.event_log_storage.get_event_records(wanted, limit=_MOST_EVENTS)
        if len(records) == _MOST_EVENTS:
            return list(graph.nodes)
        names = {"/".join(each.asset_key.path) for each in records if each.asset_key is not None}
        found |= {files.get(name, name) for name in names}
        found |= {node.name for node in graph.nodes.values() if node.files in names or names.intersection(node.project_names)}
    for name in graph.nodes:
        if name not in found and found.intersection(graph[name].inputs.values()):
            found.add(name)
    return [name for name in graph.nodes if name in found]


def _changed(instance: dg.DagsterInstance, evaluations: Iterable[dg.AssetCheckEvaluation]) -> Sequence[dg.AssetCheckEvaluation]:
    """Those that say something else than the last one of their asset; of an asset never made, none."""
    listed = list(evaluations)
    last = instance.event_log_storage.get_latest_asset_check_execution_by_key([each.asset_check_key for each in listed])
    recorded = {}
    for key, record in last.items():
        event = record.event.dagster_event if record.event else None
        found = event.event_specific_data if event else None
        recorded[key] = found.description if isinstance(found, dg.AssetCheckEvaluation) else None
    fresh = [each for each in listed if recorded.get(each.asset_check_key) != each.description]
    return [each for each in fresh if each.asset_check_key in recorded or each.description != _in_words({}, 0)]


def _read(cursor: str | None) -> _Seen:
    try:
        return _Seen.model_validate(json.loads(cursor or "{}"))
    except (ValueError, ValidationError):
        return _Seen()
