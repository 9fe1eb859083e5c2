"""Answers of a scripted model that are no plan: edits, replays, forks, questions, information; and the small tier."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Information, Keep, Plan, Question, Refusal, Replay, Undo
from helio_dagster.agent.planner import Current, Knowledge, OpenRequest, Utterance
from helio_dagster.domain.errors import ModelRefused
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.offline.asking import ask as planned_by_words
from tests.unit.agent.offline.asking import on_the_table

from .conftest import Side, Talk, call, plan, scripted

Ask = Callable[..., Talk]
RED = {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[0].color": "red"}}
OCTOBER = TimeRange(datetime(2003, 10, 1, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))


def test_an_edit_touches_one_step(ask: Ask, current: Current) -> None:
    """Edits come back as they are; merged into the file they change one value."""
    answer = ask([call("submit_edits", edits=[RED])], "make |B| red", current=current).answer
    assert isinstance(answer, Edits)
    file = apply_edits(current.file, list(answer.edits))
    figure = file.pipeline.step("overview").figure
    assert figure is not None
    assert figure.panels[0].traces[0].color == "red"
    assert file.pipeline.steps[:2] == current.file.pipeline.steps[:2]


def test_what_a_pipeline_says_of_itself_follows_a_models_edit(ask: Ask) -> None:
    """Title, description and intent of the figure are those of what is left; a title that the model gives stays."""
    drafted = planned_by_words("ACE |B| and speed on 2003-10-29")
    assert isinstance(drafted, Plan)
    both = on_the_table(drafted)
    changes = [
        {"kind": "edit_step", "step": "overview", "remove": ["figure.panels[1]"]},
        {"kind": "remove_step", "step": "speed"},
    ]
    answer = ask([call("submit_edits", edits=changes)], "remove the speed", current=both).answer
    assert isinstance(answer, Edits)
    after = apply_edits(both.file, list(answer.edits)).pipeline
    assert (after.title, after.description) == ("ACE magnetic field magnitude", "Made from AC_H0_MFI of the archive cdaweb.")
    assert after.step("overview").intent == "Draw |B|"
    named = [*changes, {"kind": "edit_pipeline", "key": "title", "value": "My storm"}]
    answer = ask([call("submit_edits", edits=named)], "remove the speed, call it My storm", current=both).answer
    assert isinstance(answer, Edits)
    assert apply_edits(both.file, list(answer.edits)).pipeline.title == "My storm"


def test_the_model_is_told_what_is_on_the_table(ask: Ask, current: Current) -> None:
    """The pipeline's text, its range, and what was said before."""
    said = (Utterance("person", "ACE |B| for 2023-01-01"), Utterance("helio", "Here is the plan."))
    talk = ask([call("submit_edits", edits=[RED])], "make |B| red", current=current, earlier=said)
    first = str(talk.model.requests[0])
    assert "dataset: AC_H0_MFI" in first
    assert "2023-01-01 to 2023-01-03" in first
    assert "Here is the plan." in first


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (RED | {"step": "overvew"}, "overview"),
        ({"kind": "remove_step", "step": "b_mag"}, "b_mag"),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"fetch.parameter": "BGSE_c"}}, "BGSEc"),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"fetch.archive": "hapi:http://198.51.100.7/x"}}, "not allowed"),
        ({"kind": "edit_step", "step": "b_mag", "changes": {"compute.code": "import os\nreturn b"}}, "import"),
    ],
)
def test_edits_that_do_not_fit_go_back(ask: Ask, current: Current, edit: dict[str, object], told: str) -> None:
    """Unknown steps, steps in use, unknown names and bad code are refused with their faults."""
    talk = ask([call("submit_edits", edits=[edit]), call("submit_edits", edits=[RED])], "change it", current=current)
    assert isinstance(talk.answer, Edits)
    assert told in str(talk.model.requests[1][-1])


def test_an_added_fetch_is_chosen_by_a_sample(ask: Ask, current: Current, knowledge: Knowledge) -> None:
    """Candidates serve in edits too; the one that is all fill is passed over, and that is noted."""
    both = [
        {"archive": "cdaweb", "dataset": "WI_H2_MFI", "parameter": "BGSE"},
        {"archive": "cdaweb", "dataset": "WI_H0_MFI", "parameter": "B3GSE"},
    ]
    added = {"kind": "fetch", "id": "wind_b", "intent": "Wind field", "candidates": both}
    side = Side(knowledge=knowledge, samples={"WI_H2_MFI": ("all_fill", 0.0)})
    turns = [call("submit_edits", edits=[{"kind": "add_step", "step": added, "before": "overview"}])]
    talk = ask(turns, "also Wind", current=current, side=side)
    assert isinstance(talk.answer, Edits)
    file = apply_edits(current.file, list(talk.answer.edits))
    assert [step.id for step in file.pipeline.steps] == ["b_gse", "b_mag", "wind_b", "overview"]
    assert file.pipeline.step("wind_b").fetch == Fetch(archive="cdaweb", dataset="WI_H0_MFI", parameter="B3GSE")
    assert any("WI_H2_MFI" in note and "fill" in note for note in talk.answer.notes)


def test_a_value_outside_the_steps_is_changed(ask: Ask, current: Current) -> None:
    """The title, and only that."""
    edit = {"kind": "edit_pipeline", "key": "title", "value": "Field at L1"}
    answer = ask([call("submit_edits", edits=[edit])], "call it Field at L1", current=current).answer
    assert isinstance(answer, Edits)
    assert apply_edits(current.file, list(answer.edits)).pipeline.title == "Field at L1"


def test_a_wholly_new_wish_is_planned_without_what_is_on_the_table(ask: Ask, current: Current) -> None:
    """The model lays it aside and is asked again, now for a plan."""
    talk = ask([call("plan_anew", reason="Dst is wanted"), plan()], "ACE |B| for last week", current=current)
    assert isinstance(talk.answer, Plan)
    assert ["submit_plan" in tools for tools in talk.model.tools] == [False, True]
    assert "On the table" not in str(talk.model.requests[1])


def test_what_failed_is_told(ask: Ask, current: Current) -> None:
    """A repair is an edit by one who knows the error."""
    talk = ask([call("submit_edits", edits=[RED])], "mend it", current=current, failure="b_mag: no column bx in line 1")
    assert isinstance(talk.answer, Edits)
    assert "no column bx in line 1" in str(talk.model.requests[0])


def test_only_changed_code_is_tried(ask: Ask, current: Current, knowledge: Knowledge) -> None:
    """A colour tries nothing; new code is tried over the range on the table."""
    side = Side(knowledge=knowledge)
    ask([call("submit_edits", edits=[RED])], "make |B| red", current=current, side=side)
    assert side.tried == []
    mean = {"kind": "edit_step", "step": "b_mag", "changes": {"compute.code": "return b.mean(axis=1)"}}
    ask([call("submit_edits", edits=[mean])], "the mean instead", current=current, side=side)
    assert side.tried == ["b_mag"]


def test_edits_undo_and_keep_need_a_pipeline(ask: Ask) -> None:
    """What makes no sense is not offered."""
    talk = ask([plan()], "ACE |B| for last week")
    assert not {"submit_edits", "undo", "keep_operation", "replay", "fork"} & set(talk.model.tools[0])


def test_another_time_is_a_replay(ask: Ask, current: Current) -> None:
    """Nothing is edited; the range comes of the person's words."""
    answer = ask([call("replay", name=None, time_words="October 2003")], "the same for October 2003", current=current).answer
    assert answer == Replay(OCTOBER)


def test_a_saved_pipeline_is_replayed_by_name(ask: Ask, knowledge: Knowledge) -> None:
    """It is found by words; a name that is not saved goes back."""
    side = Side(knowledge=knowledge, saved={"ace_b": "ACE overview"})
    turns = [
        call("saved_pipelines", words="ACE overview"),
        call("replay", name="ace_overview", time_words="October 2003"),
        call("replay", name="ace_b", time_words="October 2003"),
    ]
    talk = ask(turns, "run my ACE overview for October 2003", side=side)
    assert talk.answer == Replay(OCTOBER, "ace_b")
    assert "ace_b" in str(talk.model.requests[2][-1])


def test_another_mission_is_a_fork(ask: Ask, current: Current) -> None:
    """The mission is given its full name; one that does not exist goes back."""
    turns = [call("fork", mission="Wimd", name=None), call("fork", mission="psp", name=None)]
    talk = ask(turns, "the same for Parker Solar Probe", current=current)
    assert talk.answer == Fork("Parker Solar Probe")
    assert "Wind" in str(talk.model.requests[1][-1])


def test_undo_and_keep(ask: Ask, current: Current) -> None:
    """The last changes are taken back; a step's code is kept, and only code can be."""
    assert ask([call("undo", what="the colour")], "undo", current=current).answer == Undo()
    both = [call("undo", what="both", count=0), call("undo", what="both", count=2)]
    assert ask(both, "undo the last two changes", current=current).answer == Undo(2)
    turns = [
        call("keep_operation", step="b_gse", operation="length", summary="Length of a vector"),
        call("keep_operation", step="b_mag", operation="length", summary="Length of a vector"),
    ]
    assert ask(turns, "keep that as length", current=current).answer == Keep("b_mag", "length", "Length of a vector")


def test_a_question_comes_with_its_choices(ask: Ask) -> None:
    """The person answers with a whole request."""
    answer = ask([call("ask_question", text="Which frame?", choices=["ACE B in GSE", "ACE B in GSM"])], "ACE B").answer
    assert answer == Asked(Question(text="Which frame?", choices=["ACE B in GSE", "ACE B in GSM"]))


def test_the_model_is_told_what_its_question_was(ask: Ask) -> None:
    """An answer is read together with the request; words of both count as said."""
    opened = OpenRequest("ACE |B| for last week", Question(text="Which frame?", choices=["GSE", "GSM"]), 1)
    talk = ask([plan()], "GSE please", open=opened)
    assert isinstance(talk.answer, Plan)
    assert talk.answer.span is not None
    assert "Which frame?" in str(talk.model.requests[0])


def test_a_refusal_says_why(ask: Ask) -> None:
    """What cannot be planned is refused with the model's reasons."""
    answer = ask(
        [call("refuse", reasons=["Voyager measures no dust storms on Mars."])], "dust storms on Mars by Voyager"
    ).answer
    assert answer == Refusal(("Voyager measures no dust storms on Mars.",))


def test_information_names_sources_that_exist(ask: Ask) -> None:
    """An invented source goes back."""
    turns = [
        call("give_information", text="The ratio of pressures.", sources=["plasma_betta"]),
        call(
            "give_information",
            text="The ratio of pressures.",
            sources=["plasma_beta", "AC_H0_SWE", "ACE", "scipy.signal.welch"],
        ),
    ]
    talk = ask(turns, "what is the plasma beta?")
    assert isinstance(talk.answer, Information)
    assert talk.answer.sources == ("plasma_beta", "AC_H0_SWE", "ACE", "scipy.signal.welch")
    assert "plasma_beta" in str(talk.model.requests[1][-1])


def test_an_empty_request_asks_no_model(ask: Ask) -> None:
    """Nothing said, nothing spent."""
    talk = ask([], "  \n")
    assert isinstance(talk.answer, Refusal)
    assert talk.model.requests == []


def test_a_request_of_100_000_characters_asks_no_model(ask: Ask) -> None:
    """A pasted file is not sent away."""
    talk = ask([], "plot " * 20_000)
    assert isinstance(talk.answer, Refusal)
    assert talk.model.requests == []


def test_a_long_talk_is_told_in_short(ask: Ask) -> None:
    """What was said before is bounded, in number and in length."""
    said = tuple(Utterance("person", f"turn {place} " + "x" * 5000) for place in range(50))
    talk = ask([plan()], "ACE |B| for last week", earlier=said)
    first = str(talk.model.requests[0])
    assert "turn 49 " in first
    assert "turn 39 " not in first
    assert len(first) < 16_000


def test_questions_go_to_the_small_model(ask: Ask) -> None:
    """It has look-ups and answers with sources; the planning model is not asked."""
    docs = call("operation_docs", operation="plasma_beta")
    small = scripted([docs, call("give_information", text="A ratio of pressures.", sources=["plasma_beta"])])
    talk = ask([], "what is the plasma beta?", small=small)
    assert talk.answer == Information("A ratio of pressures.", ("plasma_beta",))
    assert talk.model.requests == []
    assert "submit_plan" not in small.tools[0]


def test_the_small_model_hands_over(ask: Ask) -> None:
    """What wants data goes to the planning model, which starts afresh."""
    search = call("search_catalog", words="ACE magnetic field")
    small = scripted([search, call("hand_over", reason="a plot is wanted")])
    talk = ask([search, plan()], "what was ACE |B| like for last week?", small=small)
    assert isinstance(talk.answer, Plan)
    assert len(small.requests) == 2
    assert [event.facts["requests"] for event in talk.told("usage")] == [2, 2]


def test_a_small_model_that_fails_is_no_reason_to_stop(ask: Ask) -> None:
    """Rubbish or an outage of the small one: the planning model answers."""
    small = scripted([{"trouble": "outage"}])
    talk = ask([call("give_information", text="It is …", sources=["plasma_beta"])], "what is the plasma beta?", small=small)
    assert isinstance(talk.answer, Information)


def test_a_wrong_key_is_said_at_once(ask: Ask) -> None:
    """It would be wrong for the planning model too."""
    with pytest.raises(ModelRefused):
        ask([plan()], "what is the plasma beta?", small=scripted([{"trouble": "key"}]))


def test_a_request_for_data_is_not_asked_of_the_small_model(ask: Ask) -> None:
    """A request that is not a question goes to the planning model at once."""
    small = scripted([])
    ask([plan()], "ACE |B| for last week", small=small)
    assert small.requests == []


@pytest.mark.parametrize(
    "request_text",
    ["can you plot ACE |B| for last week?", "Could you please show me Dst in 2003?", "would you smooth it over ten minutes?"],
)
def test_a_polite_wish_goes_to_the_planning_model_at_once(ask: Ask, request_text: str) -> None:
    """It looks like a question, and the small model could only hand it over."""
    small = scripted([call("hand_over", reason="data are wanted")])
    ask([call("refuse", reasons=["enough"])], request_text, small=small)
    assert small.requests == []


@pytest.mark.parametrize(
    "request_text", ["can you explain what the plasma beta is?", "what does rolling_mean do", "is Dst hourly?"]
)
def test_questions_still_go_to_the_small_model(ask: Ask, request_text: str) -> None:
    """It is cheaper, and hands over what is none."""
    small = scripted([call("hand_over", reason="data are wanted")])
    ask([call("refuse", reasons=["enough"])], request_text, small=small)
    assert len(small.requests) == 1
