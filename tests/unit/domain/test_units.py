"""Unit texts as missions write them."""

from __future__ import annotations

import pytest

from helio_dagster.domain.units import divide_units, is_same_unit, multiply_units, normalize_unit, raise_unit

WRITTEN = {
    "nT (1min)": "nT",
    "Per cc": "cm^-3",
    "nT": "nT",
    "Nanotesla": "nT",
    "km/sec": "km/s",
    "Km/s": "km/s",
    "km s-1": "km/s",
    "#/cc": "cm^-3",
    "n/cc": "cm^-3",
    "N/cm3": "cm^-3",
    "/cm**3": "cm^-3",
    "1/cm3": "cm^-3",
    "cm^-3": "cm^-3",
    "cm-3": "cm^-3",
    "cm⁻³": "cm^-3",
    "cm!E-3!N": "cm^-3",
    "$cm^{-3}$": "cm^-3",
    "particles cm^-3": "cm^-3",
    "s!E-1!Ncm!E-2!Nster!E-1!NkeV!E-1!N": "cm^-2 keV^-1 s^-1 sr^-1",
    "1/(cm^2-s-sr-keV)": "cm^-2 keV^-1 s^-1 sr^-1",
    "1/(cm**2 s sr keV)": "cm^-2 keV^-1 s^-1 sr^-1",
    "(cm^2 s sr keV)^-1": "cm^-2 keV^-1 s^-1 sr^-1",
    "#/cm^2 s^-1": "cm^-2 s^-1",
    "eV/(cm^2-s-sr-eV)": "eV cm^-2 eV^-1 s^-1 sr^-1",
    "J.cm^-3": "J cm^-3",
    "(V/m)^2/Hz": "V^2 Hz^-1 m^-2",
    "Deg K": "K",
    "Kelvin": "K",
    "Deg": "deg",
    "Pascals": "Pa",
    "N/m^2": "Pa",
    "Earth radii": "R_E",
    "Re": "R_E",
    "MeV/nucleon": "MeV/nuc",
    "Samples/s": "samples/s",
    "hours": "h",
    " ": "",
    "None": "",
    "unitless": "",
    "nT GSE (All Qs)": "nT",
    "nT (GSE)": "nT",
    "(Good Qs) km/s": "km/s",
    "(All Qs) cm^{-3}": "cm^-3",
    "None (All Qs)": "",
    "eV/(cm^2-s-sr-eV) (All Qs)": "eV cm^-2 eV^-1 s^-1 sr^-1",
    "[fraction]": "",
    "amps": "A",
    "#/cc (w/o error bars)": "cm^-3",
    "km/s (w/o error bars)": "km/s",
    "km/s (with error bars)": "km/s",
    "K (with uncertainties)": "K",
    "n/cc (from fits)": "cm^-3",
    "km/sec (from moments)": "km/s",
    "1/cc (qual only if scan=2=SW)": "cm^-3",
    "nT (>200)": "nT",
    "nT GSM (All Q's)": "nT",
    "counts (good Q": "counts",
    "#/cm^3": "cm^-3",
    "cc^-1": "cm^-3",
    "/cc": "cm^-3",
    "N/cc": "cm^-3",
    "no/cc": "cm^-3",
    "Degrees K": "K",
    "deg_K": "K",
    "km_s": "km/s",
    "mV/M": "mV/m",
    "mv/m": "mV/m",
    "Gauss": "G",
    "Au": "AU",
    "degrees North": "deg",
    "1/(SQcm-ster-s)": "cm^-2 s^-1 sr^-1",
    "1/(cm2 Sr sec MeV/nucleon)": "nuc cm^-2 MeV^-1 s^-1 sr^-1",
    "photons cm^-2 s^-1": "cm^-2 s^-1",
    "0.1nT": "0.1 nT",
    "0.01 mV/m": "0.01 mV/m",
    "1E16 m-2": "1e+16 m^-2",
}


@pytest.mark.parametrize(("written", "printed"), WRITTEN.items())
def test_unit_texts_of_missions_have_one_printed_form(written: str, printed: str) -> None:
    """What means the same is printed the same."""
    assert normalize_unit(written) == printed


@pytest.mark.parametrize(
    "text",
    [
        "DD-MMM-YYYY_hr:mm",
        "(0=good)",
        "nT (Model)",
        "SM",
        "Good data",
        "10^-6 /cm^3",
        "log10(1/cm3)",
        "1/c",
        "0 means no issues",
        "1.0",
    ],
)
def test_text_that_is_no_unit_is_kept(text: str) -> None:
    """Nothing is guessed: the archive's words stay."""
    assert normalize_unit(text) == text


@pytest.mark.parametrize("printed", sorted(set(WRITTEN.values())))
def test_the_printed_form_is_its_own_printed_form(printed: str) -> None:
    """Normalizing twice changes nothing."""
    assert normalize_unit(printed) == printed


def test_a_quotient_of_equal_units_is_a_pure_number() -> None:
    """A ratio of fields has no unit, however they are written."""
    assert divide_units("nT", "nanotesla") == ""


def test_units_multiply_and_cancel() -> None:
    """Velocity times time is length; exponents add."""
    assert multiply_units("km/s", "s") == "km"
    assert raise_unit("nT", 2) == "nT^2"
    assert divide_units("", "s") == "s^-1"
    assert divide_units("nT^2", "Hz") == "nT^2 Hz^-1"


def test_equal_units_are_told_from_others() -> None:
    """Spelling does not count, prefixes do."""
    assert is_same_unit("#/cc", "cm^-3")
    assert not is_same_unit("km", "m")
    assert not is_same_unit("nT", "")
