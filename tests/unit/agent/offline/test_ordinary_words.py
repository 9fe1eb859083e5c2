"""Ordinary words around what is known: verbs in front, `A or B`, a fleet said in words, a model in a sentence, other data."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.meanings import Filler, Heading
from helio_dagster.agent.offline.vocabulary import (
    ordinary_words,
    vocabulary,
    weighty_words,
    words_of_occasions,
    words_of_quantities,
)
from helio_dagster.catalog.mission_words import mission_names
from helio_dagster.domain.frames import FRAMES
from tests.unit.agent.offline.asking import ask, chain, planned


def test_no_ordinary_word_says_anything_of_a_plan() -> None:
    """They are none of the words that count, limit, negate, name or measure, and no whole term but one that changes nothing."""
    words = ordinary_words()
    assert not words & (weighty_words() | words_of_quantities() | words_of_occasions())
    assert not words & {each.casefold() for each in (*mission_names(), *FRAMES)}
    meant = [
        word
        for word in words
        for term in vocabulary()
        if (match := term.pattern.fullmatch(word)) and not isinstance(term.meaning(match), Filler | Heading)
    ]
    assert meant == []


@pytest.mark.parametrize(
    ("request_text", "ignored"),
    [
        ("Take the hourly mean of Wind |B| in June 2012 and report it", ("Take", "report it")),
        ("Correlate OMNI speed with Kp over 2017 and report the correlation coefficient", ("report",)),
        ("Take Wind magnetic field on 2012-06-16 and return its magnitude", ("Take", "return")),
        ("Perform a minimum variance analysis of the ACE magnetic field on 2003-11-20", ("Perform",)),
        ("Report the ACE density and whistliness on 2012-06-16", ("Report", "whistliness")),
        ("whistliness and Dst in May 2024", ("whistliness",)),
        ("Apply the calibration to the ACE density on 2012-06-16", ("Apply", "calibration")),
    ],
)
def test_an_ordinary_word_is_left_out_and_shown(request_text: str, ignored: tuple[str, ...]) -> None:
    """Wherever it stands, also where another word would be asked about."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert answer.ignored == ignored


@pytest.mark.parametrize(
    ("request_text", "word"),
    [
        ("Evaluate the kurtosis of Wind |B| on 2012-06-16", "kurtosis"),
        ("Use a Hampel filter on Wind |B| on 2012-06-16", "filter"),
        ("Take ACE density without alpha particles on 2012-06-16", "no alpha density"),
        ("Report the ACE density and the curl on 2012-06-16", "curl"),
    ],
)
def test_what_an_ordinary_verb_is_about_is_asked(request_text: str, word: str) -> None:
    """What is computed, a negation and other particles are no ordinary words."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert word in answer.question.text


@pytest.mark.parametrize(
    ("request_text", "first", "named"),
    [
        ("ACE or Wind speed on 2005-01-20", "speed=AC_H0_SWE/Vp", "'ACE' or 'Wind'"),
        ("ACE, Wind or DSCOVR speed on 2018-08-26", "speed=AC_H0_SWE/Vp", "'ACE', 'Wind' or 'DSCOVR'"),
        ("density, either from ACE or from Wind, 2012-06-16", "density=AC_H0_SWE/Np", "'ACE' or 'Wind'"),
        ("Dst or SYM-H on 2015-03-17", "dst=OMNI2_H0_MRG1HR/DST", "'Dst' or 'SYM-H'"),
        ("THEMIS-A magnetic field in GSE or GSM on 2008-02-26", "b_gse=THA_L2_FGM/tha_fgs_gse", "'in GSE' or 'GSM'"),
        ("SOHO ERNE or EPHIN energetic protons on 2000-07-14", "protons=SOHO_ERNE-HED_L2-1MIN/PH", "'ERNE' or 'EPHIN'"),
        ("hourly or daily means of OMNI speed in 2008", "speed=OMNI2_H0_MRG1HR/V", "'hourly' or 'daily means'"),
    ],
)
def test_the_first_of_two_alternatives_is_planned(request_text: str, first: str, named: str) -> None:
    """The plan is that of the first, and an assumption names the other."""
    pipeline = planned(request_text)
    assert chain(pipeline)[0] == first
    assert len([step for step in pipeline.steps if step.fetch]) == 1
    assert any(named in str(each) for each in pipeline.assumptions)


def test_what_both_alternatives_share_stays() -> None:
    """`hourly or daily means` are hourly means."""
    assert chain(planned("hourly or daily means of ACE speed in May 2008"))[-1] == "speed_1hour=resample(speed,PT1H,mean)"


@pytest.mark.parametrize(
    "request_text",
    [
        "Intervals in 2016 where OMNI Bz is below -10 nT or speed above 600 km/s",
        "10-minute or 30-minute means of ACE speed on 2005-01-20",
        "ACE or Klingon speed on 2005-01-20",
    ],
)
def test_no_limit_number_or_unknown_thing_is_dropped_as_an_alternative(request_text: str) -> None:
    """`or` between limits, between numbers, or before what is not known is asked about."""
    assert isinstance(ask(request_text), Asked)


@pytest.mark.parametrize(
    ("request_text", "dataset"),
    [
        ("Compute the current density by the curlometer from the four MMS spacecraft on 2016-12-09 09:00 to 09:30", "MMS"),
        ("curlometer of all four Cluster spacecraft, 2003-08-17", "C"),
        ("curlometer from MMS1, MMS2, MMS3 and MMS4 on 2016-12-09", "MMS"),
        ("Could you apply the curlometer to the MMS constellation on 2016-12-09", "MMS"),
        ("gradient of the magnetic field from the four Cluster satellites on 2003-08-17", "C"),
    ],
)
def test_a_fleet_said_in_words(request_text: str, dataset: str) -> None:
    """All four spacecraft give the field, however they are called together."""
    steps = [step.fetch for step in planned(request_text).steps if step.fetch]
    assert len({each.dataset for each in steps if "FGM" in each.dataset}) == 4
    assert all(each.dataset.startswith(dataset) for each in steps)


@pytest.mark.parametrize(
    ("request_text", "operation", "options"),
    [
        ("Where is the magnetopause according to Shue for the solar wind data of 2001-03-31?", "magnetopause_distance", {}),
        ("What is the standoff distance of the magnetopause given by Shue for 2015-06-22?", "magnetopause_distance", {}),
        ("How far out was the bow shock on 17 March 2015?", "bow_shock_distance", {}),
        ("Predict Dst with the Burton equation, 10-14 January 1997", "dst_model", {"model": "burton"}),
        ("Use Burton's equation to model Dst for 10-12 May 2024", "dst_model", {"model": "burton"}),
        ("Dst predicted with the O'Brien and McPherron model, June 2015", "dst_model", {"model": "obrien_mcpherron"}),
    ],
)  # fmt: skip
def test_a_model_in_another_sentence(request_text: str, operation: str, options: dict[str, str]) -> None:
    """It is computed from OMNI, and what drives it is not drawn beside it."""
    pipeline = planned(request_text)
    computed = [step.compute for step in pipeline.steps if step.compute]
    assert [each.operation for each in computed] == [operation]
    assert options.items() <= computed[0].options.items()
    assert len([trace for step in pipeline.steps if step.figure for panel in step.figure.panels for trace in panel.traces]) == 1


def test_an_absolute_value_of_a_component_is_asked_about() -> None:
    """It is not drawn as the component with its sign."""
    answer = ask("Take the absolute value of Wind Bz GSE on 2012-06-16")
    assert isinstance(answer, Asked)
    assert "Absolute values" in answer.question.text


def test_without_a_model_nothing_is_predicted() -> None:
    """A forecast is refused as before."""
    answer = ask("Predict Dst for next week")
    assert isinstance(answer, Asked)
    assert "forecast nothing" in answer.question.text


@pytest.mark.parametrize(
    ("request_text", "named"),
    [
        ("Show the number of tweets mentioning aurora against Dst in May 2024", "tweets mentioning aurora"),
        ("tweets per hour and Dst in May 2024", "tweets per hour"),
        ("Plot rainfall in London and Kp for May 2024", "rainfall in London"),
        ("Correlate cat moods with Kp in 2015", "moods"),
    ],
)
def test_data_that_are_not_here_are_named(request_text: str, named: str) -> None:
    """The reply says what it does not have or understand."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert named in answer.question.text
