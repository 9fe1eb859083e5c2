"""The stages of a conversation over a home on paper: what is asked, shown, written, run, mended and taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Information, Keep, Plan, Question, Refusal, Replay, Undo
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.drafting.assumptions import Assumption, Topic
from helio_dagster.agent.events import Event, say_nothing
from helio_dagster.agent.intent import Intent
from helio_dagster.agent.kept_intent import assumed_from_text, intent_from_text
from helio_dagster.agent.session import Draft
from helio_dagster.agent.targets import Target
from helio_dagster.domain.errors import ComputeError, HelioError, StorageError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import EditStep
from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.conversation.paper_home import NOW, PaperHome, Talk

Begin = Callable[..., Talk]
TEXT = """version: 1
name: ace_field
title: ACE field
partitions: daily
start: 1997-09-02
steps:
  - id: b_gse
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag  # the length
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: overview
    figure:
      panels:
        - traces: [{data: b_mag}]
"""
PIPELINE = parse_pipeline(TEXT, file="ace_field.yaml").pipeline
DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
OTHER = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
PLAN = Plan(PIPELINE, DAY)
RED = EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[0].color": "red"})
BLUE = EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[0].color": "blue"})
WRONG = EditStep(kind="edit_step", step="b_mag", changes={"compute.operation": "magnitoode"})


def saved() -> PaperHome:
    """A home that holds the pipeline."""
    return PaperHome(files={"ace_field": parse_pipeline(TEXT, file="ace_field.yaml")})


def test_nothing_is_written_or_run_before_the_approval(talk: Begin) -> None:
    """The plan is shown as a card and waits."""
    spoken = talk([PLAN])
    events = spoken.say("ACE field on 2023-01-02")
    card = next(event for event in events if event.stage == "plan")
    assert "AC_H0_MFI" in card.text
    assert "2023-01-02 to 2023-01-03" in card.text
    assert card.facts["estimate"]["partitions"] == 3
    assert (spoken.home.files, spoken.home.runs) == ({}, [])
    assert spoken.awaiting() == "approval"
    assert spoken.conversation.outcome == "approval"


def test_an_approval_saves_with_who_when_and_hash_and_runs(talk: Begin) -> None:
    """The file bears the approval, its hash fits, and the run follows with its checks and suggestions."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    events = spoken.say("approve")
    pipeline: Pipeline = spoken.home.files["ace_field"].pipeline
    assert pipeline.approved is not None
    assert (pipeline.approved.by, pipeline.approved.at) == ("ada", NOW)
    assert pipeline.approved.sha == pipeline_sha(pipeline)
    assert spoken.home.runs == [("ace_field", DAY)]
    stages = [event.stage for event in events]
    assert stages.index("approval") < stages.index("run") < stages.index("check") < stages.index("suggestion")
    assert stages[-1] == "done"
    assert events[-1].facts["status"] == "success"


def test_a_number_chooses_only_where_choices_are_open(talk: Begin) -> None:
    """Where a plan waits it goes on waiting; a number that no choice has is told, and the question stays."""
    spoken = talk([PLAN, Asked(Question(text="Which frame?", choices=["in GSE", "in GSM"])), PLAN])
    spoken.say("ACE field on 2023-01-02")
    assert spoken.texts("1", "note") == ["There are no numbered choices now."]
    assert spoken.awaiting() == "approval"
    spoken.say("in another frame")
    assert spoken.texts("3", "note") == ["There are 2 choices: say the number of one, or use other words."]
    assert spoken.awaiting() == "answer"
    spoken.say("2.")
    assert spoken.planner.told[-1].request == "in GSM"


def test_a_rejected_plan_leaves_nothing(talk: Begin) -> None:
    """No file, no run, and the conversation goes on."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("reject")
    assert (spoken.home.files, spoken.home.runs) == ({}, [])
    assert spoken.awaiting() == "request"
    assert spoken.session.draft is None


def test_a_draft_is_modified_in_words_and_shown_again(talk: Begin) -> None:
    """The change is in the card, and taking it back gives the draft as it was."""
    spoken = talk([PLAN, Edits((RED,))])
    spoken.say("ACE field on 2023-01-02")
    before = spoken.session.draft
    spoken.say("make |B| red")
    draft = spoken.session.draft
    assert before is not None
    assert draft is not None
    assert "color: red" in draft.text
    assert spoken.home.files == {}
    spoken.say("undo")
    assert spoken.session.draft is not None
    assert spoken.session.draft.text == before.text


def test_an_edit_of_a_saved_pipeline_changes_one_line(talk: Begin) -> None:
    """The other lines, comments included, stay as they are; the card shows the difference, and only an approval writes."""
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    card = next(event for event in spoken.say("make |B| red") if event.stage == "plan")
    assert "overview: color of b_mag: red" in card.text
    assert "approved" not in card.text
    assert spoken.home.files["ace_field"].text == TEXT
    spoken.say("yes")
    lines = spoken.home.files["ace_field"].text.splitlines()
    assert [line for line in lines if line not in TEXT.splitlines()] == [
        "        - traces: [{data: b_mag, color: red}]",
        lines[-1],
    ]
    assert lines[-1].startswith("approved: {by: ada")


def card_of(events: list[Event]) -> str:
    """The card that is shown."""
    return next(event.text for event in events if event.stage == "plan")


def test_after_an_edit_only_what_is_another_one_is_shown(talk: Begin) -> None:
    """The other steps are counted, and `show` gives all of them with what was changed."""
    spoken = talk([PLAN, Edits((RED,))])
    first = card_of(spoken.say("ACE field on 2023-01-02"))
    edited = card_of(spoken.say("make |B| red"))
    whole = card_of(spoken.say("show"))
    assert ("AC_H0_MFI" in first, "AC_H0_MFI" in edited, "AC_H0_MFI" in whole) == (True, False, True)
    assert "the other 2 steps are as before; say `show`" in edited
    assert ("`show`" in first, "`show`" in whole) == (False, False)
    assert "color of b_mag: red" in whole


def test_a_draft_for_another_time_tells_the_time_alone(talk: Begin) -> None:
    """With the range that it had; what was edited before is not told again."""
    spoken = talk([PLAN, Edits((RED,)), Replay(OTHER)])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("make |B| red")
    card = card_of(spoken.say("for 2003-10-29 to 2003-11-01 instead"))
    assert "2003-10-29 to 2003-11-01 (end exclusive), 3 daily partitions; it was 2023-01-02 to 2023-01-03" in card
    assert "change" not in card.split("\n", 1)[1]
    assert "everything is as before" in card


def test_undo_gives_the_saved_file_back_byte_for_byte(talk: Begin) -> None:
    """An approved edit is taken back, and the range is run again."""
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make |B| red")
    spoken.say("yes")
    spoken.say("undo")
    assert spoken.home.files["ace_field"].text == TEXT
    assert spoken.home.runs[-1] == ("ace_field", DAY)
    assert spoken.home.changed_by == ["ada", "ada"], "the approval, and its undoing"


def test_undo_of_a_new_pipeline_takes_its_file_away(talk: Begin) -> None:
    """What was not there before is not there again."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("approve")
    assert "prune" in spoken.texts("undo", "approval")[0]
    assert spoken.home.files == {}
    assert spoken.home.changed_by == ["ada", "ada"]
    assert "nothing to undo" in spoken.texts("undo", "error")[0]


def test_another_time_edits_nothing(talk: Begin) -> None:
    """The same file is run over the other range, without an approval of what is approved."""
    spoken = talk([Replay(DAY, "ace_field"), Replay(OTHER)], saved())
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("the Halloween storm instead")
    assert spoken.home.files["ace_field"].text == TEXT
    assert spoken.home.runs == [("ace_field", DAY), ("ace_field", OTHER)]


def test_another_time_of_a_draft_is_shown_again(talk: Begin) -> None:
    """What is not approved is not run."""
    spoken = talk([PLAN, Replay(OTHER)])
    spoken.say("ACE field on 2023-01-02")
    card = next(event for event in spoken.say("the Halloween storm instead") if event.stage == "plan")
    assert "2003-10-29 to 2003-11-01" in card.text
    assert spoken.home.runs == []


def test_the_intent_goes_with_the_pipeline(talk: Begin) -> None:
    """Through a change of it, a change of the figure, an approval, a run and what is undone."""
    field, speed = Intent((Target("ACE", "magnetic_field"),)), Intent((Target("ACE", "speed"),))
    spoken = talk([replace(PLAN, intent=field), Edits((RED,), intent=speed), Edits((BLUE,))])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("make |B| red")
    assert intent_from_text(draft_of(spoken).intent) == speed
    spoken.say("undo")
    assert intent_from_text(draft_of(spoken).intent) == field
    spoken.say("approve")
    table = spoken.session.table
    assert table is not None
    assert intent_from_text(table.intent) == field
    spoken.say("make |B| blue")
    assert intent_from_text(draft_of(spoken).intent) == field


def test_what_is_assumed_goes_with_the_pipeline(talk: Begin) -> None:
    """A change that says nothing of it keeps it, and what is undone has it as before."""
    field, speed = (Assumption("A.", (Topic("frame", "GSE"),)),), (Assumption("B.", (Topic("mission", "ACE"),)),)
    spoken = talk([replace(PLAN, assumed=field), Edits((RED,)), Edits((BLUE,), assumed=speed)])
    kept = []
    for words in ("ACE field on 2023-01-02", "make |B| red", "make |B| blue", "undo"):
        spoken.say(words)
        kept.append(assumed_from_text(draft_of(spoken).intent))
    assert kept == [field, field, speed, field]
    spoken.say("approve")
    assert spoken.session.table is not None
    assert assumed_from_text(spoken.session.table.intent) == field


def test_undo_takes_back_each_change_in_turn(talk: Begin) -> None:
    """Another time is a change like any other: the last one goes first, and what came before it stays."""
    spoken = talk([PLAN, Edits((RED,)), Replay(OTHER)])
    spoken.say("ACE field on 2023-01-02")
    plain = draft_of(spoken).text
    spoken.say("make |B| red")
    spoken.say("the Halloween storm instead")
    card = card_of(spoken.say("undo"))
    assert "2023-01-02 to 2023-01-03" in card
    assert "it was 2003-10-29 to 2003-11-01" in card
    assert "color: red" in draft_of(spoken).text
    spoken.say("undo")
    draft = draft_of(spoken)
    assert (draft.text, draft.span and draft.span.range) == (plain, DAY)


def test_the_first_version_is_gone_back_to(talk: Begin) -> None:
    """All changes of the plan are undone at once; of a plan without changes it is said, and the plan stays."""
    spoken = talk([PLAN, Undo(None), Edits((RED,)), Replay(OTHER), Undo(None)])
    spoken.say("ACE field on 2023-01-02")
    plain = draft_of(spoken).text
    assert "There is nothing to undo: this is the first version." in spoken.texts("back to the first version", "note")
    assert draft_of(spoken).text == plain
    spoken.say("make |B| red")
    spoken.say("the Halloween storm instead")
    spoken.say("back to the first version")
    draft = draft_of(spoken)
    assert (draft.text, draft.span and draft.span.range, draft.earlier) == (plain, DAY, [])


def test_several_changes_are_undone_at_once(talk: Begin) -> None:
    """The plan before the last two is shown again; more than there are is refused with their number, and nothing changes."""
    spoken = talk([PLAN, Edits((RED,)), Replay(OTHER), Undo(3), Undo(2), Undo(2)])
    spoken.say("ACE field on 2023-01-02")
    plain = draft_of(spoken).text
    spoken.say("make |B| red")
    spoken.say("the Halloween storm instead")
    refused = spoken.texts("undo the last three changes", "error")[0]
    assert "there are not 3 changes to undo" in refused
    assert "The plan has had 2 changes" in refused
    card = card_of(spoken.say("undo the last two changes"))
    assert "2023-01-02 to 2023-01-03" in card
    draft = draft_of(spoken)
    assert (draft.text, draft.span and draft.span.range, draft.earlier) == (plain, DAY, [])
    assert spoken.home.runs == []


def test_a_copy_that_is_taken_back_is_an_edit_of_the_saved_file_again(talk: Begin) -> None:
    """What it would replace comes back with its name."""
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make |B| red")
    before = draft_of(spoken)
    spoken.say("call it storm_watch")
    spoken.say("undo")
    assert draft_of(spoken).digest == before.digest


def test_another_mission_is_a_fork_that_says_what_is_lost(talk: Begin) -> None:
    """A new file under another name; the old one stays."""
    spoken = talk([Replay(DAY, "ace_field"), Fork("Wind")], saved())
    spoken.say("run my ACE field for 2023-01-02")
    card = next(event for event in spoken.say("the same for Wind") if event.stage == "plan")
    assert "does not carry over: the cadence is another" in card.text
    spoken.say("approve")
    assert sorted(spoken.home.files) == ["ace_field", "ace_field_wind"]
    assert spoken.home.files["ace_field"].text == TEXT
    assert spoken.home.runs[-1] == ("ace_field_wind", DAY)


def test_a_fork_with_another_change_is_one_card(talk: Begin) -> None:
    """The words for the change are read in the pipeline for the other mission; what is not understood is said on the card."""
    spoken = talk([Replay(DAY, "ace_field"), Fork("Wind", then="make it red"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    (card,) = (event for event in spoken.say("use Wind instead and make it red") if event.stage == "plan")
    assert spoken.planner.told[-1].request == "make it red"
    assert "red" in card.facts["yaml"]
    asked = Asked(Question(text="Which line do you mean?"))
    other = talk([Replay(DAY, "ace_field"), Fork("Wind", then="make it blue"), asked], saved())
    other.say("run my ACE field for 2023-01-02")
    (card,) = (event for event in other.say("use Wind instead and make it blue") if event.stage == "plan")
    assert "not done yet: make it blue. Which line do you mean?" in card.text


def test_a_question_is_answered_by_its_number_and_at_most_three_are_asked(talk: Begin) -> None:
    """A number stands for the choice in full; after three questions the conversation says what to write instead."""
    question = Asked(Question(text="Which frame?", choices=["ACE field in GSE", "ACE field in RTN"]))
    spoken = talk([question] * 4)
    spoken.say("ACE field")
    for _ in range(2):
        spoken.say("2")
    assert spoken.planner.told[1].request == "ACE field in RTN"
    assert spoken.planner.told[2].open is not None
    assert spoken.planner.told[2].open.number == 2
    assert "after 3 questions" in spoken.texts("1", "error")[0]
    assert spoken.awaiting() == "request"


def test_a_word_for_a_plan_where_a_question_is_open(talk: Begin) -> None:
    """Without a plan there is nothing to approve, and the question is asked again; a draft that it is about is approved."""
    question = Asked(Question(text="Which frame?", choices=["in GSE", "in RTN"]))
    spoken = talk([question, PLAN, question])
    spoken.say("ACE field")
    assert spoken.texts("approve", "clarify") == ["Which frame?"]
    spoken.say("1")
    spoken.say("in another frame")
    assert spoken.awaiting() == "answer"
    spoken.say("approve")
    assert len(spoken.home.runs) == 1
    assert spoken.session.asked is None


def test_a_yes_answers_the_question_and_approves_no_plan(talk: Begin) -> None:
    """It goes to the planner where no choices are given; of several it takes none; the draft is not run."""
    which = Asked(Question(text="Which frame?", choices=["in GSE", "in RTN"]))
    spoken = talk([PLAN, Asked(Question(text="Shall I smooth it?")), which])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("make it nicer")
    assert spoken.texts("yes", "clarify") == ["Which frame?"]
    assert spoken.planner.told[-1].request == "yes"
    assert "Say its number" in spoken.texts("ok", "note")[0]
    assert (spoken.home.runs, spoken.home.files) == ([], {})


def test_help_tells_what_can_be_said(talk: Begin) -> None:
    """What is awaited comes first; no planner is asked, and a plan that waits goes on waiting."""
    spoken = talk([PLAN])
    assert spoken.texts("help", "information")[0].startswith("What you want to see")
    spoken.say("ACE field on 2023-01-02")
    told = spoken.texts("?", "information")[0]
    assert told.startswith("A plan is waiting: approve")
    assert "make |B| red" in told
    assert spoken.awaiting() == "approval"


@pytest.mark.parametrize("said", ["what did you assume?", "why this dataset?"])
def test_what_was_assumed_is_told_without_a_planner(talk: Begin, said: str) -> None:
    """Dataset and assumptions of the plan, which goes on waiting."""
    assumed = PIPELINE.model_copy(update={"assumptions": ["16-second data are used."]})
    spoken = talk([Plan(assumed, DAY)])
    spoken.say("ACE field on 2023-01-02")
    told = spoken.texts(said, "information")[0]
    assert "b_gse is BGSEc of AC_H0_MFI (cdaweb)." in told
    assert "16-second data are used." in told
    assert spoken.awaiting() == "approval"


@pytest.mark.parametrize("said", ["show", "why?"])
def test_where_there_is_no_plan_that_is_told(talk: Begin, said: str) -> None:
    """A question that is open is not a plan either: it is asked again, and the word is not an answer to it."""
    spoken = talk([Plan(PIPELINE, None)])
    assert "there is no plan yet" in spoken.texts(said, "error")[0]
    spoken.say("ACE field")
    events = spoken.say(said)
    assert "There is no plan yet" in next(event.text for event in events if event.stage == "note")
    assert [event.text for event in events if event.stage == "clarify"] == ["For which time?"]


def test_a_yes_is_no_answer_to_a_question_for_words(talk: Begin) -> None:
    """It is asked again, with the word that approves the plan; neither planner nor home hears of it."""
    spoken = talk([PLAN, Asked(Question(text="I do not understand 'nicer'. What do you mean?"))])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("make it nicer")
    assert "`approve` would take the plan" in spoken.texts("yes please", "note")[0]
    assert (len(spoken.planner.told), spoken.home.runs) == (2, [])


def test_undo_drops_a_question_before_anything_else(talk: Begin) -> None:
    """It was said last; what was approved before stays."""
    spoken = talk([PLAN, Asked(Question(text="I do not understand 'blah'. What do you mean?"))])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("approve")
    spoken.say("blah")
    assert spoken.texts("undo", "note") == ["The question is dropped."]
    assert (spoken.session.awaiting, list(spoken.home.files)) == ("request", ["ace_field"])


def recalled(spoken: Talk) -> list[Event]:
    """What another process says first, that goes on with the conversation."""
    return Talk(
        Conversation(Context(
            spoken.planner, spoken.home, spoken.session,
            save=lambda _session: None, clock=lambda: NOW, person="ada", listener=say_nothing,
        )),
        spoken.home,
        spoken.planner,
    ).conversation.recall()  # fmt: skip


def test_a_conversation_that_goes_on_says_what_it_waits_for(talk: Begin) -> None:
    """The question with its choices, the plan as a card, the failure with what can be done."""
    spoken = talk([Plan(PIPELINE, None), PLAN], PaperHome(failing=[("b_mag", "it broke")]))
    spoken.say("ACE field")
    (asked,) = recalled(spoken)
    assert (asked.stage, len(asked.facts["choices"])) == ("clarify", 3)
    spoken.say("2023-01-02")
    assert "AC_H0_MFI" in card_of(recalled(spoken))
    spoken.say("approve")
    (failed,) = recalled(spoken)
    assert failed.facts["choices"][0] == "retry (2 of 3)"


def test_a_request_that_was_interrupted_is_kept(talk: Begin) -> None:
    """Ctrl-C while it is planned: the session is there, and says what was not answered; once it is, no more."""
    spoken = talk([KeyboardInterrupt(), Information("It is a field.")])
    with pytest.raises(KeyboardInterrupt):
        spoken.say("ACE field on 2023-01-02")
    (told,) = recalled(spoken)
    assert told.text == "Your last message was not answered: ACE field on 2023-01-02"
    spoken.say("what is it?")
    assert recalled(spoken) == []


def test_after_a_failure_why_tells_of_the_failure(talk: Begin) -> None:
    """The cause again, and what can be done."""
    home = saved()
    home.failing = [("b_mag", "it broke")]
    spoken = talk([Replay(DAY, "ace_field")], home)
    spoken.say("run my ACE field for 2023-01-02")
    events = spoken.say("why?")
    assert next(event.text for event in events if event.stage == "error").startswith("b_mag: it broke")
    assert next(event.facts["tries"] for event in events if event.stage == "repair") == 1


def test_a_saved_pipeline_is_shown_as_saved(talk: Begin) -> None:
    """There is nothing to decide; its text is what an editor would get."""
    spoken = talk([Replay(DAY, "ace_field")], saved())
    spoken.say("run my ACE field for 2023-01-02")
    assert "[ace_field.yaml, saved]" in card_of(spoken.say("show"))
    assert spoken.conversation.plan_text == TEXT


def test_a_run_that_was_cut_off_is_told_with_what_is_left(talk: Begin) -> None:
    """And how to go on."""

    def press() -> None:
        raise KeyboardInterrupt

    spoken = talk([PLAN], PaperHome(on_run=press))
    spoken.say("ACE field on 2023-01-02")
    with pytest.raises(KeyboardInterrupt):
        spoken.say("approve")
    (told,) = recalled(spoken)
    assert "was interrupted: ace_field, 2023-01-02 to 2023-01-03" in told.text
    assert "3 partitions are left to make" in told.text
    assert "Say `run` to continue." in told.text


def test_a_run_that_was_stopped_goes_on_with_retry(talk: Begin) -> None:
    """In the same conversation: what can be said next is told, and `retry` runs the rest."""

    def press() -> None:
        raise KeyboardInterrupt

    home = PaperHome(on_run=press)
    spoken = talk([PLAN], home)
    spoken.say("ACE field on 2023-01-02")
    with pytest.raises(KeyboardInterrupt):
        spoken.say("approve")
    told, done = spoken.heard[-2:]
    assert "Say `retry` to continue" in told.text
    assert (done.facts["status"], done.facts["awaiting"]) == ("partial", "request")
    home.on_run = None
    spoken.say("retry")
    assert home.runs[-1] == ("ace_field", DAY)
    assert spoken.conversation.outcome == "success"


def test_a_bug_in_a_turn_is_told_and_the_conversation_goes_on(talk: Begin) -> None:
    """The session is kept as it was, and the next request is planned."""
    spoken = talk([ZeroDivisionError("division by zero"), PLAN])
    with pytest.raises(ZeroDivisionError):
        spoken.say("ACE field")
    told, done = spoken.heard[-2:]
    assert "a bug in helio: ZeroDivisionError: division by zero" in told.text
    assert (done.facts["status"], done.facts["awaiting"]) == ("failed", "request")
    spoken.say("ACE field on 2023-01-02")
    assert spoken.conversation.outcome == "approval"


def test_planning_that_was_stopped_leaves_the_prompt_open(talk: Begin) -> None:
    """Nothing was run: the person may say it again."""
    spoken = talk([KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        spoken.say("ACE field on 2023-01-02")
    told, done = spoken.heard[-2:]
    assert told.text == "Stopped. Say it again, or say something else."
    assert (done.facts["status"], done.facts["awaiting"]) == ("failed", "request")


def test_a_question_can_be_dropped(talk: Begin) -> None:
    """The draft that it is about still waits."""
    spoken = talk([PLAN, Asked(Question(text="Which frame?", choices=["in GSE", "in RTN"]))])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("in another frame")
    spoken.say("never mind")
    assert spoken.awaiting() == "approval"
    assert spoken.session.asked is None
    assert spoken.session.draft is not None


def test_a_word_that_nothing_waits_for_reaches_no_planner(talk: Begin) -> None:
    """It is told so."""
    assert "Nothing is waiting for that" in talk([]).texts("reject", "note")[0]


def test_a_plan_without_a_time_asks_for_it(talk: Begin) -> None:
    """Nothing is run for a time that nobody named."""
    spoken = talk([Plan(PIPELINE, None), PLAN])
    assert spoken.texts("ACE field", "clarify") == ["For which time?"]
    spoken.say("2023-01-02")
    assert spoken.planner.told[1].open is not None
    assert spoken.planner.told[1].open.request == "ACE field"
    assert spoken.awaiting() == "approval"


def test_a_question_in_the_middle_is_answered_and_the_plan_still_waits(talk: Begin) -> None:
    """Information makes no data and changes nothing."""
    spoken = talk([PLAN, Information("The ratio of pressures.", ("operation plasma_beta",))])
    spoken.say("ACE field on 2023-01-02")
    events = spoken.say("what is the plasma beta?")
    told = next(event for event in events if event.stage == "information")
    assert told.facts == {"sources": ["operation plasma_beta"], "makes_data": False}
    assert spoken.awaiting() == "approval"
    spoken.say("approve")
    assert len(spoken.home.runs) == 1


def test_a_failed_step_can_be_tried_three_times(talk: Begin) -> None:
    """Each try is counted; then only a change, skipping or aborting is left."""
    home = saved()
    home.failing = [("b_mag", "it broke")] * 5
    spoken = talk([Replay(DAY, "ace_field")], home)
    first = next(event for event in spoken.say("run my ACE field for 2023-01-02") if event.stage == "repair")
    assert first.facts["choices"][0] == "retry (2 of 3)"
    assert (first.facts["step"], first.facts["hint"]) == ("b_mag", "Do it.")
    spoken.say("retry")
    third = next(event for event in spoken.say("retry") if event.stage == "repair")
    assert not any(choice.startswith("retry") for choice in third.facts["choices"])
    assert "failed 3 times" in spoken.texts("retry", "error")[0]
    assert len(home.runs) == 3


def test_a_failed_step_is_mended_by_one_edit(talk: Begin) -> None:
    """The planner is told what failed; the edit is shown, approved, and the same range is run again."""
    home = saved()
    home.failing = [("b_mag", "it broke")]
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], home)
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make it red, then")
    assert spoken.planner.told[1].failure == "b_mag: it broke"
    spoken.say("approve")
    assert home.runs == [("ace_field", DAY), ("ace_field", DAY)]
    assert spoken.conversation.outcome == "success"
    assert spoken.session.failed is None


def test_a_mend_that_is_rejected_leaves_the_failure_to_be_decided(talk: Begin) -> None:
    """So does a question that is dropped: the step has still failed."""
    home = saved()
    home.failing = [("b_mag", "it broke")]
    question = Asked(Question(text="Which colour?", choices=["red", "blue"]))
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,)), question], home)
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make it red")
    assert spoken.awaiting() == "approval"
    spoken.say("reject")
    assert spoken.awaiting() == "repair"
    spoken.say("make it a colour")
    assert spoken.awaiting() == "answer"
    spoken.say("never mind")
    assert spoken.awaiting() == "repair"
    spoken.say("retry")
    assert spoken.conversation.outcome == "success"


@pytest.mark.parametrize(("word", "outcome"), [("skip", "partial"), ("abort", "failed")])
def test_a_failure_can_be_left(talk: Begin, word: str, outcome: str) -> None:
    """What was made is kept, nothing is run again."""
    home = saved()
    home.failing = [("b_mag", "it broke")]
    spoken = talk([Replay(DAY, "ace_field")], home)
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say(word)
    assert spoken.conversation.outcome == outcome
    assert spoken.awaiting() == "request"
    assert len(home.runs) == 1


def test_a_full_disk_at_the_save_loses_nothing(talk: Begin) -> None:
    """The plan still waits, and the same word approves it once there is room."""
    home = PaperHome(full=StorageError("the disk is full", hint="Free some space."))
    spoken = talk([PLAN], home)
    spoken.say("ACE field on 2023-01-02")
    assert "the disk is full" in spoken.texts("approve", "error")[0]
    assert (home.files, home.runs, spoken.session.awaiting) == ({}, [], "approval")
    spoken.say("approve")
    assert spoken.conversation.outcome == "success"


def test_a_file_changed_by_another_hand_is_not_overwritten(talk: Begin) -> None:
    """The edit was made of a text that is no longer there."""
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make |B| red")
    other = TEXT.replace("ACE field", "My field")
    spoken.home.files["ace_field"] = parse_pipeline(other, file="ace_field.yaml")
    assert "changed by someone else" in spoken.texts("approve", "error")[0]
    assert spoken.home.files["ace_field"].text == other


def test_an_edit_that_would_break_the_pipeline_changes_nothing(talk: Begin) -> None:
    """The fault is told, and what lay on the table still does."""
    spoken = talk([PLAN, Edits((WRONG,))])
    spoken.say("ACE field on 2023-01-02")
    assert "magnitoode" in spoken.texts("use another operation", "error")[0]
    assert spoken.session.draft is not None
    assert "magnitoode" not in spoken.session.draft.text
    assert spoken.awaiting() == "approval"


def coded(text: str) -> str:
    """A plan's text with code in place of its operation."""
    return text.replace("{operation: magnitude, inputs: {vector: b_gse}}", "{inputs: {v: b_gse}, unit: nT, code: return v}")


def draft_of(spoken: Talk) -> Draft:
    """The draft that is on the table."""
    draft = spoken.session.draft
    assert draft is not None
    return draft


def test_an_edited_plan_whose_code_fails_stays_on_the_table(talk: Begin) -> None:
    """With the error on its card; it is what the editor opens, and it is not approved until the code runs."""
    home = PaperHome(fragile={"b_mag": ComputeError("division by zero", where="b_mag, line 1")})
    spoken = talk([PLAN], home)
    spoken.say("ACE field on 2023-01-02")
    text = coded(draft_of(spoken).text)
    events = spoken.conversation.edited(text)
    assert [event.facts["passed"] for event in events if event.stage == "step_tested"] == [False]
    assert "failed   b_mag: b_mag, line 1: division by zero" in card_of(events)
    assert (draft_of(spoken).text, spoken.conversation.plan_text, spoken.awaiting()) == (text, text, "approval")
    assert "the plan cannot be approved" in spoken.texts("approve", "error")[0]
    assert (home.files, home.runs, draft_of(spoken).text) == ({}, [], text)
    home.fragile.clear()
    spoken.say("approve")
    assert home.runs == [("ace_field", DAY)]


def test_code_that_was_mended_is_shown_to_be_read(talk: Begin) -> None:
    """The error is gone from the card; `undo` gives the text that failed, which still fails."""
    home = PaperHome(fragile={"b_mag": ComputeError("division by zero")})
    spoken = talk([PLAN], home)
    spoken.say("ACE field on 2023-01-02")
    wrong = coded(draft_of(spoken).text)
    spoken.conversation.edited(wrong)
    home.fragile.clear()
    card = card_of(spoken.conversation.edited(wrong.replace("return v", "return v + 1")))
    assert "| return v + 1" in card
    assert "failed" not in card
    assert "failed   b_mag: division by zero" in card_of(spoken.say("undo"))


def test_code_that_the_check_refuses_stays_on_the_table_too(talk: Begin) -> None:
    """It is not run to find out, and not approved, even if a trial would go well."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    text = coded(draft_of(spoken).text).replace("return v", "return v / unknown")
    events = spoken.conversation.edited(text)
    assert "failed   b_mag: unknown is not defined" in card_of(events)
    assert not any(event.stage == "step_tested" for event in events)
    assert "unknown is not defined" in spoken.texts("approve", "error")[0]
    assert (draft_of(spoken).text, spoken.home.runs) == (text, [])


def test_an_edited_text_that_is_no_pipeline_is_kept_for_the_editor(talk: Begin) -> None:
    """The plan stays as it was, and the next edit goes on with the person's text."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    before = draft_of(spoken).text
    wrong = before.replace("magnitude,", "magnitoode,")
    events = spoken.conversation.edited(wrong)
    assert any("`edit` opens it again" in event.text for event in events)
    assert (draft_of(spoken).text, spoken.conversation.plan_text) == (before, wrong)
    spoken.conversation.edited(before.replace("title: ACE field", "title: Mine"))
    assert "title: Mine" in (spoken.conversation.plan_text or "")
    assert spoken.session.unfinished == ""


def test_a_plan_is_called_what_the_person_calls_it(talk: Begin) -> None:
    """The card shows the new name, `undo` gives the old one back, and the approval saves under the new one."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    card = card_of(spoken.say("call it Storm Watch"))
    assert "[storm_watch.yaml, new]" in card
    assert "name     storm_watch; it was ace_field" in card
    assert "[ace_field.yaml, new]" in card_of(spoken.say("undo"))
    spoken.say("call it storm_watch")
    spoken.say("approve")
    assert list(spoken.home.files) == ["storm_watch"]


def test_a_plan_is_saved_under_a_name_and_not_run(talk: Begin) -> None:
    """It is approved as it was shown; `run` runs it."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("save it as x")
    assert spoken.home.files["x"].is_as_approved
    assert (spoken.home.runs, spoken.awaiting()) == ([], "request")
    spoken.say("run")
    assert spoken.home.runs == [("x", DAY)]


def test_a_plan_is_saved_and_not_run(talk: Begin) -> None:
    """Approved as it was shown, also while a question is open; `run` runs it."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("looks fine, keep it but don't run anything yet")
    (name,) = spoken.home.files
    assert spoken.home.files[name].is_as_approved
    assert (spoken.home.runs, spoken.awaiting()) == ([], "request")
    spoken.say("run")
    assert spoken.home.runs == [(name, DAY)]


def test_a_saved_pipeline_is_copied_under_a_name(talk: Begin) -> None:
    """The file that was saved stays byte for byte; so it does where the copy is of an edit that was not approved."""
    spoken = talk([Replay(DAY, "ace_field"), Edits((RED,))], saved())
    spoken.say("run my ACE field for 2023-01-02")
    spoken.say("make |B| red")
    assert "a copy: ace_field.yaml stays as it is" in card_of(spoken.say("call it storm_watch"))
    spoken.say("approve")
    assert spoken.home.files["ace_field"].text == TEXT
    assert "color: red" in spoken.home.files["storm_watch"].text


@pytest.mark.parametrize(("said", "told"), [("call it ace_field", "already"), ("call it 1st", "cannot be the name")])
def test_a_name_that_cannot_be_is_refused(talk: Begin, said: str, told: str) -> None:
    """One that is taken, and one that no pipeline can have; the plan stays as it was."""
    spoken = talk([Plan(PIPELINE.model_copy(update={"title": "Another"}), DAY)], saved())
    spoken.say("another ACE field on 2023-01-02")
    assert told in spoken.texts(said, "error")[0]
    assert draft_of(spoken).text.splitlines()[1] == "name: ace_field_2"


def test_a_bare_choice_keeps_what_is_on_the_table(talk: Begin) -> None:
    """The planner is given the choice in full, with the pipeline that it changes."""
    question = Asked(Question(text="Which?", choices=["also the ACE speed", "also the ACE density"]))
    spoken = talk([PLAN, question, Edits((RED,))])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("also the solar wind")
    spoken.say("density")
    situation = spoken.planner.told[-1]
    assert situation.request == "also the ACE density"
    assert situation.current is not None
    assert situation.current.span == DAY


def test_words_that_a_plan_ignores_are_shown(talk: Begin) -> None:
    """On the card, also when it is shown again, and for programs with the request."""
    spoken = talk([replace(PLAN, ignored=("shiny",))])
    request = "shiny ACE field on 2023-01-02"
    (card,) = [event for event in spoken.say(request) if event.stage == "plan"]
    assert card.text.splitlines()[1] == "  Ignored: shiny"
    assert (card.facts["ignored"], card.facts["request"]) == (["shiny"], request)
    assert "Ignored: shiny" in card_of(spoken.say("show"))


def test_the_same_plan_again_writes_nothing(talk: Begin) -> None:
    """A pipeline that is saved already is run, not saved under another name."""
    spoken = talk([PLAN, PLAN])
    spoken.say("ACE field on 2023-01-02")
    spoken.say("approve")
    text = spoken.home.files["ace_field"].text
    card = next(event for event in spoken.say("ACE field on 2023-01-02") if event.stage == "plan")
    assert "already saved as ace_field" in card.text
    spoken.say("approve")
    assert {name: file.text for name, file in spoken.home.files.items()} == {"ace_field": text}
    assert len(spoken.home.runs) == 2


def test_another_plan_of_the_same_name_gets_a_number(talk: Begin) -> None:
    """No saved file is replaced by a new plan."""
    home = saved()
    spoken = talk([Plan(PIPELINE.model_copy(update={"title": "Another"}), DAY)], home)
    spoken.say("another ACE field on 2023-01-02")
    spoken.say("approve")
    assert sorted(home.files) == ["ace_field", "ace_field_2"]
    assert home.files["ace_field"].text == TEXT


@pytest.mark.parametrize(
    ("said", "words"),
    [("", "the message is empty"), ("  \n", "the message is empty"), ("x" * 100_000, "longer than 4,000 characters")],
)
def test_what_is_no_request_is_told_without_a_planner(talk: Begin, said: str, words: str) -> None:
    """Empty and endless messages reach no planner, and the session stays small."""
    spoken = talk([])
    assert words in spoken.texts(said, "error")[0]
    assert spoken.conversation.outcome == "refused"
    assert len(spoken.kept[-1]) < 5000


def test_what_a_planner_fails_of_is_told_and_the_draft_stays(talk: Begin) -> None:
    """A model without an answer loses nothing."""
    spoken = talk([PLAN, HelioError("the model cannot be reached", hint="Try again.")])
    spoken.say("ACE field on 2023-01-02")
    assert "cannot be reached" in spoken.texts("make it red", "error")[0]
    assert spoken.session.draft is not None
    assert spoken.awaiting() == "approval"


def test_a_refusal_says_why(talk: Begin) -> None:
    """It is an outcome of its own, and the conversation goes on."""
    spoken = talk([Refusal(("There is no such spacecraft.", "Did you mean ACE?"))])
    assert spoken.texts("AXE field", "error") == ["There is no such spacecraft.\nDid you mean ACE?"]
    assert spoken.conversation.outcome == "refused"


def test_ctrl_c_in_a_run_leaves_a_session_that_goes_on(talk: Begin) -> None:
    """What was approved is saved, and `run` goes on in a process that reads the session."""

    def press() -> None:
        raise KeyboardInterrupt

    home = PaperHome(on_run=press)
    spoken = talk([PLAN], home)
    spoken.say("ACE field on 2023-01-02")
    with pytest.raises(KeyboardInterrupt):
        spoken.say("approve")
    assert spoken.session.table is not None
    assert spoken.session.table.is_running
    home.on_run = None
    again = talk([], home, spoken.session)
    again.say("run")
    assert home.runs[-1] == ("ace_field", DAY)
    assert again.conversation.outcome == "success"


def test_a_session_goes_on_where_its_process_was_killed(talk: Begin) -> None:
    """What was kept last is enough: the plan waits for its approval in another process."""
    first = talk([PLAN])
    first.say("ACE field on 2023-01-02")
    second = talk([], first.home, first.session)
    second.say("approve")
    assert list(first.home.files) == ["ace_field"]


def test_a_range_that_is_not_over_is_planned_as_far_as_it_is(talk: Begin) -> None:
    """The rest is said; a range that lies ahead altogether is refused."""
    week = TimeRange(datetime(2024, 5, 28, tzinfo=UTC), datetime(2024, 6, 4, tzinfo=UTC))
    ahead = TimeRange(datetime(2024, 7, 1, tzinfo=UTC), datetime(2024, 7, 2, tzinfo=UTC))
    spoken = talk([Plan(PIPELINE, week), Plan(PIPELINE, ahead)])
    card = next(event for event in spoken.say("ACE field this week") if event.stage == "plan")
    assert "2024-05-28 to 2024-06-01" in card.text
    assert "not over yet" in card.text
    assert "not over yet" in spoken.texts("ACE field in July", "error")[0]


def test_a_draft_survives_a_range_that_cannot_be_run(talk: Begin) -> None:
    """The plan still waits for the range that it had."""
    ahead = TimeRange(datetime(2024, 7, 1, tzinfo=UTC), datetime(2024, 7, 2, tzinfo=UTC))
    spoken = talk([PLAN, Replay(ahead)])
    spoken.say("ACE field on 2023-01-02")
    assert "not over yet" in spoken.texts("in July instead", "error")[0]
    spoken.say("approve")
    assert spoken.home.runs == [("ace_field", DAY)]


def test_a_replay_of_a_range_that_is_not_over_is_run_as_far_as_it_is(talk: Begin) -> None:
    """As a plan would be; and that is said."""
    week = TimeRange(datetime(2024, 5, 28, tzinfo=UTC), datetime(2024, 6, 4, tzinfo=UTC))
    spoken = talk([Replay(week, "ace_field")], saved())
    assert "not over yet" in spoken.texts("run my ACE field for this week", "note")[0]
    assert spoken.home.runs[0][1].stop == datetime(2024, 6, 1, tzinfo=UTC)


def test_a_run_that_is_refused_was_not_cut_off(talk: Begin) -> None:
    """There is nothing to go on with."""

    def refuse() -> None:
        raise HelioError("the home is on a full disk")

    home = saved()
    home.on_run = refuse
    spoken = talk([Replay(DAY, "ace_field")], home)
    spoken.say("run my ACE field for 2023-01-02")
    assert spoken.session.table is not None
    assert not spoken.session.table.is_running


def test_code_is_kept_as_an_operation(talk: Begin) -> None:
    """The name that it can be called by is told."""
    spoken = talk([PLAN, Keep("b_mag", "my_length", "Length")])
    spoken.say("ACE field on 2023-01-02")
    assert "my_length@1" in spoken.texts("save b_mag as operation my_length", "note")[0]
    assert spoken.awaiting() == "approval"


def test_code_that_was_kept_is_not_offered_for_keeping(talk: Begin) -> None:
    """Neither in this process nor in the next; other code is."""
    coded = parse_pipeline(
        TEXT.replace(
            "{operation: magnitude, inputs: {vector: b_gse}}", "{inputs: {b: b_gse}, unit: nT, code: return b.max(axis=1)}"
        ),
        file="ace_field.yaml",
    ).pipeline
    spoken = talk([Plan(coded, DAY), Keep("b_mag", "largest", "Largest")])
    spoken.say("largest component of the ACE field on 2023-01-02")
    assert "save b_mag as operation b_mag" in spoken.texts("approve", "suggestion")
    spoken.say("save b_mag as operation largest")
    assert spoken.session.kept_code == ["return b.max(axis=1)"]
    again = talk([], spoken.home, spoken.session)
    assert not any(each.startswith("save ") for each in again.texts("run", "suggestion"))


def test_a_request_said_instead_of_an_answer_drops_the_question(talk: Begin) -> None:
    """Its own question counts as the first, and the request asked about is that alone."""
    first = Asked(Question(text="In which frame?", choices=[]))
    second = Asked(Question(text="How long are the windows?", choices=[]), is_new=True)
    spoken = talk([first, second])
    spoken.say("ACE Bz in October 2003")
    spoken.say("spectrogram of Wind |B| on 2012-07-15")
    assert spoken.session.asked is not None
    assert (spoken.session.asked.request, spoken.session.asked.number) == ("spectrogram of Wind |B| on 2012-07-15", 1)


def test_the_history_is_bounded(talk: Begin) -> None:
    """A long conversation keeps its last turns."""
    answers: list[Answer] = [Information("y" * 10_000) for _ in range(80)]
    spoken = talk(answers)
    for number in range(80):
        spoken.say(f"what is {number}? " + "x" * 3000)
    assert len(spoken.session.said) == 60
    assert len(spoken.kept[-1]) < 60 * 2500
