"""Plans of a scripted model: held against catalog, operations, time and a sample before they are an answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Plan, Question, Refusal
from helio_dagster.agent.events import Event
from helio_dagster.agent.planner import Knowledge, OpenRequest
from helio_dagster.domain.errors import ArchiveUnavailable, CodeError, ModelMisbehaved
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

from .conftest import FETCH, FIGURE, MAGNITUDE, Side, Talk, call, code, plan

Ask = Callable[..., Talk]
WEEK = TimeRange(datetime(2026, 3, 3, tzinfo=UTC), datetime(2026, 3, 10, tzinfo=UTC))


def test_a_plan_of_known_parts_is_a_pipeline(ask: Ask) -> None:
    """Name, grain and start are made by code; the steps are the model's."""
    answer = ask([call("search_catalog", words="ACE magnetic field"), plan()], "ACE |B| for last week").answer
    assert isinstance(answer, Plan)
    assert answer.pipeline.name == "ace_magnetic_field_magnitude"
    assert [step.kind for step in answer.pipeline.steps] == ["fetch", "compute", "figure"]
    assert (answer.pipeline.partitions, answer.pipeline.start) == (Grain.DAILY, datetime(1997, 9, 2, tzinfo=UTC))


def test_the_time_is_resolved_by_code(ask: Ask) -> None:
    """The model hands on the person's words; the range comes of the clock."""
    answer = ask([plan(time_words="Last  week")], "ACE |B| for last week").answer
    assert isinstance(answer, Plan)
    assert answer.span == WEEK


def test_dates_that_the_person_did_not_say_go_back(ask: Ask) -> None:
    """A model that computes dates is told to copy the words instead."""
    talk = ask([plan(time_words="2026-03-01 to 2026-03-08"), plan()], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert talk.answer.span == WEEK
    assert "verbatim" in talk.heard()


def test_a_time_that_was_left_out_is_asked_for_once(ask: Ask) -> None:
    """Where the person named a time, no plan goes without it unless the model insists, and then that is noted."""
    talk = ask([plan(time_words=None), plan(time_words=None)], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert talk.answer.span is None
    assert any("last week" in note for note in talk.answer.notes)
    assert "give it as time_words" in talk.heard()


def test_no_time_named_means_no_range(ask: Ask) -> None:
    """A plan may wait for its range, and says so."""
    answer = ask([plan(time_words=None)], "ACE |B|").answer
    assert isinstance(answer, Plan)
    assert answer.span is None
    assert any("No time range" in note for note in answer.notes)


def test_an_ambiguous_time_becomes_a_question_with_whole_requests(ask: Ask) -> None:
    """The choices replace the person's words in the person's request."""
    answer = ask([plan(time_words="01/02/2023")], "ACE |B| on 01/02/2023").answer
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["ACE |B| on 2023-01-02", "ACE |B| on 2023-02-01"]


@pytest.mark.parametrize(
    "words",
    [
        "3 and 7 May 2003",
        "DOY 131 and 140 of 2024",
        "2015-06-22 and 2015-08-15",
        "Easter 2015",
        "2003-10-29 during sunrise",
        "2003 without March",
    ],
)
def test_a_time_that_is_understood_in_part_is_asked_about(ask: Ask, words: str) -> None:
    """Never a whole year for three days of it: the question names what was not understood."""
    answer = ask([plan(time_words=words)], f"ACE |B| for {words}").answer
    assert isinstance(answer, Asked)
    assert "but not" in answer.question.text


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("DOY 131-133 2024", "2024-05-10 to 2024-05-13"),
        ("29. Oktober 2003", "2003-10-29 to 2003-10-30"),
        ("8 Sept 2015, 9-12 UT", "2015-09-08T09:00Z to 2015-09-08T12:00Z"),
        ("between 10:00 and 14:00 on the 26th of January 2001", "2001-01-26T10:00Z to 2001-01-26T14:00Z"),
        ("January and February 2008", "2008-01-01 to 2008-03-01"),
        ("Q1 2012", "2012-01-01 to 2012-04-01"),
    ],
)
def test_a_time_in_unusual_form_is_understood_whole(ask: Ask, words: str, span: str) -> None:
    """None of them is taken for the year alone."""
    answer = ask([plan(time_words=words)], f"ACE |B| for {words}").answer
    assert isinstance(answer, Plan)
    assert str(answer.span) == span


@pytest.mark.parametrize(
    ("words", "said", "span"),
    [
        ("2001", "between 10:00 and 14:00 on the 26th of January 2001", "2001-01-26T10:00Z to 2001-01-26T14:00Z"),
        ("January 2001", "26th of January 2001", "2001-01-26 to 2001-01-27"),
        ("2008", "DOY 131-133 2008", "2008-05-10 to 2008-05-13"),
        ("2012", "Q1 2012", "2012-01-01 to 2012-04-01"),
        ("2008-03-01", "2008-03-01 to 2008-03-05", "2008-03-01 to 2008-03-05"),
    ],
)
def test_a_part_of_what_was_said_is_returned_to_the_model(ask: Ask, words: str, said: str, span: str) -> None:
    """However it copies: it gets the whole phrase back, and a person is asked where it insists."""
    talk = ask([plan(time_words=words), plan(time_words=said)], f"ACE |B|, {said}")
    assert isinstance(talk.answer, Plan)
    assert str(talk.answer.span) == span
    assert f"only a part of what the person said: {said!r}" in talk.heard()
    answer = ask([plan(time_words=words), plan(time_words=words)], f"ACE |B|, {said}").answer
    assert isinstance(answer, Asked)
    assert answer.question.choices[0] == f"ACE |B|, {span}"


def test_another_time_that_was_said_is_noted(ask: Ask) -> None:
    """It is not lost without a word."""
    answer = ask([plan(time_words="March 2008")], "ACE |B| in January and March 2008").answer
    assert isinstance(answer, Plan)
    assert "'January' is not in the time range." in answer.notes


@pytest.mark.parametrize("words", ["the whole of 2004", "during the first week of March 2010", "from 2003-10-28 to 2003-11-01"])
def test_small_words_beside_a_time_are_no_part_of_it(ask: Ask, words: str) -> None:
    """They change nothing, so nothing is asked."""
    assert isinstance(ask([plan(time_words=words)], f"ACE |B| {words}").answer, Plan)


def test_a_date_that_does_not_exist_becomes_a_question(ask: Ask) -> None:
    """An impossible date is not repaired silently."""
    answer = ask([plan(time_words="2023-02-30")], "ACE |B| on 2023-02-30").answer
    assert isinstance(answer, Asked)
    assert "time" in answer.question.text


def test_the_future_becomes_a_question(ask: Ask) -> None:
    """There are no data of tomorrow."""
    answer = ask([plan(time_words="2031-01-01")], "ACE |B| on 2031-01-01").answer
    assert isinstance(answer, Asked)
    assert "future" in answer.question.text


def test_the_fourth_question_is_a_refusal(ask: Ask) -> None:
    """A person is asked three times at most."""
    opened = OpenRequest("ACE |B|", Question(text="When?"), 3)
    talk = ask([plan(time_words="01/02/2023")], "on 01/02/2023", open=opened)
    assert isinstance(talk.answer, Refusal)
    assert "ask_question" not in talk.model.tools[0]


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        ({"archive": "cdaweb", "dataset": "AC_H9_MFI", "parameter": "BGSEc"}, "AC_H"),
        ({"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSE_c"}, "BGSEc"),
        ({"archive": "hapi:http://198.51.100.7/hapi", "dataset": "x", "parameter": "y"}, "not allowed"),
        ({"archive": "hapi:example.org", "dataset": "x", "parameter": "y"}, "not allowed"),
        ({"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}, "not allowed"),
        ({"archive": "cdaweb", "dataset": "no such; thing", "parameter": "y"}, "cannot be a fetch"),
    ],
)
def test_invented_names_go_back_with_the_nearest_real_ones(ask: Ask, candidate: dict[str, str], told: str) -> None:
    """Datasets, parameters and archives must exist; an address that nobody named is never fetched from."""
    talk = ask([plan(FETCH | {"candidates": [candidate]}, MAGNITUDE, FIGURE), plan()], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert told in str(talk.model.requests[1][-1])


def test_a_server_that_the_person_names_may_be_used(ask: Ask) -> None:
    """The person's own words open an archive; a model's do not."""
    fetch = FETCH | {"candidates": [{"archive": "hapi:http://127.0.0.1:9/hapi", "dataset": "x", "parameter": "y"}]}
    figure = FIGURE | {"panels": [{"traces": [{"data": "b_gse"}]}]}
    answer = ask([plan(fetch, figure)], "plot x/y of hapi:http://127.0.0.1:9/hapi for last week").answer
    assert isinstance(answer, Plan)


def test_an_unknown_operation_goes_back(ask: Ask) -> None:
    """The nearest operation is named."""
    wrong = MAGNITUDE | {"operation": "magnitud"}
    talk = ask([plan(FETCH, wrong, FIGURE), plan()], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert "magnitude" in str(talk.model.requests[1][-1])


def test_units_and_shapes_are_checked(ask: Ask) -> None:
    """A vector where a series is needed goes back with the remedy."""
    mean = {**MAGNITUDE, "operation": "welch", "inputs": {"series": "b_gse"}, "options": {"cadence": "PT16S", "bin": "PT1H"}}
    talk = ask([plan(FETCH, mean, FIGURE), plan()], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert "step b_mag" in str(talk.model.requests[1][-1])


def test_a_plan_without_data_goes_back(ask: Ask) -> None:
    """Something must be fetched."""
    table = {"kind": "table", "id": "events", "intent": "x", "csv": "onset,name\n2003-10-29T06:11Z,a", "source": "me"}
    talk = ask([plan(table), plan()], "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert "fetches nothing" in talk.heard()


def test_an_all_fill_candidate_is_passed_over_and_that_is_written_down(ask: Ask, knowledge: Knowledge) -> None:
    """The choice is made on a sample; why stands in the assumptions, and the look is told of."""
    both = [{"archive": "cdaweb", "dataset": each, "parameter": "BGSEc"} for each in ("AC_H0_MFI", "AC_H1_MFI")]
    side = Side(knowledge=knowledge, samples={"AC_H0_MFI": ("all_fill", 0.0)})
    talk = ask([plan(FETCH | {"candidates": both}, MAGNITUDE, FIGURE)], "ACE |B| for last week", side=side)
    assert isinstance(talk.answer, Plan)
    assert talk.answer.pipeline.steps[0].fetch is not None
    assert talk.answer.pipeline.steps[0].fetch.dataset == "AC_H1_MFI"
    assert any("AC_H0_MFI" in each and "fill" in each for each in talk.answer.pipeline.assumptions)
    assert [event.facts["state"] for event in talk.told("candidate")] == ["all_fill", "data"]


def test_candidates_that_were_not_yet_or_no_longer_there_are_passed_over(ask: Ask) -> None:
    """What the catalog's dates rule out is not sampled, and that is written down."""
    both = [
        {"archive": "cdaweb", "dataset": "AC_K0_MFI", "parameter": "BGSEc"},
        {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"},
    ]
    talk = ask([plan(FETCH | {"candidates": both}, MAGNITUDE, FIGURE, time_words="in 2003-10")], "ACE |B| in 2003-10")
    assert isinstance(talk.answer, Plan)
    assert talk.answer.pipeline.steps[0].fetch is not None
    assert talk.answer.pipeline.steps[0].fetch.dataset == "AC_H0_MFI"
    assert any("AC_K0_MFI has data from 2017" in each for each in talk.answer.pipeline.assumptions)


def test_datasets_that_all_lie_elsewhere_in_time_go_back(ask: Ask) -> None:
    """The model must find another, or ask."""
    turns = [plan(time_words="1985-01-01"), call("refuse", reasons=["ACE was launched in 1997."])]
    talk = ask(turns, "ACE |B| on 1985-01-01")
    assert isinstance(talk.answer, Refusal)
    assert "AC_H0_MFI has data from 1997" in talk.heard()


def test_a_range_that_begins_too_early_is_noted(ask: Ask) -> None:
    """What will be empty is said beforehand."""
    answer = ask([plan(time_words="1997")], "ACE |B| in 1997").answer
    assert isinstance(answer, Plan)
    assert any("AC_H0_MFI has data from 1997-09-02" in note and "will be empty" in note for note in answer.notes)


def test_code_that_fails_on_a_sample_goes_back_with_the_error(ask: Ask, knowledge: Knowledge) -> None:
    """The model is told the line and what the inputs looked like; the trials are told of."""

    def judge(body: str) -> bool:
        if "oops" in body:
            raise CodeError("name 'oops' has no columns", line=1, source="return oops(b)", inputs="b: 5400 x 3, nT")
        return True

    side = Side(knowledge=knowledge, try_code=judge)
    turns = [plan(FETCH, code("oops = b\nreturn oops.sum(axis=1)"), FIGURE), plan(FETCH, code("return b.sum(axis=1)"), FIGURE)]
    talk = ask(turns, "ACE |B| for last week", side=side)
    assert isinstance(talk.answer, Plan)
    assert "b: 5400 x 3, nT" in str(talk.model.requests[1][-1])
    assert [(event.facts["attempt"], event.facts["passed"]) for event in talk.told("step_tested")] == [(1, False), (2, True)]


def test_code_is_repaired_three_times_at_most(ask: Ask, knowledge: Knowledge) -> None:
    """Then the planning ends with the last error."""

    def fails(body: str) -> bool:
        raise CodeError(f"no good: {body[-1]}")

    events: list[Event] = []
    turns = [plan(FETCH, code(f"return b.sum(axis=1) * {place}"), FIGURE) for place in range(6)]
    with pytest.raises(ModelMisbehaved, match="after 3 repairs") as caught:
        ask(turns, "ACE |B| for last week", side=Side(knowledge=knowledge, try_code=fails), events=events)
    assert "no good: 3" in caught.value.hint
    assert [event.stage for event in events].count("step_tested") == 4


def test_code_that_gives_two_results_goes_back(ask: Ask, knowledge: Knowledge) -> None:
    """What is not the same twice is not a step of a pipeline."""
    side = Side(knowledge=knowledge, try_code=lambda body: "sum" in body)
    turns = [plan(FETCH, code("return b.mean(axis=1)"), FIGURE), plan(FETCH, code("return b.sum(axis=1)"), FIGURE)]
    talk = ask(turns, "ACE |B| for last week", side=side)
    assert isinstance(talk.answer, Plan)
    assert "two different results" in str(talk.model.requests[1][-1])


def test_an_archive_out_of_reach_is_no_fault_of_the_code(ask: Ask, knowledge: Knowledge) -> None:
    """What could not be tried is noted."""

    def unreachable(_body: str) -> bool:
        raise ArchiveUnavailable("no connection to the archive")

    turns = [plan(FETCH, code("return b.sum(axis=1)"), FIGURE)]
    answer = ask(turns, "ACE |B| for last week", side=Side(knowledge=knowledge, try_code=unreachable)).answer
    assert isinstance(answer, Plan)
    assert any("could not be tried" in note for note in answer.notes)


def test_code_is_checked_also_where_it_cannot_be_tried(ask: Ask) -> None:
    """Without a range or a run side the static check stands alone, and that is noted."""
    turns = [plan(FETCH, code("import os\nreturn b"), FIGURE), plan(FETCH, code("return b.sum(axis=1)"), FIGURE)]
    talk = ask(turns, "ACE |B| for last week")
    assert isinstance(talk.answer, Plan)
    assert "import" in str(talk.model.requests[1][-1])
    assert any("checked but not tried" in note for note in talk.answer.notes)


def test_steps_are_told_of_once(ask: Ask, knowledge: Knowledge) -> None:
    """A step that comes again unchanged is not told of again, nor are its candidates sampled again."""
    side = Side(knowledge=knowledge, try_code=lambda body: "sum" in body)
    turns = [plan(FETCH, code("return b.mean(axis=1)"), FIGURE), plan(FETCH, code("return b.sum(axis=1)"), FIGURE)]
    talk = ask(turns, "ACE |B| for last week", side=side)
    assert [event.facts["step"] for event in talk.told("step_created")] == ["b_gse", "b_mag", "overview", "b_mag"]
    assert side.asked == ["AC_H0_MFI"]


def test_the_demo_archive_is_planned_from_its_own_datasets(ask: Ask) -> None:
    """Searching and fetching stay inside it."""
    fetch = FETCH | {"candidates": [{"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}]}
    talk = ask(
        [call("search_catalog", words="ACE magnetic field"), plan(fetch, MAGNITUDE, FIGURE)],
        "ACE |B| for last week",
        archive="demo",
    )
    assert isinstance(talk.answer, Plan)
    assert talk.told("discover")[0].facts["found"][0].startswith("AC_")
