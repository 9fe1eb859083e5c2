"""Measure what is stored of a step over a range: extremes with their times, means, and the value at a moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.staleness import Assessment
from helio_dagster.domain.coverage import GAP_CADENCES, cadence_s
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.inquiry import ColumnStatistics, Reading, StepStatistics
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.records import axis_document
from helio_dagster.domain.table import Table, Times, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.tables import TableStore

_NUMBERS = "fiu"


def measure(
    node: AssetNode,
    step: str,
    span: TimeRange,
    store: TableStore,
    states: Mapping[str | None, Assessment],
    moment: datetime | None = None,
) -> StepStatistics:
    """Statistics of the stored partitions of a step that are up to date, inside a range.

    Parameters
    ----------
    node
        The asset of the step.
    step
        Its id.
    span
        The range.
    store
        Stores the tables.
    states
        The state of each partition according to Dagster's record.
    moment
        The time of which the nearest record is wanted.

    Raises
    ------
    InputError
        The step has no table with partitions.
    ComputeError
        Its partitions do not fit together.
    """
    if node.is_over_range and node.kind == "compute":
        raise InputError(f"{step} has one result for the whole range", hint="`helio facts` shows its numbers.")
    if several := single_result_fault(node.step):
        raise InputError(several[0], hint=several[1])
    if node.grain is None or node.kind not in ("fetch", "compute"):
        raise InputError(f"{step} is a {node.kind}, which has no values over time", hint="Ask about a step that it shows.")
    found: Counter[str] = Counter()
    tables: list[Table] = []
    for key in node.grain.keys(span):
        state = states.get(key)
        if store.peek(node.name, key) is None:
            found["failed" if state is not None and state.state == "failed" else "missing"] += 1
        elif state is not None and not state.is_current:
            found["outdated"] += 1
        else:
            tables.append(store.read(node.name, key).clip(span))
            found[tables[-1].status] += 1
    if not tables:
        return StepStatistics(step, node.name, span, dict(found))
    table = _joined(node, tables)
    return StepStatistics(
        step,
        node.name,
        span,
        dict(found),
        table.meta.kind,
        table.meta.frame or "",
        table.meta.synthetic,
        tuple(_columns(table, moment)),
        tuple(axis_document(axis) for axis in table.meta.axes),
    )


def _joined(node: AssetNode, tables: Sequence[Table]) -> Table:
    try:
        return concatenate(tables)
    except ValueError as error:
        raise ComputeError(
            f"partitions of {node.name} do not fit together: {error}", hint="Ask about a shorter range."
        ) from error


def _columns(table: Table, moment: datetime | None) -> list[ColumnStatistics]:
    labels = {column.name: column for column in table.meta.columns}
    place = None if moment is None else _nearest(table, moment)
    return [
        _statistics(table.time, table.columns[name], labels[name].label or name, labels[name].unit or table.meta.unit, place)
        for name in table.meta.data_names
        if table.columns[name].dtype.kind in _NUMBERS
    ]


def _statistics(time: Times, column: NDArray[np.generic], name: str, unit: str, place: int | None) -> ColumnStatistics:
    values = np.asarray(column, dtype="float64")
    is_valid = ~np.isnan(values)
    if values.ndim > 1:
        time, place = np.broadcast_to(time.reshape(-1, *(1 for _ in values.shape[1:])), values.shape), None
    valid, times = values[is_valid], time[is_valid]
    at = None if place is None else Reading(float(values[place]) if is_valid[place] else None, _iso(time[place]))
    if not len(valid):
        return ColumnStatistics(name, unit, 0, values.size, at=at)
    return ColumnStatistics(
        name,
        unit,
        len(valid),
        values.size - len(valid),
        minimum=_extreme(valid, times, int(np.argmin(valid))),
        maximum=_extreme(valid, times, int(np.argmax(valid))),
        mean=float(np.mean(valid)),
        median=float(np.median(valid)),
        std=float(np.std(valid, ddof=1)) if len(valid) > 1 else None,
        at=at,
    )


def _extreme(values: NDArray[np.float64], times: Times, place: int) -> Reading:
    return Reading(float(values[place]), _iso(times[place]), int(np.count_nonzero(values == values[place])))


def _nearest(table: Table, moment: datetime) -> int | None:
    """The record nearest to a moment; None if it is further away than a gap begins."""
    if not len(table):
        return None
    wanted = np.datetime64(moment.replace(tzinfo=None), "ns")
    apart = np.abs(table.time - wanted)
    place = int(np.argmin(apart))
    limit = np.timedelta64(round(GAP_CADENCES / 2 * (cadence_s(table) or 0.0) * 1e9), "ns")
    return place if apart[place] <= limit else None


def _iso(time: np.datetime64) -> str:
    """A time in ISO 8601, in whole seconds if it is."""
    text = str(np.datetime_as_string(time, unit="ms"))
    return f"{text.removesuffix('.000')}Z"
