"""Whatever words come together, there is an answer, and no choice of a question leads to the same question again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.agent.answers import Asked
from tests.tiers import example_count
from tests.unit.agent.offline.asking import ask, refine

WORDS = re.findall(
    r"\S+",
    """
    ACE Wind MMS1 OMNI GOES CHAMP |B| Bz field velocity density temperature speed thermal Dst SYM-H protons
    electron ion spectrogram flux_Fe AC_H2_CRIS WI_H1_SWE Proton_W_nonlin BGSEc AC_H0_MFI no_such_name 2015-03-17
    January 2010 yesterday hourly daily means maximum per day 1 min 10 minutes smoothed clock angle magnitude
    components in RTN GSM km/s nT red blue thick points log scale y axis from 0 to 50 and of on a the with ,
    compare ratio correlation cosmic rays potential kangaroo also instead
    """,
)
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@pytest.mark.slow
@settings(max_examples=example_count(60), deadline=None)
@given(SENTENCES)
def test_a_request_is_answered(request_text: str) -> None:
    """A plan, a refusal, or a question whose choices each lead on."""
    answer = ask(request_text)
    if isinstance(answer, Asked):
        for choice in answer.question.choices:
            again = ask(choice)
            assert not isinstance(again, Asked) or again.question.text != answer.question.text, choice


@pytest.mark.slow
@settings(max_examples=example_count(30), deadline=None)
@given(SENTENCES)
def test_a_change_is_answered(request_text: str) -> None:
    """The same beside a plan on the table."""
    answer = refine("compare ACE and Wind |B| and the speed on 2015-03-17", request_text)
    if isinstance(answer, Asked):
        for choice in answer.question.choices:
            again = refine("compare ACE and Wind |B| and the speed on 2015-03-17", choice)
            assert not isinstance(again, Asked) or again.question.text != answer.question.text, choice
