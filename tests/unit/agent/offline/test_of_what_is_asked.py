"""What belongs together in a request stays together: a component and its vector, particles and their moments, a dataset."""

from __future__ import annotations

import re

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, panels, planned


@pytest.mark.parametrize(
    ("request_text", "dataset", "axis"),
    [
        ("V_R component of the Solar Orbiter proton velocity on 2021-11-03", "SOLO_L2_SWA-PAS-GRND-MOM/V_RTN", "r"),
        ("Bz component of the ACE magnetic field in GSE on 2012-03-08", "AC_H0_MFI/BGSEc", "z"),
        (
            "radial component of the PSP magnetic field on 2018-11-06",
            "PSP_FLD_L2_MAG_RTN_1MIN/psp_fld_l2_mag_RTN_1min",
            "r",
        ),
    ],
)
def test_a_component_of_a_vector_is_drawn_alone(request_text: str, dataset: str, axis: str) -> None:
    """The vector that a component is said to be of is not drawn as well."""
    pipeline = planned(request_text)
    first, second = chain(pipeline)
    assert first.endswith(f"={dataset}")
    assert second.endswith(f",{axis})")
    assert panels(pipeline) == [second.partition("=")[0]]


def test_a_component_listed_with_its_vector_is_drawn_beside_it() -> None:
    """`and` asks for both."""
    assert panels(planned("Bz and the magnetic field of ACE in GSE on 2012-03-08")) == ["b_z", "b_gse"]


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("V_R of Solar Orbiter protons on 2021-11-03", ["SOLO_L2_SWA-PAS-GRND-MOM/V_RTN"]),
        ("density of Solar Orbiter protons on 2021-11-03", ["SOLO_L2_SWA-PAS-GRND-MOM/N"]),
        ("magnetic field and density of Wind electrons on 2012-03-08", ["WI_H0_MFI/BGSE", "WI_EM_3DP/E_DENS"]),
    ],
)
def test_particles_behind_a_mission_are_those_of_the_moment(request_text: str, fetched: list[str]) -> None:
    """No other quantity of them is asked for."""
    assert [each.split("=")[1] for each in chain(planned(request_text)) if "/" in each] == fetched


def test_all_moments_of_a_list_are_of_the_particles_behind_it() -> None:
    """An electron temperature that is not there as one number is not that of the ions; a note says what is taken."""
    answer = ask("temperature and density of MMS1 electrons 2015-10-16")
    assert isinstance(answer, Plan)
    assert "no electron temperature of MMS1 as one number" in answer.notes[0]
    assert all("_des_" in step for step in chain(answer.pipeline))


@pytest.mark.parametrize(
    "request_text",
    [
        "1-minute OMNI Bz and AE on 17 March 2015",
        "OMNI Bz, AL and Kp on 17 March 2015",
        "OMNI speed, Bz, AE and Dst for 17-18 March 2015",
        "scatter plot of OMNI Bz against AL on 17 March 2015",
    ],
)
def test_releases_of_a_dataset_are_not_mixed(request_text: str) -> None:
    """HRO does not stand beside HRO2, and what is said of a dataset is said of the one that is fetched."""
    pipeline = planned(request_text)
    fetched = {step.fetch.dataset for step in pipeline.steps if step.fetch}
    assert len({name for name in fetched if "HRO" in name}) == 1
    named = {name for each in pipeline.assumptions for name in re.findall(r"OMNI_HRO\d?_\w+", each)}
    assert named <= fetched


@pytest.mark.parametrize("words", ["electric field", "E"])
def test_the_electric_field_of_omni_is_said_to_be_computed(words: str) -> None:
    """It is one signed number of OMNI, neither a vector nor its length."""
    pipeline = planned(f"OMNI {words} on 17 March 2015")
    assert chain(pipeline) == ["e=OMNI_HRO2_1MIN/E"]
    assert any("minus the speed times Bz" in each for each in pipeline.assumptions)


@pytest.mark.parametrize(
    "request_text", ["magnitude of the OMNI electric field on 17 March 2015", "OMNI electric field vector on 17 March 2015"]
)
def test_the_electric_field_of_omni_has_no_vector_and_no_length(request_text: str) -> None:
    """Both are asked about."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert "neither its vector nor its magnitude" in answer.question.text


def test_an_energy_called_e_is_no_electric_field() -> None:
    """`E > 30 keV` is not understood as a field."""
    answer = ask("E > 30 keV electrons from Van Allen Probe A MagEIS on 2013-03-17")
    assert not isinstance(answer, Plan) or "electric" not in answer.pipeline.title


@pytest.mark.parametrize(
    "request_text",
    [
        "GOES-15 magnetometer on 2013-03-17",
        "TIMED SABER temperature for 2005 doy 100",
        "MESSENGER plasma flow direction 2011-04-01",
    ],
)
def test_only_what_measures_the_quantity_is_offered(request_text: str) -> None:
    """No pitch angles for a magnetic field, no density for a flux, no irradiance for a temperature, no latitude for a flow."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    for choice in answer.question.choices:
        assert not re.match("pitch_angles|DENSITY|ELE_DENSITY|TPERP|IPS|FLUX_SP|latitude|Quality", choice), choice


@pytest.mark.parametrize(
    "request_text",
    [
        "shift ACE by 45 minutes and compare with Wind Bz on 2012-03-08",
        "ACE Bz in GSE on 2012-03-08, delaying it by 30 min",
    ],
)
def test_a_shift_in_time_is_made_of_what_it_is_said_of(request_text: str) -> None:
    """In any form of the verb."""
    assert sum("=shift_time(" in each for each in chain(planned(request_text))) == 1
