"""Coordinate frames against sunpy, astropy, geopack's numbers and cases done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import astropy.units as u
import numpy as np
import pytest
from astropy.coordinates import (
    GCRS,
    ITRS,
    CartesianDifferential,
    CartesianRepresentation,
    HeliocentricMeanEcliptic,
    SkyCoord,
    get_sun,
)
from astropy.time import Time
from astropy.utils import iers
from sunpy import coordinates as sunpy_frames

from helio_dagster.compute.frame_axes import GEOCENTRIC, HELIOCENTRIC
from helio_dagster.compute.frame_change import move_between, rotate_between, velocity_between
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

WITHIN = 1e-6
"""Of a vector's length: what we promise beside sunpy, in rad."""
_START, _STOP = (int(np.datetime64(day, "ns").astype(np.int64)) for day in ("1975-01-01", "2015-01-01"))
AT_NS = np.sort(np.random.default_rng(5).integers(_START, _STOP, 60))
"""Until 2015 the dipoles of IGRF-13, which sunpy has, and of IGRF-14 are the same."""
ROWS = np.random.default_rng(6).normal(size=(3, len(AT_NS))) * 1.2e8


class _StillEarth(iers.IERS):  # type: ignore[misc] # astropy ships no types
    """UT1 is UTC, and the pole of the Earth stands still."""

    def ut1_utc(self, jd1: Any, jd2: Any = 0.0, return_status: bool = False) -> Any:
        none = np.zeros(np.shape(jd1))
        return (none * u.s, none.astype(int)) if return_status else none * u.s

    def pm_xy(self, jd1: Any, jd2: Any = 0.0, return_status: bool = False) -> Any:
        none = np.zeros(np.shape(jd1)) * u.arcsec
        return (none, none, np.zeros(np.shape(jd1), int)) if return_status else (none, none)


@pytest.fixture(autouse=True, scope="module")
def _offline() -> Iterator[None]:
    """Astropy asks nobody, and turns the Earth by UTC as we do."""
    with iers.conf.set_temp("auto_download", False), iers.earth_orientation_table.set(_StillEarth()):
        yield


def _sunpy_frame(name: str, time: Time) -> Any:
    match name:
        case "HAE":
            return HeliocentricMeanEcliptic(obstime=time)
        case "J2000":
            return sunpy_frames.GeocentricEarthEquatorial(obstime=time)
        case "GEI":
            return sunpy_frames.GeocentricEarthEquatorial(obstime=time, equinox=time)
        case "Carrington":  # without light time: seen from the Sun's surface
            zero = np.zeros(len(time)) * u.deg
            seen = sunpy_frames.HeliographicStonyhurst(zero, zero, 695_700 * u.km + zero.value * u.km, obstime=time)
            return sunpy_frames.HeliographicCarrington(obstime=time, observer=SkyCoord(seen))
    named = {
        "HCI": sunpy_frames.HeliocentricInertial,
        "HEE": sunpy_frames.HeliocentricEarthEcliptic,
        "HEEQ": sunpy_frames.HeliographicStonyhurst,
        "GSE": sunpy_frames.GeocentricSolarEcliptic,
        "GSM": sunpy_frames.GeocentricSolarMagnetospheric,
        "SM": sunpy_frames.SolarMagnetic,
    }
    return named[name](obstime=time)


def _time(at_ns: Any = AT_NS) -> Time:
    return Time(at_ns.astype("datetime64[ns]"), scale="utc")


def _of(rows: Any) -> Any:
    return rows[0], rows[1], rows[2]


def _worst(found: Any, expected: Any) -> float:
    return float((np.linalg.norm(np.array(found) - expected, axis=0) / np.linalg.norm(expected, axis=0)).max())


def _random_vector(make_table: TableMaker, count: int = 50, **changes: Any) -> tuple[Table, Any]:
    rows = np.random.default_rng(3).normal(size=(count, 3))
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(("bx", "by", "bz"))}
    return make_table(columns, kind="vector", **changes), rows


def _stacked(table: Table) -> Any:
    return np.column_stack(list(table.columns.values()))


@pytest.mark.parametrize("frame", ["HEE", "HEEQ", "Carrington", "GSE", "GEI", "J2000"])
def test_positions_agree_with_sunpy(frame: str) -> None:
    """From HAE, with the shift to Earth's centre where there is one."""
    given = HeliocentricMeanEcliptic(CartesianRepresentation(ROWS * u.km), obstime=_time())
    expected = given.transform_to(_sunpy_frame(frame, _time())).cartesian.xyz.to_value(u.km)
    assert _worst(move_between(_of(ROWS), AT_NS, "HAE", frame, unit_km=1.0), expected) < WITHIN


def test_the_inertial_frame_agrees_with_sunpy_on_the_mean() -> None:
    """Sunpy finds the node from a point 1 m from the Sun by way of the barycentre: rounding, over sin(7.25 deg)."""
    given = HeliocentricMeanEcliptic(CartesianRepresentation(ROWS * u.km), obstime=_time())
    expected = given.transform_to(_sunpy_frame("HCI", _time())).cartesian.xyz.to_value(u.km)
    found = np.array(rotate_between(_of(ROWS), AT_NS, "HAE", "HCI"))
    turned = np.arctan2(found[1], found[0]) - np.arctan2(expected[1], expected[0])
    assert abs(np.mean((turned + np.pi) % (2 * np.pi) - np.pi)) < 3e-7
    np.testing.assert_allclose(found[2], expected[2], atol=WITHIN * 1e8)


def test_the_geographic_frame_agrees_with_astropy() -> None:
    """From J2000: precession, nutation and the turning of the Earth."""
    given = GCRS(CartesianRepresentation(ROWS * u.km), obstime=_time())
    expected = given.transform_to(ITRS(obstime=_time())).cartesian.xyz.to_value(u.km)
    assert _worst(rotate_between(_of(ROWS), AT_NS, "J2000", "GEO"), expected) < WITHIN


def test_the_geomagnetic_frame_agrees_with_sunpy() -> None:
    """From GEO, by the same dipole."""
    given = ITRS(CartesianRepresentation(ROWS * u.km), obstime=_time())
    expected = given.transform_to(sunpy_frames.Geomagnetic(obstime=_time())).cartesian.xyz.to_value(u.km)
    assert _worst(rotate_between(_of(ROWS), AT_NS, "GEO", "MAG"), expected) < WITHIN


@pytest.mark.parametrize("frame", ["GSM", "SM"])
def test_magnetospheric_frames_differ_from_sunpy_by_aberration(frame: str) -> None:
    """Sunpy's have the Sun where its light comes from, 20 arcseconds away; a rotation that takes MAG there shows no more."""
    given = sunpy_frames.Geomagnetic(CartesianRepresentation(ROWS * u.km), obstime=_time())
    expected = given.transform_to(_sunpy_frame(frame, _time())).cartesian.xyz.to_value(u.km)
    assert _worst(rotate_between(_of(ROWS), AT_NS, "MAG", frame), expected) < 1.1e-4 / np.cos(np.radians(35))


@pytest.mark.slow
def test_velocities_agree_with_sunpy() -> None:
    """HCI to HEEQ and Carrington, whose axes turn; sunpy takes finite differences."""
    speeds = np.random.default_rng(7).normal(size=ROWS.shape) * 300
    motion = CartesianDifferential(speeds * u.km / u.s)
    given = sunpy_frames.HeliocentricInertial(CartesianRepresentation(ROWS * u.km, differentials=motion), obstime=_time())
    for frame in ("HEEQ", "HEE", "GSE"):
        expected = given.transform_to(_sunpy_frame(frame, _time())).cartesian.differentials["s"].d_xyz.to_value(u.km / u.s)
        found = velocity_between(_of(speeds), _of(ROWS), AT_NS, "HCI", frame, per_s=1.0, unit_km=1.0)
        assert _worst(found, expected) < 1e-5, frame


@pytest.mark.parametrize("frame", ["GSE", "GEO", "Carrington", "HAE"])
def test_a_velocity_is_the_change_of_the_position(frame: str) -> None:
    """A body on a straight line in HCI, its place in the other frame a minute before and after."""
    speed, step = np.random.default_rng(8).normal(size=ROWS.shape) * 300, 10.0
    step_ns = round(step * 1e9)
    earlier, later = (
        np.array(move_between(_of(ROWS + sign * step * speed), AT_NS + sign * step_ns, "HCI", frame, unit_km=1.0))
        for sign in (-1, 1)
    )
    found = velocity_between(_of(speed), _of(ROWS), AT_NS, "HCI", frame, per_s=1.0, unit_km=1.0)
    assert _worst(found, (later - earlier) / (2 * step)) < 5e-6


@pytest.mark.parametrize("moment", GEOPACK)
@pytest.mark.parametrize("frame", ["GSM", "GEO", "SM", "GEI"])
def test_frames_agree_with_geopack(make_table: TableMaker, apply: Apply, moment: str, frame: str) -> None:
    """To 2e-4 of the vector's length, or 0.01 deg: geopack's formulas are of low precision."""
    start = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    vector = make_table({"bx": [1.0], "by": [2.0], "bz": [3.0]}, kind="vector", frame="GSE", start=start)
    found = apply("transform_frame", {"vector": vector}, to=frame)
    np.testing.assert_allclose(_stacked(found)[0], GEOPACK[moment][frame], atol=2e-4 * np.sqrt(14))
    assert found.meta.frame == frame
    x, _, z = rotate_between((np.zeros(1), np.zeros(1), np.ones(1)), vector.time.astype(np.int64), "SM", "GSM")
    assert np.degrees(np.arctan2(x, z))[0] == pytest.approx(GEOPACK[moment]["tilt"], abs=0.01)


@pytest.mark.parametrize("source", [*GEOCENTRIC, *HELIOCENTRIC])
def test_there_and_back_is_the_same_vector(make_table: TableMaker, apply: Apply, source: Any) -> None:
    """And the length stays, whatever the frames."""
    vector, rows = _random_vector(make_table, frame=source)
    for target in ("GSE", "SM", "HCI", "Carrington"):
        there = apply("transform_frame", {"vector": vector}, to=target)
        np.testing.assert_allclose(np.linalg.norm(_stacked(there), axis=1), np.linalg.norm(rows, axis=1), rtol=2e-7)
        back = _stacked(apply("transform_frame", {"vector": there}, to=source))
        np.testing.assert_allclose(back, rows, atol=1e-6)


def test_many_records_have_the_bits_of_few(make_table: TableMaker, apply: Apply) -> None:
    """Dense records are gone through cell by cell, sparse ones at once; a fill value stays alone."""
    rows = np.random.default_rng(4).normal(size=(40_000, 3))
    rows[7] = np.nan
    columns = {name: rows[:, place] for place, name in enumerate("xyz")}
    dense = make_table(columns, kind="vector", frame="GSE", at_s=np.arange(40_000) / 16)
    some = Table(dense.time[::997], {name: each[::997] for name, each in dense.columns.items()}, dense.meta)
    for target in ("GSM", "HEEQ"):
        found = _stacked(apply("transform_frame", {"vector": dense}, to=target))
        np.testing.assert_array_equal(found[::997], _stacked(apply("transform_frame", {"vector": some}, to=target)))
        assert np.flatnonzero(np.isnan(found).any(axis=1)).tolist() == [7]


def _with_place(make_table: TableMaker, rows: Any, frame: str = "HCI", unit: str = "km", **changes: Any) -> Table:
    columns = {name: np.asarray(rows)[:, place] for place, name in enumerate("xyz")}
    return make_table(columns, kind="vector", frame=frame, unit=unit, **changes)


def test_rtn_at_earth_is_gse_turned_by_the_suns_axis(make_table: TableMaker, apply: Apply) -> None:
    """At Earth R is -X of GSE; T is up to 7.25 deg away from -Y. The oracle is a cross product in J2000."""
    vector, rows = _random_vector(make_table, frame="RTN", count=60)
    place = _with_place(make_table, np.zeros((60, 3)), frame="GSE")
    found = _stacked(apply("transform_frame", {"vector": vector, "position": place}, to="GSE", position_gap="PT1M"))
    np.testing.assert_allclose(found[:, 0], -rows[:, 0], atol=1e-6)
    pole = SkyCoord(286.13 * u.deg, 63.87 * u.deg).cartesian.xyz.value
    at_ns = vector.time.astype(np.int64)
    gse = np.array(rotate_between(_of(np.repeat(pole[:, None], 60, axis=1)), at_ns, "J2000", "GSE")).T
    tangential = np.cross(gse, [-1.0, 0.0, 0.0])
    tangential /= np.linalg.norm(tangential, axis=1, keepdims=True)
    np.testing.assert_allclose(np.sum(found * tangential, axis=1), rows[:, 1], atol=1e-6)


@pytest.mark.parametrize("frame", ["HCI", "HEEQ", "GSE", "GSM"])
def test_rtn_and_back(make_table: TableMaker, apply: Apply, frame: str) -> None:
    """With a place between samples, in another unit and frame."""
    vector, rows = _random_vector(make_table, frame="RTN")
    place = _with_place(
        make_table, np.outer(np.linspace(0.1, 0.3, 20), [0.5, -0.8, 0.1]), unit="AU", at_s=np.arange(20) * 300 - 200.0
    )
    there = apply("transform_frame", {"vector": vector, "position": place}, to=frame, position_gap="PT5M")
    assert there.meta.frame == frame
    back = apply("transform_frame", {"vector": there, "position": place}, to="RTN", position_gap="PT5M")
    np.testing.assert_allclose(_stacked(back), rows, atol=1e-6)


def test_where_the_place_is_not_known_there_is_no_vector(make_table: TableMaker, apply: Apply) -> None:
    """Between samples too far apart, outside them, and above a pole of the Sun."""
    vector, _ = _random_vector(make_table, frame="RTN", count=4)
    place = _with_place(make_table, [[0, 0, 1e8], [1e8, 0, 0], [1e8, 1e7, 0]], at_s=[0, 60, 150])
    found = apply("transform_frame", {"vector": vector, "position": place}, to="HCI", position_gap="PT1M")
    assert np.isfinite(_stacked(found)).all(axis=1).tolist() == [False, True, False, False]


def test_a_unit_of_length_makes_a_position(make_table: TableMaker, apply: Apply) -> None:
    """Earth's centre is not the Sun's; the option quantity says otherwise."""
    place = _with_place(make_table, [[0.0, 0.0, 0.0]], frame="GSE", unit="AU")
    found = _stacked(apply("transform_frame", {"vector": place}, to="HEE"))[0]
    assert found[0] == pytest.approx(get_sun(Time("2023-01-02")).distance.to_value(u.AU), abs=2e-6)
    np.testing.assert_allclose(found[1:], 0, atol=1e-9)
    assert not _stacked(apply("transform_frame", {"vector": place}, to="HEE", quantity="vector")).any()


def test_labels_follow_the_frame(make_table: TableMaker, apply: Apply) -> None:
    """The columns keep their names, so that what reads them goes on."""
    columns, labels = {"bx": [1.0], "by": [1.0], "bz": [1.0]}, ["Bx GSE", "By GSE", "Bz GSE"]
    vector = make_table(columns, kind="vector", frame="GSE", labels=labels, label="B GSE")
    found = apply("transform_frame", {"vector": vector}, to="GSM")
    assert [column.label for column in found.meta.columns] == ["Bx GSM", "By GSM", "Bz GSM"]
    assert (tuple(found.columns), found.meta.label, found.meta.unit) == (("bx", "by", "bz"), "B GSM", "nT")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Bx GSE", "By GSE", "Bz GSE"], ["Br RTN", "Bt RTN", "Bn RTN"]),
        (["ACE X-GSE", "B_Y", "VZ"], ["ACE R-RTN", "B_T RTN", "VN RTN"]),
    ],
)
def test_axes_of_rtn_have_its_letters(make_table: TableMaker, apply: Apply, labels: list[str], expected: list[str]) -> None:
    """And those of other frames x, y and z again; the vector is the same when it comes back."""
    vector = make_table({name: [1.0] for name in "abc"}, kind="vector", frame="GSE", labels=labels)
    place = _with_place(make_table, [[1e6, 0, 0]], frame="GSE")
    there = apply("transform_frame", {"vector": vector, "position": place}, to="RTN", position_gap="PT1M")
    assert [column.label for column in there.meta.columns] == expected
    back = apply("transform_frame", {"vector": there, "position": place}, to="GSE", position_gap="PT1M")
    assert [column.label.removesuffix(" GSE") for column in back.meta.columns] == [each.removesuffix(" GSE") for each in labels]


@pytest.mark.parametrize(
    ("frame", "unit", "options", "said"),
    [
        ("RTN", "nT", {"to": "GSE"}, "needs a position from RTN to GSE"),
        ("GSE", "nT", {"to": "RTN"}, "needs a position from GSE to RTN"),
        ("MSO", "nT", {"to": "GSE"}, "cannot rotate from MSO"),
        (None, "nT", {"to": "GSE"}, "not known"),
        ("GSE", "nT", {"to": "GSM", "source": "GEO"}, "is in GSE"),
        ("GSE", "km/s", {"to": "HEE", "quantity": "velocity"}, "needs a position"),
        ("RTN", "km", {"to": "HCI"}, "does not bring a position from RTN"),
        ("HCI", "km/s", {"to": "RTN", "quantity": "velocity"}, "does not bring a velocity from HCI to RTN"),
        ("GSE", "R_S", {"to": "HEE"}, "in R_S cannot be moved"),
        ("GSE", "nT", {"to": "HEE", "quantity": "velocity"}, "needs a unit of speed"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_is_needed(
    make_table: TableMaker, apply: Apply, frame: str | None, unit: str, options: dict[str, Any], said: str
) -> None:
    """RTN needs the spacecraft's position, an unknown frame a word about it."""
    vector, _ = _random_vector(make_table, frame=frame, unit=unit)
    with pytest.raises(ComputeError, match=said) as caught:
        apply("transform_frame", {"vector": vector}, **options)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        ("HCI", {"to": "GSE"}, "position_gap"),
        (None, {"to": "GSE", "position_gap": "PT1M"}, "does not say its frame"),
        ("RTN", {"to": "GSE", "position_gap": "PT1M"}, "is in RTN"),
        ("HCI", {"to": "RTN"}, "takes no position"),
    ],
)
def test_a_position_that_does_not_do_is_refused(
    make_table: TableMaker, apply: Apply, frame: str | None, options: dict[str, Any], said: str
) -> None:
    """Without its frame, without how far apart its samples may be, or where none is needed."""
    vector, _ = _random_vector(make_table, frame="RTN", count=2)
    place = _with_place(make_table, [[1e8, 0, 0]], frame=frame or "HCI")
    place = place if frame else Table(place.time, place.columns, place.meta.model_copy(update={"frame": None}))
    with pytest.raises((ComputeError, InputError), match=said) as caught:
        apply("transform_frame", {"vector": vector, "position": place}, **options)
    assert caught.value.hint


def test_a_frame_that_the_data_do_not_say_may_be_said(make_table: TableMaker, apply: Apply) -> None:
    """By the option source."""
    vector, rows = _random_vector(make_table, frame=None)
    found = apply("transform_frame", {"vector": vector}, to="GSE", source="GSE")
    assert found.meta.frame == "GSE"
    np.testing.assert_array_equal(_stacked(found), rows)
