"""Particles by energy, channel and pitch angle, of any instrument whose parameters the catalog describes."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, panels, planned


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        (
            "electrons at 100 keV from Van Allen Probe A, 2015-03-17",
            ["electrons=RBSPA_REL03_ECT-MAGEIS-L2/FESA", "at_energy=slice(electrons,0,100.0,keV)"],
        ),
        (
            "SOHO COSTEP protons at 10 MeV on 2001-04-15",
            ["p_int_vector=SOHO_COSTEP-EPHIN_L3I-10MIN/P_int", "p_int_1=component(p_int_vector,1)"],
        ),
        (
            "SOHO EPHIN proton flux 25-41 MeV on 2001-04-15",
            ["p_int_vector=SOHO_COSTEP-EPHIN_L3I-10MIN/P_int", "p_int_2=component(p_int_vector,2)"],
        ),
        (
            "ACE EPAM ions 1-2 MeV and electrons 0.1-0.17 MeV on 2005-01-20",
            ["p7=AC_H1_EPM/P7", "de3=AC_H1_EPM/DE3"],
        ),
        (
            "HOPE electron pitch angles at 1 keV from Van Allen Probe A on 2013-03-17",
            ["fedu_vector=RBSPA_REL04_ECT-HOPE-PA-L3/FEDU", "at_energy=slice(fedu_vector,energy,1.0,keV)"],
        ),
        (
            "Wind 3DP electron pitch angle distribution at 265 eV, 2004-11-07",
            ["flux_vector=WI_ELPD_3DP/FLUX", "at_energy=slice(flux_vector,energy,0.265,keV)"],
        ),
    ],
)
def test_particles_are_the_parameter_that_is_described_so(request_text: str, steps: list[str]) -> None:
    """A channel, one of several of a parameter, the nearest bin of a spectrum or of a distribution over pitch angle.

    Values keep their own unit, because the axis may be in eV, keV or MeV.
    """
    assert chain(planned(request_text)) == steps


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("DSCOVR electron pitch angle distribution for 2017-08-03", "no electron flux over pitch angle of DSCOVR"),
        ("pitch angles from Van Allen Probe A on 2013-03-17", "which particles"),
    ],
)
def test_what_is_not_there_is_a_question(request_text: str, words: str) -> None:
    """It says what the catalog has not, or asks whose particles are wanted."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert words in answer.question.text


def test_a_difference_of_its_own_data_stands_beside_them() -> None:
    """`their` says that the data are wanted, too; a difference alone is drawn alone."""
    assert panels(planned("ACE and Wind solar wind speed and their difference in April 2010"))[1:] == ["ace_minus_wind"]
    assert panels(planned("difference of ACE and Wind solar wind speed in April 2010")) == ["ace_minus_wind"]


def test_components_beside_each_other_are_in_one_frame() -> None:
    """DSCOVR's field is catalogued in GSE: its Bz beside that of ACE is rotated to GSM."""
    steps = chain(planned("Bz of DSCOVR and ACE on 2017-09-07"))
    assert "dscovr_b_gsm=transform_frame(dscovr_b_gse,GSM)" in steps
    assert "ace_b_gsm=AC_H0_MFI/BGSM" in steps


@pytest.mark.parametrize(
    ("request_text", "turned", "frame"),
    [
        (
            "compare the IMF clock angle at DSCOVR and ACE, 7-8 Sept 2017",
            "dscovr_b_gsm=transform_frame(dscovr_b_gse,GSM)",
            "GSM",
        ),
        ("compare IMF clock angle at ACE and DSCOVR 2017-09-07", "dscovr_b_gsm=transform_frame(dscovr_b_gse,GSM)", "GSM"),
        ("longitude of the field at Solar Orbiter and PSP, 2022-03-08", "", "RTN"),
    ],
)
def test_angles_beside_each_other_are_in_one_frame(request_text: str, turned: str, frame: str) -> None:
    """Whichever is named first; the card names no other frame."""
    pipeline = planned(request_text)
    assert not turned or turned in chain(pipeline)
    (panel,) = next(step.figure.panels for step in pipeline.steps if step.figure)
    assert panel.y.title.endswith(frame)
    assert all(f"_{frame.lower()}_" in trace.data for trace in panel.traces)
    said = [each for each in pipeline.assumptions if "names no frame" in each]
    assert all(frame in each for each in said)


@pytest.mark.parametrize(
    ("request_text", "inputs", "options"),
    [
        ("Parker spiral angle at PSP on 2021-11-21", {"speed", "distance", "latitude"}, {"tolerance"}),
        ("Parker spiral angle at Solar Orbiter in March 2022", {"speed", "distance", "latitude"}, {"tolerance"}),
        ("Parker spiral angle at DSCOVR in April 2017", {"speed"}, {"distance_au"}),
    ],
)
def test_the_spiral_is_that_at_the_spacecraft(request_text: str, inputs: set[str], options: set[str]) -> None:
    """Its distance and latitude are fetched; at 1 AU only what is at the Earth, which the card says."""
    pipeline = planned(request_text)
    (compute,) = [step.compute for step in pipeline.steps if step.compute and step.compute.operation == "parker_spiral_angle"]
    assert (set(compute.inputs), set(compute.options)) == (inputs, options)
    assert any("1 AU" in each for each in pipeline.assumptions) == ("distance_au" in options)


def test_what_stands_below_is_drawn_below() -> None:
    """The panels are in the order of the words."""
    pipeline = planned("SYM-H and AE with the dynamic pressure below for 17-18 March 2015")
    assert panels(pipeline) == ["sym_h", "ae", "pressure"]


def test_radio_bursts_are_what_the_receivers_measured() -> None:
    """Of an instrument without a quantity."""
    steps = chain(planned("radio bursts seen by Wind WAVES on 2006-12-13"))
    assert [each.split("=")[1].split("/")[0] for each in steps] == ["WI_L2_WAV_RAD1", "WI_L2_WAV_RAD2"]


def test_components_along_lmn_are_those_of_the_minimum_variance_frame() -> None:
    """Turned into it, with the frame in numbers."""
    steps = chain(planned("MMS1 magnetic field in LMN coordinates on 2015-10-16 13:05 to 13:09"))
    assert any("minimum_variance_frame" in each for each in steps)
    assert any("rotate" in each for each in steps)
