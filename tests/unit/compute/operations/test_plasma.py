"""Plasma parameters against plasmapy; solar wind formulas against plasmapy's parts, astropy and cases done by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import astropy.constants as constants
import astropy.units as u
import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

_CODATA = 3e-9
"""plasmapy may take constants of an older adjustment than 2022, which differ by less than this."""


@pytest.fixture(scope="module")
def plasma(make_table: TableMaker) -> Any:
    """Solar wind of a hundred minutes: field, density, temperature, speed."""
    draw = np.random.default_rng(5)
    return {
        "field": make_table({"b": draw.uniform(1, 60, 100)}, unit="nT"),
        "density": make_table({"n": draw.uniform(0.1, 60, 100)}, unit="cm^-3"),
        "temperature": make_table({"t": draw.uniform(1e4, 1e6, 100)}, unit="K"),
        "speed": make_table({"v": draw.uniform(250, 900, 100)}, unit="km/s"),
    }


def _quantity(table: Table) -> Any:
    (name,) = table.columns
    return table.columns[name] * u.Unit(table.meta.unit.replace("^", "**"))


@pytest.mark.slow
def test_alfven_speed_is_that_of_plasmapy(plasma: Any, apply: Apply, formulary: ModuleType) -> None:
    """Of the mass density of the protons; given their number density, plasmapy adds that of the electrons, 0.03 %."""
    found = apply("alfven_speed", {name: plasma[name] for name in ("field", "density")})
    mass_density = (_quantity(plasma["density"]) * constants.m_p).to(u.kg / u.m**3)
    expected = formulary.Alfven_speed(_quantity(plasma["field"]), mass_density)
    np.testing.assert_allclose(found.columns["out"], expected.to_value(u.km / u.s), rtol=_CODATA)


@pytest.mark.slow
def test_plasma_beta_is_that_of_plasmapy(plasma: Any, apply: Apply, formulary: ModuleType) -> None:
    """Of one species."""
    found = apply("plasma_beta", {name: plasma[name] for name in ("density", "temperature", "field")})
    expected = formulary.beta(*(_quantity(plasma[name]) for name in ("temperature", "density", "field")))
    np.testing.assert_allclose(found.columns["out"], expected.to_value(u.one), rtol=_CODATA)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:lorentzfactor is given:UserWarning")  # slow particles are meant
@pytest.mark.parametrize(("species", "particle"), [("proton", "p+"), ("electron", "e-"), ("alpha", "He-4 2+")])
def test_gyrofrequency_and_gyroradius_are_those_of_plasmapy(
    plasma: Any, apply: Apply, formulary: ModuleType, species: str, particle: str
) -> None:
    """In Hz, and of the most probable thermal speed; plasmapy makes the alpha particle of atom and electrons, 2e-8 lighter."""
    field, temperature = _quantity(plasma["field"]), _quantity(plasma["temperature"])
    frequency = apply("gyrofrequency", {"field": plasma["field"]}, species=species)
    expected = formulary.gyrofrequency(field, particle=particle, to_hz=True)
    np.testing.assert_allclose(frequency.columns["out"], expected.to_value(u.Hz), rtol=5e-8)
    radius = apply("gyroradius", {name: plasma[name] for name in ("field", "temperature")}, species=species)
    expected = formulary.gyroradius(field, particle=particle, T=temperature, lorentzfactor=1.0)
    np.testing.assert_allclose(radius.columns["out"], expected.to_value(u.km), rtol=5e-8)


@pytest.mark.slow
def test_alfven_mach_is_speed_over_plasmapys_alfven_speed(plasma: Any, apply: Apply, formulary: ModuleType) -> None:
    """The helium counts four proton masses each."""
    found = apply("alfven_mach", {name: plasma[name] for name in ("speed", "field", "density")}, helium=0.04)
    mass_density = (_quantity(plasma["density"]) * constants.m_p * 1.16).to(u.kg / u.m**3)
    expected = _quantity(plasma["speed"]) / formulary.Alfven_speed(_quantity(plasma["field"]), mass_density)
    np.testing.assert_allclose(found.columns["out"], expected.to_value(u.one), rtol=_CODATA)


@pytest.mark.slow
def test_sonic_mach_is_speed_over_plasmapys_ion_sound_speed(plasma: Any, apply: Apply, formulary: ModuleType) -> None:
    """In the limit of long waves, both species with the same adiabatic index."""
    found = apply("sonic_mach", {name: plasma[name] for name in ("speed", "temperature")}, electron_temperature_k=1.4e5)
    sound = formulary.ion_sound_speed(
        T_e=1.4e5 * u.K, T_i=_quantity(plasma["temperature"]), ion="p+", gamma_e=5 / 3, gamma_i=5 / 3
    )
    np.testing.assert_allclose(found.columns["out"], (_quantity(plasma["speed"]) / sound).to_value(u.one), rtol=_CODATA)


def test_dynamic_pressure_is_momentum_flux(plasma: Any, apply: Apply) -> None:
    """With astropy's constants and units; OMNI's rounded 2e-6 n V^2 agrees to four parts in a thousand."""
    found = apply("dynamic_pressure", {name: plasma[name] for name in ("density", "speed")}).columns["out"]
    exact = (constants.m_p * 1.2 * _quantity(plasma["density"]) * _quantity(plasma["speed"]) ** 2).to_value(u.nPa)
    np.testing.assert_allclose(found, exact, rtol=_CODATA)
    omni = 2e-6 * plasma["density"].columns["n"] * plasma["speed"].columns["v"] ** 2
    np.testing.assert_allclose(found, omni, rtol=4e-3)


def test_a_vector_may_stand_for_its_length(make_table: TableMaker, apply: Apply, plasma: Any) -> None:
    """Field and velocity: the three components of a vector with |B| = 13 nT."""
    field = make_table({"bx": [3.0], "by": [4.0], "bz": [12.0]}, kind="vector")
    alone = apply("gyrofrequency", {"field": make_table({"b": [13.0]})})
    assert apply("gyrofrequency", {"field": field}).columns["out"] == alone.columns["out"]


def test_inputs_in_other_units_are_converted(make_table: TableMaker, apply: Apply) -> None:
    """Electronvolts for K, m/s for km/s, pT for nT, m^-3 for cm^-3: the same numbers to the last digits."""
    given = {"density": ("cm^-3", 5.0), "temperature": ("K", 1e5), "field": ("nT", 5.0)}
    other = {"density": ("m^-3", 5e6), "temperature": ("eV", 1e5 * 8.617333262145179e-5), "field": ("pT", 5000.0)}
    first, second = (
        apply("plasma_beta", {name: make_table({"v": [value]}, unit=unit) for name, (unit, value) in case.items()})
        for case in (given, other)
    )
    np.testing.assert_allclose(first.columns["out"], second.columns["out"], rtol=1e-14)


def test_samples_that_are_too_far_away_do_not_count(make_table: TableMaker, apply: Apply) -> None:
    """The density comes ten seconds late, then two minutes: by default a minute is allowed."""
    field = make_table({"b": [5.0, 5.0]}, at_s=[0, 600])
    density = make_table({"n": [5.0, 5.0]}, at_s=[10, 720], unit="cm^-3")
    assert np.isnan(apply("alfven_speed", {"field": field, "density": density}).columns["out"]).tolist() == [False, True]
    wide = apply("alfven_speed", {"field": field, "density": density}, tolerance="PT2M")
    assert not np.isnan(wide.columns["out"]).any()


def test_formulas_without_a_finite_value_give_nan(make_table: TableMaker, apply: Apply) -> None:
    """No density, no field, a negative temperature, an infinite speed: NaN, not infinity."""
    field, zero = make_table({"b": [0.0]}), make_table({"n": [0.0]}, unit="cm^-3")
    assert np.isnan(apply("alfven_speed", {"field": field, "density": zero}).columns["out"]).all()
    cold = make_table({"t": [-1.0]}, unit="K")
    assert np.isnan(apply("gyroradius", {"field": make_table({"b": [5.0]}), "temperature": cold}).columns["out"]).all()
    fast = make_table({"v": [np.inf]}, unit="km/s")
    density = make_table({"n": [5.0]}, unit="cm^-3")
    assert np.isnan(apply("dynamic_pressure", {"density": density, "speed": fast}).columns["out"]).all()


def test_the_spiral_angle_follows_distance_and_latitude(make_table: TableMaker, apply: Apply) -> None:
    """tan(psi) grows with the distance and falls with the cosine of the latitude; the oracle is astropy's Carrington rate."""
    speed = make_table({"v": [350.0, 700.0]}, unit="km/s")
    rate = (360 * u.deg / (25.38 * u.day)).to_value(u.rad / u.s)
    for distance, latitude, source in ((1, 0, 0), (5.2, 0, 2.5), (1, 60, 10)):
        options = {"distance_au": distance, "latitude_deg": latitude, "source_radius_rs": source}
        found = apply("parker_spiral_angle", {"speed": speed}, **options).columns["out"]
        reach_km = (distance * u.au - source * 695700 * u.km).to_value(u.km)
        tangent = rate * reach_km * np.cos(np.radians(latitude)) / np.array([350.0, 700.0])
        np.testing.assert_allclose(np.tan(np.radians(found)), tangent, rtol=1e-12)


def test_the_spiral_angle_takes_the_distance_and_latitude_that_are_measured(make_table: TableMaker, apply: Apply) -> None:
    """Record by record as with the options; without a distance there is none, and no default."""
    speed = make_table({"v": [350.0, 350.0, 350.0]}, unit="km/s")
    far = make_table({"r": [0.06, 1.0, np.nan]}, unit="AU")
    north = make_table({"lat": [3.0, 60.0, 0.0]}, unit="deg")
    found = apply("parker_spiral_angle", {"speed": speed, "distance": far, "latitude": north}).columns["out"]
    near = [
        apply("parker_spiral_angle", {"speed": speed}, distance_au=distance, latitude_deg=latitude).columns["out"][0]
        for distance, latitude in ((0.06, 3.0), (1.0, 60.0))
    ]
    np.testing.assert_allclose(found, [*near, np.nan], rtol=1e-12)
    assert found[0] < 5
    with pytest.raises(InputError, match="needs the distance from the Sun"):
        apply("parker_spiral_angle", {"speed": speed})


def test_the_convection_field_is_numpys_cross_product(make_table: TableMaker, apply: Apply) -> None:
    """E = -V x B, in mV/m, frame of both."""
    draw = np.random.default_rng(1).normal(0, 100, (2, 20, 3))
    velocity, field = (
        make_table({axis: rows[:, place] for place, axis in enumerate("xyz")}, kind="vector", unit=unit, frame="GSE")
        for rows, unit in zip(draw, ("km/s", "nT"), strict=True)
    )
    found = apply("convection_electric_field", {"velocity": velocity, "field": field})
    expected = -np.cross(draw[0], draw[1]) * 1e-3
    np.testing.assert_allclose(np.column_stack(list(found.columns.values())), expected, rtol=1e-12, atol=1e-12)
    assert (found.meta.frame, found.meta.unit, found.meta.kind) == ("GSE", "mV/m", "vector")


def test_the_dawn_dusk_field_is_the_y_component_of_the_convection_field(make_table: TableMaker, apply: Apply) -> None:
    """For a flow along -x."""
    velocity = make_table({"vx": [-450.0], "vy": [0.0], "vz": [0.0]}, kind="vector", unit="km/s", frame="GSM")
    field = make_table({"bx": [3.0], "by": [-2.0], "bz": [-8.0]}, kind="vector", frame="GSM")
    speed, bz = make_table({"v": [450.0]}, unit="km/s"), make_table({"b": [-8.0]}, frame="GSM")
    whole = apply("convection_electric_field", {"velocity": velocity, "field": field})
    alone = apply("dawn_dusk_electric_field", {"speed": speed, "bz": bz})
    assert alone.columns["out"] == whole.columns["ey"] == 3.6


def test_epsilon_is_akasofus_in_gaussian_units(make_table: TableMaker, apply: Apply) -> None:
    """Power = V B^2 sin^4(theta / 2) l_0^2 in erg/s with V in cm/s, B in G, l_0 in cm (Akasofu 1981)."""
    field = make_table({"bx": [1.0, -3.0], "by": [4.0, -2.0], "bz": [-3.0, 6.0]}, kind="vector", frame="GSM")
    speed = make_table({"v": [400.0, 600.0]}, unit="km/s")
    found = apply("epsilon", {"speed": speed, "field": field}).columns["out"]
    squared = np.array([26.0, 49.0]) * 1e-10
    theta = np.arccos(np.array([-3 / 5, 6 / np.hypot(2, 6)]))
    erg_per_s = np.array([4e7, 6e7]) * squared * np.sin(theta / 2) ** 4 * (7 * 6.3712e8) ** 2
    np.testing.assert_allclose(found, (erg_per_s * u.erg / u.s).to_value(u.GW), rtol=1e-9)


def test_a_field_in_another_frame_is_refused(make_table: TableMaker, apply: Apply) -> None:
    """The clock angle of epsilon is that in GSM; where the frame is not known it is taken to be right."""
    speed = make_table({"v": [400.0]}, unit="km/s")
    for frame in ("GSE", "RTN"):
        field = make_table({"bx": [1.0], "by": [4.0], "bz": [-3.0]}, kind="vector", frame=frame)
        with pytest.raises(ComputeError, match="GSM") as caught:
            apply("epsilon", {"speed": speed, "field": field})
        assert "transform_frame" in caught.value.hint
    unknown = make_table({"bx": [1.0], "by": [4.0], "bz": [-3.0]}, kind="vector")
    assert np.isfinite(apply("epsilon", {"speed": speed, "field": unknown}).columns["out"]).all()


def test_vectors_of_two_frames_are_refused(make_table: TableMaker, apply: Apply) -> None:
    """V in GSE with B in GSM has no cross product."""
    velocity = make_table({"x": [1.0], "y": [1.0], "z": [1.0]}, kind="vector", unit="km/s", frame="GSE")
    field = make_table({"x": [1.0], "y": [1.0], "z": [1.0]}, kind="vector", frame="GSM")
    with pytest.raises(ComputeError, match="frame"):
        apply("convection_electric_field", {"velocity": velocity, "field": field})


@pytest.mark.parametrize(
    ("operation_id", "options"),
    [
        ("dynamic_pressure", {"helium": -0.1}),
        ("dynamic_pressure", {"helium": 4}),
        ("sonic_mach", {"adiabatic_index": 0.5}),
        ("gyrofrequency", {"species": "muon"}),
        ("gyrofrequency", {"tolerance": "PT1M"}),
        ("parker_spiral_angle", {"distance_au": 0}),
        ("epsilon", {"length_re": 1000}),
    ],
)
def test_options_out_of_range_are_refused(apply: Apply, operation_id: str, options: dict[str, Any]) -> None:
    """Before any data are looked at."""
    with pytest.raises(InputError) as caught:
        apply(operation_id, {}, **options)
    assert caught.value.hint
