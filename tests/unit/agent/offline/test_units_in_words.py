"""Units of choice, in new requests and for what is on the table."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.compute.operation import get_operation
from helio_dagster.compute.operations.pairing import Formula
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned, refine

SPEED = "ACE speed and density on 2003-10-29"


@pytest.mark.parametrize(
    ("request_text", "last"),
    [
        ("density of ACE in m^-3 for 2004-11-07", "density_per_m3=convert_unit(density,m^-3)"),
        ("density of ACE in per cubic meter for 2004-11-07", "density_per_m3=convert_unit(density,m^-3)"),
        ("ACE density [1/m3] 2004-11-07", "density_per_m3=convert_unit(density,m^-3)"),
        ("ACE speed in metres per second on 2004-11-07", "speed_m_s=convert_unit(speed,m/s)"),
        ("OMNI flow pressure in Pa, 2015-03-17", "pressure_pa=convert_unit(pressure,Pa)"),
        ("ACE |B| in units of gauss on 2004-11-07", "b_mag_g=convert_unit(b_mag,G)"),
        ("ACE temperature in eV on 2004-11-07", "temperature_ev=convert_unit(temperature,eV)"),
        ("Alfven speed of ACE in m/s on 2003-10-29", "alfven_speed_m_s=convert_unit(alfven_speed,m/s)"),
        ("ACE speed in m/s, hourly means, 2004-11-07", "speed_m_s_1hour=resample(speed_m_s,PT1H,mean)"),
        ("ACE speed in km/s on 2004-11-07", "speed=AC_H0_SWE/Vp"),
    ],
)
def test_a_unit_is_converted_to(request_text: str, last: str) -> None:
    """Before averages; where it is the unit already, nothing is done."""
    assert chain(planned(request_text))[-1] == last


def test_a_unit_is_that_of_what_has_such_a_unit() -> None:
    """Of two quantities each takes its own."""
    steps = chain(planned("ACE speed in m/s and density in m^-3 on 2003-10-29"))
    assert steps[1::2] == ["speed_m_s=convert_unit(speed,m/s)", "density_per_m3=convert_unit(density,m^-3)"]


def test_a_temperature_as_an_energy_is_said_to_be_one() -> None:
    """The relation stands in the assumptions."""
    pipeline = planned("ACE temperature in eV on 2004-11-07")
    assert "K and eV meet by Boltzmann's constant, E = k_B T." in pipeline.assumptions


def test_a_unit_of_something_else_is_asked_about() -> None:
    """Nothing is left out silently."""
    answer = ask("ACE speed in nT, 2003-10-29")
    assert isinstance(answer, Asked)
    assert "the speed in km/s" in answer.question.text
    assert answer.question.choices == ["ACE speed, 2003-10-29"]


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("in m/s please", "speed_m_s=convert_unit(speed,m/s)"),
        ("the density in m^-3", "density_per_m3=convert_unit(density,m^-3)"),
        ("show it in metres per second", "speed_m_s=convert_unit(speed,m/s)"),
    ],
)
def test_what_is_drawn_takes_another_unit(said: str, added: str) -> None:
    """Only what has such a unit."""
    assert chain(edited(SPEED, said))[-1] == added


def test_a_unit_that_was_asked_for_can_be_changed_again() -> None:
    """The step that converts takes the new one, and none is added."""
    assert chain(edited("ACE speed in m/s on 2003-10-29", "in cm/s"))[-1] == "speed_m_s=convert_unit(speed,cm/s)"


@pytest.mark.parametrize(("said", "words"), [("in nT", "speed in km/s"), ("in km/s", "in km/s already")])
def test_a_unit_that_changes_nothing_is_asked_about(said: str, words: str) -> None:
    """It is another quantity's, or there already."""
    answer = refine(SPEED, said)
    assert isinstance(answer, Asked)
    assert words in answer.question.text


@pytest.mark.parametrize("operation_id", sorted(DERIVED_UNITS))
def test_the_units_of_derived_quantities_are_those_of_the_operations(operation_id: str) -> None:
    """They are written down beside the words, so that the operations need not be opened."""
    operation = get_operation(operation_id)
    if isinstance(operation, Formula):
        assert operation.unit == DERIVED_UNITS[operation_id]
        return
    example = operation.examples[0]
    assert example.unit == DERIVED_UNITS[operation_id]


def test_distances_are_given_in_radii_of_the_sun() -> None:
    """By the nominal radius of the IAU, which is said; back in the unit as fetched, nothing of it is left."""
    request = "Heliocentric distance of Solar Orbiter in 2021"
    made = edited(request, "show the distance in solar radii")
    assert panels(made) == ["distance_r_s"]
    options = made.step("distance_r_s").compute.options
    assert options["unit"] == "R_S"
    assert float(str(options["factor"])) == pytest.approx(149_597_870.7 / 695_700, rel=1e-12)
    assert any("695700 km" in each and "IAU" in each for each in made.assumptions)
    assert panels(planned(f"{request} in R_sun")) == ["distance_r_s"]
    back = edited(f"{request} in R_sun", "in AU")
    assert panels(back) == ["distance"]
    assert not any("R_S" in each for each in back.assumptions)


@pytest.mark.parametrize(
    ("words", "unit", "km"),
    [("in Jupiter radii", "R_J", 71_492.0), ("in Saturn radii", "R_Sat", 60_268.0), ("in Martian radii", "R_Mars", 3_396.19)],
)
def test_a_distance_is_given_in_radii_of_a_planet(words: str, unit: str, km: float) -> None:
    """By the radius at the equator, and the plan says which."""
    pipeline = edited("Voyager 1 distance from the Sun, 1979", words)
    options = [step.compute.options for step in pipeline.steps if step.compute]
    assert [each["unit"] for each in options] == [unit]
    assert options[0]["factor"] == pytest.approx(149_597_870.7 / km)
    assert any(unit in each and "equator" in each for each in pipeline.assumptions)
