"""Operations named in words, with their inputs, options and the order they come in."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, panels, planned

LAST_STEPS = """
plasma beta at ACE = plasma_beta=plasma_beta(density,temperature,b_mag)
Alfvén speed at ACE = alfven_speed=alfven_speed(b_mag,density)
ram pressure at ACE = dynamic_pressure=dynamic_pressure(density,speed)
epsilon parameter from ACE = epsilon=epsilon(speed,b_gsm)
-VxB at ACE = convection_electric_field=convection_electric_field(velocity_gse,b_gse)
clock angle at ACE in GSM = b_gsm_clock=direction(b_gsm,clock)
ACE magnetic field transformed to SM = b_gse_sm=transform_frame(b_gse,SM)
ACE magnetic field transformed to HEEQ = b_gse_heeq=transform_frame(b_gse,HEEQ)
ACE magnetic field from GSE to HCI = b_gse_hci=transform_frame(b_gse,HCI)
detrended ACE |B|, 1-hour window = b_mag_detrend=detrend(b_mag,PT1H)
time derivative of ACE |B| = b_mag_derivative=derivative(b_mag,PT1M4S)
ACE |B| band-pass filtered between 1 and 5 mHz = b_mag_butterworth=butterworth(b_mag,0.001,0.005,PT16S)
spectrogram of ACE |B| with a 2-hour window = b_mag_spectrogram=spectrogram(b_mag,PT2H,PT16S)
spectrogram of ACE |B| with a 1-hour window = b_mag_spectrogram=spectrogram(b_mag,PT1H,PT18S)
power spectrum of ACE |B| in 6-hour bins = b_mag_welch=welch(b_mag,PT6H,PT18S,PT1H30M)
minimum variance of the ACE field in 10-minute bins = b_gse_minimum_variance=minimum_variance(b_gse,PT10M)
min variance of the ACE field in 10-minute bins = b_gse_minimum_variance=minimum_variance(b_gse,PT10M)
ACE |B| minus Wind |B| = ace_minus_wind=difference(ace_b_mag,wind_b_mag)
median filter ACE |B| over 1 hour = b_mag_median=rolling_statistic(b_mag,PT1H,median)
"""


@pytest.mark.parametrize("line", LAST_STEPS.strip().splitlines())
def test_words_become_an_operation_with_its_options(line: str) -> None:
    """Inputs are found by what they must be, options by the words and by how dense the data are."""
    request, _, step = line.partition(" = ")
    steps = chain(planned(request))
    name = step.partition("=")[0]
    (found,) = [each for each in steps if each.startswith(f"{name}=")]
    assert sorted(found.partition("(")[2].strip(")").split(",")) == sorted(step.partition("(")[2].strip(")").split(","))
    assert found.partition("(")[0] == step.partition("(")[0]
    assert panels(planned(request)) == [name]


def test_coarse_inputs_may_lie_farther_apart_and_that_is_said() -> None:
    """Hourly density meets a field of two seconds within half an hour."""
    pipeline = planned("Alfven speed at Voyager 2 in 1985")
    assert "alfven_speed=alfven_speed(b_mag,density,PT30M)" in chain(pipeline)
    assert "PT30M apart" in " ".join(pipeline.assumptions)


def test_a_quantity_named_as_input_gets_no_panel() -> None:
    """`Parker spiral angle for the speed` is one panel."""
    assert panels(planned("Parker spiral angle for the ACE speed")) == ["parker_spiral_angle"]


def test_what_is_coarser_than_the_window_is_not_smoothed() -> None:
    """A mean over five minutes of hourly values would be the values."""
    pipeline = planned("ACE |B| and Dst smoothed over 5 minutes")
    assert panels(pipeline) == ["ace_b_mag_mean", "omni_dst"]
    assert "Dst is not smoothed" in " ".join(pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("minimum variance of the ACE magnetic field", "How long are the bins"),
        ("welch of Wind |B|", "How long are the bins"),
        ("detrended ACE |B|", "How long is the window"),
        ("band-pass filter ACE |B|", "Which frequencies"),
        ("ACE |B| low-pass filtered below 1 Hz", "hold no frequencies"),
        ("spectrogram of the ACE magnetic field with a 2-hour window", "Which component"),
        ("clock angle of ACE |B|", "needs a vector"),
        ("difference between ACE and Wind", "Which quantity"),
        ("difference of ACE |B|", "of two numbers"),
        ("difference between ACE speed and density", "km/s"),
        ("ACE |B| with a 2-hour window", "What is the window"),
        ("derivative of Cluster 1 |B|", "the cadence of"),
        ("plasma beta", "From which spacecraft"),
    ],
)
def test_what_an_operation_lacks_is_asked(request_text: str, words: str) -> None:
    """A needed option, input, unit or density of the data that nobody named is a question and no guess."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


@pytest.mark.parametrize(
    ("request_text", "last"),
    [
        ("ACE B rms over 10 min windows", "b_gse_std=rolling_statistic(b_gse,PT10M,std)"),
        ("standard deviation of ACE |B| with a 1-hour window", "b_mag_std=rolling_statistic(b_mag,PT1H,std)"),
        (
            "electric field vsw x B for ACE",
            "convection_electric_field=convection_electric_field(velocity_gse,b_gse)",
        ),
        ("PSP radial velocity", "velocity_r_rtn=PSP_COHO1HR_MERGED_MAG_PLASMA/VR"),
        ("AL and AU", "au=OMNI_HRO2_1MIN/AU_INDEX"),
        ("sunspot number", "sunspots=OMNI2_H0_MRG1HR/R"),
        ("polar cap index", "pc=OMNI_HRO_1MIN/PC_N_INDEX"),
        ("ASY-H", "asy_h=OMNI_HRO2_1MIN/ASY_H"),
        ("ACE alpha to proton ratio", "alpha_ratio=AC_H0_SWE/alpha_ratio"),
        ("spectrogram of electron flux of Van Allen Probe A", "electrons=RBSPA_REL04_ECT-HOPE-PA-L3/FEDO"),
        ("hourly means of Wind density", "density_1hour=resample(density,PT1H,mean)"),
    ],
)
def test_words_that_people_use_are_known(request_text: str, last: str) -> None:
    """Each ends in the step that is meant."""
    assert chain(planned(request_text))[-1] == last


def test_wind_beside_another_spacecraft_is_asked_about() -> None:
    """It may be the solar wind of the other."""
    assert isinstance(ask("ACE Wind speed"), Asked)


def test_a_temperature_is_made_of_those_along_and_across_the_field() -> None:
    """A third of the one and two thirds of the other, of one dataset; the card says so."""
    pipeline = planned("ion beta with FPI at MMS2 on 8 Dec 2015 11:00 to 12:00")
    made = next(step.compute for step in pipeline.steps if step.compute is not None and step.compute.code)
    steps = {step.id: step.fetch for step in pipeline.steps}
    parts = {name: fetch.parameter for name, step in made.inputs.items() if (fetch := steps[str(step)]) is not None}
    assert parts == {"parallel": "mms2_dis_temppara_fast", "perpendicular": "mms2_dis_tempperp_fast"}
    assert any("(T_par + 2 T_perp)/3" in each for each in pipeline.assumptions)
