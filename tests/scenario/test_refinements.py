"""What is said about a pipeline that was run: edits that touch what they must, forks, and what is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.scenario.scripts import RED, ace_plan, call, edits, fetch, figure, operation
from tests.scenario.talking import Chat, changed_lines

Begin = Callable[..., Chat]
Script = Sequence[dict[str, Any]] | None
ACE = "ACE magnetic field magnitude for 2003-10-29"
NAME = "ace_magnetic_field_magnitude"
DAY = "2003-10-29"


def mean_step(window: str) -> dict[str, Any]:
    """A step that smooths."""
    step = operation("b_mag_mean", "rolling_mean", {"window": window}, series="b_mag")
    return {"kind": "add_step", "step": step, "before": "overview"}


SMOOTH = edits(
    mean_step("PT5M"),
    {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[0].data": "b_mag_mean"}},
)
SMOOTHER = edits({"kind": "edit_step", "step": "b_mag_mean", "changes": {"compute.options.window": "PT10M"}})
FORK = call("fork", mission="Wind", name=None)
ALSO_WIND = edits(
    {"kind": "add_step", "step": fetch("wind_b_gse", "WI_H0_MFI/BGSE"), "before": "overview"},
    {"kind": "add_step", "step": operation("wind_b_mag", "magnitude", vector="wind_b_gse"), "before": "overview"},
    {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[+]": {"data": "wind_b_mag"}}},
)


def planners(*script: dict[str, Any], by_day: bool = False) -> pytest.MarkDecorator:
    """The same conversation with the offline planner, and with a model that replies so, after a plan of |B| of ACE.

    By day the model is asked for one refinement of each kind: an edit, and a fork.
    """
    marks = [] if by_day else [pytest.mark.nightly]
    replies = pytest.param([ace_plan(), *script], marks=marks)
    return pytest.mark.parametrize("script", [None, replies], ids=["offline", "model"])


@planners(RED, by_day=True)
def test_a_red_magnitude_line_touches_one_step(chat: Begin, script: Script) -> None:
    """One line of the file, one step of the run; the data's versions in Dagster stay, and the page has the color."""
    talk = chat(script)
    talk.agree(ACE)
    before, version = talk.text(NAME), talk.data_version(f"{NAME}/b_mag", DAY)
    planned = talk.say("make |B| red")
    assert planned.card["notes"] == []
    done = talk.say("approve")
    removed, added = changed_lines(before, talk.text(NAME))
    assert "red" in added
    assert removed.lstrip("-").split("{")[0] == added.lstrip("+").split("{")[0]
    assert done.counts == {"b_gse": (0, 1), "b_mag": (0, 1), "overview": (1, 0)}
    assert talk.data_version(f"{NAME}/b_mag", DAY) == version
    assert '"color":"red"' in done.figures[0].read_text()


def test_the_last_two_changes_are_undone_in_words(chat: Begin) -> None:
    """The card is that of the plan before them; what is more than there were is said, with how many there were."""
    talk = chat(None)
    first = talk.say(ACE).card
    talk.say("make |B| red")
    assert talk.say("smooth over 5 minutes").card["pipeline"] != first["pipeline"]
    more = talk.say("undo the last three changes")
    assert "there are not 3 changes to undo" in more.text("error")
    assert "The plan has had 2 changes" in more.text("error")
    assert talk.say("undo the last two changes").card["pipeline"] == first["pipeline"]
    assert "there are not 2 changes" not in talk.say("undo").text("error")


@planners(SMOOTH)
def test_smoothing_adds_a_step_and_keeps_the_others(chat: Begin, script: Script) -> None:
    """What was computed is reused, and the mean is that of the samples within five minutes."""
    talk = chat(script)
    talk.agree(ACE)
    done = talk.agree("smooth over 5 minutes")
    assert done.counts["b_mag"][0] == 0 or done.counts["b_mag"][1] >= 1
    b = talk.read(f"{NAME}/b_mag", DAY).iloc[:, 0]
    mean = talk.read(f"{NAME}/b_mag_mean", DAY).iloc[:, 0]
    noon = pd.Timestamp(f"{DAY}T12:00:00Z")
    place = mean.index[mean.index.get_indexer(pd.DatetimeIndex([noon]), method="nearest")[0]]
    half = pd.Timedelta("PT2M30S")
    around = b[(b.index >= place - half) & (b.index <= place + half)]
    assert mean[place] == pytest.approx(around.mean(), rel=0.02)
    assert mean.std() < b.std()


@planners(SMOOTH, SMOOTHER)
def test_the_smoothing_is_changed(chat: Begin, script: Script) -> None:
    """Another window is one value of one step; what it reads is not redone."""
    talk = chat(script)
    talk.agree(ACE)
    talk.agree("smooth over 5 minutes")
    before = talk.text(NAME)
    talk.say("smooth over 10 minutes")
    done = talk.say("approve")
    changed = "\n".join(changed_lines(before, talk.text(NAME)))
    assert "PT10M" in changed
    assert done.counts["b_mag"] == (0, 1)
    assert done.counts["b_mag_mean"] == (1, 0)


@planners(ALSO_WIND)
def test_another_mission_is_added(chat: Begin, script: Script) -> None:
    """Beside what there is, in the same panel; what ACE gave is reused, and the line is Wind's length."""
    talk = chat(script)
    talk.agree(ACE)
    done = talk.agree("also Wind")
    assert (done.counts["b_gse"], done.counts["b_mag"]) == ((0, 1), (0, 1))
    assert (done.counts["wind_b_gse"], done.counts["wind_b_mag"]) == ((1, 0), (1, 0))
    shown = talk.pipeline().step("overview").figure
    assert shown is not None
    assert [trace.data for trace in shown.panels[0].traces] == ["b_mag", "wind_b_mag"]
    b = talk.read("demo/WI_H0_MFI/BGSE", DAY).to_numpy(np.float64)
    made = talk.read(f"{NAME}/wind_b_mag", DAY).to_numpy()[:, 0]
    np.testing.assert_allclose(made, np.linalg.norm(b, axis=1), rtol=1e-12)


@planners(RED)
def test_an_edit_is_taken_back(chat: Begin, script: Script) -> None:
    """The file is byte for byte what it was, and its figure, too."""
    talk = chat(script)
    talk.agree(ACE)
    before, pages = talk.text(NAME), talk.pages()
    talk.agree("make |B| red")
    assert talk.pages() != pages
    back = talk.say("undo")
    assert back.status == "success"
    assert talk.text(NAME) == before
    assert talk.pages() == pages


@planners()
def test_a_new_pipeline_is_taken_back(chat: Begin, script: Script) -> None:
    """Its file goes; a second time there is nothing to undo."""
    talk = chat(script)
    talk.agree(ACE)
    assert talk.say("undo").status == "answered"
    assert talk.saved == []
    assert "nothing to undo" in talk.say("undo").text("error")


@planners(FORK, by_day=True)
def test_the_same_for_another_mission(chat: Begin, script: Script) -> None:
    """A copy with what it changes said; the first one stays, and the copy's line is Wind's length."""
    talk = chat(script)
    talk.agree(ACE)
    before = talk.text(NAME)
    planned = talk.say("the same for Wind")
    assert any("WI_H0_MFI" in note for note in planned.card["notes"])
    talk.say("approve")
    (copy,) = (name for name in talk.saved if name != NAME)
    assert talk.text(NAME) == before
    fetched = [step.fetch.dataset for step in talk.pipeline(copy).steps if step.fetch]
    assert fetched == ["WI_H0_MFI"]
    b = talk.read("demo/WI_H0_MFI/BGSE", DAY).to_numpy(np.float64)
    made = talk.read(f"{copy}/b_mag", DAY).to_numpy()[:, 0]
    np.testing.assert_allclose(made, np.linalg.norm(b, axis=1), rtol=1e-12)


def test_another_mission_comes_with_another_change(chat: Begin) -> None:
    """One card, one approval: the copy is of Wind and averaged, and says so."""
    talk = chat(None)
    talk.agree(ACE)
    planned = talk.say("use Wind instead and make it hourly")
    assert planned.awaiting == "approval"
    assert not any("not done" in note for note in planned.card["notes"])
    talk.say("approve")
    (copy,) = (name for name in talk.saved if name != NAME)
    pipeline = talk.pipeline(copy)
    assert [step.fetch.dataset for step in pipeline.steps if step.fetch] == ["WI_H0_MFI"]
    assert pipeline.title == "Wind magnetic field magnitude, 1-hour means"
    assert talk.read(f"{copy}/b_mag_1hour", DAY).shape[0] == 24


@planners(call("fork", mission="Wind", name=NAME))
def test_a_saved_pipeline_is_run_for_another_mission(chat: Begin, script: Script) -> None:
    """Named in words in a later conversation; the saved one stays as it is."""
    talk = chat(script)
    talk.agree(ACE)
    before = talk.text(NAME)
    planned = talk.say("run my ACE pipeline for Wind")
    assert planned.awaiting == "approval"
    assert [step["fetch"]["dataset"] for step in planned.steps.values() if "fetch" in step] == ["WI_H0_MFI"]
    talk.say("reject")
    assert (talk.saved, talk.text(NAME)) == ([NAME], before)


@planners(call("fork", mission="OMNI", name=None))
def test_a_mission_that_does_not_measure_it_is_refused(chat: Begin, script: Script) -> None:
    """OMNI's demo has no field vector: that is said, and nothing is changed."""
    talk = chat(script)
    talk.agree(ACE)
    refused = talk.say("the same for OMNI")
    assert refused.status in ("refused", "question")
    assert "OMNI" in refused.text("error") + refused.text("clarify")
    assert talk.saved == [NAME]


def test_a_comment_in_the_file_survives_an_edit(chat: Begin) -> None:
    """Every line but one stays, byte for byte."""
    talk = chat([ace_plan(), RED])
    text = talk.say(ACE).card["yaml"]
    talk.conversation.edited(text.replace("steps:", "# what I think of it: café\nsteps:"))
    talk.say("approve")
    talk.agree("make |B| red")
    assert "# what I think of it: café" in talk.text(NAME)


def test_a_figure_that_breaks_the_pipeline_goes_back_to_the_model(chat: Begin) -> None:
    """An edit that names a step that is not there is sent back with the nearest; the second reply is taken."""
    wrong = edits({"kind": "edit_step", "step": "overvieew", "changes": {"figure.panels[0].traces[0].color": "red"}})
    talk = chat([ace_plan(), wrong, RED])
    talk.agree(ACE)
    assert "red" in talk.say("make |B| red").card["yaml"]


def test_a_file_changed_by_another_hand_is_not_overwritten(chat: Begin) -> None:
    """An edit planned before is refused, and says what to do."""
    talk = chat()
    talk.agree(ACE)
    talk.say("make |B| red")
    path = talk.settings.pipelines / f"{NAME}.yaml"
    path.write_text(talk.text(NAME).replace("steps:", "# by another hand\nsteps:"))
    mine = talk.text(NAME)
    refused = talk.say("approve")
    assert "someone else" in refused.text("error")
    assert talk.text(NAME) == mine


def test_figures_are_added_to_the_same_data(chat: Begin) -> None:
    """A second figure makes itself and nothing else."""
    second = figure(["b_gse"]) | {"id": "second"}
    talk = chat([ace_plan(), edits({"kind": "add_step", "step": second})])
    talk.agree(ACE)
    done = talk.agree("draw the components in another figure, too")
    assert done.counts == {"b_gse": (0, 1), "b_mag": (0, 1), "overview": (0, 1), "second": (1, 0)}
    assert len(done.figures) == 2


def test_what_is_suggested_next_is_understood(chat: Begin) -> None:
    """Each of the suggestions, said as it stands, comes to a plan or a run."""
    talk = chat()
    done = talk.agree(ACE)
    said = [event.facts["say"] for event in done.of("suggestion")]
    assert len(said) == 3
    for words in said:
        turn = talk.say(words)
        assert turn.status in ("approval", "success"), (words, turn.text("clarify"), turn.text("error"))
        if turn.awaiting == "approval":
            talk.say("reject")
