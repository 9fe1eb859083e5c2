"""The magnetopause of Lin et al. and the dipole's tilt, against spok, sunpy's frames, and symmetries."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import rotate_between
from helio_dagster.domain.asymmetric_magnetopause import lin_magnetopause_re
from helio_dagster.domain.boundaries import magnetopause_re
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

Given = tuple[float, float, float, tuple[float, float, float], float]
SPOK: list[tuple[Given, float]] = [
    ((0, 0, 2.0, (0, 0, 0), 0.0), 10.681031105330915),
    ((0, 0, 2.0, (3, 4, -5), 0.3), 9.773119154424151),
    ((60, 0, 2.0, (3, 4, -5), 0.3), 9.344912852860777),
    ((90, 90, 1.5, (1, -3, 4), 0.2), 15.996199404766138),
    ((90, 180, 1.5, (1, -3, 4), -0.5), 16.4429713644567),
    ((60, 180, 3.0, (5, 2, -12), -0.4), 8.639486562653653),
    ((120, 300, 0.8, (-2, 1, 8), 0.1), 29.152538194701478),
    ((75, 5, 8.0, (2, 2, -2), 0.5), 9.995196846222658),
]
"""Angle from X, angle about X from +Z towards +Y, dynamic pressure, field, tilt in rad; and mp_lin2010 of spok 0.1.1."""


def wind(make_table: TableMaker, pressure: float, field: tuple[float, float, float], count: int = 1) -> dict[str, Table]:
    """A steady solar wind."""
    columns = {name: [float(value)] * count for name, value in zip(("bx", "by", "bz"), field, strict=True)}
    return {
        "pressure": make_table({"p": [pressure] * count}, unit="nPa"),
        "field": make_table(columns, kind="vector", unit="nT", frame="GSM"),
    }


@pytest.mark.parametrize(("given", "expected"), SPOK)
def test_distances_are_those_of_spok(given: Given, expected: float, make_table: TableMaker, apply: Apply) -> None:
    """By angles, and by a position in that direction; spok's azimuth begins at the north."""
    angle, from_north, pressure, field, tilt = given
    inputs = wind(make_table, pressure, field)
    options = {"tilt_deg": np.degrees(tilt)}
    found = apply("lin_magnetopause_distance", inputs, angle_deg=angle, azimuth_deg=90 - from_north, **options)
    assert found.columns["out"][0] == pytest.approx(expected, rel=1e-8)
    theta, phi = np.radians(angle), np.radians(from_north)
    direction = {"x": [np.cos(theta)], "y": [np.sin(theta) * np.sin(phi)], "z": [np.sin(theta) * np.cos(phi)]}
    place = make_table({name: 7 * np.array(each) for name, each in direction.items()}, kind="vector", unit="R_E", frame="GSM")
    again = apply("lin_magnetopause_distance", {**inputs, "position": place}, **options)
    assert again.columns["out"][0] == pytest.approx(expected, rel=1e-8)


def test_winter_is_summer_upside_down() -> None:
    """But for the small north-south difference of the fit, a tilt turned round mirrors the surface."""
    theta, azimuth = np.radians(np.linspace(0, 140, 50)), np.radians(70.0)
    one, other = lin_magnetopause_re(theta, azimuth, 2.0, 0.0, 0.4), lin_magnetopause_re(theta, -azimuth, 2.0, 0.0, -0.4)
    np.testing.assert_allclose(one, other, rtol=0.04)
    assert not np.allclose(one, other, rtol=1e-3)


def test_it_is_dented_at_the_cusps_and_like_shue_at_the_equator() -> None:
    """In the noon meridian the cusp is more than 1 R_E nearer than Shue's surface; at the equator both are within 8 %."""
    theta = np.radians(np.linspace(0, 90, 91))
    north = lin_magnetopause_re(theta, np.pi / 2, 2.0, -1.0, 0.0)
    assert np.min(north - magnetopause_re(theta, 2.0, -1.0)) < -1
    for azimuth in (0.0, np.pi):
        np.testing.assert_allclose(
            lin_magnetopause_re(theta, azimuth, 2.0, -1.0, 0.0), magnetopause_re(theta, 2.0, -1.0), rtol=0.08
        )


def test_the_tilt_is_that_of_the_time(make_table: TableMaker, apply: Apply) -> None:
    """Where none is given."""
    inputs = wind(make_table, 2.0, (1, 2, -3), 30)
    found = apply("lin_magnetopause_distance", inputs, angle_deg=60, azimuth_deg=90).columns["out"]
    tilts = apply("dipole_tilt", {"series": inputs["pressure"]}).columns["out"]
    for place in (0, 29):
        fixed = apply("lin_magnetopause_distance", inputs, angle_deg=60, azimuth_deg=90, tilt_deg=float(tilts[place]))
        assert found[place] == pytest.approx(fixed.columns["out"][place], rel=1e-12)
    assert found[0] != found[29]


def test_the_tilt_is_the_angle_between_sm_and_gsm() -> None:
    """Of the axes as transform_frame turns them, to its 1e-7 rad, over a year and day by day."""
    at_ns = np.datetime64("2015-01-01T00:07", "ns").astype(np.int64) + np.arange(0, 366 * 24, 37) * 3_600_000_000_000
    ones, none = np.ones(len(at_ns)), np.zeros(len(at_ns))
    x, y, z = rotate_between((none, none, ones), at_ns, "SM", "GSM")
    np.testing.assert_allclose(tilt_of_dipole(at_ns), np.arctan2(x, z), atol=2e-7)
    np.testing.assert_allclose(y, 0, atol=2e-7)
    assert 32.5 < np.degrees(tilt_of_dipole(at_ns)).max() < 33.2  # 23.44 and the 9.7 of the dipole


def test_the_tilt_is_that_of_sunpy(make_table: TableMaker, apply: Apply) -> None:
    """SolarMagnetic in GeocentricSolarMagnetospheric of sunpy 7.0.5, which has light time and an older dipole: 0.01 deg."""
    for at, expected in (
        (datetime(2003, 10, 29, 6, 11), -22.60432),
        (datetime(2020, 12, 21, 4), -32.56975),
        (datetime(2003, 6, 21, 17), 33.74034),
    ):
        series = make_table({"v": [0.0]}, start=at.replace(tzinfo=UTC))
        assert apply("dipole_tilt", {"series": series}).columns["out"][0] == pytest.approx(expected, abs=0.011)


def test_a_position_in_gse_is_refused(make_table: TableMaker, apply: Apply) -> None:
    """Where the north is counts."""
    place = make_table({"x": [1.0], "y": [0.0], "z": [0.0]}, kind="vector", unit="km", frame="GSE")
    with pytest.raises(ComputeError, match="in GSM, not in GSE"):
        apply("lin_magnetopause_distance", {**wind(make_table, 2.0, (0, 0, 1)), "position": place})
