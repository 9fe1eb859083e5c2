"""What is known and not made has a fixed reason, and what can be had instead where there is something."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import get_args

import pytest

from helio_dagster.agent.answers import Asked, Plan, Sort
from tests.unit.agent.offline.asking import ask

WITH_SOMETHING_INSTEAD = """
a list of storms in the ACE speed in October 2003 = events that a limit makes
ACE |B| time-shifted and OMNI |B| on 2003-10-29 = By how much it is shifted
wavelet coherence of ACE and Wind |B| on 2003-10-29 = no coherence
Tsyganenko field line trace from THEMIS E on 2008-02-26 = I plan T89 only
forecast of Dst on 2015-03-17 = forecast nothing
polar plot of the ACE speed in October 2003 = I draw no 'polar plot'
SOHO images on 2003-10-29 = no images
hourly mean of ACE speed on 2003-10-29, averaged across all probes = not over spacecraft
AE on 2015-03-17 with gaps filled linearly = I fill no gaps
ACE Bz on 2003-10-29 as absolute values = keep the sign of a single number
AE and AL for 2015-03-17, as absolute values = keep the sign of a single number
"""


@pytest.mark.parametrize("line", WITH_SOMETHING_INSTEAD.strip().splitlines())
def test_a_reason_is_given_and_what_can_be_had_instead(line: str) -> None:
    """Nothing of it is drawn unasked; the choice leads on and keeps every number."""
    request, _, reason = line.partition(" = ")
    answer = ask(request)
    assert isinstance(answer, Asked), answer
    assert reason in answer.question.text
    assert answer.question.choices
    for choice in answer.question.choices:
        assert set(re.findall(r"\d+", request)) <= set(re.findall(r"\d+", choice))
        led_to = ask(choice)
        assert isinstance(led_to, Plan) or (isinstance(led_to, Asked) and reason not in led_to.question.text)


@pytest.mark.parametrize(
    "request_text",
    ["ACE |B| on 2003-10-29, night work", "predicted position of Wind on 2010-01-01", "the ACE speed map, 2003-10-29"],
)
def test_words_beside_are_not_taken_for_it(request_text: str) -> None:
    """Only what the file names has its reason."""
    answer = ask(request_text)
    text = answer.question.text if isinstance(answer, Asked) else ""
    assert "shift in time" not in text
    assert "forecast nothing" not in text


def test_the_words_files_name_sorts_of_questions_that_there_are() -> None:
    """A question that is told apart by its sort would else be like any other."""
    text = (files("helio_dagster.agent.offline") / "words/terms.txt").read_text(encoding="utf-8")
    named = set(re.findall(r"\bsort=(\w+)", text))
    assert named == {"particles", "occasion", "length"}
    assert named < {*get_args(Sort)}


def test_what_the_catalog_denies_is_looked_for_on_servers() -> None:
    """What was asked of the person gives way to what the server has."""
    answer = ask("soft X-ray flux from GOES on 6 Sept 2017")
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("The archives here have no data of 'soft X-ray flux'. ISWA has ")
    assert "What do you want instead?" not in answer.question.text
