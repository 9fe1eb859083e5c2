"""Model boundaries against geometry, limits of the formulas, and plasmapy's speeds."""

from __future__ import annotations

from types import ModuleType

import astropy.units as u
import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply


@pytest.mark.parametrize(("pressure", "bz"), [(1.0, 0.0), (2.0, -5.0), (6.0, 10.0)])
def test_the_bow_shock_is_a_paraboloid(make_table: TableMaker, apply: Apply, pressure: float, bz: float) -> None:
    """Each point of the curve lies on x = R - lambda^2 rho^2 / (4 R); and outside the magnetopause, up to the flank."""
    given = make_table({"p": [pressure]}, unit="nPa")
    field = make_table({"bz": [bz]}, unit="nT", frame="GSM")
    nose = 15.02 * pressure ** (-1 / 6.55)
    for angle in (0.0, 30.0, 60.0, 90.0, 140.0):
        r = apply("bow_shock_distance", {"pressure": given}, angle_deg=angle).columns["out"][0]
        x, rho = r * np.cos(np.radians(angle)), r * np.sin(np.radians(angle))
        assert x == pytest.approx(nose - 1.17**2 * rho**2 / (4 * nose), rel=1e-12, abs=1e-11)
        if angle <= 90:
            inner = apply("magnetopause_distance", {"pressure": given, "bz": field}, angle_deg=angle).columns["out"][0]
            assert inner < r


def test_the_magnetopause_moves_as_it_should(make_table: TableMaker, apply: Apply) -> None:
    """Nose as Dp^(-1/6.6); a strongly southward field erodes it to 10.22 - 1.29 R_E, a northward one lets it out to 11.51."""
    pressure = make_table({"p": [1.0, 64.0, 1.0, 1.0]}, unit="nPa")
    bz = make_table({"bz": [0.0, 0.0, -200.0, 200.0]}, unit="nT", frame="GSM")
    found = apply("magnetopause_distance", {"pressure": pressure, "bz": bz}, extrapolate=True).columns["out"]
    assert found[1] / found[0] == pytest.approx(64 ** (-1 / 6.6), rel=1e-12)
    np.testing.assert_allclose(found[2:], [8.93, 11.51], rtol=1e-12)


def test_a_position_says_the_direction(make_table: TableMaker, apply: Apply) -> None:
    """In any unit, the same as its angle; none in the tail, at the centre of Earth, or too far in time."""
    pressure = make_table({"p": [2.0] * 5}, unit="nPa")
    bz = make_table({"bz": [-3.0] * 5}, unit="nT", frame="GSM")
    place = make_table(
        {"x": [3.0, 0.0, -9.0, 0.0, np.nan], "y": [0.0, 3.0, 1.0, 0.0, 1.0], "z": [-3.0, 4.0, 0.0, 0.0, 1.0]},
        kind="vector",
        unit="R_E",
        frame="GSM",
    )
    sources = {"magnetopause_distance": {"pressure": pressure, "bz": bz}, "bow_shock_distance": {"pressure": pressure}}
    for name, inputs in sources.items():
        found = apply(name, {**inputs, "position": place}).columns["out"]
        at = [apply(name, inputs, angle_deg=angle).columns["out"][0] for angle in (45.0, 90.0)]
        np.testing.assert_allclose(found, [*at, np.nan, np.nan, np.nan], rtol=1e-12)


def test_outside_its_range_the_model_gives_no_number(make_table: TableMaker, apply: Apply) -> None:
    """Unless it may be extrapolated; without pressure there is none in any case."""
    pressure = make_table({"p": [0.5, 8.5, 0.4, 8.6, 2.0, 2.0, 0.0, -1.0]}, unit="nPa")
    bz = make_table({"bz": [-18.0, 15.0, 0.0, 0.0, -18.5, 15.5, 0.0, 0.0]}, unit="nT", frame="GSM")
    mach = make_table({"m": [6.0] * 8}, unit="")
    for name, inputs in (("magnetopause_distance", {}), ("bow_shock_standoff", {"mach": mach})):
        given = {"pressure": pressure, "bz": bz, **inputs}
        assert np.isnan(apply(name, given).columns["out"]).tolist() == [False] * 2 + [True] * 6
        assert np.isnan(apply(name, given, extrapolate=True).columns["out"]).tolist() == [False] * 6 + [True] * 2


def test_the_shock_goes_out_as_the_mach_number_falls(make_table: TableMaker, apply: Apply) -> None:
    """From 1.275 obstacles (gamma 5/3, Spreiter's limit) to infinity at Mach 1, below which there is none."""
    machs = [1e9, 8.0, 3.0, 1.5, 1.01, 1.0, 0.5, np.nan]
    given = {
        "pressure": make_table({"p": [2.0] * 8}, unit="nPa"),
        "bz": make_table({"bz": [0.0] * 8}, unit="nT", frame="GSM"),
        "mach": make_table({"m": machs}, unit=""),
    }
    found = apply("bow_shock_standoff", given).columns["out"]
    obstacle = apply("magnetopause_distance", {name: given[name] for name in ("pressure", "bz")}).columns["out"][0]
    assert found[0] / obstacle == pytest.approx(1.275, rel=1e-12)
    assert (np.diff(found[:5]) > 0).all()
    assert np.isnan(found[5:]).all()


def test_positions_of_other_frames_are_refused(make_table: TableMaker, apply: Apply) -> None:
    """Their X does not point to the Sun."""
    place = make_table({"x": [1.0], "y": [0.0], "z": [0.0]}, kind="vector", unit="km", frame="GEO")
    with pytest.raises(ComputeError, match="GSE or GSM, not in GEO") as caught:
        apply("bow_shock_distance", {"pressure": make_table({"p": [2.0]}, unit="nPa"), "position": place})
    assert "transform_frame" in caught.value.hint


@pytest.mark.slow
def test_the_fast_speed_is_that_of_plasmapy(make_table: TableMaker, apply: Apply, formulary: ModuleType) -> None:
    """Of its Alfven speed and speed of sound, electrons isothermal with protons' index."""
    draw = np.random.default_rng(3)
    speed, field, density, temperature = (
        draw.uniform(low, high, 50) for low, high in ((300.0, 800.0), (1.0, 30.0), (1.0, 30.0), (1e4, 5e5))
    )
    found = apply(
        "magnetosonic_mach",
        {
            "speed": make_table({"v": speed}, unit="km/s"),
            "field": make_table({"b": field}, unit="nT"),
            "density": make_table({"n": density}, unit="cm^-3"),
            "temperature": make_table({"t": temperature}, unit="K"),
        },
    ).columns["out"]
    sound = formulary.ion_sound_speed(1.28e5 * u.K, temperature * u.K, "p+", gamma_e=5 / 3, gamma_i=5 / 3, Z=1)
    alfven = formulary.Alfven_speed(field * u.nT, density * u.cm**-3, "p+")
    np.testing.assert_allclose(found, speed / np.hypot(sound, alfven).to_value(u.km / u.s), rtol=4e-4)


@pytest.mark.parametrize(
    ("angle", "pressure", "bz", "magnetopause", "bow_shock"),
    [
        (0.0, 2.0, -5.0, 9.806238213751458, 13.511736110493397),
        (45.0, 2.0, -5.0, 10.826775514991068, 15.05124367986432),
        (90.0, 5.0, 3.0, 13.438653919801054, 20.08172838891147),
        (120.0, 1.0, -15.0, 23.575958929635295, 47.69007637302663),
        (75.0, 0.7, 10.0, 15.349310563735573, 22.367034479043785),
    ],
)
def test_distances_are_those_of_spok(
    make_table: TableMaker,
    apply: Apply,
    angle: float,
    pressure: float,
    bz: float,
    magnetopause: float,
    bow_shock: float,
) -> None:
    """mp_shue1998 and bs_jelinek2012 of spok 0.1.1."""
    given = {"pressure": make_table({"p": [pressure]}, unit="nPa")}
    field = {"bz": make_table({"bz": [bz]}, unit="nT", frame="GSM")}
    found = apply("magnetopause_distance", given | field, angle_deg=angle).columns["out"][0]
    assert found == pytest.approx(magnetopause, rel=1e-12)
    assert apply("bow_shock_distance", given, angle_deg=angle).columns["out"][0] == pytest.approx(bow_shock, rel=1e-12)
