"""The field of the IGRF and the dipole's coordinates against ppigrf, Maxwell's equations, and known places."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import ppigrf
import pytest
from numpy.typing import NDArray

from helio_dagster.compute.dipole import dipole_axis_in_geo
from helio_dagster.compute.igrf import igrf_geo_nt
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply


def at_ns(moment: datetime, count: int) -> NDArray[np.int64]:
    """The same time again and again."""
    return np.full(count, np.datetime64(moment, "ns").astype(np.int64))


def places(draw: np.random.Generator, count: int, lowest_km: float = 6371.2) -> NDArray[np.float64]:
    """Anywhere from the ground to 8 R_E, shape (axis, place)."""
    direction = draw.normal(size=(3, count))
    return np.asarray(direction / np.linalg.norm(direction, axis=0) * draw.uniform(lowest_km, 50_000, count))


def position(make_table: TableMaker, rows: object, frame: str, start: datetime = datetime(2015, 1, 1, tzinfo=UTC)) -> Table:
    """A table of positions in km, one a minute."""
    return make_table(
        dict(zip("xyz", np.asarray(rows, dtype=float), strict=True)), kind="vector", unit="km", frame=frame, start=start
    )


@pytest.mark.parametrize(
    ("moment", "allowed_nt"),
    [(datetime(1995, 1, 1), 1e-8), (datetime(2020, 1, 1), 1e-8), (datetime(1957, 10, 4), 0.2), (datetime(2028, 3, 1), 0.2)],
)
def test_the_field_is_that_of_ppigrf(moment: datetime, allowed_nt: float) -> None:
    """Exactly at epochs; between them ppigrf counts days and we parts of years, which differ by a day at most."""
    x, y, z = places(np.random.default_rng(0), 60)
    r, phi = np.sqrt(x * x + y * y + z * z), np.arctan2(y, x)
    theta = np.arccos(z / r)
    radial, south, east = (np.ravel(each) for each in ppigrf.igrf_gc(r, np.degrees(theta), np.degrees(phi), moment))
    outward = radial * np.sin(theta) + south * np.cos(theta)
    expected = (
        outward * np.cos(phi) - east * np.sin(phi),
        outward * np.sin(phi) + east * np.cos(phi),
        radial * np.cos(theta) - south * np.sin(theta),
    )
    found = igrf_geo_nt((x, y, z), at_ns(moment, 60))
    np.testing.assert_allclose(np.stack(found), np.stack(expected), atol=allowed_nt)


def test_it_has_neither_sources_nor_currents() -> None:
    """Central differences of 2 km give no divergence and no curl; at the pole too."""
    draw, step = np.random.default_rng(2), 1.0
    at = np.concatenate([places(draw, 20, 6600.0), [[0.0], [0.0], [7000.0]]], axis=1)
    moment = at_ns(datetime(2003, 10, 29), at.shape[1])
    slopes = []
    for axis in range(3):
        ahead, behind = at.copy(), at.copy()
        ahead[axis] += step
        behind[axis] -= step
        fields = [np.stack(igrf_geo_nt((each[0], each[1], each[2]), moment)) for each in (ahead, behind)]
        slopes.append((fields[0] - fields[1]) / (2 * step))
    jacobian = np.stack(slopes)  # (derivative, component, place)
    steepest = np.abs(jacobian).max(axis=(0, 1))
    assert np.max(np.abs(np.trace(jacobian)) / steepest) < 1e-5
    assert np.max(np.abs(jacobian - jacobian.transpose(1, 0, 2)) / steepest) < 1e-5


def test_degree_one_is_the_dipole_of_the_frames() -> None:
    """Far along the dipole's axis the field is along it: of the same coefficients."""
    for year in (1957, 1999, 2021, 2029):
        moment = at_ns(datetime(year, 7, 1), 1)
        axis = dipole_axis_in_geo(moment)[:, 0]
        x, y, z = (np.array([each]) for each in axis * 2e4)
        field = np.stack(igrf_geo_nt((x, y, z), moment, 1))[:, 0]
        np.testing.assert_allclose(np.cross(field / np.linalg.norm(field), axis), 0, atol=1e-9)
        assert np.dot(field, axis) < 0


def test_the_field_comes_in_the_frame_of_the_position(make_table: TableMaker, apply: Apply) -> None:
    """Of a place in GSE the same field, turned."""
    geo = position(make_table, places(np.random.default_rng(3), 25), "GEO")
    gse = apply("transform_frame", {"vector": geo}, to="GSE")
    found = apply("igrf_field", {"position": gse})
    assert (found.meta.frame, found.meta.unit) == ("GSE", "nT")
    back = apply("transform_frame", {"vector": found}, to="GEO")
    direct = apply("igrf_field", {"position": geo})
    for name in direct.columns:
        np.testing.assert_allclose(back.columns[name], direct.columns[name], atol=0.05)


def test_where_and_when_it_holds(make_table: TableMaker, apply: Apply) -> None:
    """Neither inside Earth nor before 1955 or after 2030."""
    rows = [[6307.0, 6309.0, np.nan, 7000.0], [0.0] * 4, [0.0, 0.0, 0.0, np.inf]]
    found = apply("igrf_field", {"position": position(make_table, rows, "GEO")}).columns["bx"]
    assert np.isfinite(found).tolist() == [False, True, False, False]
    for year, is_known in ((1954, False), (1955, True), (2029, True), (2031, False)):
        place = position(make_table, [[7000.0], [0.0], [0.0]], "GEO", datetime(year, 6, 1, tzinfo=UTC))
        assert np.isfinite(apply("igrf_field", {"position": place}).columns["bx"][0]) == is_known


def test_l_is_where_the_line_crosses_the_equator(make_table: TableMaker, apply: Apply) -> None:
    """All along r = 5 R_E cos^2 of the latitude; the invariant latitude is acos of 1 / sqrt 5."""
    latitude = np.radians(np.linspace(-60, 60, 31))
    r = 5 * 6371.2 * np.cos(latitude) ** 2
    place = position(make_table, [r * np.cos(latitude), 0 * r, r * np.sin(latitude)], "SM")
    np.testing.assert_allclose(apply("dipole_coordinates", {"position": place}).columns["out"], 5, rtol=1e-12)
    for result, expected in (
        ("magnetic_latitude", np.degrees(latitude)),
        ("invariant_latitude", np.full(31, np.degrees(np.arccos(5**-0.5)))),
        ("magnetic_local_time", np.full(31, 12.0)),
    ):
        np.testing.assert_allclose(
            apply("dipole_coordinates", {"position": place}, result=result).columns["out"], expected, rtol=1e-9
        )


def test_geostationary_orbit_is_near_l_6_6(make_table: TableMaker, apply: Apply) -> None:
    """GOES at 75 W is at L = 6.8 to 7, at 135 W at 6.6 to 6.8; local time moves by an hour an hour."""
    for longitude, least, most in ((-75.0, 6.75, 7.0), (-135.0, 6.6, 6.8)):
        x, y = 42_164 * np.cos(np.radians(longitude)), 42_164 * np.sin(np.radians(longitude))
        place = position(make_table, [[x] * 121, [y] * 121, [0.0] * 121], "GEO")
        shells = apply("dipole_coordinates", {"position": place}).columns["out"]
        assert least < shells.min() <= shells.max() < most
        hours = apply("dipole_coordinates", {"position": place}, result="magnetic_local_time").columns["out"]
        assert (hours[-1] - hours[0]) % 24 == pytest.approx(2, abs=0.2)


def test_a_position_of_no_geocentric_frame_is_refused(make_table: TableMaker, apply: Apply) -> None:
    """With the frames that will do."""
    for frame in ("HCI", None):
        place = make_table({"x": [1.0], "y": [0.0], "z": [0.0]}, kind="vector", unit="km", frame=frame)
        for name in ("igrf_field", "dipole_coordinates"):
            with pytest.raises(ComputeError, match="the position") as caught:
                apply(name, {"position": place})
            assert "GEO" in caught.value.hint
