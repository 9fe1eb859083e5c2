"""Polarization of plane waves whose normal, ellipse and sense are known, of noise, and as pySPEDAS finds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
COUNT = 4096
AT = np.arange(COUNT) * 1.0
TRIED = 1 / 16


def _wave(angle_deg: float, azimuth_deg: float, ellipticity: float, *, noise: float = 0.0, seed: int = 0) -> Any:
    """5 nT along the major axis, in a field of 50 nT along z; the sign of the ellipticity is the sense about it."""
    angle, azimuth = np.radians([angle_deg, azimuth_deg])
    normal = np.array([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)])
    major = np.cross([0, 0, 1], normal) if angle_deg else np.array([1.0, 0, 0])
    major = major / np.linalg.norm(major)
    minor = np.cross(normal, major)
    phase = 2 * np.pi * TRIED * AT[:, None]
    field = 5 * np.cos(phase) * major + 5 * ellipticity * np.sin(phase) * minor
    return field + [0, 0, 50] + noise * np.random.default_rng(seed).normal(size=(COUNT, 3))


def _table(make_table: TableMaker, rows: Any, **more: Any) -> Table:
    columns = dict(zip(("bx", "by", "bz"), np.asarray(rows, dtype=float).T, strict=True))
    return make_table(columns, **{"kind": "vector", "at_s": AT[: len(rows)], "frame": "GSE", **more})


def _at_wave(found: Table) -> dict[str, float]:
    place = int(np.argmin(np.abs(found.columns["frequency"] - TRIED)))
    return {name: float(values[place]) for name, values in found.columns.items()}


@pytest.mark.parametrize(
    ("angle_deg", "azimuth_deg", "ellipticity"), [(0, 0, 1.0), (0, 0, -1.0), (30, 40, -0.6), (65, -100, 0.3), (89, 170, 0.8)]
)
def test_a_plane_wave_is_found(
    make_table: TableMaker, apply: Make, angle_deg: float, azimuth_deg: float, ellipticity: float
) -> None:
    """Its normal, ellipse and sense, fully polarized and planar; its power over all frequencies is that of its amplitudes."""
    result = apply("wave_polarization", {"field": _table(make_table, _wave(angle_deg, azimuth_deg, ellipticity))})
    found = _at_wave(result)
    assert found["ellipticity"] == pytest.approx(ellipticity, abs=1e-6)
    assert found["wave_normal_angle"] == pytest.approx(angle_deg, abs=1e-4)
    assert not angle_deg or found["azimuth"] == pytest.approx(azimuth_deg, abs=1e-3)
    assert found["degree_of_polarization"] == pytest.approx(1)
    assert found["planarity"] == pytest.approx(1, abs=1e-6)
    width = result.columns["frequency"][1] - result.columns["frequency"][0]
    assert np.sum(result.columns["power"]) * width == pytest.approx(25 / 2 * (1 + ellipticity**2), rel=1e-6)


@pytest.mark.parametrize(
    ("wave", "degree", "angle_deg", "ellipticity"),
    [
        ((30, 40, -0.6, 0.5, 1), 0.99991, 30.129, -0.59617),
        ((65, -100, 0.3, 1.0, 2), 0.99957, 67.090, 0.30301),
    ],
)
def test_pyspedas_finds_the_same(
    make_table: TableMaker, apply: Make, wave: Any, degree: float, angle_deg: float, ellipticity: float
) -> None:
    """Medians over time of what its wavpol (2.2.1) gives for the same samples; helicity with the ellipticity's sign.

    It averages over three frequencies in place of time, so that noise weighs otherwise.
    """
    *shape, noise, seed = wave
    found = _at_wave(apply("wave_polarization", {"field": _table(make_table, _wave(*shape, noise=noise, seed=seed))}))
    assert found["degree_of_polarization"] == pytest.approx(degree, abs=3e-3)
    assert found["wave_normal_angle"] == pytest.approx(angle_deg, abs=0.5)
    assert found["ellipticity"] == pytest.approx(ellipticity, abs=2e-3)


def test_noise_is_not_polarized(make_table: TableMaker, apply: Make) -> None:
    """The less so the more segments there are."""
    rows = np.random.default_rng(3).normal(size=(COUNT, 3)) + np.array([0, 0, 50])
    degrees = [
        np.mean(
            apply("wave_polarization", {"field": _table(make_table, rows)}, segments=each).columns["degree_of_polarization"]
        )
        for each in (8, 32, 256)
    ]
    assert degrees[0] > degrees[1] > degrees[2]
    assert degrees[2] < 0.12


def test_axes_follow_the_background(make_table: TableMaker, apply: Make) -> None:
    """A search coil has no mean field: what needs it is not known, or comes from the background."""
    turn = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # z of the wave becomes x
    wave = (_wave(30, 40, -0.6) - [0, 0, 50]) @ turn.T
    alone = _at_wave(apply("wave_polarization", {"field": _table(make_table, wave)}))
    assert np.isnan([alone["ellipticity"], alone["wave_normal_angle"], alone["azimuth"]]).all()
    assert alone["degree_of_polarization"] == pytest.approx(1)
    background = _table(make_table, np.tile([50.0, 0, 0], (10, 1)))
    found = _at_wave(apply("wave_polarization", {"field": _table(make_table, wave), "background": background}))
    assert found["ellipticity"] == pytest.approx(-0.6)
    assert found["wave_normal_angle"] == pytest.approx(30, abs=1e-4)
    opposite = _table(make_table, np.tile([-50.0, 0, 0], (10, 1)))
    assert _at_wave(apply("wave_polarization", {"field": _table(make_table, wave), "background": opposite}))[
        "ellipticity"
    ] == pytest.approx(0.6)


def test_what_is_not_known_is_no_number(make_table: TableMaker, apply: Make) -> None:
    """The normal of a linear polarization; a field that does not vary; gaps in nearly all segments; too short segments."""
    linear = _at_wave(apply("wave_polarization", {"field": _table(make_table, _wave(0, 0, 0.0))}))
    assert np.isnan([linear["wave_normal_angle"], linear["azimuth"]]).all()
    assert linear["ellipticity"] == pytest.approx(0, abs=1e-9)
    still = apply("wave_polarization", {"field": _table(make_table, np.tile([1.0, 2, 3], (COUNT, 1)))}).columns
    for name in ("degree_of_polarization", "planarity", "ellipticity", "wave_normal_angle"):
        assert np.isnan(still[name]).all()
    gappy = _wave(30, 40, 0.5)
    gappy[:3600:100, 1] = np.nan
    few = apply("wave_polarization", {"field": _table(make_table, gappy)}).columns
    assert few["segments"][0] < 4
    assert np.isnan(few["power"]).all()
    with pytest.raises(ComputeError, match="a segment would hold 4 slots"):
        apply("wave_polarization", {"field": _table(make_table, gappy)}, segments=1000)


def test_frames_must_agree(make_table: TableMaker, apply: Make) -> None:
    """The axes lie along the background."""
    field = _table(make_table, _wave(30, 40, 0.5))
    with pytest.raises(ComputeError, match="field is in the frame GSE, background in GSM"):
        apply("wave_polarization", {"field": field, "background": _table(make_table, np.ones((9, 3)), frame="GSM")})
