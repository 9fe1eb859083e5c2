"""Factors between units: the oracle is astropy where it knows the unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import astropy.units as u
import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.unit_conversion import conversion_factor, convert_values, integral_unit

PAIRS = (
    *(("m/s", "km/s"), ("cm/s", "km/s"), ("T", "nT"), ("pT", "nT"), ("G", "nT"), ("m^-3", "cm^-3"), ("km^-3", "cm^-3")),
    *(("keV", "eV"), ("MeV", "J"), ("erg", "eV"), ("Pa", "nPa"), ("bar", "Pa"), ("V/m", "mV/m"), ("GW", "W"), ("min", "s")),
    *(
        ("d", "h"),
        ("AU", "km"),
        ("deg", "rad"),
        ("mHz", "Hz"),
        ("s^-1", "Hz"),
        ("eV cm^-2 s^-1 sr^-1 eV^-1", "m^-2 s^-1 sr^-1"),
    ),
)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_factors_are_those_of_astropy(source: Any, target: Any) -> None:
    """Prefixes, powers, products."""
    spelled = {"R_E": "R_earth", "min": "min"}
    left, right = (u.Unit(spelled.get(unit, unit.replace("^", "**").replace(" ", " * "))) for unit in (source, target))
    assert float(conversion_factor(source, target)) == pytest.approx(left.to(right), rel=1e-14)


def test_temperature_and_energy_convert_both_ways() -> None:
    """T = E / k_B; the oracle is astropy's equivalency."""
    assert float(conversion_factor("eV", "K")) == pytest.approx((1 * u.eV).to_value(u.K, u.temperature_energy()), rel=1e-14)
    assert float(conversion_factor("MK", "keV")) == pytest.approx((1 * u.MK).to_value(u.keV, u.temperature_energy()), rel=1e-14)
    assert conversion_factor("eV", "K") * conversion_factor("K", "eV") == 1


def test_the_same_unit_leaves_the_values() -> None:
    """However it is spelled."""
    values = np.array([1.1, np.nan])
    assert conversion_factor("#/cc", "cm^-3") == 1
    assert convert_values(values, Fraction(1)) is values


def test_a_division_by_a_whole_number_is_rounded_once() -> None:
    """0.3 m/s are what 0.3 / 1000 is, not 0.3 times a rounded thousandth."""
    values = np.array([0.3, 1234.567, 1e-300])
    assert convert_values(values, conversion_factor("m/s", "km/s")).tolist() == (values / 1000).tolist()
    assert convert_values(values, conversion_factor("T", "nT")).tolist() == (values * 1e9).tolist()


@pytest.mark.parametrize(
    ("source", "target"),
    [("nT", "km/s"), ("", "nT"), ("R_E", "km"), ("counts", "nT"), ("degC", "K"), ("good data", "K"), ("nT", "")],
)
def test_what_does_not_convert_is_refused(source: str, target: str) -> None:
    """With what to do."""
    with pytest.raises(ComputeError) as caught:
        conversion_factor(source, target)
    assert "scale" in caught.value.hint


@pytest.mark.parametrize(
    ("unit", "over", "integral", "factor"),
    [
        ("cm^-2 s^-1 sr^-1 keV^-1", "eV", "cm^-2 s^-1 sr^-1", Fraction(1, 1000)),
        ("cm^-2 s^-1 sr^-1 keV^-1", "h", "cm^-2 keV^-1 sr^-1", Fraction(3600)),
        ("cm^-2 s^-1 eV^-1", "eV", "cm^-2 s^-1", Fraction(1)),
        ("km/s", "h", "km", Fraction(3600)),
        ("nT", "h", "h nT", Fraction(1)),
        ("W/m^2", "h", "h W m^-2", Fraction(1)),
        ("keV^-1 eV^-1", "eV", "keV^-1", Fraction(1)),
        ("counts", "", "counts", Fraction(1)),
    ],
)
def test_an_integral_cancels_what_the_values_are_per(unit: str, over: str, integral: str, factor: Fraction) -> None:
    """By the first unit of the same sort below the line; where there is none, the product stays as it is."""
    assert integral_unit(unit, over) == (integral, factor)
