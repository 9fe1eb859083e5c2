"""Requests that are no plan: questions about things, saved pipelines, and answers to the planner's own questions."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Information, Plan, Refusal, Replay
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, complete, on_the_table, refine
from tests.unit.agent.stand_in import StandInSide

SAVED = StandInSide(
    saved={"ace_overview": "ACE magnetic field overview", "ace_plasma": "ACE plasma", "wind_overview": "Wind overview"}
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("what is the plasma beta?", "thermal pressure"),
        ("what does the Alfven Mach number mean", "flow speed over Alfven speed"),
        ("How is the dynamic pressure computed?", "P = m_p n V^2"),
        ("explain minimum variance", "normal"),
        ("what is Dst?", "Dst"),
        ("what is Cluster 1?", "Cluster 1"),
        ("which missions measured the Halloween storm?", "Ulysses"),
        ("which spacecraft have electric field data in 2005?", "Cluster 1"),
        ("what does AC_H0_MFI hold?", "BGSEc"),
        ("when did Geotail take magnetic field data?", "1993-09-01"),
        ("which MAVEN magnetometer datasets do you have?", "MVN_MAG_L2-SUNSTATE-1SEC"),
        ("until when is there ACE SWEPAM level 2 data?", "AC_H0_SWE"),
        ("is there anything from Equator-S, and what did it measure?", "EQ_PP_MAM"),
        ("which datasets does Solar Orbiter have for density?", "SOLO_L2_SWA-PAS-GRND-MOM"),
        ("help", "pipeline"),
        ("what can you do?", "pipeline"),
    ],
)
def test_a_question_about_things_is_answered_with_sources(request_text: str, words: str) -> None:
    """No data is made, and where the answer is from is told; also while a pipeline is on the table."""
    answer = ask(request_text)
    assert isinstance(answer, Information), answer
    assert words in answer.text
    assert answer.sources
    assert refine("ACE |B| on 2003-10-29", request_text) == answer


@pytest.mark.parametrize("request_text", ["what was the speed at ACE on 2003-10-29?", "what is ACE |B| on 2003-10-29"])
def test_a_question_for_data_is_a_plan(request_text: str) -> None:
    """What names a mission and a quantity asks for numbers."""
    assert isinstance(ask(request_text), Plan)


def test_a_saved_pipeline_is_found_and_replayed() -> None:
    """By its name, or by words that only one holds."""
    for words in ("run my ACE overview for January 2024", "replay ace_overview for January 2024"):
        answer = ask(words, side=SAVED)
        assert isinstance(answer, Replay), words
        assert (answer.name, str(answer.span)) == ("ace_overview", "2024-01-01 to 2024-02-01")


def test_a_saved_pipeline_is_forked_for_another_mission() -> None:
    """`Run my ACE pipeline for Wind` is the same for Wind."""
    answer = ask("run my ACE plasma pipeline for Wind for 2004", side=SAVED)
    assert isinstance(answer, Fork)
    assert (answer.mission, answer.name, str(answer.span)) == ("Wind", "ace_plasma", "2004-01-01 to 2005-01-01")


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("run my ACE pipeline for 2004", "ace_overview or ace_plasma"),
        ("run my Cassini pipeline for 2004", "No saved pipeline holds"),
        ("run my ACE overview", "For which time"),
        ("run my ACE overview for May 10", "which year"),
        ("run my ACE overview for lunch", "'lunch'"),
    ],
)
def test_which_pipeline_and_when_is_asked(request_text: str, words: str) -> None:
    """None is run by a guess."""
    answer = ask(request_text, side=SAVED)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_where_nobody_knows_saved_pipelines_that_is_said() -> None:
    """`helio plan` has no home to look in."""
    answer = ask("run my ACE overview for 2004")
    assert isinstance(answer, Refusal)
    assert "helio run" in " ".join(answer.notes)


@pytest.mark.parametrize(
    ("request_text", "said", "same_as"),
    [
        ("magnetic field on 2003-10-29", "ACE please", "ACE magnetic field on 2003-10-29"),
        ("magnetic field on 2003-10-29", "ACE", "ACE magnetic field on 2003-10-29"),
        ("ACE on 2003-10-29", "speed", "ACE speed on 2003-10-29"),
        ("ACE |B| smoothed, 2003-10-29", "10 minutes", "ACE |B| smoothed over 10 minutes, 2003-10-29"),
        ("detrended ACE |B| on 2003-10-29", "2 hours", "detrended ACE |B| with a 2-hour window on 2003-10-29"),
        ("ACE |B|, May 10", "2024", "ACE |B|, May 10 2024"),
        ("Cluster |B| on 2001-09-15", "Cluster 2 |B| on 2001-09-15", "Cluster 2 |B| on 2001-09-15"),
    ],
)
def test_what_is_said_to_a_question_completes_the_request(request_text: str, said: str, same_as: str) -> None:
    """Words beside the request asked about, a length, or another request altogether."""
    answer = complete(request_text, said)
    assert isinstance(answer, Plan), answer
    assert answer == ask(same_as)


def test_a_request_of_its_own_is_no_answer_to_the_open_question() -> None:
    """It begins anew, and that is said."""
    note = "This is taken as a new request; the question about 'ACE |B| on foo' is dropped."
    answer, plain = complete("ACE |B| on foo", "Wind |B| on 2003-10-29"), ask("Wind |B| on 2003-10-29")
    assert isinstance(answer, Plan)
    assert isinstance(plain, Plan)
    assert answer.pipeline == plain.pipeline
    assert note in answer.notes


def test_a_request_of_its_own_that_is_not_clear_is_asked_about_by_itself() -> None:
    """Nothing of the request before is mixed into it, and its questions are counted anew."""
    answer = complete("ACE |B| smoothed, Oct 2003", "detrended Wind |B| on 2012-07-15")
    assert isinstance(answer, Asked)
    assert answer.is_new
    assert "How long" in answer.question.text
    assert all("ACE" not in choice for choice in answer.question.choices)


def test_the_same_data_said_again_answer_the_question() -> None:
    """A whole sentence about what was asked is no other request."""
    answer = complete("ACE field in another frame on 2003-10-29", "ACE field in GSM on 2003-10-29")
    assert isinstance(answer, Plan)
    assert all("new request" not in note for note in answer.notes)


def test_an_answer_that_is_not_understood_is_asked_about() -> None:
    """Nothing is made of half of it."""
    answer = complete("ACE |B| smoothed, Oct 2003", "gobbledygook")
    assert isinstance(answer, Asked)
    assert "'gobbledygook'" in answer.question.text


def test_a_failed_step_is_mended_by_words_that_change_it() -> None:
    """A change is read as ever; what is none is a question, with what else can be done."""
    plan = ask("ACE |B| smoothed over 10 minutes on 2003-10-29")
    assert isinstance(plan, Plan)
    planner, failure = OfflinePlanner(shipped_knowledge()), "b_mag_mean: the window is too long"
    changed = planner.answer(Situation("smooth over 5 minutes", NOW, current=on_the_table(plan), failure=failure))
    assert isinstance(changed, Edits)
    asked = planner.answer(Situation("mend it", NOW, current=on_the_table(plan), failure=failure))
    assert isinstance(asked, Asked)
    assert "skip the step" in asked.notes[-1]
