"""tsyganenko_field and foot_points against published numbers of geopack, a dipole, and scipy's integrator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from geopack.t89 import t89
from scipy.integrate import solve_ivp

from helio_dagster.compute.field_lines import feet_of_lines
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import rotate_between
from helio_dagster.compute.igrf import igrf_geo_nt
from helio_dagster.compute.tsyganenko import t89_field_nt
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
R_E = 6371.2
PUBLISHED = "2001-01-01T02:03:04"
"""The time, and below the place in R_E and drivers, of the tests in geopack's documentation: tilt -0.533585131 rad."""
PLACE = (-5.1, 0.3, 2.8)
DRIVERS = {"pressure": (2.0, "nPa"), "dst": (-87.0, "nT")}


def _position(make_table: TableMaker, *places: tuple[float, float, float], start: str = PUBLISHED) -> Table:
    rows = np.array(places).T * R_E
    return _at(make_table(dict(zip("xyz", rows, strict=True)), kind="vector", unit="km", frame="GSM"), start)


def _at(table: Table, start: str) -> Table:
    return Table(np.datetime64(start, "ns") + (table.time - table.time[0]), table.columns, table.meta)


def _driven(make_table: TableMaker, count: int = 1, changed: Mapping[str, float] | None = None) -> dict[str, Table]:
    made = {
        name: _at(make_table({name: np.full(count, (changed or {}).get(name, value))}, unit=unit), PUBLISHED)
        for name, (value, unit) in DRIVERS.items()
    }
    field = {"bx": 0.0, "by": (changed or {}).get("by", 2.0), "bz": (changed or {}).get("bz", -5.0)}
    columns = {name: np.full(count, value) for name, value in field.items()}
    return made | {"imf": _at(make_table(columns, kind="vector", unit="nT", frame="GSM"), PUBLISHED)}


def _vectors(table: Table) -> np.ndarray:
    return np.stack(list(table.columns.values()))


def test_both_models_give_what_the_fortran_gives(make_table: TableMaker, apply: Make) -> None:
    """The external field in geopack's documentation; the tilts differ by 5e-5 rad."""
    position = _position(make_table, PLACE)
    found = apply("tsyganenko_field", {"position": position}, fixed_kp=1, result="external")
    np.testing.assert_allclose(_vectors(found)[:, 0], (20.7721329, -0.646554828, -15.0716438), atol=3e-3)
    found = apply("tsyganenko_field", {"position": position, **_driven(make_table)}, model="T96", result="external")
    np.testing.assert_allclose(_vectors(found)[:, 0], (61.1784935, -1.46160448, -40.4486618), atol=6e-3)
    assert found.meta.frame == "GSM"


def test_the_total_is_the_sum_with_the_igrf(make_table: TableMaker, apply: Make) -> None:
    """In the frame of the position."""
    position = _position(make_table, PLACE, (3, 1, -1))
    whole, outer = (
        apply("tsyganenko_field", {"position": position}, fixed_kp=4, result=each) for each in ("total", "external")
    )
    inner = apply("igrf_field", {"position": position})
    np.testing.assert_allclose(_vectors(whole), _vectors(outer) + _vectors(inner), rtol=1e-12)


@pytest.mark.slow
def test_feet_are_those_of_geopack(make_table: TableMaker, apply: Make) -> None:
    """Feet at 1.1 R_E in its documentation, to 300 m: its steps have errors of 1e-4 R_E, its IGRF is an older one."""
    position = _position(make_table, PLACE)
    options = {"result": "position", "altitude_km": 0.1 * R_E}
    feet = (
        (apply("foot_points", {"position": position}, fixed_kp=1, **options), (-0.72185779, 0.032780279, 0.82936518)),
        (
            apply("foot_points", {"position": position, **_driven(make_table)}, model="T96", **options),
            (-0.72891962, 0.035352710, 0.82305917),
        ),
    )
    for found, published in feet:
        assert found.meta.frame == "GEO"
        moved = apply("transform_frame", {"vector": found}, to="GSM")
        np.testing.assert_allclose(_vectors(moved)[:, 0] / R_E, published, atol=5e-5)


def test_lines_of_a_dipole_are_followed_exactly() -> None:
    """cos^2 of the latitude of the foot is 1 / L, to 10 m on the ground, and both feet have one longitude."""
    shells, longitude = np.array([1.2, 2.0, 6.6, 30.0]), np.radians([10.0, 100.0, -70.0, 180.0])
    start = np.stack([shells * np.cos(longitude), shells * np.sin(longitude), 0 * shells])

    def dipole(sign: int, place: Any, _: Any) -> Any:
        x, y, z = place
        field = np.stack([-3 * x * z, -3 * y * z, x * x + y * y - 2 * z * z])
        return sign * field / np.sqrt(np.sum(field**2, axis=0))

    for sign in (1, -1):
        feet = feet_of_lines(start, partial(dipole, sign), 1.0)
        np.testing.assert_allclose(np.arcsin(feet[2]), sign * np.arccos(np.sqrt(1 / shells)), atol=1.6e-6)
        np.testing.assert_allclose(np.exp(1j * np.arctan2(feet[1], feet[0])), np.exp(1j * longitude), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("hemisphere", "sign"), [("north", 1), ("south", -1)])
def test_feet_are_those_of_another_integrator(make_table: TableMaker, apply: Make, hemisphere: str, sign: int) -> None:
    """Scipy's of the eighth order over the same field, to 30 m, in the dusk sector and near the tail."""
    places = ((-4.0, 4.0, 1.0), (-8.0, -1.0, 0.5))
    at = np.array([np.datetime64("2015-03-17T12:00", "ns").astype(np.int64)])
    tilt = float(tilt_of_dipole(at)[0])

    turned = np.array([rotate_between(tuple(each[:, None]), at, "GSM", "GEO") for each in np.eye(3)])[:, :, 0]

    def along(_: float, place: Any) -> Any:
        inner = turned @ np.stack(igrf_geo_nt(tuple(R_E * (place @ turned)[:, None]), at))[:, 0]
        field = inner + np.array(t89(4, tilt, *place))
        return sign * field / np.linalg.norm(field)

    def down(_: float, place: Any) -> float:
        return float(np.linalg.norm(place)) - (1 + 120 / R_E)

    down.terminal = True  # type: ignore[attr-defined]
    table = _position(make_table, *places, start="2015-03-17T12:00")
    table = Table(table.time[0] + np.arange(2) * np.timedelta64(1, "ns"), table.columns, table.meta)
    options = {"fixed_kp": 3, "altitude_km": 120, "hemisphere": hemisphere}
    found = apply("foot_points", {"position": table}, result="position", **options)
    moved = _vectors(apply("transform_frame", {"vector": found}, to="GSM")) / R_E
    for place, foot in zip(places, moved.T, strict=True):
        solved = solve_ivp(along, (0, 60), place, method="DOP853", rtol=1e-8, atol=1e-8, events=down)
        assert solved.y_events is not None
        np.testing.assert_allclose(foot, solved.y_events[0][0], atol=5e-6)
    x, y, z = _vectors(found)
    degrees = {"latitude": np.arctan2(z, np.hypot(x, y)), "longitude": np.arctan2(y, x)}
    for result, expected in degrees.items():
        (values,) = apply("foot_points", {"position": table}, result=result, **options).columns.values()
        np.testing.assert_allclose(values, np.degrees(expected), rtol=1e-12)


def test_what_the_models_do_not_know_is_nan(make_table: TableMaker, apply: Make) -> None:
    """Beyond their reach, outside their magnetopause, outside the drivers they were fitted to, and inside the Earth."""
    far = _position(make_table, (-69, 0, 5), (-70, 0, 5), (0.5, 0.5, 0.5), (5, 0, np.nan))
    found = apply("tsyganenko_field", {"position": far}, fixed_kp=2).columns["bx"]
    assert np.isfinite(found).tolist() == [True, False, False, False]
    kp = _at(make_table({"kp": [0.0, 90.0, 91.0, np.nan]}), PUBLISHED)
    near = _position(make_table, *[PLACE] * 4)
    found = apply("tsyganenko_field", {"position": near, "kp": kp}, kp_factor=10, tolerance="PT1S").columns["bx"]
    assert np.isfinite(found).tolist() == [True, True, False, False]
    nose = _position(make_table, (11.0, 0, 0), (11.2, 0, 0))
    given = {"position": nose, **_driven(make_table, 2)}
    assert np.isfinite(apply("tsyganenko_field", given, model="T96").columns["bx"]).tolist() == [True, False]
    for name, value in (("pressure", 0.4), ("pressure", 11.0), ("dst", -101.0), ("dst", 21.0), ("by", 11.0), ("bz", -11.0)):
        given = {"position": _position(make_table, PLACE), **_driven(make_table, changed={name: value})}
        assert np.isnan(apply("tsyganenko_field", given, model="T96").columns["bx"]).all()


@pytest.mark.slow
def test_open_lines_have_no_foot(make_table: TableMaker, apply: Make) -> None:
    """In the lobe one end is on the Earth, and the other far down the tail; below the altitude there is neither."""
    position = _position(make_table, (-25, 0, 12), (-6, 0, -1), (0, 0, 1.01))
    north, south = (
        next(iter(apply("foot_points", {"position": position}, fixed_kp=3, hemisphere=each).columns.values()))
        for each in ("north", "south")
    )
    assert np.isfinite(north).tolist() == [True, True, False]
    assert np.isfinite(south).tolist() == [False, True, False]
    assert north[0] > 60
    assert south[1] < -50


@pytest.mark.slow
def test_one_line_has_the_same_feet_everywhere(make_table: TableMaker, apply: Make) -> None:
    """From the northern foot the southern one is found again."""
    position = _position(make_table, (-6, 2, -1))
    north, south = (
        apply("foot_points", {"position": position}, fixed_kp=2, altitude_km=400, result="position", hemisphere=each)
        for each in ("north", "south")
    )
    again = apply("foot_points", {"position": north}, fixed_kp=2, altitude_km=399.9, result="position", hemisphere="south")
    assert np.linalg.norm(_vectors(again) - _vectors(south)) < 1.0


@pytest.mark.parametrize(
    ("names", "options", "problem"),
    [
        ((), {}, "needs the input kp"),
        (("pressure", "imf"), {"model": "T96"}, "needs the input dst"),
        (("dst",), {"fixed_kp": 2}, "takes no input dst"),
        (("pressure", "dst", "imf", "kp"), {"model": "T96"}, "with T96 takes no input kp"),
        (("kp",), {"fixed_kp": 2}, "the option fixed_kp takes no input kp"),
    ],
)
@pytest.mark.parametrize("operation", ["tsyganenko_field", "foot_points"])
def test_inputs_must_go_with_the_model(
    make_table: TableMaker, apply: Make, operation: str, names: tuple[str, ...], options: dict[str, Any], problem: str
) -> None:
    """One message, with what to do."""
    driven = _driven(make_table) | {"kp": _at(make_table({"kp": [2.0]}), PUBLISHED)}
    given = {"position": _position(make_table, PLACE), **{name: driven[name] for name in names}}
    with pytest.raises(ComputeError, match=problem) as caught:
        apply(operation, given, **options)
    assert caught.value.hint


def test_t89_over_arrays_is_geopacks_own_place_by_place() -> None:
    """To 1e-10 nT for every level of Kp; and a place has the same bits alone as among others."""
    random = np.random.default_rng(8)
    x, y, z = (random.uniform(-20, 20, 210) for _ in range(3))
    place = (x, y, z)
    tilt, kp = random.uniform(-0.6, 0.6, 210), np.repeat(np.arange(7.0), 30)
    found = np.stack(t89_field_nt(place, tilt, (kp,)))
    expected = [t89(int(kp[k]) + 1, float(tilt[k]), *(float(axis[k]) for axis in place)) for k in range(210)]
    np.testing.assert_allclose(found.T, np.array(expected, dtype=float), rtol=0, atol=1e-10)
    for some in (slice(0, 1), slice(17, 20), slice(100, 205)):
        few = t89_field_nt((x[some], y[some], z[some]), tilt[some], (kp[some],))
        np.testing.assert_array_equal(np.stack(few), found[:, some])
