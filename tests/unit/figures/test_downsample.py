"""Lines with fewer points."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.figures.downsample import compact, thin_line
from tests.tiers import example_count


def test_few_samples_are_kept_as_they_are() -> None:
    """Below the limit every sample is drawn, in order."""
    time, values = np.arange(5.0), np.array([3.0, 1, 4, 1, 5])
    line = thin_line(time, values)
    assert line.time_ms.tolist() == time.tolist()
    assert line.values.tolist() == values.tolist()


def test_missing_rows_and_missing_values_break_the_line() -> None:
    """A NaN stands in each gap, whether records or only values are missing."""
    time = np.array([0.0, 1, 2, 3, 4, 20, 21, 22])
    values = np.array([1.0, 2, np.nan, 4, 5, 6, 7, 8])
    line = thin_line(time, values)
    assert np.isnan(line.values).tolist() == [False, False, True, False, False, True, False, False, False]
    assert line.time_ms[[2, 5]].tolist() == [2.0, 12.0]


def test_a_sample_between_two_gaps_is_named() -> None:
    """A line alone would not show it."""
    line = thin_line(np.arange(7.0), np.array([1.0, 2, np.nan, 9, np.nan, 3, 4]))
    assert line.values[line.lone].tolist() == [9.0]


def test_nothing_valid_is_an_empty_line() -> None:
    """Only NaN and infinities: no point, no error."""
    line = thin_line(np.arange(3.0), np.array([np.nan, np.inf, -np.inf]))
    assert len(line.time_ms) == len(line.values) == len(line.lone) == 0


@settings(max_examples=example_count(40), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.integers(50, 700), min_size=1, max_size=4),
)
def test_thinning_keeps_the_extremes_and_ends_of_every_segment(seed: int, lengths: list[int]) -> None:
    """Each gap-free segment keeps its lowest, highest, first and last sample, and every gap stays a gap."""
    random = np.random.default_rng(seed)
    starts = np.cumsum([0, *(length + 300 for length in lengths)])[:-1]
    time = np.concatenate([start + np.arange(length, dtype=np.float64) for start, length in zip(starts, lengths, strict=True)])
    values = random.normal(size=len(time)).astype(np.float32)
    line = thin_line(time, values, limit=40)
    breaks = np.flatnonzero(np.isnan(line.values))
    assert len(breaks) == len(lengths) - 1
    kept = np.split(line.values, breaks)
    for segment, drawn in zip(np.split(values, np.cumsum(lengths)[:-1]), kept, strict=True):
        shown = drawn[np.isfinite(drawn)]
        assert shown.min() == segment.min()
        assert shown.max() == segment.max()
        assert (shown[0], shown[-1]) == (segment[0], segment[-1])
    assert (np.diff(line.time_ms) > 0).all()


def test_thinning_bounds_the_number_of_points() -> None:
    """Ten thousand samples with a NaN at every third become about as many points as allowed."""
    values = np.sin(np.arange(10_000) / 500)
    values[::3] = np.nan
    assert len(thin_line(np.arange(10_000.0), values, limit=400).values) <= 500


def test_values_are_single_precision_where_nobody_can_see_it() -> None:
    """A small variation on a large offset, and numbers beyond single precision, stay double."""
    assert compact(np.array([1.0, 2.5, 3.25])).dtype == np.float32
    assert compact(np.array([1.5e8, 1.5e8 + 1, 1.5e8 + 2])).dtype == np.float64
    assert compact(np.array([1e-45, 1e-40])).dtype == np.float64
    assert compact(np.array([1e300, 2e300])).dtype == np.float64
