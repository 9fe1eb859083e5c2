"""Moments and units of distributions, against a drifting Maxwellian on the grid of MMS FPI and against astropy and plasmapy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from astropy import units as u
from scipy import constants

from helio_dagster.compute.operation import get_operation
from helio_dagster.compute.phase_space import PARTICLES
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

Maxwellian = Callable[..., Table]

WIDE = TimeRange(EARLIEST, LATEST)
PHI, THETA = 11.25 * (np.arange(32) + 0.5), 11.25 * (np.arange(16) + 0.5)
ENERGY = np.geomspace(10, 30_000, 32)
AXES = (
    RecordAxis(name="phi", label="azimuth", unit="deg", size=32, values=tuple(PHI)),
    RecordAxis(name="theta", label="polar angle", unit="deg", size=16, values=tuple(THETA)),
    RecordAxis(name="energy", unit="eV", scale="log", size=32, values=tuple(ENERGY)),
)
TIME = np.datetime64("2024-01-01", "ns")


def table_of(f: np.ndarray, unit: str = "s^3 m^-6", axes: tuple[RecordAxis, ...] = AXES) -> Table:
    """A distribution, shape (record, *axes), one a second."""
    meta = TableMeta(kind="nd", columns=(ColumnMeta(name="f", unit=unit),), unit=unit, axes=axes, frame="DBCS")
    return Table(TIME + np.arange(len(f)) * np.timedelta64(1, "s"), {"f": f}, meta)


@pytest.fixture(scope="module")
def maxwellian(formulary: ModuleType) -> Maxwellian:
    """What an ideal instrument measures of a drifting Maxwellian (plasmapy's), at a spacecraft of some potential."""

    def made(n_cm3: float, v_km_s: tuple[float, float, float], t_ev: float, particle: str, potential_v: float = 0.0) -> Table:
        kind = PARTICLES[particle]  # type: ignore[index]
        far = np.maximum(ENERGY + kind.charge * potential_v, 0.0)
        speed = np.sqrt(2 * far * constants.e / kind.mass_kg)
        phi, theta = np.radians(PHI)[:, None, None], np.radians(THETA)[None, :, None]
        look = np.cos(phi) * np.sin(theta), np.sin(phi) * np.sin(theta), np.cos(theta) + 0 * phi
        x, y, z = (-speed * each * u.m / u.s for each in look)
        drift = [each * u.km / u.s for each in v_km_s]
        mass = "p+" if particle == "proton" else "e-"
        f = formulary.Maxwellian_velocity_3D(
            x, y, z, T=t_ev * u.eV, particle=mass, vx_drift=drift[0], vy_drift=drift[1], vz_drift=drift[2]
        )
        density = (n_cm3 * u.cm**-3 * f).to_value("s3 / m6")
        return table_of(np.where(far > 0, density, 0.0)[None])

    return made


def moment(name: str, table: Table, potential: Table | None = None, **options: Any) -> np.ndarray:
    """The components of a moment of a table's only record."""
    operation = get_operation("moments")
    given = {"distribution": table} | ({"potential": potential} if potential else {})
    read = operation.read_options({"moment": name, "directions": "look", "species": "proton", **options})
    found = operation.apply(given, read, WIDE, "result")
    return np.array([values[0] for values in found.columns.values()])


@pytest.mark.parametrize(
    ("n", "v", "t", "particle"),
    [
        (5.0, (0.0, 0.0, 0.0), 1000.0, "proton"),
        (5.0, (-200.0, 50.0, 30.0), 500.0, "proton"),
        (1.0, (100.0, -30.0, 40.0), 3000.0, "proton"),
        (10.0, (-300.0, 100.0, 0.0), 200.0, "electron"),
    ],
)
def test_a_drifting_maxwellian_on_the_grid_of_fpi(
    maxwellian: Maxwellian, n: float, v: tuple[float, float, float], t: float, particle: str
) -> None:
    """Density within 0.5 %, velocity within 1 % or 0.5 km/s, temperature and pressure within 1 %, no heat flux."""
    table = maxwellian(n, v, t, particle)
    options: dict[str, Any] = {"species": particle}
    pressure_npa = n * 1e6 * t * constants.e * 1e9
    thermal_m_s = np.sqrt(t * constants.e / PARTICLES[particle].mass_kg)  # type: ignore[index]
    np.testing.assert_allclose(moment("density", table, **options), [n], rtol=5e-3)
    np.testing.assert_allclose(moment("velocity", table, **options), v, rtol=1e-2, atol=0.5)
    np.testing.assert_allclose(moment("temperature", table, **options), [t], rtol=1e-2)
    tensor = moment("pressure", table, **options)
    np.testing.assert_allclose(tensor, [pressure_npa] * 3 + [0.0] * 3, atol=1e-2 * pressure_npa)
    flux_mw = moment("heat flux", table, **options)
    assert np.abs(flux_mw).max() < 5e-3 * pressure_npa * 1e-9 * thermal_m_s * 1e3


def test_a_cold_beam_is_poorly_resolved_but_whole(maxwellian: Maxwellian) -> None:
    """Solar wind of 20 eV at 400 km/s fills few bins: density within 1 %, temperature within 3 %."""
    table = maxwellian(10.0, (-400.0, 20.0, 10.0), 20.0, "proton")
    np.testing.assert_allclose(moment("density", table), [10.0], rtol=1e-2)
    np.testing.assert_allclose(moment("velocity", table), (-400.0, 20.0, 10.0), atol=1.5)
    np.testing.assert_allclose(moment("temperature", table), [20.0], rtol=3e-2)


def test_two_beams_have_the_heat_flux_of_two_beams(maxwellian: Maxwellian) -> None:
    """Q of unequal beams along z, against the sum over beams of their own moments."""
    beams = [(4.0, 300.0, 400.0), (1.0, -600.0, 400.0)]
    parts = [maxwellian(n, (0.0, 0.0, v), t, "proton") for n, v, t in beams]
    table = table_of(np.sum([part.columns["f"] for part in parts], axis=0))
    mass = PARTICLES["proton"].mass_kg
    total = sum(n for n, _, _ in beams)
    bulk = sum(n * v for n, v, _ in beams) / total
    expected = 0.0
    for n, v, t in beams:  # of a drifting Maxwellian: m/2 n w (w^2 + 5 T/m)
        relative = (v - bulk) * 1e3
        expected += mass / 2 * n * 1e6 * relative * (relative**2 + 5 * t * constants.e / mass)
    found = moment("heat flux", table)
    np.testing.assert_allclose(found[2], expected * 1e3, rtol=3e-2)
    assert np.abs(found[:2]).max() < 1e-3 * abs(found[2])


def test_the_potential_is_taken_off(maxwellian: Maxwellian) -> None:
    """Electrons at a spacecraft of +8 V: right with the potential, 20 % off without; a bin that it halves counts half."""
    table = maxwellian(5.0, (0.0, 0.0, 0.0), 60.0, "electron", potential_v=8.0)
    potential = Table(
        table.time, {"p": np.array([8.0])}, TableMeta(kind="series", columns=(ColumnMeta(name="p", unit="V"),), unit="V")
    )
    with_it = moment("density", table, potential, species="electron", tolerance="PT1S")
    np.testing.assert_allclose(with_it, [5.0], rtol=2e-2)
    assert abs(moment("density", table, species="electron")[0] / 5.0 - 1) > 0.1
    far = Table(table.time + np.timedelta64(1, "h"), potential.columns, potential.meta)
    assert np.isnan(moment("density", table, far, species="electron", tolerance="PT1S")).all()


def test_low_energies_left_out_and_missing_bins(maxwellian: Maxwellian) -> None:
    """A photoelectron cut leaves less; one fill makes it NaN, unless it counts as empty; fills alone stay NaN."""
    table = maxwellian(5.0, (0.0, 0.0, 0.0), 300.0, "electron")
    cuts: tuple[dict[str, Any], ...] = ({}, {"energies": (100.0, 30_000.0)})
    whole, cut = (moment("density", table, species="electron", **each)[0] for each in cuts)
    assert 0.7 < cut / whole < 0.95
    values = table.columns["f"].copy()
    values[0, 3, 4, 20] = np.nan
    holed = table_of(values)
    assert np.isnan(moment("density", holed, species="electron")).all()
    np.testing.assert_allclose(moment("density", holed, species="electron", skip_missing=True), [whole], rtol=1e-2)
    none = table_of(np.full_like(values, np.nan))
    assert np.isnan(moment("density", none, species="electron", skip_missing=True)).all()


def test_pitch_angles_give_moments_along_the_field() -> None:
    """A bi-Maxwellian over pitch angle and energy: density, and pressures across and along the field, which is z."""
    n_m3, across_ev, along_ev = 2e6, 400.0, 900.0
    mass = PARTICLES["proton"].mass_kg
    pitch = np.arange(5.0, 180.0, 10.0)
    speed, angle = np.sqrt(2 * ENERGY * constants.e / mass), np.radians(pitch)[:, None]
    across, along = (mass / (2 * each * constants.e) for each in (across_ev, along_ev))
    exponent = -(speed**2) * (across * np.sin(angle) ** 2 + along * np.cos(angle) ** 2)
    f = n_m3 / np.pi**1.5 * across * np.sqrt(along) * np.exp(exponent)
    axes = (RecordAxis(name="PA", label="pitch angle", unit="deg", size=18, values=tuple(pitch)), AXES[2])
    table = table_of(f[None], axes=axes)
    np.testing.assert_allclose(moment("density", table), [2.0], rtol=5e-3)
    expected = n_m3 * constants.e * 1e9 * np.array([across_ev, across_ev, along_ev, 0, 0, 0])
    np.testing.assert_allclose(moment("pressure", table), expected, rtol=1.5e-2, atol=0)
    np.testing.assert_allclose(moment("velocity", table), [0, 0, 0], atol=0.1)
    np.testing.assert_allclose(moment("temperature", table), [(2 * across_ev + along_ev) / 3], rtol=1e-2)


def converted(table: Table, to: str, species: str = "proton", **options: Any) -> Table:
    """A distribution as another quantity."""
    operation = get_operation("convert_distribution")
    read = operation.read_options({"to": to, "species": species, **options})
    return operation.apply({"distribution": table}, read, WIDE, "result")


COUNTING: dict[str, Any] = {"geometric_factor": 1e-3, "accumulation_s": 0.03}


@pytest.mark.parametrize("species", ["electron", "O+"])
@pytest.mark.parametrize("to", ["flux", "energy flux", "counts"])
def test_there_and_back_again(species: str, to: str) -> None:
    """Round trips change no more than the last digits, also by way of every other quantity."""
    f = np.random.default_rng(1).lognormal(-30, 5, (2, 32, 16, 32))
    f[0, 0, 0, 0] = np.nan
    table = table_of(f, "s^3 cm^-6")
    there = converted(table, to, species, **COUNTING)
    for way in ("phase space density", "energy flux", "counts", "flux"):
        by_way = converted(there, way, species, **COUNTING)
        back = converted(by_way, "phase space density", species, **COUNTING)
        np.testing.assert_allclose(back.columns["f"], f, rtol=5e-15)
        assert (back.meta.unit, back.meta.axes) == (table.meta.unit, AXES)


def test_fluxes_are_those_of_astropy() -> None:
    """J = 2 E f / m^2 with units carried by astropy, for each energy."""
    f = 3e-26 * u.s**3 / u.cm**6
    table = table_of(np.full((1, 32, 16, 32), f.to_value("s3 / cm6")), "s^3 cm^-6")
    energy = ENERGY * u.eV
    mass = PARTICLES["electron"].mass_kg * u.kg
    flux = (2 * energy * f / mass**2).to("1 / (cm2 s keV)").value  # sr is a pure number there
    np.testing.assert_allclose(converted(table, "flux", "electron").columns["f"][0, 4, 5], flux, rtol=1e-13)
    energy_flux = (2 * energy**2 * f / mass**2).to("eV / (cm2 s eV)").value
    np.testing.assert_allclose(converted(table, "energy flux", "electron").columns["f"][0, 4, 5], energy_flux, rtol=1e-13)
    in_other = converted(table, "phase space density", "electron", unit="s^3/km^6")
    np.testing.assert_allclose(in_other.columns["f"][0, 4, 5], f.to_value("s3 / km6"), rtol=1e-13)


def test_moments_of_a_flux_are_those_of_the_density(maxwellian: Maxwellian) -> None:
    """The same numbers whether the archive gives phase-space density, flux, energy flux or counts."""
    table = maxwellian(5.0, (-200.0, 50.0, 30.0), 500.0, "proton")
    expected = moment("pressure", table)
    for to in ("flux", "energy flux", "counts"):
        found = moment("pressure", converted(table, to, **COUNTING), **COUNTING)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * expected.max())


def test_a_unit_that_the_archive_gets_wrong_is_stated() -> None:
    """A unit in words, as masters have it, is refused until the right one is stated."""
    table = table_of(np.full((1, 32, 16, 32), 2e-26), "phase-space density")
    with pytest.raises(ComputeError, match="neither of a phase-space density") as caught:
        converted(table, "flux")
    assert "given_unit" in caught.value.hint
    right = table_of(table.columns["f"], "s^3 cm^-6")
    found = converted(table, "flux", given_unit="s^3/cm^6")
    np.testing.assert_array_equal(found.columns["f"], converted(right, "flux").columns["f"])
    np.testing.assert_array_equal(moment("density", table, given_unit="s^3/cm^6"), moment("density", right))


def test_a_spectrogram_over_energies() -> None:
    """Column by column, each by its own energy."""
    meta = TableMeta(
        kind="spectrogram",
        columns=(ColumnMeta(name="a", unit="cm^-2 keV^-1 s^-1 sr^-1"), ColumnMeta(name="b", unit="cm^-2 keV^-1 s^-1 sr^-1")),
        unit="cm^-2 keV^-1 s^-1 sr^-1",
        bins=BinAxis(unit="keV", centers=(2.0, 5.0)),
    )
    table = Table(np.array([TIME]), {"a": np.array([3.0]), "b": np.array([np.nan])}, meta)
    found = converted(table, "energy flux")
    assert found.meta.unit == "eV cm^-2 eV^-1 s^-1 sr^-1"
    np.testing.assert_allclose(found.columns["a"], [6.0])
    assert np.isnan(found.columns["b"]).all()


@pytest.mark.parametrize(
    ("unit", "options", "said"),
    [
        ("counts", {"to": "flux"}, "geometric factor and accumulation time"),
        ("counts/s", {"to": "flux"}, "count rates"),
        ("nT", {"to": "flux"}, "neither of a phase-space density nor of a flux"),
        ("s^3 cm^-6", {"to": "counts"}, "geometric factor and accumulation time"),
    ],
)
def test_what_cannot_be_converted_says_why(unit: str, options: dict[str, Any], said: str) -> None:
    """Counts need the instrument's numbers; other units are refused."""
    with pytest.raises(ComputeError, match=said):
        converted(table_of(np.ones((1, 32, 16, 32)), unit), **options)


def test_wrong_options_and_axes() -> None:
    """A unit of something else, relativistic electrons, no directions for a velocity, no sky, an axis too many."""
    table = table_of(np.ones((1, 32, 16, 32)))
    with pytest.raises(InputError, match="not a unit of flux"):
        converted(table, "flux", unit="s^3 m^-6")
    fast = AXES[2].model_copy(update={"unit": "keV"})
    with pytest.raises(ComputeError, match="relativistic"):
        converted(table_of(np.ones((1, 32, 16, 32)), axes=(*AXES[:2], fast)), "flux", "electron")
    with pytest.raises(InputError, match="needs the option directions"):
        get_operation("moments").read_options({"moment": "velocity", "species": "proton"})
    with pytest.raises(ComputeError, match="neither pitch angles nor an azimuth"):
        moment("density", table_of(np.ones((1, 32)), axes=AXES[2:]))
    mass = RecordAxis(name="m", label="mass channel", size=2, values=(1.0, 2.0))
    with pytest.raises(ComputeError, match="there is also mass channel"):
        moment("density", table_of(np.ones((1, 32, 16, 32, 2)), axes=(*AXES, mass)))
