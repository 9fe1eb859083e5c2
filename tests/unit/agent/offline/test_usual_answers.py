"""What a request leaves open and the data settle: periods of a wavelet, the axis of a scale, the unit of a limit, the time."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, planned

DAY = "17 March 2017"


@pytest.mark.parametrize(
    ("request_text", "shortest", "longest", "words"),
    [
        ("wavelet of ACE |B|, 2-5 November 2001", "PT2M", "PT8H", "2 minutes to 8 hours"),
        ("wavelet of OMNI SYM-H, 2015", "PT5M", "PT12H", "5 minutes to 12 hours"),
        ("wavelet of ACE |B|", "PT2M", "PT6H", "2 minutes to 6 hours"),
    ],
)
def test_a_wavelet_has_periods_from_cadence_and_range(request_text: str, shortest: str, longest: str, words: str) -> None:
    """At least four cadences, at most a quarter of the range and 256 times the shortest; the plan says which."""
    pipeline = planned(request_text)
    (options,) = [step.compute.options for step in pipeline.steps if step.compute and step.compute.operation == "wavelet_power"]
    assert (options["shortest"], options["longest"]) == (shortest, longest)
    assert f"Periods from {words} are shown, because the request names none." in pipeline.assumptions


def test_a_range_too_short_for_a_wavelet_is_asked_about() -> None:
    """Five minutes of samples every 16 seconds have no octave to show."""
    answer = ask("wavelet of ACE |B|, 2001-11-05 02:00 to 02:05")
    assert isinstance(answer, Asked)
    assert "too short" in answer.question.text


@pytest.mark.parametrize(
    "words", ["gse to gsm: rotate {}", "{} from gse to gsm", "rotate {} GSE->GSM", "{} gse to gsm rotation", "{} in GSE → GSM"]
)
def test_two_frames_with_to_between_them_are_a_rotation(words: str) -> None:
    """With and without `from`, and with an arrow."""
    pipeline = planned(f"{words.format('the ACE magnetic field')}, {DAY}")
    assert chain(pipeline) == ["b_gse=AC_H0_MFI/BGSEc", "b_gse_gsm=transform_frame(b_gse,GSM)"]


@pytest.mark.parametrize(
    ("request_text", "axis"),
    [
        ("RBSP-A MagEIS electron flux spectrogram on a log scale", "z"),
        ("MMS1 FPI ion energy spectrogram with logarithmic flux scale", "z"),
        ("spectrogram of ACE Bz GSE with 2-hour windows on a log scale", "z"),
        ("RBSP-A MagEIS electron flux spectrogram with logarithmic energy axis", "y"),
        ("RBSP-A MagEIS electron flux spectrogram with log y axis", "y"),
        ("ACE density on a log scale", "y"),
    ],
)
def test_a_scale_is_that_of_the_values(request_text: str, axis: str) -> None:
    """Of a spectrogram these are the colours, unless an axis is named."""
    figure = planned(f"{request_text}, {DAY}").steps[-1].figure
    assert figure is not None
    (panel,) = figure.panels
    scales = {"y": panel.y.scale, "z": panel.z.scale}
    assert scales.pop(axis) == "log"
    assert "log" not in scales.values()


@pytest.mark.parametrize(
    ("request_text", "limit"),
    [
        ("intervals where the derivative of OMNI SYM-H is above 2 nT/min", 2 / 60),
        ("when did the derivative of ACE |B| exceed 36 nT per hour", 0.01),
        ("intervals where ACE speed is above 500000 m/s", 500.0),
        ("intervals where ACE speed is above 500 km/s", 500.0),
    ],
)
def test_a_limit_is_brought_to_the_unit_of_what_it_limits(request_text: str, limit: float) -> None:
    """A rate per minute is one per second, too."""
    pipeline = planned(f"{request_text}, {DAY}")
    (options,) = [
        each.compute.options for each in pipeline.steps if each.compute and each.compute.operation == "intervals_where"
    ]
    assert options["above"] == pytest.approx(limit)


def test_a_derivative_is_given_in_the_unit_asked_for() -> None:
    """It is converted after it is taken."""
    last = chain(planned(f"derivative of OMNI SYM-H in nT/min, {DAY}"))[-1]
    assert last.startswith("sym_h_derivative_nt_min=convert_unit(sym_h_derivative,nT/min")


def test_a_time_before_the_mission_is_asked_about_before_its_quantity() -> None:
    """No answer to the question for a quantity would help."""
    answer = ask("solar wind data from ACE in 1989")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("ACE has data from 1997-")
    later = ask("solar wind data from ACE in 1999")
    assert isinstance(later, Asked)
    assert later.question.text == "Which quantity of ACE?"


@pytest.mark.parametrize("request_text", ["RBSP-A L and MLT", "Van Allen Probe B electron density with L shell and MLT"])
def test_what_is_told_of_an_orbit_comes_from_one_dataset(request_text: str) -> None:
    """L and MLT of two files would be of two models and cadences."""
    fetches = [step.fetch for step in planned(f"{request_text}, {DAY}").steps if step.fetch is not None]
    of_the_orbit = {each.dataset for each in fetches if each.parameter in ("L", "MLT")}
    assert len(of_the_orbit) == 1


def test_a_region_in_words_is_no_misspelt_quantity() -> None:
    """`plasma sheet` is like `plasma beta` in letters only."""
    answer = ask("geotail plasma sheet ion density, 1995-12-28, 12 to 18 h")
    assert isinstance(answer, Plan)
    assert "beta" not in answer.pipeline.title


@pytest.mark.parametrize(
    ("request_text", "choice"),
    [
        ("hours per day with OMNI Bz below -5 nT, {}", "how many hours was OMNI Bz below -5 nT, {}"),
        ("total minutes per month with OMNI Bz below -10 nT, {}", "how many hours was OMNI Bz below -10 nT, {}"),
        ("number of days per month with Dst < -50 nT, {}", "how many hours was Dst < -50 nT, {}"),
    ],
)
def test_hours_beyond_a_limit_are_counted_over_the_range(request_text: str, choice: str) -> None:
    """Those of each day are not; the count of the whole range is offered, and planned."""
    answer = ask(request_text.format("March 2015"))
    assert isinstance(answer, Asked)
    assert answer.question.choices == [choice.format("March 2015")]
    assert any("facts_of" in step for step in chain(planned(answer.question.choices[0])))


@pytest.mark.parametrize("words", ["number of hours with", "the total number of hours when", "total hours with"])
def test_a_number_of_hours_is_counted(words: str) -> None:
    """As `how many hours` is."""
    assert any("facts_of" in step for step in chain(planned(f"{words} Kp >= 5, 2015")))
