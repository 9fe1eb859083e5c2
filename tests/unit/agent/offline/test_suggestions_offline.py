"""What questions offer: sentences that a person would say, and that are understood."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.agent.offline.offline_planner import MOST_CHOICES
from helio_dagster.agent.offline.wording import tidy
from tests.unit.agent.offline.asking import ask

ASKING = [
    "ACE |B| smoothed, in Oct 2003",
    "detrended ACE |B| on 2003-10-29",
    "density on 2003-10-29",
    "plasma beta in 2004",
    "clock angle of the IMF at L1 during the Gannon storm",
    "Hourly ACE |B| 2003 vs 2004",
    "minimum of Dst per month in 2003",
    "sum of Kp in 2003",
    "Kp for each day in 2003",
    "sum of Kp per day in 2003",
    "superposed epoch of Dst over storms in 2015",
    "scatter plot of Dst in 2003",
    "Ulysses magnetic field magnitude during its first polar pass in 1994",
    "ACE density above 10 cm^-3 in October 2003",
    "ACE magnetic field in another frame, 2003-10-29",
    "ACE speed in nT, 2003-10-29",
    "normalised magnetic field of ACE 2004-11-08",
    "ACE |B|, May 10",
    "everything about Wind on 2012-07-15",
    "which GOES magnetic field on 2001-01-05",
]


@pytest.mark.parametrize("request_text", ASKING)
def test_a_choice_that_is_taken_never_asks_the_same_again(request_text: str) -> None:
    """Each is understood as it stands; there are few of them."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert len(answer.question.choices) <= MOST_CHOICES
    for choice in answer.question.choices:
        taken = ask(choice)
        assert not isinstance(taken, Asked) or taken.question.text != answer.question.text, choice


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("\0 density of ACE", "density of ACE"),
        ("density of ACE in \0 for 2004", "density of ACE for 2004"),
        ("ACE |B| 2003 vs \0", "ACE |B| 2003"),
        ("ACE and \0 |B|", "ACE |B|"),
        ("|B| of \0, Wind", "|B| of Wind"),
        ("\0 and Wind |B|", "Wind |B|"),
        ("ACE, \0 and Wind |B|", "ACE and Wind |B|"),
        ("ACE, Wind and \0 |B|", "ACE and Wind |B|"),
        ("\0 of Kp in 2003", "Kp in 2003"),
    ],
)
def test_a_gap_leaves_no_small_words(text: str, sentence: str) -> None:
    """The words that joined what is left out go with it."""
    assert tidy(text) == sentence


def test_words_that_are_left_out_leave_no_holes() -> None:
    """What is offered instead is a sentence without the words that were not understood."""
    answer = ask("ACE suprathermal density for 2004-11-07")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["ACE density for 2004-11-07"]


def test_a_word_that_turns_the_meaning_is_not_left_out() -> None:
    """`ACE density without turbulence` is not offered as `ACE density`."""
    answer = ask("ACE density without turbulence on 2004-11-07")
    assert isinstance(answer, Asked)
    assert answer.question.choices == []


def test_only_missions_that_measured_it_then_are_offered() -> None:
    """DSCOVR and Solar Orbiter were not there in 1999."""
    answer = ask("magnetic field in 1999")
    assert isinstance(answer, Asked)
    assert answer.question.choices[:2] == ["ACE magnetic field in 1999", "Wind magnetic field in 1999"]
    assert not any("DSCOVR" in choice or "Orbiter" in choice for choice in answer.question.choices)
