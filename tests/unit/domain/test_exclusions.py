"""Intervals that do not count: joined, cut to windows, hashed, and taken out of tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.exclusions import NO_INTERVALS, Exclusion, inside, length_s, mask, union_of, without
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

START = datetime(2003, 10, 29, tzinfo=UTC)
WINDOW = TimeRange(START, START + timedelta(seconds=100))
ZERO = int(WINDOW.bounds_ns()[0].astype(np.int64))
SECOND = 10**9
PAIRS = st.lists(st.tuples(st.integers(-50, 150), st.integers(1, 40)), max_size=12)


def intervals(pairs: list[tuple[int, int]]) -> np.ndarray:
    """Intervals of (start, length) in seconds after the window's start, joined."""
    rows = [(ZERO + start * SECOND, ZERO + (start + length) * SECOND) for start, length in pairs]
    return union_of([np.array(rows, dtype=np.int64).reshape(-1, 2)])


def is_in(pairs: list[tuple[int, int]], second: int) -> bool:
    """Whether any interval holds a second, by its definition."""
    return any(start <= second < start + length for start, length in pairs)


@given(PAIRS)
def test_each_second_is_excluded_just_where_an_interval_holds_it(pairs: list[tuple[int, int]]) -> None:
    """Of a table with a record each second; joined, cut and subtracted the same."""
    time = np.array([ZERO + second * SECOND for second in range(100)]).astype("datetime64[ns]")
    columns = (ColumnMeta(name="x"), ColumnMeta(name="n"), ColumnMeta(name="e", role="bin"))
    table = Table(
        time, {"x": np.arange(100.0), "n": np.arange(100), "e": np.ones(100)}, TableMeta(kind="series", columns=columns)
    )
    lost = intervals(pairs)
    masked = mask(table, lost, WINDOW)
    expected = np.array([is_in(pairs, second) for second in range(100)])
    assert np.array_equal(np.isnan(masked.table.columns["x"]), expected)
    assert masked.table.columns["n"].dtype == np.float64
    assert np.array_equal(np.isnan(masked.table.columns["n"]), expected)
    assert np.array_equal(masked.table.columns["e"], np.ones(100))
    assert (masked.samples, masked.seconds) == (int(expected.sum()), float(expected.sum()))
    kept = without(ZERO, ZERO + 100 * SECOND, lost)
    assert sum(stop - start for start, stop in kept) == (100 - expected.sum()) * SECOND


@given(PAIRS, PAIRS)
def test_a_version_changes_just_where_something_inside_does(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    """Whatever lies outside the window, and however intervals overlap."""
    versions = [Exclusion(intervals(pairs).tobytes()).version(WINDOW) for pairs in (one, other)]
    same = all(is_in(one, second) == is_in(other, second) for second in range(100))
    assert (versions[0] == versions[1]) is same


def test_nothing_is_excluded_by_nothing() -> None:
    """An empty list takes nothing away."""
    assert len(inside(NO_INTERVALS, WINDOW)) == 0
    assert length_s(union_of([])) == 0


def test_facts_have_no_samples() -> None:
    """Said with what to do."""
    meta = TableMeta(kind="facts", columns=(ColumnMeta(name="r"),))
    table = Table(np.array([ZERO]).astype("datetime64[ns]"), {"r": np.ones(1)}, meta)
    with pytest.raises(ComputeError, match="gives facts has no samples"):
        mask(table, NO_INTERVALS, WINDOW)


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        (None, [20]),
        (Extent(after_ns=10 * SECOND), [10, 20]),
        (Extent(before_ns=10 * SECOND), [20, 30]),
        (Extent(before_ns=5 * SECOND, after_ns=5 * SECOND), [20]),
        (Extent(before_ns=6 * SECOND, after_ns=6 * SECOND), [20]),
        (Extent(before_ns=9 * SECOND, after_ns=9 * SECOND), [10, 20, 30]),
    ],
)
def test_a_record_that_is_partly_inside_is_excluded(extent: Extent | None, expected: list[int]) -> None:
    """Seconds 18 to 22 of records each ten seconds: a mean over any of them holds bad samples."""
    seconds = np.arange(0, 100, 10)
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="x"),), extent=extent)
    table = Table((ZERO + seconds * SECOND).astype("datetime64[ns]"), {"x": np.ones(10)}, meta)
    masked = mask(table, intervals([(18, 4)]), WINDOW)
    assert seconds[np.isnan(masked.table.columns["x"])].tolist() == expected
    assert masked.samples == len(expected)
    assert masked.table.meta.extent == extent
