"""What a request is about is planned or asked about, and never exchanged for something near or left out."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Information, Plan
from tests.unit.agent.offline.asking import ask, chain, panels, planned


def test_what_is_named_counts_more_than_an_overview() -> None:
    """The magnitude was drawn as three components, as the vector and its magnitude have none in OMNI."""
    pipeline = planned("overview of OMNI: magnetic field magnitude, Bz and speed, 10-12 May 2024")
    assert panels(pipeline) == ["b_mag", "b_z_gsm", "speed"]
    assert panels(planned("ACE magnetic field overview for 10 May 2024")) == ["b_gse", "b_mag"]


def test_plotting_it_against_another_is_a_scatter_plot() -> None:
    """The field's speed and Bz are what it is computed from, and no panels."""
    pipeline = planned("compute the motional electric field from OMNI's speed and Bz and plot it against AL for 24 August 2005")
    made = [step.compute for step in pipeline.steps if step.compute]
    assert [each.operation for each in made] == ["dawn_dusk_electric_field", "scatter"]
    assert made[1].step_inputs == {"x": "al", "y": "dawn_dusk_electric_field"}
    assert panels(pipeline) == ["points"]


def test_data_that_reach_into_the_range_are_taken() -> None:
    """One release of OMNI is catalogued to the end of January 2026, the other to the end of February."""
    answer = ask("OMNI AE over the last 30 days")
    assert isinstance(answer, Plan), answer
    assert chain(answer.pipeline) == ["ae=OMNI_HRO_1MIN/AE_INDEX"]
    assert any("OMNI_HRO_1MIN to 2026-02-28" in each for each in answer.notes)
    before = ask("OMNI AE for 17 March 2015")
    assert isinstance(before, Plan), before
    assert chain(before.pipeline) == ["ae=OMNI_HRO2_1MIN/AE_INDEX"]
    assert not any("catalog knows" in each for each in before.notes)


@pytest.mark.parametrize(
    "request_text",
    [
        "percentage of data gaps in the ACE SWEPAM density in October and November 2003",
        "data coverage of the ACE SWEPAM density in October and November 2003",
        "how complete is the ACE SWEPAM density in October and November 2003?",
    ],
)
def test_coverage_is_a_number_of_the_range(request_text: str) -> None:
    """`gaps` was left out, and the density drawn."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert answer.ignored == ()
    (facts,) = [step.compute for step in answer.pipeline.steps if step.compute]
    assert (facts.operation, facts.options) == ("facts_of", {"statistics": ["coverage"]})


@pytest.mark.parametrize(
    "request_text",
    ["find the data gaps longer than 1 hour in ACE Bx for May 2010", "daily data coverage of the ACE speed for May 2010"],
)
def test_other_questions_about_gaps_are_asked_about(request_text: str) -> None:
    """No list of gaps and no coverage of each day is made."""
    assert isinstance(ask(request_text), Asked)


@pytest.mark.parametrize(
    ("request_text", "datasets"),
    [
        ("WAVES radio spectrogram from Wind on 17 April 2002", ["WI_L2_WAV_RAD1", "WI_L2_WAV_RAD2"]),
        ("Wind WAVES RAD2 radio spectrogram, 17 April 2002", ["WI_L2_WAV_RAD2"]),
        ("Parker Solar Probe radio spectrogram on 3 April 2019", ["PSP_FLD_L2_RFS_HFR"]),
    ],
)
def test_a_radio_spectrogram_is_of_the_radio_receivers(request_text: str, datasets: list[str]) -> None:
    """`radio` was left out, and the thermal noise receiver taken."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert [step.fetch.dataset for step in answer.pipeline.steps if step.fetch] == datasets
    assert answer.ignored == ()


def test_coverage_without_a_time_is_when_there_are_data() -> None:
    """A question about a dataset is answered from the catalog."""
    assert isinstance(ask("what is the data coverage of AC_H0_MFI?"), Information)


def test_coverage_may_stand_beside_other_numbers() -> None:
    """Both are numbers of the range."""
    (facts,) = [step.compute for step in planned("mean speed of ACE and its data coverage in May 2010").steps if step.compute]
    assert facts.options == {"statistics": ["mean", "coverage"]}
