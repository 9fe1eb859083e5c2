"""Report the checks of stored data over a range as text: coverage and gaps, time order, fill, columns, values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from dagster import AssetCheckResult

from helio_dagster.assets.asset_names import asset_name
from helio_dagster.assets.checks import AS_CATALOGUED, check_results
from helio_dagster.assets.description import describe_table, quality_of
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.staleness import Assessment
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.coverage import GAP_CADENCES, cadence_s, coverage, steps_over, valid_times
from helio_dagster.domain.exclusions import Intervals, inside, length_s, lies_in, union_of, without
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.records import count_valid, record_extremes
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.stated_events import reaches_beyond
from helio_dagster.domain.table import Table, TableMeta, Times
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.run_plan import States
from helio_dagster.storage.tables import TableStore

_MOST_COLUMNS = 4
"""Maximum number of columns whose values are reported individually."""
_LENGTHS = ((timedelta(days=1), "days"), (timedelta(hours=1), "h"), (timedelta(minutes=1), "min"), (timedelta(seconds=1), "s"))
_UNMADE = {
    "failed": ("has failed", "have failed"),
    "missing": ("is missing", "are missing"),
    "outdated": ("is out of date", "are out of date"),
    "empty": ("has no records", "have no records"),
}
"""What is said of one partition without data, and of several."""
_PASSED = {
    "time_in_order": "all times are unique and in order",
    "not_all_fill": "no partition is all fill",
    "columns": "all partitions have the same columns",
    AS_CATALOGUED: "shape, unit and frame match the catalog",
}
_FAILED = {
    "time_in_order": "times out of order or duplicated in",
    "not_all_fill": "only fill values in",
    "columns": "columns differ from the newest in",
    AS_CATALOGUED: "differs from the catalog in",
}


@dataclass
class _Found:
    """What was found in a step's partitions, collected one by one so that tables need not be in memory together."""

    outcomes: dict[str | None, Outcome] = field(default_factory=dict)
    times: list[Times] = field(default_factory=list)
    lows: dict[str, float] = field(default_factory=dict)
    highs: dict[str, float] = field(default_factory=dict)
    values: int = 0
    invalid: int = 0
    unit: str = ""
    kind: str = ""
    lost: list[np.datetime64] = field(default_factory=list)
    bare: list[np.datetime64] = field(default_factory=list)
    unmade: Counter[str] = field(default_factory=Counter)
    cut: int = 0
    warned: Counter[str] = field(default_factory=Counter)

    def lose(self, key: str, window: TimeRange, span: TimeRange, why: str) -> None:
        """Take a partition into account that has no result: what became of it, and that its time has no data."""
        self.outcomes[key] = Outcome("failed")
        self.unmade[why] += 1
        self.lost.append(window.part_in(span).bounds_ns()[0])

    def without_data(self, cadence: float | None, grain: Grain) -> Times:
        """One time in each partition without data; it may well be empty where records are rarer than partitions."""
        is_dense = cadence is not None and cadence <= grain.shortest.total_seconds()
        return np.array(sorted([*self.lost, *(self.bare if is_dense else [])]), dtype="datetime64[ns]")

    def add(
        self, key: str, table: Table, window: TimeRange, span: TimeRange, excluded: Intervals, excluded_before: Intervals
    ) -> None:
        """Add a stored partition, taking only what is inside the range; what is excluded does not count as fill."""
        described = describe_table(table, table.status, window, length_s(excluded))
        self.outcomes[key] = Outcome("reused", table.status, quality=quality_of(table, described))
        inside, self.kind = table.clip(span), table.meta.kind
        self.times.append(valid_times(inside))
        self.warned.update(map(str, table.meta.attributes.get(WARNINGS, ())))
        self.cut += int(reaches_beyond(inside, span).sum()) if self.kind == "events" else 0
        if not len(self.times[-1]):
            self.unmade["empty"] += table.status == "empty"
            self.bare.append(window.part_in(span).bounds_ns()[0])
        is_asked = ~lies_in(inside, union_of([excluded, excluded_before]))
        for name in table.meta.data_names:
            column = inside.columns[name]
            if column.dtype.kind not in "fiu" or not len(column):
                continue
            self.unit = table.meta.unit or self.unit
            wanted = column if is_asked.all() else column[is_asked]
            self.values, self.invalid = self.values + wanted.size, self.invalid + wanted.size - count_valid(wanted)
            if count_valid(column):
                least, greatest = record_extremes(column) if column.ndim > 1 else (column, column)
                self.lows[name] = min(float(np.fmin.reduce(least)), self.lows.get(name, np.inf))
                self.highs[name] = max(float(np.fmax.reduce(greatest)), self.highs.get(name, -np.inf))


def judge(graph: AssetGraph, pipeline: Pipeline, span: TimeRange, store: TableStore, *, states: States) -> list[CheckResult]:
    """The checks of every fetched or computed step over a range, by the same rules as the partitions' asset checks.

    All stored data are judged, whichever run made them. A partition that is not stored counts as missing, and so does one that
    a run would remake, for example because its code changed.

    Parameters
    ----------
    graph, pipeline
        The pipeline, and the graph that contains its steps.
    span
        The range.
    store
        Stores the tables.
    states
        The state of each partition according to Dagster's record.
    """
    results: list[CheckResult] = []
    for step in pipeline.nodes:
        if step.named_results:
            continue
        node = graph[asset_name(pipeline, step)]
        if node.time_grain is not None and node.kind in ("fetch", "compute") and not node.is_over_range:
            own = states.get(node.name, {})
            keys = [key for key in node.time_grain.keys(span) if key in own or not pipeline.is_over_events]
            behind = [each for name in graph.with_ancestors([node.name]) if (each := graph[name]).excluded and each is not node]
            masked = [excluded for each in behind for excluded in _excluded_parts(each, span, store)]
            results += _judge(node, node.time_grain, step.id, span, keys, store, own, _intervals(masked))
    return results


def _excluded_parts(node: AssetNode, span: TimeRange, store: TableStore) -> Iterator[Mapping[str, Any]]:
    """What the stored partitions of an asset say of their exclusions."""
    keys = node.grain.keys(span) if node.grain is not None else []
    for key in keys:
        stored = store.peek(node.name, key)
        if stored is not None and "excluded" in stored.provenance:
            yield stored.provenance["excluded"]


def _intervals(masked: Iterable[Mapping[str, Any]]) -> Intervals:
    return union_of([np.array(each["intervals"], dtype=np.int64).reshape(-1, 2) for each in masked])


def _between(grain: Grain, keys: Sequence[str], span: TimeRange) -> Intervals:
    """The parts of a range that none of the partitions cover."""
    windows = [[int(bound.astype(np.int64)) for bound in grain.window(key).bounds_ns()] for key in keys]
    start, stop = (int(bound.astype(np.int64)) for bound in span.bounds_ns())
    covered = union_of([np.array(windows, dtype=np.int64).reshape(-1, 2)])
    return np.array(without(start, stop, covered), dtype=np.int64).reshape(-1, 2)


def _judge(
    node: AssetNode,
    grain: Grain,
    step: str,
    span: TimeRange,
    keys: Sequence[str],
    store: TableStore,
    states: Mapping[str | None, Assessment],
    excluded_before: Intervals,
) -> Iterator[CheckResult]:
    """`keys` are the partitions that count; `excluded_before` is what the inputs leave out."""
    found, masked = _Found(), list[Mapping[str, Any]]()
    for key in keys:
        state = states.get(key)
        stored = store.peek(node.name, key)
        if stored is None:
            found.lose(key, grain.window(key), span, "failed" if state is not None and state.state == "failed" else "missing")
        elif state is not None and not state.is_current:
            found.lose(key, grain.window(key), span, "outdated")
        else:
            excluded = stored.provenance.get("excluded", {})
            masked += [excluded] if excluded else []
            own = _intervals([excluded] if excluded else [])
            found.add(key, store.read(node.name, key), grain.window(key), span, own, excluded_before)
    if found.kind == "events" or node.has_record_per_event:
        yield _listed(step, found, span)
        return
    checked = {result.check_name: result for result in check_results(node, found.outcomes)}
    is_covered = checked.pop("coverage").passed and any(map(len, found.times))
    lost = inside(union_of([_intervals(masked), excluded_before]), span)
    yield _coverage(step, span, found, grain, lost, _between(grain, keys, span), is_passed=is_covered)
    if node.excluded:
        yield _excluded(node, step, masked)
    for name, result in checked.items():
        if name is not None and found.lows:
            yield _as_recorded(step, name, result)
    yield _values(step, found)


def _listed(step: str, found: _Found, span: TimeRange) -> CheckResult:
    """How many events were found; none is fine, a partition without a result is not."""
    count = sum(map(len, found.times))
    unmade = {why: found.unmade[why] for why in ("missing", "failed", "outdated") if found.unmade[why]}
    text = f"{step}: {counted(count, 'event')} in the {_length(span.duration)}"
    text += f" ({found.cut:,} {'reaches' if found.cut == 1 else 'reach'} beyond the range)" if found.cut else ""
    for why, number in unmade.items():
        text += f"; {number:,} of {counted(len(found.outcomes), 'partition')} {_UNMADE[why][number != 1]}"
    for what, number in found.warned.items():
        text += f"; in {number:,} of {counted(len(found.outcomes), 'partition')} {what}"
    is_sound = not (unmade or found.warned)
    return CheckResult(step, "events", has_passed=is_sound, text=text, facts={"events": count, "cut": found.cut, **unmade})


def _coverage(
    step: str, span: TimeRange, found: _Found, grain: Grain, excluded: Intervals, unasked: Intervals, *, is_passed: bool
) -> CheckResult:
    """How much of the range has valid data, and the longest gap.

    Neither `excluded` intervals nor `unasked` ones, of which nothing is fetched, count as gaps.
    """
    time = np.concatenate(found.times) if found.times else np.empty(0, dtype="datetime64[ns]")
    records = Table(time, {}, TableMeta(kind="series", columns=()))
    cadence, length = cadence_s(records), _length(span.duration - timedelta(seconds=length_s(unasked)))
    left_out = union_of([excluded, unasked])
    lost = found.without_data(cadence, grain)
    share = coverage(records, span, cadence, lost=lost, excluded_s=length_s(left_out))
    facts: dict[str, float | int | str] = {"coverage": round(share, 4), "records": len(time)}
    facts["missing_partitions"] = found.unmade["missing"]
    facts |= {f"{why}_partitions": found.unmade[why] for why in ("failed", "outdated") if found.unmade[why]}
    facts |= {"cadence_s": round(cadence, 6)} if cadence is not None else {}
    whole = "day has" if length == "1 day" else f"{length} have"
    text = f"{step}: {_percent(share)} of the {whole} data" if len(time) else f"{step}: no valid data in the {length}"
    text += " outside exclusions" if len(excluded) else ""
    gaps = _gaps(time, cadence, span, lost, left_out) if len(time) and cadence is not None else []
    facts["gaps"] = len(gaps)
    if gaps:
        longest = max(gaps, key=lambda gap: gap.duration)
        facts |= {"longest_gap_s": longest.duration.total_seconds(), "longest_gap_start": f"{longest.start:%Y-%m-%dT%H:%M:%SZ}"}
        which = "the only gap is" if len(gaps) == 1 else f"the longest of {len(gaps):,} gaps is"
        text += f"; {which} {_length(longest.duration)} on {longest.start:%Y-%m-%d %H:%M}"
    elif len(time) and cadence is not None:
        text += ", no gaps"
    for why, what in _UNMADE.items():
        if count := found.unmade[why]:
            text += f"; {count:,} of {counted(len(found.outcomes), 'partition')} {what[count != 1]}"
    return CheckResult(step, "coverage", is_passed, text, facts)


def _excluded(node: AssetNode, step: str, masked: Sequence[Mapping[str, Any]]) -> CheckResult:
    """How many records exclusions took away, over all stored partitions of the range."""
    records, of = (sum(each[name] for each in masked) for name in ("records", "of"))
    lists = ", ".join(name.rsplit("/", 1)[-1] for name in node.excluded)
    share = f" ({_percent(records / of)})" if of else ""
    text = f"{step}: {records:,} of {counted(of, 'record')}{share} excluded by {lists}"
    return CheckResult(step, "excluded", has_passed=True, text=text, facts={"excluded": records, "records": of, "lists": lists})


def _gaps(time: Times, cadence: float, span: TimeRange, lost: Times, excluded: Intervals) -> list[TimeRange]:
    """Stretches without valid data, longer than `GAP_CADENCES` cadences or with a `lost` time; a record covers one.

    Of a stretch with excluded intervals, only parts beside them count that are longer than that.
    """
    cadence_ns = np.timedelta64(round(cadence * 1e9), "ns")
    start, stop = span.bounds_ns()
    limit = np.timedelta64(round(GAP_CADENCES * cadence * 1e9), "ns")
    edges = np.concatenate([[start], time, [stop]])
    steps = np.diff(edges)
    steps[-1] -= cadence_ns
    is_gap = steps > limit
    is_gap[steps_over(edges, lost)] = True
    places = np.flatnonzero(is_gap)
    if not len(excluded):
        return [TimeRange(_moment(edges[place]), _moment(edges[place + 1])) for place in places]
    plain = edges.astype("datetime64[ns]").astype(np.int64)
    parts = [part for place in places for part in without(int(plain[place]), int(plain[place + 1]), excluded)]
    least = int(limit.astype(np.int64))
    return [TimeRange(_moment(np.datetime64(a, "ns")), _moment(np.datetime64(b, "ns"))) for a, b in parts if b - a > least]


def _as_recorded(step: str, check: str, result: AssetCheckResult) -> CheckResult:
    """A check that Dagster records too, as text."""
    listed: Any = result.metadata.get("partitions") if result.metadata else None
    where = str(getattr(listed, "value", listed) or "")
    text = _PASSED.get(check, "passed") if result.passed else f"{_FAILED.get(check, 'failed in')} {where}"
    return CheckResult(step, check, result.passed, f"{step}: {text}", {} if result.passed else {"partitions": where})


def _values(step: str, found: _Found) -> CheckResult:
    """The range of the values, and how many are fill."""
    if not found.lows:
        return CheckResult(step, "values", has_passed=False, text=f"{step}: no valid value", facts={"records": found.values})
    low, high, share = min(found.lows.values()), max(found.highs.values()), found.invalid / max(found.values, 1)
    unit = f" {found.unit}" if found.unit else ""
    if 1 < len(found.lows) <= _MOST_COLUMNS:
        between = ", ".join(f"{name} from {found.lows[name]:.4g} to {found.highs[name]:.4g}{unit}" for name in found.lows)
    else:
        between = f"values from {low:.4g} to {high:.4g}{unit}"
    text = f"{step}: {between}; {_percent(share) if share else 'none'} of the values {'is' if not share else 'are'} fill"
    facts: dict[str, float | int | str] = {"min": low, "max": high, "unit": found.unit, "fill_share": round(share, 6)}
    facts["kind"] = found.kind
    return CheckResult(step, "values", has_passed=True, text=text, facts=facts)


def _percent(share: float) -> str:
    """A share as a percentage that reads 0 % or 100 % only if it is exact."""
    percent = 100 * share
    shown = percent if percent in (0, 100) else min(max(percent, 0.1), 99.9)
    return f"{shown:.1f} %".replace(".0 %", " %") if shown in (0, 100) else f"{shown:.1f} %"


def _length(duration: timedelta) -> str:
    """A duration for people: 38 min, 2.5 days."""
    for unit, name in _LENGTHS:
        if duration >= unit:
            count = duration / unit
            shown = f"{count:.1f}".removesuffix(".0")
            return f"{shown} {'day' if name == 'days' and shown == '1' else name}"
    return f"{duration.total_seconds():.3g} s"


def _moment(time: np.datetime64) -> datetime:
    return datetime.fromisoformat(str(np.datetime_as_string(time, unit="us"))).replace(tzinfo=UTC)
