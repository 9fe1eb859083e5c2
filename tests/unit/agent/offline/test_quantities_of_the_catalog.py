"""Quantities that the catalog has beside the usual ones, spacecraft of a series, and thirds of Kp."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.catalog.fleets import series
from tests.unit.agent.offline.asking import ask, chain, edited, planned


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("spacecraft potential of MMS1 on 2017-07-11", "MMS1_EDP_FAST_L2_SCPOT/mms1_edp_scpot_fast_l2"),
        ("wind sc potential 2000-07-15", "WI_H0_SWE/sc_pot"),
        ("themis d S/C potential, 2010-03-23", "THD_L2_ESA/thd_peif_sc_pot"),
        ("Van Allen Probe A spacecraft potential 2013-03-17", "RBSPA_EFW-L3/spacecraft_potential"),
        ("geotail scpot 1996-04-08", "GE_K0_EFD/Vs"),
        ("MMS1 ion pressure tensor 2017-07-11 22:30-22:40", "MMS1_FPI_FAST_L2_DIS-MOMS/mms1_dis_prestensor_gse_fast"),
        ("pressure tensor of the electrons, THEMIS-A, 2010-03-23", "THA_L2_ESA/tha_peef_ptens"),
        ("LANL 97A spacecraft potential 2001-03-31", "L7_K0_MPA/sc_pot"),
        ("LANL 1994-084 spacecraft potential, 1997-01-10", "L4_K0_MPA/sc_pot"),
    ],
)
def test_what_the_catalog_calls_a_quantity_is_asked_for_in_words(request_text: str, fetched: str) -> None:
    """One panel of the parameter itself."""
    (step,) = chain(planned(request_text))
    assert step.split("=")[1] == fetched


@pytest.mark.parametrize("particles", ["electron", "ion"])
def test_the_pressure_of_particles_is_made_of_their_moments(particles: str) -> None:
    """Nothing that is said to be used is left out of the plan."""
    pipeline = planned(f"MMS4 {particles} pressure 2017-07-11")
    used = {step.fetch.dataset for step in pipeline.steps if step.fetch}
    said = {line.split()[0] for line in pipeline.assumptions if line.split()[0].startswith("MMS4_")}
    assert said <= used
    instrument = "DES" if particles == "electron" else "DIS"
    assert {each.split("_")[-1] for each in used if "FPI" in each} == {f"{instrument}-MOMS"}


def test_of_a_series_those_are_offered_that_measured_then() -> None:
    """The spacecraft are those of the catalog."""
    assert {"8", "10", "13", "15"} <= set(series("GOES"))
    answer = ask("GOES magnetic field on 2001-03-31")
    assert isinstance(answer, Asked)
    assert [each.split(" magnetic")[0] for each in answer.question.choices] == ["GOES 8", "GOES 10"]


@pytest.mark.parametrize(
    ("said", "limit"), [("above 7+", 73), ("> 5", 50), ("of at least 4o", 39), ("at least 7-", 66), ("below 2-", 17)]
)
def test_thirds_of_kp_are_limits(said: str, limit: int) -> None:
    """They are stored as 3 and 7; nothing is ignored."""
    answer = ask(f"intervals where Kp {said}, 2003")
    assert isinstance(answer, Plan)
    assert (answer.ignored, f"kp,{limit}" in " ".join(chain(answer.pipeline)).replace(".0", "")) == ((), True)


def test_shading_is_of_one_of_several_quantities() -> None:
    """In a request as in a change of a plan; a limit of Kp is ten times what is named."""
    shaded = planned("SYM-H and AE, 17-18 March 2015, shade times when SYM-H < -100")
    assert chain(shaded)[-1] == "intervals=intervals_where(sym_h,-100,P3D)"
    changed = edited("Bz and Kp 2003-11-20", "mark times with Kp > 7")
    assert chain(changed)[-1] == "intervals=intervals_where(kp,70,P3D)"


@pytest.mark.parametrize(
    ("spectrogram", "said", "limits"),
    [
        ("THEMIS-D electron spectrogram 2011-05-05", "energy axis from 10 eV to 1 keV", (10, 1000)),
        ("RBSP-A MAGEIS electron spectrogram 2015-03-17", "energy axis from 0.03 to 1 MeV", (30, 1000)),
        ("MMS1 DIS energy spectrogram 2015-10-16 13:00-14:00", "y axis from 0.1 keV to 20 keV", (100, 20000)),
    ],
)
def test_limits_of_an_axis_of_energies_are_in_the_unit_of_its_bins(
    spectrogram: str, said: str, limits: tuple[float, float]
) -> None:
    """That is the one of the flux per energy, and the card says so; all directions come before one of them."""
    answer = ask(f"{spectrogram}, {said}")
    assert isinstance(answer, Plan)
    figure = answer.pipeline.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].y.range == limits
    assert any("is taken to be in" in note for note in answer.notes)
    (step,) = chain(answer.pipeline)
    assert "px" not in step


@pytest.mark.parametrize(
    ("request_text", "span"),
    [
        ("St Patrick's day storm, 2015-03-16 to 2015-03-19: Bz, Dst", "2015-03-16 to 2015-03-19"),
        ("Bz for the Halloween storm, 28-31 Oct 2003", "2003-10-28 to 2003-11-01"),
        ("Bz in the St Patrick's day storm 2015", "2015-03-17 to 2015-03-19"),
        ("IMF Bz around 2015-10-16 13:07", "2015-10-16T12:07Z to 2015-10-16T14:07Z"),
    ],
)
def test_the_days_of_a_named_storm_and_moments(request_text: str, span: str) -> None:
    """Exact days come before the name; the solar wind of a storm is OMNI's."""
    answer = ask(request_text)
    assert isinstance(answer, Plan)
    assert str(answer.span) == span


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("rbsp-b 2 MeV electron flux vs L shell, October 2012", ["slice", "scatter"]),
        ("psp plasma beta vs distance from the sun, 2021", ["magnitude", "plasma_beta", "scatter"]),
        ("ace swepam speed hist 2008", ["histogram"]),
        ("Wind plasma beta and Va on 2000-07-15", ["magnitude", "plasma_beta", "alfven_speed"]),
        ("uly swoops speed vs latitude 1994-1995", ["scatter"]),
    ],
)
def test_quantities_against_the_orbit_and_short_words(request_text: str, steps: list[str]) -> None:
    """What is computed of one quantity is against the orbit as the quantity is."""
    computed = [each.compute.operation for each in planned(request_text).steps if each.compute]
    assert computed == steps


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("Wind 3DP Te and Ti 2000-07-15", ["WI_EM_3DP/E_TEMP", "WI_PM_3DP/P_TEMP"]),
        ("DMSP F16 ssj electron flux 2014-03-17", ["DMSP-F16_SSJ_PRECIPITATING-ELECTRONS-IONS/ELE_DIFF_ENERGY_FLUX"]),
        ("GOES soft x-rays 1-8 Å, 2014-10-19", ["goesp_xray_flux_P1M/Long_Wave"]),
        ("x-ray flux 0.05-0.4 nm 2014-10-19", ["goesp_xray_flux_P1M/Short_Wave"]),
        (
            "cluster 4 EFW potential and PEACE density 2004-02-14",
            ["C4_CP_EFW_L3_P/Spacecraft_potential__C4_CP_EFW_L3_P", "C4_PP_PEA/N_e_den__C4_PP_PEA"],
        ),
    ],
)
def test_letters_and_wavelengths_name_what_is_measured(request_text: str, fetched: list[str]) -> None:
    """Each of one dataset."""
    steps = [each.fetch for each in planned(request_text).steps if each.fetch]
    assert [f"{each.dataset}/{each.parameter}" for each in steps] == fetched


@pytest.mark.parametrize(
    ("request_text", "choices"),
    [
        ("solar flare images from AIA 2014-10-22", ["solar wind speed 2014-10-22"]),
        ("ACE sound speed 2003-10-29", ["ACE Alfven speed 2003-10-29", "ACE temperature 2003-10-29"]),
        ("goes-10 hp 2001-03-31", ["B_lcl_c of G0_K0_MAG 2001-03-31"]),
        ("Wind MFI 3-second and ACE 16-second B, 2000-07-15 14:00-15:00", []),
    ],
)
def test_what_cannot_be_had_is_asked_about_with_choices_that_say_something(request_text: str, choices: list[str]) -> None:
    """No choice repeats half of what it replaces; a second cadence is not lost."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert answer.question.choices == choices
