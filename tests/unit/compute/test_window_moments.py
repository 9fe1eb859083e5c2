"""Moments of moving windows: what is worked on together does not show, nor where blocks lie."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from helio_dagster.compute.local_sums import find_windows
from helio_dagster.compute.window_moments import Moments, moments_in_windows


@pytest.fixture(scope="module")
def uneven() -> tuple[np.ndarray, np.ndarray]:
    """Times and values of two thousand samples about 1e5, every seventeenth a fill."""
    draw = np.random.default_rng(0)
    time = np.cumsum(draw.integers(1, 3 * 10**9, 2000)).astype("datetime64[ns]")
    values = draw.normal(1e5, 1, 2000)
    values[::17] = np.nan
    return time, values


def _bytes(moments: Moments) -> list[bytes]:
    return [values.tobytes() for values in astuple(moments)]


@pytest.mark.parametrize("reach_s", [2, 40, 900])
def test_how_many_are_worked_on_together_does_not_show(uneven: tuple[np.ndarray, np.ndarray], reach_s: int) -> None:
    """All at once, and in parts little longer than a window."""
    time, values = uneven
    windows = find_windows(time, reach_s * 10**9, reach_s * 10**9, with_lower_edge=True)
    whole = moments_in_windows(windows, time, values)
    assert _bytes(moments_in_windows(windows, time, values, records_at_once=1)) == _bytes(whole)
    assert _bytes(moments_in_windows(windows, time, values, records_at_once=700)) == _bytes(whole)


def test_moments_are_those_of_each_window(uneven: tuple[np.ndarray, np.ndarray]) -> None:
    """Count, mean, sum of squares and the line at the sample itself; the oracle is numpy, window by window."""
    time, values = uneven
    at = time.astype(np.int64)
    windows = find_windows(time, 30 * 10**9, 0, with_lower_edge=False)
    moments = moments_in_windows(windows, time, values)
    for place in range(0, len(at), 23):
        inside = (at > at[place] - 30 * 10**9) & (at <= at[place]) & ~np.isnan(values)
        assert moments.count[place] == inside.sum()
        if inside.sum() > 2:
            assert moments.mean[place] == pytest.approx(values[inside].mean(), rel=1e-14)
            assert moments.squares[place] == pytest.approx(values[inside].var() * inside.sum(), rel=1e-8)
            line = np.polyfit((at[inside] - at[place]) * 1e-9, values[inside] - 1e5, 1)
            assert moments.fitted[place] - 1e5 == pytest.approx(line[1], abs=1e-8)


def test_a_window_without_samples_has_no_mean() -> None:
    """Nor squares or a line; its count is zero."""
    time = np.array([0, 10**9], dtype="datetime64[ns]")
    moments = moments_in_windows(find_windows(time, 10, 10, with_lower_edge=True), time, np.array([np.nan, 1.0]))
    assert moments.count.tolist() == [0.0, 1.0]
    assert np.isnan(moments.mean).tolist() == [True, False]
    assert np.isnan(moments.fitted).all()
