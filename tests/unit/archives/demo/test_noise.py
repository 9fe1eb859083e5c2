"""Noise of absolute time."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.archives.demo.noise import normal, smooth_noise, turbulence, uniform

DAY = np.arange(0.0, 86400.0, 16.0) + 1.6e9


@given(first=st.integers(0, 5000), length=st.integers(1, 400), stream=st.integers(0, 10**6))
def test_a_value_does_not_depend_on_the_range_asked_for(first: Any, length: Any, stream: Any) -> None:
    """Any piece has the bytes of the whole."""
    piece = slice(first, first + length)
    assert smooth_noise(stream, DAY[piece], 900.0).tobytes() == smooth_noise(stream, DAY, 900.0)[piece].tobytes()


def test_streams_differ() -> None:
    """No two noises are alike."""
    assert abs(np.corrcoef(smooth_noise(1, DAY, 60.0), smooth_noise(2, DAY, 60.0))[0, 1]) < 0.1


def test_numbers_have_the_promised_distribution() -> None:
    """Mean and variance of a hundred thousand counters."""
    counters = np.arange(100_000)
    assert abs(uniform(3, counters).mean() - 0.5) < 0.01
    assert abs(normal(3, counters).mean()) < 0.02
    assert abs(normal(3, counters).var() - 1.0) < 0.03


def test_turbulence_has_unit_variance_and_no_steps() -> None:
    """Over many knots the variance is 1; from sample to sample it moves by little."""
    seconds = np.arange(0.0, 4e6, 20.0)
    values = turbulence(5, seconds, (4000.0, 1000.0))
    assert abs(values.var() - 1.0) < 0.1
    assert np.abs(np.diff(values)).max() < 0.2
