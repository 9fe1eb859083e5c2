"""SI forms of units, held against astropy."""

from __future__ import annotations

import pytest
from astropy import units

from helio_dagster.domain.unit_conversion import si_form


@pytest.mark.parametrize(
    "unit",
    [
        "nT",
        "cm^-3",
        "km/s",
        "mV/m",
        "nPa",
        "eV",
        "deg",
        "h",
        "nT^2 Hz^-1",
        "cm^-2 keV^-1 s^-1 sr^-1",
        "AU",
        "K",
        "kg",
        "%",
        "G",
    ],
)
def test_the_factor_is_that_of_astropy(unit: str) -> None:
    """A value in the unit times the factor is one in the SI unit."""
    found = si_form(unit)
    assert found is not None
    factor, target = found
    source = units.Unit("Gauss" if unit == "G" else unit)
    assert source.to(units.Unit(target)) == pytest.approx(factor, rel=1e-12)
    assert units.Unit(target) == units.Unit(target).si


@pytest.mark.parametrize("unit", ["R_E", "counts", "0=good, 1=bad"])
def test_what_is_not_known_has_none(unit: str) -> None:
    """A symbol of its own has no factor."""
    assert si_form(unit) is None


def test_a_pure_number_stays_one() -> None:
    """Its unit is the empty text."""
    assert si_form("") == (1.0, "")
