"""What cannot be had is refused whole, with the nearest that can, which keeps all else that was said."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, complete


@pytest.mark.parametrize(
    ("request_text", "named", "choice", "steps"),
    [
        ("forecast of kp for next week", "'forecast' and 'next week'", "kp for the last 7 days", "kp="),
        ("predict Dst for the next three days", "'predict'", "Dst for the last three days", "dst="),
        (
            "LASCO coronagraph images of the 23 july 2012 CME",
            "'LASCO coronagraph images'",
            "solar wind speed of the 23 july 2012 CME",
            "speed=",
        ),
        (
            "E x B drift of electrons from MMS1 on 2017-07-11",
            "'E x B drift'",
            "velocity of electrons from MMS1 on 2017-07-11",
            "electrons_velocity",
        ),
        ("what was the strongest storm of 2003?", "'the strongest storm'", "Dst during the Halloween storm", "dst="),
        ("top 10 storms of 2015", "'top 10 storms'", "list of the Dst minima below -200 nT of 2015", "dst_minima="),
        (
            "Wind proton temperature to the expected temperature ratio for 10 Jan 1997",
            "'proton temperature to the expected temperature ratio'",
            "Wind proton temperature and proton speed for 10 Jan 1997",
            "temperature=",
        ),
    ],
)
def test_the_question_names_it_and_offers_the_nearest(request_text: str, named: str, choice: str, steps: str) -> None:
    """The words are quoted, and a choice with something else in their place has a plan."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert named in answer.question.text
    assert choice in answer.question.choices
    plan = ask(choice)
    assert isinstance(plan, Plan), plan
    assert any(step.startswith(steps) for step in chain(plan.pipeline))


def test_each_sentence_stands_once() -> None:
    """Two words of one kind make one sentence."""
    answer = ask("LASCO images and magnetograms of 23 july 2012")
    assert isinstance(answer, Asked), answer
    assert answer.question.text.count("no images and films") == 1


@pytest.mark.parametrize(
    ("request_text", "phrase", "data"),
    [
        ("recurrence plot of the solar wind speed 2008", "recurrence plot", "solar wind speed 2008"),
        ("Hilbert transform of ACE Bz 2004-11-07", "Hilbert transform", "ACE Bz 2004-11-07"),
        ("empirical mode decomposition of ACE Bz 2004-11-07", "empirical mode decomposition", "ACE Bz 2004-11-07"),
        ("PCA of ACE Bz and speed 2004-11-07", "PCA", "ACE Bz and speed 2004-11-07"),
        ("Granger causality of solar wind speed and Kp 2004", "Granger causality", "solar wind speed and Kp 2004"),
    ],
)
def test_an_unknown_operation_is_asked_about(request_text: str, phrase: str, data: str) -> None:
    """It is never ignored; where no operation comes near, the data themselves are what there is."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith(f"No operation here makes {phrase!r}.")
    assert answer.question.choices == [data]


def test_operations_that_come_near_are_offered_with_what_they_do() -> None:
    """They are found by their own texts, and each choice has a plan."""
    answer = ask("Hurst exponent of ACE |B| 2004")
    assert isinstance(answer, Asked), answer
    assert answer.question.choices[:2] == ["spectral slope of ACE |B| 2004", "structure function of ACE |B| 2004"]
    assert any(each.startswith("structure_function: ") for each in answer.notes)
    assert all(isinstance(ask(each), Plan) for each in answer.question.choices)


@pytest.mark.parametrize("words", ["summary plot", "line plot", "time series plot", "scatter plot", "storm analysis"])
def test_usual_words_for_a_plot_are_no_operation(words: str) -> None:
    """Nothing is asked about them."""
    assert isinstance(ask(f"{words} of ACE speed and density 2004-11-07"), Plan)


@pytest.mark.parametrize(
    ("request_text", "said", "title"),
    [
        ("LASCO coronagraph images of the 23 july 2012 CME", "solar wind speed", "OMNI speed"),
        ("LASCO coronagraph images of the 23 july 2012 CME", "ACE magnetic field", "ACE magnetic field"),
        ("entropy of the solar wind from ACE on 2012-07-23", "speed", "ACE speed"),
        ("Bz 2012-07-23", "ACE density", "ACE density"),
    ],
)
def test_a_quantity_as_the_answer_keeps_the_time(request_text: str, said: str, title: str) -> None:
    """The time of the request is that of its plan."""
    answer = complete(request_text, said)
    assert isinstance(answer, Plan), answer
    assert answer.pipeline.title == title
    assert str(answer.span) == "2012-07-23 to 2012-07-24"


@pytest.mark.parametrize(
    "words",
    [
        "filter the noise out of ACE Bz",
        "denoise ACE Bz",
        "clean up ACE Bz",
        "smooth out ACE Bz",
        "ACE Bz filtered",
        "filter ACE Bz",
    ],
)
def test_a_general_word_for_an_operation_has_choices(words: str) -> None:
    """Running mean, median, despiking and low-pass keep the rest of the request, and each has a plan."""
    answer = ask(f"{words} on 2003-10-29")
    assert isinstance(answer, Asked), answer
    made = [ask(each) for each in answer.question.choices]
    operations = {
        step.compute.operation for plan in made if isinstance(plan, Plan) for step in plan.pipeline.steps if step.compute
    }
    assert {"rolling_mean", "rolling_statistic", "despike", "butterworth"} <= operations
    assert all(isinstance(plan, Plan) and str(plan.span) == "2003-10-29 to 2003-10-30" for plan in made)


def test_a_filter_with_its_frequencies_is_none_of_them() -> None:
    """Nothing is open there."""
    assert isinstance(ask("ACE Bz bandpass filtered 5 to 20 mHz, 2003-10-29"), Plan)
