"""Lines of a long range, drawn from the extremes of blocks of records."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures.downsample import Line, thin_line, thin_overview
from helio_dagster.figures.overview import BLOCKS, Overview, joined_overview, levels_of
from tests.tiers import example_count

CADENCE_MS = 100.0
BOUNDS = (-np.inf, np.inf)


def table_of(values: np.ndarray, keep: np.ndarray, *, extent: Extent | None = None) -> Table:
    """A series of ten records a second, of which some are missing."""
    time = np.datetime64("2023-01-02", "ns") + np.arange(len(values)) * np.timedelta64(100, "ms")
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b"),), extent=extent)
    return Table(time[keep], {"b": values[keep]}, meta)


def cut(table: Table, pieces: int) -> list[Table]:
    """Partitions of equal length in time."""
    edges = np.linspace(0, len(table), pieces + 1).astype(int)
    return [replace(table, time=table.time[a:b], columns={"b": table.columns["b"][a:b]}) for a, b in pairwise(edges)]


def overview_of(table: Table, pieces: int = 4, block: int = BLOCKS[0]) -> Overview:
    """The line of a table that is stored in partitions."""
    return joined_overview([levels_of(each) for each in cut(table, pieces)], "b", block, BOUNDS)


def wide_holes(table: Table, shortest_ms: float) -> list[tuple[float, float]]:
    """Between which neighbouring valid samples nothing was measured for so long: by going through them one by one."""
    time_ms = table.time.astype(np.int64) / 1e6
    shown = [float(at) for at, value in zip(time_ms, table.columns["b"], strict=True) if np.isfinite(value)]
    return [(a, b) for a, b in pairwise(shown) if b - a >= shortest_ms]


def crossed(line: Line, holes: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The holes over which a line goes."""
    is_joined = np.isfinite(line.values[:-1]) & np.isfinite(line.values[1:])
    spans = list(zip(line.time_ms[:-1][is_joined], line.time_ms[1:][is_joined], strict=True))
    return [hole for hole in holes if any(a <= hole[0] and hole[1] <= b for a, b in spans)]


@given(seed=st.integers(0, 10_000), pieces=st.integers(1, 6), block=st.sampled_from(BLOCKS))
@settings(max_examples=example_count(40), deadline=None)
def test_no_line_goes_over_a_gap_and_no_extreme_is_lost(seed: int, pieces: int, block: int) -> None:
    """Missing records and fills anywhere, also at the seams of partitions."""
    rng = np.random.default_rng(seed)
    count = 40_000
    values = rng.normal(size=count).cumsum()
    values[rng.integers(count, size=5)] += 500
    keep = np.ones(count, dtype=bool)
    for _ in range(rng.integers(6)):
        start = rng.integers(count)
        keep[start : start + rng.integers(1, 4_000)] = False
    for _ in range(rng.integers(6)):
        start = rng.integers(count)
        values[start : start + rng.integers(1, 4_000)] = np.nan
    table = table_of(values, keep)
    limit = 2 * count // (2 * block)
    found = overview_of(table, pieces, block)
    line = thin_overview(found, found.values, limit=limit)
    whole = table.columns["b"][np.isfinite(table.columns["b"])]
    if not len(whole):
        assert not len(line.values)
        return
    assert np.nanmin(line.values) == pytest.approx(whole.min(), rel=1e-5)
    assert np.nanmax(line.values) == pytest.approx(whole.max(), rel=1e-5)
    assert (line.samples, line.is_about) == (len(whole), False)
    shown_ms = table.time[np.isfinite(table.columns["b"])].astype(np.int64)[[0, -1]] / 1e6
    assert line.time_ms[[0, -1]].tolist() == shown_ms.tolist()
    resolution = (shown_ms[1] - shown_ms[0]) / (limit / 2)
    assert crossed(line, wide_holes(table, max(resolution, block * CADENCE_MS) + 2 * CADENCE_MS)) == []


def test_the_line_is_that_of_all_samples() -> None:
    """Each of both lines stays, in every hundredth, within the ends of the other there and a little beside."""
    rng = np.random.default_rng(3)
    table = table_of(rng.normal(size=200_000).cumsum().astype(np.float32), np.ones(200_000, dtype=bool))
    found = overview_of(table)
    ours = thin_overview(found, found.values, limit=1_000)
    time_ms = table.time.astype(np.int64) / 1e6
    whole = thin_line(time_ms, table.columns["b"], limit=1_000)
    edges = np.linspace(time_ms[0], time_ms[-1], 101)
    for line, other in ((ours, whole), (whole, ours)):
        for low, high in pairwise(edges):
            near = other.values[(other.time_ms >= low - 1_000_000 / 25) & (other.time_ms <= high + 1_000_000 / 25)]
            inside = line.values[(line.time_ms >= low) & (line.time_ms <= high)]
            assert near.min() <= inside.min() <= inside.max() <= near.max()


def test_a_logarithmic_axis_keeps_the_lowest_positive_value() -> None:
    """One tiny positive value in a block of which the lowest is negative."""
    values = np.full(20_000, 5.0)
    values[700], values[701] = -3.0, 1e-6
    found = overview_of(table_of(values, np.ones(20_000, dtype=bool)))
    assert found.not_positive == 1
    line = thin_overview(found, np.where(found.values > 0, found.values, np.nan), limit=100)
    assert np.nanmin(line.values) == pytest.approx(1e-6)


def test_partitions_that_follow_each_other_are_one_line() -> None:
    """No gap at a seam, with and without extents; one record less than a gap is none, and a partition of fills is one."""
    table = table_of(np.arange(40_000.0), np.ones(40_000, dtype=bool))
    for extent in (None, Extent(after_ns=100_000_000)):
        assert not overview_of(replace(table, meta=table.meta.model_copy(update={"extent": extent}))).is_break[1:].any()
    parts = cut(table, 4)
    filled = replace(parts[1], columns={"b": np.full(len(parts[1]), np.nan)})
    found = joined_overview([levels_of(each) for each in (parts[0], filled, parts[2], parts[3])], "b", BLOCKS[0], BOUNDS)
    assert int(found.is_break[1:].sum()) == 1
    assert found.samples == 30_000


def test_a_missing_partition_is_a_gap_by_what_its_neighbours_say() -> None:
    """Of a partition that is not there the line is broken where it would be; extents say so of a single missing record."""
    table = table_of(np.arange(40_000.0), np.ones(40_000, dtype=bool), extent=Extent(after_ns=100_000_000))
    parts = cut(table, 4)
    for kept in (
        (parts[0], parts[2]),
        (parts[0], replace(parts[1], time=parts[1].time[1:], columns={"b": parts[1].columns["b"][1:]})),
    ):
        found = joined_overview([levels_of(each) for each in kept], "b", BLOCKS[0], BOUNDS)
        assert int(found.is_break[1:].sum()) == 1


def test_what_a_range_cuts_is_counted_to_within_a_block() -> None:
    """The samples of half a partition, and that the number is not exact."""
    table = table_of(np.arange(20_000.0), np.ones(20_000, dtype=bool))
    start_ms = float(table.time[0].astype(np.int64) / 1e6)
    found = joined_overview([levels_of(table)], "b", BLOCKS[0], (start_ms + 5_000 * CADENCE_MS, start_ms + 10_000 * CADENCE_MS))
    assert abs(found.samples - 5_000) <= 2 * BLOCKS[0]
    assert found.is_about
    assert found.time_ms[0] >= start_ms + 5_000 * CADENCE_MS
    assert found.time_ms[-1] < start_ms + 10_000 * CADENCE_MS
