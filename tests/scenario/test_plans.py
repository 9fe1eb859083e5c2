"""From a sentence to an approved plan and its figure, with and without a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from tests.scenario.scripts import B, ace_plan, call, fetch, figure, operation, plan
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
Script = Sequence[dict[str, Any]] | None
ACE = "ACE magnetic field magnitude for 2003-10-29"
TWO_PANELS = plan(
    "ACE and Wind magnetic field magnitude",
    "2003-10-29",
    fetch("ace_b_gse", "AC_H0_MFI/BGSEc"),
    operation("ace_b_mag", "magnitude", vector="ace_b_gse"),
    fetch("wind_b_gse", "WI_H0_MFI/BGSE"),
    operation("wind_b_mag", "magnitude", vector="wind_b_gse"),
    figure(["ace_b_mag"], ["wind_b_mag"]),
)
BETA = call("give_information", text="Thermal over magnetic pressure.", sources=["plasma_beta"])
LAST_WEEK = plan("ACE magnetic field", "last week", B, figure(["b_gse"]))


def planners(*script: dict[str, Any]) -> pytest.MarkDecorator:
    """The same conversation with the offline planner, and with a model that replies so."""
    return pytest.mark.parametrize("script", [None, list(script)], ids=["offline", "model"])


@planners(LAST_WEEK)
def test_ace_for_last_week(chat: Begin, script: Script) -> None:
    """A sentence, a plan, an approval, a figure; the file says who approved it, and its hash fits."""
    talk = chat(script)
    planned = talk.say("ACE magnetic field for last week")
    assert (planned.card["start"], planned.card["stop"]) == ("2024-05-25", "2024-06-01")
    assert (talk.saved, talk.runs, planned.card["partitions"]) == ([], 0, 7)
    done = talk.say("approve")
    assert done.status == "success"
    assert all(counts == (7, 0) for counts in done.counts.values())
    assert "SYNTHETIC DATA" in done.figures[0].read_text()
    pipeline = talk.pipeline()
    assert pipeline.approved is not None
    assert (pipeline.approved.by, pipeline.approved.sha) == ("ada", pipeline_sha(pipeline))


@planners(TWO_PANELS)
def test_two_magnitudes_in_two_panels(chat: Begin, script: Script) -> None:
    """The lengths of both vectors, each in a separate panel."""
    talk = chat(script)
    done = talk.agree("compare ACE and Wind |B| in two panels for 2003-10-29")
    pipeline = talk.pipeline()
    shown = pipeline.step("overview").figure
    assert shown is not None
    assert [[trace.data for trace in panel.traces] for panel in shown.panels] == [["ace_b_mag"], ["wind_b_mag"]]
    for vector, length in (("demo/AC_H0_MFI/BGSEc", "ace_b_mag"), ("demo/WI_H0_MFI/BGSE", "wind_b_mag")):
        b = talk.read(vector, "2003-10-29").to_numpy(np.float64)
        made = talk.read(f"{pipeline.name}/{length}", "2003-10-29").to_numpy()[:, 0]
        np.testing.assert_allclose(made, np.linalg.norm(b, axis=1), rtol=1e-12)
    assert "yaxis2" in done.figures[0].read_text()


@planners(
    plan("ACE field", "03/04/2023", B, figure(["b_gse"])),
    plan("ACE field", "2023-03-04", B, figure(["b_gse"])),
)
def test_a_date_that_reads_two_ways_is_asked_about(chat: Begin, script: Script) -> None:
    """The choices are whole requests, and a number takes one."""
    talk = chat(script)
    asked = talk.say("ACE field 03/04/2023")
    assert (asked.status, asked.awaiting) == ("question", "answer")
    assert asked.of("clarify")[0].facts["choices"] == ["ACE field 2023-03-04", "ACE field 2023-04-03"]
    planned = talk.say("1")
    assert (planned.card["start"], planned.card["stop"]) == ("2023-03-04", "2023-03-05")


@planners(ace_plan(None), ace_plan("last 7 days"))
def test_a_request_without_a_time_is_asked_for_one(chat: Begin, script: Script) -> None:
    """The first choice is the week before now."""
    talk = chat(script)
    asked = talk.say("ACE magnetic field magnitude")
    assert asked.text("clarify") == "For which time?"
    assert (talk.say("1").card["start"], talk.saved) == ("2024-05-25", [])


def test_an_answer_in_other_words_than_the_choices_is_understood(chat: Begin) -> None:
    """A time alone is added to what was asked first."""
    talk = chat()
    talk.say("ACE magnetic field magnitude")
    planned = talk.say("2003-10-29")
    assert (planned.card["start"], planned.card["pipeline"]["name"]) == ("2003-10-29", "ace_magnetic_field_magnitude")


@planners(ace_plan(None), BETA, ace_plan("last 7 days"))
def test_a_question_in_the_middle_of_a_clarification_is_answered(chat: Begin, script: Script) -> None:
    """Then what was asked is asked again, and a number still answers it."""
    talk = chat(script)
    talk.say("ACE magnetic field magnitude")
    told = talk.say("what is the plasma beta?")
    assert "pressure" in told.text("information")
    assert (told.status, told.text("clarify"), told.awaiting) == ("question", "For which time?", "answer")
    assert talk.say("1").card["start"] == "2024-05-25"


@planners(ace_plan(), BETA)
def test_a_question_in_the_middle_of_an_approval_is_answered(chat: Begin, script: Script) -> None:
    """The plan still waits as it was, and can be approved."""
    talk = chat(script)
    before = talk.say(ACE).card["yaml"]
    told = talk.say("what is the plasma beta?")
    assert (told.of("information")[0].facts["makes_data"], told.status, told.awaiting) == (False, "approval", "approval")
    draft = talk.conversation.session.draft
    assert draft is not None
    assert draft.text == before
    assert talk.say("yes").status == "success"


def test_an_answer_in_words_makes_no_data(chat: Begin) -> None:
    """It has sources, and nothing is run, fetched or written."""
    talk = chat()
    told = talk.say("what is the plasma beta?")
    assert told.status == "answered"
    assert told.of("information")[0].facts["sources"]
    assert (talk.saved, talk.tables(), talk.runs) == ([], {}, 0)


@planners(ace_plan())
def test_a_rejected_plan_leaves_nothing(chat: Begin, script: Script) -> None:
    """No file, no table, no run."""
    talk = chat(script)
    talk.say(ACE)
    dropped = talk.say("reject")
    assert "nothing was run or written" in dropped.text("approval")
    assert (talk.saved, talk.tables(), talk.runs, talk.conversation.session.draft) == ([], {}, 0, None)


@planners(ace_plan(), *[call("submit_edits", edits=[{"kind": "edit_step", "step": "overview", "changes": {
    "figure.panels[0].traces[0].color": color}}]) for color in ("red", "green")])  # fmt: skip
def test_a_draft_is_changed_in_words_before_its_approval(chat: Begin, script: Script) -> None:
    """Each change is shown anew and can be taken back; only what is approved is written."""
    talk = chat(script)
    talk.say(ACE)
    red = talk.say("make |B| red").card["yaml"]
    green = talk.say("make |B| green").card["yaml"]
    assert ("red" in red, "green" in green, talk.saved) == (True, True, [])
    assert talk.say("undo").card["yaml"] == red
    talk.say("approve")
    assert talk.text(talk.saved[0]).startswith(red.rstrip("\n"))


def test_a_plan_is_edited_as_text(chat: Begin) -> None:
    """What the person wrote is what is saved, comments too."""
    talk = chat()
    text = talk.say(ACE).card["yaml"]
    written = text.replace("title: ACE magnetic field magnitude", "title: My own title  # mine")
    assert written != text
    talk.conversation.edited(written)
    assert talk.say("approve").status == "success"
    assert "title: My own title  # mine" in talk.text(talk.saved[0])
    assert talk.pipeline().title == "My own title"


def test_a_wrong_edit_as_text_is_told_and_the_plan_stays(chat: Begin) -> None:
    """With the place and the nearest name."""
    talk = chat()
    text = talk.say(ACE).card["yaml"]
    events = talk.conversation.edited(text.replace("magnitude,", "magnitoode,"))
    told = next(event.text for event in events if event.stage == "error")
    assert "magnitoode" in told
    assert "magnitude" in told
    assert talk.say("show").card["yaml"] == text


def test_the_same_plan_again_writes_nothing(chat: Begin) -> None:
    """It is run, not saved under another name, and nothing is made anew."""
    talk = chat()
    talk.agree(ACE)
    before = talk.text(talk.saved[0])
    done = talk.agree(ACE)
    assert (talk.saved, talk.text(talk.saved[0])) == (["ace_magnetic_field_magnitude"], before)
    assert set(done.counts.values()) == {(0, 1)}


def test_another_plan_of_the_same_name_is_saved_beside(chat: Begin) -> None:
    """No saved file is replaced by a new plan."""
    anew = call("plan_anew", reason="A wholly new wish.")
    talk = chat([ace_plan(), anew, plan("ACE magnetic field magnitude", "2003-10-29", B, SHOWN_VECTOR)])
    talk.agree(ACE)
    before = talk.text("ace_magnetic_field_magnitude")
    talk.agree("ACE magnetic field vector for 2003-10-29, called the same")
    assert talk.saved == ["ace_magnetic_field_magnitude", "ace_magnetic_field_magnitude_2"]
    assert talk.text("ace_magnetic_field_magnitude") == before


SHOWN_VECTOR = figure(["b_gse"])


def test_a_spectrogram_is_planned_and_drawn(chat: Begin) -> None:
    """Flux over energy becomes a heat map, on a page and in a picture."""
    talk = chat()
    done = talk.agree("Wind ion spectrogram for 2003-10-29")
    assert done.figures[0].with_suffix(".png").is_file()
    assert '"type":"heatmap"' in done.figures[0].read_text().replace(" ", "")


def test_a_month_of_an_index_is_planned(chat: Begin) -> None:
    """The month ends before the next one, and its hours are there with the storm in them."""
    talk = chat()
    planned = talk.say("Dst for October 2003")
    assert (planned.card["start"], planned.card["stop"]) == ("2003-10-01", "2003-11-01")
    assert talk.say("approve").status == "success"
    dst = talk.read("demo/OMNI2_H0_MRG1HR/DST", "2003-10").iloc[:, 0]
    assert 700 < len(dst) <= 31 * 24
    assert dst.min() < -200


def test_what_was_assumed_stands_in_the_file(chat: Begin) -> None:
    """The choice of the dataset, in the card and in what is saved."""
    talk = chat()
    told = talk.say(ACE).card["assumptions"]
    talk.say("approve")
    assert any("AC_H0_MFI" in each for each in told)
    assert list(parse_pipeline(talk.text(talk.saved[0]), file="it").pipeline.assumptions) == told
