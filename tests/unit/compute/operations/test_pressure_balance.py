"""Pressures of a plasma and their balance against plasmapy and against structures that are in balance by construction."""

from __future__ import annotations

from types import ModuleType

import astropy.units as u
import numpy as np
import pytest
from scipy import constants

from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply


def plasma(make_table: TableMaker, field: object, density: object, temperature: object, **more: object) -> dict[str, Table]:
    """Tables in nT, cm^-3, K and km/s."""
    made = {
        "field": make_table({"b": field}, unit="nT"),
        "density": make_table({"n": density}, unit="cm^-3"),
        "temperature": make_table({"t": temperature}, unit="K"),
    }
    for name, unit in (("electron_temperature", "K"), ("speed", "km/s")):
        if name in more:
            made[name] = make_table({"v": more[name]}, unit=unit)
    return made


@pytest.mark.slow
def test_parts_are_those_of_plasmapy(make_table: TableMaker, apply: Apply, formulary: ModuleType) -> None:
    """Magnetic pressure and thermal pressures of protons and electrons."""
    draw = np.random.default_rng(3)
    field, density = draw.uniform(1, 60, 40), draw.uniform(0.1, 50, 40)
    protons, electrons = draw.uniform(1e4, 1e7, 40), draw.uniform(1e4, 1e6, 40)
    inputs = plasma(make_table, field, density, protons, electron_temperature=electrons)
    magnetic = formulary.magnetic_pressure(field * u.nT).to_value(u.nPa)
    thermal = sum(formulary.thermal_pressure(each * u.K, density * u.cm**-3).to_value(u.nPa) for each in (protons, electrons))
    for result, expected in (("magnetic", magnetic), ("thermal", thermal), ("total", magnetic + thermal)):
        np.testing.assert_allclose(apply("total_pressure", inputs, result=result).columns["out"], expected, rtol=1e-8)


def test_a_harris_sheet_is_in_balance(make_table: TableMaker, apply: Apply) -> None:
    """B = B_0 tanh z, n = n_0 / cosh^2 z: the total is constant, so its variance is nothing beside that of its parts."""
    z = np.linspace(-3, 3, 61)
    lobe_npa = (20e-9) ** 2 / (2 * constants.mu_0) * 1e9
    kelvin = lobe_npa * 1e-9 / (0.5e6 * constants.k)
    inputs = plasma(make_table, 20 * np.abs(np.tanh(z)), 0.5 / np.cosh(z) ** 2, np.full(61, kelvin))
    np.testing.assert_allclose(apply("total_pressure", inputs).columns["out"], lobe_npa, rtol=1e-9)
    found = {name: values[0] for name, values in apply("pressure_balance", inputs).columns.items()}
    assert found["total_mean"] == pytest.approx(lobe_npa, rel=1e-9)
    assert abs(found["imbalance"]) < 1e-15
    assert found["correlation"] == pytest.approx(-1, abs=1e-12)
    assert found["variation"] < 1e-9
    assert found["samples"] == 61
    assert np.isnan(found["dynamic_mean"])  # no speed is given


def test_parts_that_vary_on_their_own_are_not(make_table: TableMaker, apply: Apply) -> None:
    """An imbalance near 1, of parts that vary together near 2."""
    draw = np.random.default_rng(1)
    field, density = draw.uniform(5, 10, 4000), draw.uniform(5, 10, 4000)
    apart = apply("pressure_balance", plasma(make_table, field, density, np.full(4000, 1e5)))
    assert apart.columns["imbalance"][0] == pytest.approx(1, abs=0.1)
    assert abs(apart.columns["correlation"][0]) < 0.05
    kelvin = (1e-9) ** 2 / (2 * constants.mu_0) / (1e6 * constants.k)
    together = apply("pressure_balance", plasma(make_table, field, field**2, np.full(4000, kelvin)))
    assert together.columns["imbalance"][0] == pytest.approx(2, rel=1e-6)


def test_a_shock_is_in_balance_with_its_flow_alone(make_table: TableMaker, apply: Apply) -> None:
    """Momentum along the normal: the sum is constant across a hydrodynamic shock of Mach 3 only with m n V^2."""
    ratio, rise = 3.0, 11.0
    density = np.repeat([5.0, 5.0 * ratio], 10)
    speed = np.repeat([300.0, 300.0 / ratio], 10)
    sound = 300.0 / 3
    kelvin = (sound * 1e3) ** 2 * constants.m_p / (5 / 3 * constants.k)
    temperature = np.repeat([kelvin, kelvin * rise / ratio], 10)
    inputs = plasma(make_table, np.zeros(20), density, temperature, speed=speed)
    total = apply("total_pressure", inputs).columns["out"]
    assert total[-1] == pytest.approx(total[0], rel=1e-6)
    without = apply("total_pressure", {name: inputs[name] for name in ("field", "density", "temperature")}).columns["out"]
    assert without[-1] / without[0] == pytest.approx(11, rel=1e-9)


def test_too_few_samples_give_their_number_alone(make_table: TableMaker, apply: Apply) -> None:
    """A sample counts where all parts are valid; negative densities and temperatures are not."""
    inputs = plasma(make_table, [1.0, 2.0, 3.0, np.nan], [1.0, -1.0, 1.0, 1.0], [1e5, 1e5, -1.0, 1e5])
    total = apply("total_pressure", inputs).columns["out"]
    assert np.isfinite(total).tolist() == [True, False, False, False]
    found = apply("pressure_balance", inputs, min_samples=3).columns
    assert found["samples"][0] == 1
    assert np.isnan(found["total_mean"][0])
