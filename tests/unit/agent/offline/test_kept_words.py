"""A choice keeps all that a request says: nothing that is offered drops or reverses a word, a number, a unit or a time."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helio_dagster.agent.answers import Asked, Plan
from tests.tiers import example_count
from tests.unit.agent.offline.asking import ask, chain

ASKED = (
    "ACE |B| in another frame in October 2003",
    "magnetic field on 2003-10-29",
    "ACE on 2003-10-29",
    "ACE |B| smoothed, 2003-10-29",
    "Kp for each day in 2003",
    "DSCOVR ion spectrogram on 2018-03-17",
    "Pioneer 10 magnetic field in GSE on 1974-01-29",
    "Cluster |B| on 2001-09-15",
    "ACE speed normalised in 2003",
    "minimum of Dst per month in 2003",
    "wind speed and ACE density on 2005-05-03",
    "ACE speed in 1995",
    "ACE suprathermal density on 2005-05-03",
    "electron temperature anisotropy and density of Wind on 1995-11-12",
)
"""Requests that lead to a question, most of them with choices."""
ADDED = {
    "not below 7 units": r"\bnot\b.*\bbelow 7\b",
    "without the sheath": r"\bwithout\b",
    "but never at night": r"\bnever\b",
    "only": r"\bonly\b",
    "no flagged ones": r"\bno\b",
    "above 17": r"\babove 17\b",
    "less than 3.5 nT": r"\bless than 3\.5 nT\b",
    "at 45 degrees": r"\b45\b",
    "exceeding the median": r"\bexceeding\b",
    "in furlongs": r"\bfurlongs\b",
    "excluding shocks": r"\bexcluding\b",
    "in the morning": r"\bmorning\b",
    "during the second perijove": r"\bsecond perijove\b",
}
"""Words that turn a request, and what must stand in each choice then."""


@pytest.mark.slow
@settings(max_examples=example_count(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(request=st.sampled_from(ASKED), added=st.sampled_from(sorted(ADDED)), is_first=st.booleans())
def test_no_choice_drops_what_turns_the_request(request: str, added: str, is_first: bool) -> None:
    """Whoever asks the question: negations, comparisons, numbers, units and times are in each choice."""
    said = f"{added}: {request}" if is_first else f"{request}, {added}"
    answer = ask(said)
    for choice in answer.question.choices if isinstance(answer, Asked) else ():
        assert re.search(ADDED[added], choice, re.IGNORECASE), (said, answer.question.text, choice)


@pytest.mark.parametrize("request_text", ASKED)
def test_each_choice_is_still_of_the_data_asked_for(request_text: str) -> None:
    """Where the question names nothing else: the spacecraft and the year are those of the request."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    year = re.findall(r"\d{4}", request_text)[0]
    for choice in answer.question.choices:
        assert year in choice or "none for" in answer.question.text, choice
        led_to = ask(choice)
        assert isinstance(led_to, Plan | Asked), led_to
        if isinstance(led_to, Plan) and led_to.span is not None:
            assert str(led_to.span).startswith(year) or "none for" in answer.question.text


def test_a_negated_limit_is_the_other_side() -> None:
    """Not below is at least; the choice says it with its negation, and its plan has it."""
    answer = ask("ACE Bz GSM, not below -5 nT, 24 August 2005")
    assert isinstance(answer, Asked), answer
    (choice,) = answer.question.choices
    assert "not below -5 nT" in choice
    led_to = ask(choice)
    assert isinstance(led_to, Plan), led_to
    (step,) = [each.compute for each in led_to.pipeline.steps if each.compute and each.compute.operation == "intervals_where"]
    assert step.options["above"] == -5
    assert "below" not in step.options


@pytest.mark.parametrize(
    "request_text",
    [
        "hourly Kp, only weekdays, 2003",
        "ACE density drops every 7 minutes but not maxima, 2006-12-14",
        "histogram of OMNI density in 2013 but leave out values above 60 /cc",
        "which cadences does the Wind magnetic field have?",
        "mean psp distance to the sun during encounters 1 and 9",
    ],
)
def test_nothing_is_offered_where_nothing_keeps_the_words(request_text: str) -> None:
    """A question alone is better than another request."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.choices == []


def test_two_times_that_are_compared_stay_two() -> None:
    """A figure of each is offered, never one of them alone."""
    answer = ask("compare Wind speed on 2003-10-29 with that on 2003-11-20")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices == ["Wind speed on 2003-10-29 and 2003-11-20"]


def test_the_limit_of_a_condition_is_no_day() -> None:
    """`above 20, July 2004` is a month, and the number a limit."""
    answer = ask("intervals where ACE density is above 20, July 2004")
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == "2004-07-01 to 2004-08-01"
    assert any("intervals_where" in each and "20" in each for each in chain(answer.pipeline))
