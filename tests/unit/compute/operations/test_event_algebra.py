"""Sets of events against sets of seconds, rows against plain loops, and all of them cut anywhere."""

from __future__ import annotations

import statistics as statistics_of_python
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count
from tests.unit.compute.conftest import DAY

Span = tuple[int, int]
_SETTINGS = settings(max_examples=example_count(100), deadline=None, derandomize=True, database=None)
ZERO = np.datetime64(DAY.start.replace(tzinfo=None), "ns")
SPANS = st.lists(st.tuples(st.integers(0, 80), st.sampled_from([1, 2, 3, 5, 12])), max_size=14).map(
    lambda drawn: sorted((start, start + length) for start, length in drawn)
)
MIXED = st.lists(st.tuples(st.integers(0, 80), st.sampled_from([0, 0, 1, 2, 5, 30])), min_size=1, max_size=14).map(
    lambda drawn: sorted((start, start + length) for start, length in drawn)
)


def _events(spans: list[Span]) -> Table:
    meta = TableMeta(
        kind="events", columns=(ColumnMeta(name="stop", role="stop"), ColumnMeta(name="size", unit="nT")), label="list"
    )
    at = np.array(spans, dtype="int64").reshape(-1, 2).astype("timedelta64[s]").astype("timedelta64[ns]") + ZERO
    return Table(at[:, 0].copy(), {"stop": at[:, 1].copy(), "size": np.arange(float(len(spans)))}, meta)


def _apply(operation_id: str, inputs: dict[str, Table], **options: Any) -> Table:
    operation = get_operation(operation_id)
    return operation.apply(inputs, operation.read_options(options), TimeRange(DAY.start - timedelta(days=1), DAY.stop), "out")


def _spans(result: Table) -> list[Span]:
    stops = result.columns["stop"]
    return [(int(a), int(b)) for a, b in zip((result.time - ZERO) / 10**9, (stops - ZERO) / 10**9, strict=True)]


def _runs(held: set[int]) -> list[Span]:
    """Maximal runs of seconds."""
    return [
        (second, next(stop for stop in range(second, 200) if stop not in held))
        for second in sorted(held)
        if second - 1 not in held
    ]


def _seconds(spans: list[Span]) -> set[int]:
    return {second for start, stop in spans for second in range(start, stop)}


@_SETTINGS
@given(a=SPANS, b=SPANS)
def test_sets_of_events_are_sets_of_seconds(a: list[Span], b: list[Span]) -> None:
    """Events of whole seconds, in the tables of both lists in any way: one or both may be empty."""
    given = {"a": _events(a), "b": _events(b)}
    assert _spans(_apply("union_of", given)) == _runs(_seconds(a) | _seconds(b))
    kept = [run for span in a for run in _runs(_seconds([span]) - _seconds(b))]
    assert _spans(_apply("difference_of", given)) == sorted(kept)
    shared = [run for one in a for other in b for run in _runs(_seconds([one]) & _seconds([other]))]
    assert _spans(_apply("intersection_of", given)) == sorted(shared)


@_SETTINGS
@given(spans=SPANS, nearer=st.sampled_from([1, 3, 9]))
def test_near_events_are_merged_as_by_a_plain_loop(spans: list[Span], nearer: int) -> None:
    """With how many there were."""
    expected: list[list[int]] = []
    for start, stop in spans:
        if expected and start - expected[-1][1] <= nearer:
            expected[-1][1] = max(expected[-1][1], stop)
            expected[-1][2] += 1
        else:
            expected.append([start, stop, 1])
    found = _apply("merge_events", {"events": _events(spans)}, nearer=f"PT{nearer}S")
    assert [[*span, int(count)] for span, count in zip(_spans(found), found.columns["count"], strict=True)] == expected


@_SETTINGS
@given(
    a=MIXED,
    b=MIXED,
    longest=st.sampled_from([1, 2, 4, 7, 40]),
    case=st.sampled_from(["union_of", "intersection_of", "difference_of", "nearest_event", "merge_events", "pad_events"]),
    step=st.sampled_from([1, 3, 10]),
)
def test_no_cut_shows(a: list[Span], b: list[Span], longest: int, case: str, step: int) -> None:
    """Moments and events longer than `longest` among them: partitions with their halo give the rows of the whole range."""
    given = {"events": _events(a)} if case in ("merge_events", "pad_events") else {"a": _events(a), "b": _events(b)}
    given_options = {"longest": f"PT{longest}S"} if case != "pad_events" else {"before": f"PT{longest}S"}
    given_options |= {"nearer": "PT2S"} if case == "merge_events" else {}
    operation = get_operation(case)
    options = operation.read_options(given_options)
    edges = [DAY.start + timedelta(seconds=second) for second in (-100, *range(-5, 130, step), 300)]
    whole = operation.apply(given, options, TimeRange(edges[0], edges[-1]), "out")
    lookback, lookahead = operation.halo(options)
    found = []
    for start, stop in pairwise(edges):
        piece = TimeRange(start, stop)
        near = {name: table.clip(piece.widened(lookback, lookahead)) for name, table in given.items()}
        found.append(operation.apply(near, options, piece, "out"))
    assert b"".join(each.time.tobytes() for each in found) == whole.time.tobytes()
    for name, values in whole.columns.items():
        assert b"".join(each.columns[name].tobytes() for each in found) == values.tobytes(), name


@_SETTINGS
@given(a=MIXED, b=MIXED, longest=st.sampled_from([2, 10]))
def test_the_nearest_is_that_of_a_plain_loop(a: list[Span], b: list[Span], longest: int) -> None:
    """By start; of two equally near the earlier; NaN where all are too far."""
    found = _apply("nearest_event", {"a": _events(a), "b": _events(b)}, longest=f"PT{longest}S").columns["lag"] * 3600
    for (start, _), lag in zip(a, found, strict=True):
        best = min((other - start for other, _ in b), key=lambda each: (abs(each), each))
        assert lag == pytest.approx(best) if abs(best) <= longest else np.isnan(lag)


@_SETTINGS
@given(spans=MIXED, every=st.integers(1, 4), missing=st.sets(st.integers(0, 30)), longest=st.sampled_from([3, 20]))
def test_the_facts_of_events_are_those_of_a_plain_loop(spans: list[Span], every: int, missing: set[int], longest: int) -> None:
    """Of the valid samples from start to stop, or up to the longest; what was in the list stays; moments hold none."""
    values = [float("nan") if place in missing else float((place * 7) % 11) for place in range(31)]
    at = np.arange(0, 31) * every
    column = ColumnMeta(name="v", unit="nT")
    series = Table(
        ZERO + at.astype("timedelta64[s]"), {"v": np.array(values)}, TableMeta(kind="series", columns=(column,), unit="nT")
    )
    inputs, statistics = {"events": _events(spans), "series": series}, ["mean", "maximum", "samples", "std"]
    found = _apply("facts_of_events", inputs, longest=f"PT{longest}S", statistics=statistics)
    assert _spans(found) == spans
    assert found.columns["size"].tolist() == list(range(len(spans)))
    for row, (start, stop) in enumerate(spans):
        held = [
            (value, second)
            for second, value in zip(at.tolist(), values, strict=True)
            if start <= second < min(stop, start + longest) and not np.isnan(value)
        ]
        assert found.columns["v_samples"][row] == len(held)
        if not held:
            assert np.isnan(found.columns["v_mean"][row])
            assert np.isnat(found.columns["v_maximum_time"][row])
            continue
        numbers = [value for value, _ in held]
        assert found.columns["v_mean"][row] == pytest.approx(statistics_of_python.mean(numbers))
        first = min(second for value, second in held if value == max(numbers))
        assert found.columns["v_maximum_time"][row] == ZERO + np.timedelta64(first, "s")
        spread = statistics_of_python.stdev(numbers) if len(numbers) > 1 else float("nan")
        assert found.columns["v_std"][row] == pytest.approx(spread, nan_ok=True)
    assert found.meta.columns[-1].unit == "nT"


def test_facts_of_events_need_events_that_last_and_new_names() -> None:
    """Moments are refused with what makes intervals of them; the same number twice would hide the first."""
    series = Table(
        np.array([ZERO]), {"v": np.array([1.0])}, TableMeta(kind="series", columns=(ColumnMeta(name="v"),), unit="nT")
    )
    moments = Table(np.array([ZERO]), {"size": np.array([1.0])}, TableMeta(kind="events", columns=(ColumnMeta(name="size"),)))
    with pytest.raises(ComputeError, match="moments") as caught:
        _apply("facts_of_events", {"events": moments, "series": series})
    assert "pad_events" in caught.value.hint
    once = _apply("facts_of_events", {"events": _events([(0, 5)]), "series": series})
    assert once.columns["v_mean"].tolist() == [1.0]
    with pytest.raises(ComputeError, match="already have the column 'v_maximum'"):
        _apply("facts_of_events", {"events": once, "series": series})


def test_events_that_are_too_long_are_cut_and_marked() -> None:
    """The rest does not count, and does not come a second time."""
    found = _apply("union_of", {"a": _events([(0, 50), (60, 62)]), "b": _events([(5, 8)])}, longest="PT20S")
    assert _spans(found) == [(0, 20), (60, 62)]
    assert found.columns["is_cut"].tolist() == [1, 0]
    found = _apply("difference_of", {"a": _events([(0, 50)]), "b": _events([(5, 8)])}, longest="PT20S")
    assert (_spans(found), found.columns["is_cut"].tolist()) == ([(0, 5), (8, 20)], [0, 1])


def test_a_union_needs_but_one_list() -> None:
    """Where the other has no files in a partition, its events are those of the one."""
    unknown = Table.empty(TableMeta(kind="events", columns=()))
    for lists in ({"a": _events([(1, 3)]), "b": unknown}, {"a": unknown, "b": _events([(1, 3)])}):
        assert _spans(_apply("union_of", lists)) == [(1, 3)]


def test_a_list_of_a_pipeline_has_stops() -> None:
    """A column headed stop, blank where a row is a moment; text goes along."""
    rows = "start,stop,name\n2023-01-02T01:00Z,2023-01-02T03:00Z,long\n2023-01-02T05:00Z,,moment"
    listed = read_events(EventTable(csv=rows, source="made up"))
    padded = _apply("pad_events", {"events": listed}, before="PT30M", after="PT1H")
    assert padded.columns["duration"].tolist() == [3.5, 1.5]
    assert padded.columns["name"].tolist() == ["long", "moment"]
    kept = _apply("filter_events", {"events": listed}, at_least="PT1H")
    assert kept.columns["name"].tolist() == ["long"]
    assert kept.columns["stop"].dtype == "datetime64[ns]"


def test_events_are_kept_by_duration_and_by_column() -> None:
    """All conditions at once; a column that is not there is refused with the nearest."""
    events = _events([(0, 10), (20, 80), (90, 91), (100, 130)])
    assert _spans(_apply("filter_events", {"events": events}, at_least="PT10S", at_most="PT30S")) == [(0, 10), (100, 130)]
    found = _apply("filter_events", {"events": events}, column="size", above=0, below=3)
    assert found.columns["size"].tolist() == [1, 2]
    with pytest.raises(ComputeError, match="siz") as caught:
        _apply("filter_events", {"events": events}, column="siz", above=0)
    assert "size" in caught.value.hint


@pytest.mark.parametrize(
    ("operation_id", "options"),
    [("filter_events", {}), ("filter_events", {"above": 1.0}), ("filter_events", {"column": "size"}), ("pad_events", {})],
)
def test_nothing_asked_is_refused(operation_id: str, options: dict[str, Any]) -> None:
    """With what may be given."""
    with pytest.raises(InputError):
        get_operation(operation_id).read_options(options)
