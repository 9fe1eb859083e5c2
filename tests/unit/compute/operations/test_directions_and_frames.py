"""Angles, rotations, frames and minimum variance, against scipy, astropy, geopack's numbers and cases done by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import astropy.units as u
import numpy as np
import pytest
from astropy.coordinates import TETE, get_sun
from astropy.time import Time
from astropy.utils import iers
from scipy.spatial.transform import Rotation

from helio_dagster.compute.geocentric import CHAIN, dipole_tilt_deg, rotate_between
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

GEOPACK: dict[str, dict[str, Any]] = {
    "1970-01-01T00:00": {
        "GSM": (1.0, 1.070798538, 3.442875323),
        "GEO": (-2.125871976, -1.795972097, 2.501030301),
        "SM": (2.422142471, 1.070798538, 2.643220827),
        "GEI": (2.144963722, -1.773126635, 2.501030301),
        "tilt": -26.304707340,
    },
    "2003-10-29T06:11": {
        "GSM": (1.0, 3.052894270, 1.918290014),
        "GEO": (-2.690452632, 1.803071700, 1.873605370),
        "SM": (1.660492770, 3.052894270, 1.386578645),
        "GEI": (0.343722449, -3.220474778, 1.873605370),
        "tilt": -22.603829247,
    },
    "2024-05-10T17:00": {
        "GSM": (1.0, 1.097029295, 3.434607216),
        "GEO": (1.072768419, 0.371762740, 3.565243384),
        "SM": (-0.674366297, 1.097029295, 3.513083663),
        "GEI": (-0.907910517, 0.681717030, 3.565243384),
        "tilt": 27.099368495,
    },
}
"""The vector (1, 2, 3) of GSE in other frames by geopack 1.0.13 (Tsyganenko's routines), given the dipole of IGRF-14."""


@pytest.fixture(autouse=True, scope="module")
def _offline() -> Any:
    """Astropy takes the Earth's orientation from the tables that it brings, and asks nobody."""
    with iers.conf.set_temp("auto_download", False), iers.conf.set_temp("iers_degraded_accuracy", "ignore"):
        yield


def _random_vector(make_table: TableMaker, count: Any = 50, **changes: Any) -> Any:
    rows = np.random.default_rng(3).normal(size=(count, 3))
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(("bx", "by", "bz"))}
    return make_table(columns, kind="vector", **changes), rows


def _stacked(table: Table) -> Any:
    return np.column_stack(list(table.columns.values()))


def test_the_angle_between_vectors_is_the_arc_cosine(make_table: TableMaker, apply: Apply) -> None:
    """Far from 0 and 180 degrees, where the arc cosine is exact."""
    (a, left), (b, _) = _random_vector(make_table), _random_vector(make_table)
    rolled = np.roll(left, 7, axis=0)
    b = make_table({name: rolled[:, place] for place, name in enumerate(b.columns)}, kind="vector", unit="km/s")
    expected = np.degrees(np.arccos((left * rolled).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(rolled, axis=1)))
    np.testing.assert_allclose(apply("angle_between", {"a": a, "b": b}).columns["out"], expected, rtol=1e-9)


def test_a_tiny_angle_keeps_its_digits(make_table: TableMaker, apply: Apply) -> None:
    """An arc cosine of 1 - 5e-17 would be zero."""
    a = make_table({"x": [1.0], "y": [0.0], "z": [0.0]}, kind="vector")
    b = make_table({"x": [1.0], "y": [1e-8], "z": [0.0]}, kind="vector")
    np.testing.assert_allclose(apply("angle_between", {"a": a, "b": b}).columns["out"], np.degrees(1e-8), rtol=1e-12)


def test_directions_are_those_of_spherical_coordinates(make_table: TableMaker, apply: Apply) -> None:
    """Latitude and longitude put together give the unit vector again; clock and cone angle do, about x."""
    vector, rows = _random_vector(make_table)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    latitude, longitude, clock, cone = (
        np.radians(apply("direction", {"vector": vector}, angle=angle).columns["out"])
        for angle in ("latitude", "longitude", "clock", "cone")
    )
    about_z = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    about_x = [np.cos(cone), np.sin(cone) * np.sin(clock), np.sin(cone) * np.cos(clock)]
    np.testing.assert_allclose(np.column_stack(about_z), unit, atol=1e-12)
    np.testing.assert_allclose(np.column_stack(about_x), unit, atol=1e-12)


def test_a_full_circle_is_the_same_angle(make_table: TableMaker, apply: Apply) -> None:
    """From 0 to 360 instead of from -180 to 180."""
    vector, _ = _random_vector(make_table)
    half, full = (
        apply("direction", {"vector": vector}, angle="longitude", full_circle=full).columns["out"] for full in (False, True)
    )
    assert half.min() < 0 <= full.min()
    np.testing.assert_allclose(half % 360, full, atol=1e-12)


def test_a_missing_component_makes_every_angle_nan(make_table: TableMaker, apply: Apply) -> None:
    """Also the one that the angle does not look at."""
    vector = make_table({"bx": [1.0, np.nan], "by": [1.0, 1.0], "bz": [np.nan, 1.0]}, kind="vector")
    for angle in ("latitude", "longitude", "clock", "cone"):
        assert np.isnan(apply("direction", {"vector": vector}, angle=angle).columns["out"]).all(), angle


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_turned_axes_are_those_of_scipy(make_table: TableMaker, apply: Apply, axis: str) -> None:
    """Axes turned one way are vectors turned the other way."""
    vector, rows = _random_vector(make_table)
    found = apply("rotate", {"vector": vector}, axis=axis, angle_deg=33.0, frame="turned")
    np.testing.assert_allclose(_stacked(found), Rotation.from_euler(axis, -33.0, degrees=True).apply(rows), atol=1e-12)
    assert found.meta.frame == "turned"


def test_a_matrix_of_axes_gives_components_along_them(make_table: TableMaker, apply: Apply) -> None:
    """And keeps the length; the columns of LMN are l, m and n."""
    matrix = Rotation.from_euler("xyz", [20, 50, -70], degrees=True).as_matrix()
    vector, rows = _random_vector(make_table)
    found = apply("rotate", {"vector": vector}, matrix=matrix.tolist(), frame="LMN")
    np.testing.assert_allclose(_stacked(found), rows @ matrix.T, atol=1e-12)
    assert tuple(found.columns) == ("l", "m", "n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "either matrix"),
        ({"axis": "x"}, "either matrix"),
        ({"axis": "x", "angle_deg": 3, "matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "either matrix"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "length 1"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 1, 0]]}, "right angles"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "right-handed"),
    ],
)
def test_what_is_no_rotation_is_refused(apply: Apply, options: dict[str, Any], said: str) -> None:
    """Named by what is wrong with it."""
    with pytest.raises(InputError, match=said) as caught:
        apply("rotate", {}, **options)
    assert caught.value.hint


@pytest.mark.parametrize("moment", GEOPACK)
@pytest.mark.parametrize("frame", ["GSM", "GEO", "SM", "GEI"])
def test_frames_agree_with_geopack(make_table: TableMaker, apply: Apply, moment: str, frame: str) -> None:
    """To 2e-4 of the vector's length, or 0.01 deg: both are formulas of low precision."""
    start = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    vector = make_table({"bx": [1.0], "by": [2.0], "bz": [3.0]}, kind="vector", frame="GSE", start=start)
    found = apply("transform_frame", {"vector": vector}, to=frame)
    np.testing.assert_allclose(_stacked(found)[0], GEOPACK[moment][frame], atol=2e-4 * np.sqrt(14))
    assert found.meta.frame == frame
    assert dipole_tilt_deg(vector.time)[0] == pytest.approx(GEOPACK[moment]["tilt"], abs=0.01)


@pytest.mark.parametrize("year", [1975, 2000, 2020])
def test_the_sun_stands_on_the_x_axis_of_gse(year: int) -> None:
    """The oracle is astropy's Sun, equator and equinox of date."""
    moments = Time(f"{year}-01-01T03:00", scale="utc") + np.arange(0, 366, 13.7) * u.day
    sun = get_sun(moments).transform_to(TETE(obstime=moments)).cartesian
    rows = (sun / sun.norm()).xyz.value
    time = moments.datetime64.astype("datetime64[ns]")
    x, y, z = rotate_between((rows[0], rows[1], rows[2]), time, "GEI", "GSE")
    assert np.degrees(np.hypot(y, z)).max() < 0.012
    assert (x > 0).all()


def test_greenwich_turns_as_astropys_sidereal_time(make_table: TableMaker) -> None:
    """The x axis of GEO in GEI, for UT1 equal to UTC."""
    moments = Time("2015-03-17T00:00", scale="utc") + np.arange(0, 10, 0.37) * u.day
    moments.delta_ut1_utc = 0.0
    expected = moments.sidereal_time("mean", longitude=0 * u.deg, model="IAU1982").rad
    one, none = np.ones(len(expected)), np.zeros(len(expected))
    x, y, _ = rotate_between((one, none, none), moments.datetime64.astype("datetime64[ns]"), "GEO", "GEI")
    assert np.abs(np.degrees(np.angle((x + 1j * y) * np.exp(-1j * expected)))).max() < 0.005


@pytest.mark.parametrize("source", CHAIN)
@pytest.mark.parametrize("target", CHAIN)
def test_there_and_back_is_the_same_vector(make_table: TableMaker, apply: Apply, source: Any, target: Any) -> None:
    """And the length stays, whatever the frames."""
    vector, rows = _random_vector(make_table, frame=source)
    there = apply("transform_frame", {"vector": vector}, to=target)
    np.testing.assert_allclose(np.linalg.norm(_stacked(there), axis=1), np.linalg.norm(rows, axis=1), rtol=1e-12)
    np.testing.assert_allclose(_stacked(apply("transform_frame", {"vector": there}, to=source)), rows, atol=1e-12)


def test_labels_follow_the_frame(make_table: TableMaker, apply: Apply) -> None:
    """The columns keep their names, so that what reads them goes on."""
    columns, labels = {"bx": [1.0], "by": [1.0], "bz": [1.0]}, ["Bx GSE", "By GSE", "Bz GSE"]
    vector = make_table(columns, kind="vector", frame="GSE", labels=labels, label="B GSE")
    found = apply("transform_frame", {"vector": vector}, to="GSM")
    assert [column.label for column in found.meta.columns] == ["Bx GSM", "By GSM", "Bz GSM"]
    assert (tuple(found.columns), found.meta.label, found.meta.unit) == (("bx", "by", "bz"), "B GSM", "nT")


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        ("RTN", {"to": "GSE"}, "RTN"),
        ("HEE", {"to": "GSE"}, "HEE"),
        (None, {"to": "GSE"}, "not known"),
        ("GSE", {"to": "GSM", "source": "GEO"}, "is in GSE"),
    ],
)
def test_what_cannot_be_rotated_is_refused_with_what_is_needed(
    make_table: TableMaker, apply: Apply, frame: str | None, options: dict[str, Any], said: str
) -> None:
    """RTN needs the spacecraft's position, an unknown frame a word about it."""
    vector, _ = _random_vector(make_table, frame=frame)
    with pytest.raises(ComputeError, match=said) as caught:
        apply("transform_frame", {"vector": vector}, **options)
    assert caught.value.hint


def test_a_frame_that_the_data_do_not_say_may_be_said(make_table: TableMaker, apply: Apply) -> None:
    """By the option source."""
    vector, rows = _random_vector(make_table, frame=None)
    found = apply("transform_frame", {"vector": vector}, to="GSE", source="GSE")
    assert found.meta.frame == "GSE"
    np.testing.assert_array_equal(_stacked(found), rows)


def test_minimum_variance_finds_the_normal_of_a_sheet(make_table: TableMaker, apply: Apply) -> None:
    """A sheet of known axes with noise a hundredth of its jump; the oracle of the variances is numpy's covariance."""
    draw = np.random.default_rng(8)
    axes = Rotation.from_euler("xyz", [10, 25, 40], degrees=True).as_matrix()
    along = np.column_stack([30 * np.tanh(np.linspace(-3, 3, 60)), 8 * np.cos(np.linspace(-3, 3, 60)), np.full(60, 2.0)])
    rows = (along + draw.normal(0, 0.2, along.shape)) @ axes
    vector = make_table({name: rows[:, place] for place, name in enumerate(("x", "y", "z"))}, kind="vector", frame="GSE")
    found = {
        result: _stacked(apply("minimum_variance", {"vector": vector}, bin="PT1H", result=result))[0]
        for result in ("maximum", "intermediate", "minimum", "eigenvalues")
    }
    assert abs(found["minimum"] @ axes[2]) > np.cos(np.radians(2))
    assert abs(found["maximum"] @ axes[0]) > np.cos(np.radians(2))
    assert found["minimum"][0] >= 0
    assert found["maximum"][2] >= 0
    np.testing.assert_allclose(np.cross(found["minimum"], found["maximum"]), found["intermediate"], atol=1e-12)
    expected = np.linalg.eigvalsh(np.cov(rows.T, bias=True))[::-1]
    np.testing.assert_allclose(found["eigenvalues"], expected, rtol=1e-9)


def test_minimum_variance_needs_samples(make_table: TableMaker, apply: Apply) -> None:
    """Records with a missing component do not count; a bin with too few is NaN, not missing."""
    vector, _ = _random_vector(make_table, count=30)
    vector.columns["by"][10:15] = np.nan
    found = apply("minimum_variance", {"vector": vector}, bin="PT10M", min_samples=8)
    assert np.isfinite(_stacked(found)).all(axis=1).tolist() == [True, False, True]
