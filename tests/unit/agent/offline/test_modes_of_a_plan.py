"""The same data in another mode of their instrument, for what is on the table."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import edited, refine

BOTH = "MMS1 magnetic field and electron energy spectrogram on 16 October 2015 from 13:00 to 13:15"
SURVEY = ["MMS1_FGM_SRVY_L2", "MMS1_FPI_FAST_L2_DES-MOMS"]
BURST = ["MMS1_FGM_BRST_L2", "MMS1_FPI_BRST_L2_DES-MOMS"]


def datasets(pipeline: Pipeline) -> list[str]:
    """What is fetched."""
    return [step.fetch.dataset for step in pipeline.steps if step.fetch]


@pytest.mark.parametrize(
    "words", ["use burst mode data", "switch to burst mode", "I want burst data instead", "burst instead of survey"]
)
def test_all_that_is_drawn_is_fetched_in_another_mode(words: str) -> None:
    """And it is said of each dataset."""
    pipeline = edited(BOTH, words)
    assert datasets(pipeline) == BURST
    assert all("brst" in step.fetch.parameter for step in pipeline.steps if step.fetch)
    assert not any(each in told for each in SURVEY for told in pipeline.assumptions)


def test_one_quantity_is_fetched_in_another_mode() -> None:
    """And back: the fast survey is the survey of a particle instrument."""
    assert datasets(edited(BOTH, "show the field in burst mode")) == [BURST[0], SURVEY[1]]
    assert datasets(edited(f"{BOTH} in burst mode", "survey mode please")) == SURVEY


def test_what_is_not_known_in_a_mode_is_never_left_as_it_is_in_silence() -> None:
    """The rest is offered."""
    mixed = "MMS2 |B| and Wind density on 2017-07-11"
    asked = refine(mixed, "use burst mode data")
    assert isinstance(asked, Asked)
    assert asked.question.choices
    for choice in asked.question.choices:
        assert datasets(edited(mixed, choice))[0] == "MMS2_FGM_BRST_L2"
    assert isinstance(refine("ACE |B| on 2017-07-11", "use burst mode data"), Asked)
