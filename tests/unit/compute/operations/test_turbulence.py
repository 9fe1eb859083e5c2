"""Coherence against scipy's and series with known phase; structure functions against series whose differences are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
COUNT = 4096
AT = np.arange(COUNT) * 2.0


def _pair(make_table: TableMaker, a: Any, b: Any) -> dict[str, Table]:
    return {"a": make_table({"v": a}, at_s=AT), "b": make_table({"w": b}, at_s=AT)}


def test_coherence_is_scipys(make_table: TableMaker, apply: Make) -> None:
    """Of noise that is shared in part, with its phase; without frequency 0 and the highest."""
    draw = np.random.default_rng(1)
    shared = draw.normal(size=COUNT)
    a, b = shared + 0.7 * draw.normal(size=COUNT), np.roll(shared, 3) + 0.7 * draw.normal(size=COUNT)
    found = apply("coherence", _pair(make_table, a, b), segments=16).columns
    frequency, expected = scipy.signal.coherence(a, b, fs=0.5, nperseg=256)
    _, cross = scipy.signal.csd(a, b, fs=0.5, nperseg=256)
    np.testing.assert_allclose(found["frequency"], frequency[1:-1])
    np.testing.assert_allclose(found["coherence"], expected[1:-1], rtol=1e-9)
    np.testing.assert_allclose(found["phase_lag"], -np.degrees(np.angle(cross))[1:-1], atol=1e-8)
    behind = 360 * found["frequency"] * 6  # three samples of 2 s
    apart = (found["phase_lag"] - behind + 180) % 360 - 180
    assert np.sqrt(np.mean((apart / found["phase_lag_uncertainty"]) ** 2)) == pytest.approx(1, abs=0.3)


def test_noise_passes_the_level_by_chance(make_table: TableMaker, apply: Make) -> None:
    """At about one frequency in 20."""
    draw = np.random.default_rng(3)
    found = [apply("coherence", _pair(make_table, *draw.normal(size=(2, COUNT)))).columns for _ in range(3)]
    passed = np.concatenate([each["coherence"] > each["level"] for each in found])
    assert 0.02 < np.mean(passed) < 0.09


def test_segments_with_gaps_are_left_out(make_table: TableMaker, apply: Make) -> None:
    """With a fill in all of them nothing is known; too short ones are refused."""
    draw = np.random.default_rng(4)
    a, b = draw.normal(size=(2, COUNT))
    b[::64] = np.nan
    assert np.isnan(apply("coherence", _pair(make_table, a, b)).columns["coherence"]).all()
    with pytest.raises(ComputeError, match="a segment would hold 4 slots"):
        apply("coherence", _pair(make_table, a, b), segments=1000)


def test_a_wave_has_the_structure_of_its_period(make_table: TableMaker, apply: Make) -> None:
    """S_2 of a sine of amplitude A is A^2 (1 - cos(2 pi lag / period))."""
    series = make_table({"v": 3 * np.sin(2 * np.pi * AT / 512)}, at_s=AT)
    found = apply("structure_function", {"series": series}, longest_lag="PT8M").columns
    expected = 9 * (1 - np.cos(2 * np.pi * found["lag"] / 512))
    np.testing.assert_allclose(found["structure"], expected, rtol=0.02, atol=0.05)


@pytest.mark.parametrize(("order", "moment"), [(1, np.sqrt(2 / np.pi)), (2, 1.0), (4, 3.0)])
def test_a_random_walk_scales_with_half_the_order(make_table: TableMaker, apply: Make, order: int, moment: float) -> None:
    """S_p = m_p (s^2 lag)^(p/2) with the Gaussian's moments; its flatness is 3 at all lags."""
    walk = np.cumsum(np.random.default_rng(5).normal(size=200_000))
    series = make_table({"v": walk}, at_s=np.arange(200_000) * 1.0)
    found = apply("structure_function", {"series": series}, order=order, longest_lag="PT1M").columns
    np.testing.assert_allclose(found["structure"], moment * found["lag"] ** (order / 2), rtol=0.1)
    np.testing.assert_allclose(found["flatness"], 3, rtol=0.1)


def test_a_vector_differs_by_the_length_of_its_change(make_table: TableMaker, apply: Make) -> None:
    """Three alike Gaussian components: flatness 5/3; a missing component leaves the sample out."""
    parts = np.cumsum(np.random.default_rng(6).normal(size=(3, 50_000)), axis=1)
    parts[1, ::10] = np.nan
    columns = dict(zip(("bx", "by", "bz"), parts, strict=True))
    vector = make_table(columns, kind="vector", at_s=np.arange(50_000) * 1.0, frame="GSE")
    result = apply("structure_function", {"series": vector}, longest_lag="PT30S")
    np.testing.assert_allclose(result.columns["structure"], 3 * result.columns["lag"], rtol=0.1)
    np.testing.assert_allclose(result.columns["flatness"], 5 / 3, rtol=0.1)
    assert result.columns["pairs"][0] == 50_000 - 1 - 2 * 5_000 + 1
    assert result.meta.unit == "nT^2"
