"""What fails: code that a model must mend, steps that fail in a run, archives that are gone, and what may not be saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from tests.scenario.scripts import B, call, code_plan, edit, figure, plan
from tests.scenario.served import Served
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
GOOD = "return b.abs().max(axis=1)"
WRONG = "return b['no such column']"
LATER = "if b.index[0].day == 30:\n    raise ValueError('too strong')\nreturn b.abs().max(axis=1)"
"""Works on the first day, on which it is tried, and fails on the second."""
REQUEST = "largest component of the ACE field for 2003-10-29"
TWO_DAYS = "2003-10-29 to 2003-10-31"
NAME = "ace_largest_component"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An archive of CDF files on loopback, in which nothing lies yet."""
    folder = tmp_path / "served"
    folder.mkdir()
    with CdasServer(FileIndex(folder), retry_after_s=0) as server:
        yield Served(folder, server)


def failing(chat: Begin, *more: object) -> Chat:
    """A conversation in which a step of code failed in the run, on the second of two days."""
    talk = chat([code_plan(LATER, TWO_DAYS), *more])
    talk.say(f"largest component of the ACE field for {TWO_DAYS}")
    failed = talk.say("approve")
    assert (failed.status, failed.awaiting) == ("repair", "repair")
    assert failed.counts["b_gse"] == (2, 0)
    return talk


def test_code_of_a_model_is_mended_before_it_is_shown(chat: Begin) -> None:
    """The error goes back to the model; the second attempt works, is shown to be read, and its values are right."""
    talk = chat([code_plan(WRONG), code_plan(GOOD)])
    planned = talk.say(REQUEST)
    assert [event.facts["passed"] for event in planned.of("step_tested")] == [False, True]
    assert "| return b.abs().max(axis=1)" in planned.text("plan")
    talk.say("approve")
    b = talk.read("demo/AC_H0_MFI/BGSEc", "2003-10-29")
    made = talk.read(f"{NAME}/b_max", "2003-10-29").iloc[:, 0]
    np.testing.assert_allclose(made.to_numpy(), b.abs().max(axis=1).to_numpy(np.float64), rtol=1e-6)


def test_code_that_is_never_right_is_given_up(chat: Begin) -> None:
    """After three repairs, with the last error; nothing was written."""
    talk = chat([code_plan(WRONG.replace("column", f"column {number}")) for number in range(5)])
    refused = talk.say(REQUEST)
    assert refused.status == "failed"
    assert [event.facts["passed"] for event in refused.of("step_tested")] == [False] * 4
    assert "after 3 repairs" in refused.text("error")
    assert (talk.saved, talk.runs) == ([], 0)


def test_code_that_gives_another_result_each_time_goes_back(chat: Begin) -> None:
    """It is run twice more before a person sees it."""
    by_chance = "return pd.Series(np.random.default_rng().normal(size=len(b)), index=b.index)"
    talk = chat([code_plan(by_chance), code_plan(GOOD)])
    planned = talk.say(REQUEST)
    assert [event.facts["passed"] for event in planned.of("step_tested")][-1] is True
    assert "default_rng" not in planned.card["yaml"]


CALM = """version: 1
name: ace_calm
title: ACE calm field
partitions: daily
start: 1997-09-02
steps:
  - id: b_gse
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: b_mean
    compute: {operation: rolling_mean, inputs: {series: b_mag}, options: {window: PT1M}}
  - id: rough
    compute:
      inputs: {b: b_mag, mean: b_mean}
      unit: nT
      code: |
        left = b["b_mag"] - mean["b_mean"]
        if left.abs().max() < 5:
            raise ValueError("the mean leaves nothing of the field")
        return left
  - id: overview
    figure:
      panels:
        - traces: [{data: rough}]
"""
"""Its code fails where the mean is taken over too short a window."""


def calm(chat: Begin) -> Chat:
    """A conversation without a model in which a saved pipeline's code failed on both of two days."""
    talk = chat()
    talk.settings.pipelines.mkdir(parents=True)
    (talk.settings.pipelines / "ace_calm.yaml").write_text(CALM)
    failed = talk.say("run my ACE calm field for 2003-10-29 to 2003-10-31")
    assert (failed.status, failed.awaiting) == ("repair", "repair")
    assert "the mean leaves nothing of the field" in failed.text("error")
    return talk


def test_a_failing_step_is_mended_in_words_without_a_model(chat: Begin) -> None:
    """One option of another step changes; what does not depend on it is reused, and the code then gives what it says."""
    talk = calm(chat)
    planned = talk.say("change the window to 10 minutes")
    assert (planned.awaiting, talk.text("ace_calm")) == ("approval", CALM)
    assert planned.steps["b_mean"]["compute"]["options"] == {"window": "PT10M"}
    done = talk.say("approve")
    assert done.status == "success", done.text("error")
    assert done.counts["b_mag"] == (0, 2)
    assert (done.counts["b_mean"], done.counts["rough"]) == ((2, 0), (2, 0))
    b, mean = (talk.read(f"ace_calm/{step}", "2003-10-29").iloc[:, 0] for step in ("b_mag", "b_mean"))
    rough = talk.read("ace_calm/rough", "2003-10-29").iloc[:, 0]
    np.testing.assert_allclose(rough.to_numpy(), (b - mean).to_numpy(), rtol=1e-12)


def test_a_failing_step_is_mended_in_the_file_without_a_model(chat: Begin) -> None:
    """The saved file as the person edits it: its code is tried on a part of the range, shown as a change, and run."""
    talk = calm(chat)
    text = talk.conversation.plan_text
    assert text == CALM
    mended = text.replace("< 5:", "< 0.001:")
    events = talk.conversation.edited(mended)
    assert [event.facts["passed"] for event in events if event.stage == "step_tested"] == [True]
    card = next(event.text for event in events if event.stage == "plan")
    assert "rough: its code has changed" in card
    assert "| if left.abs().max() < 0.001:" in card
    done = talk.say("approve")
    assert (done.status, done.counts["b_mean"], done.counts["rough"]) == ("success", (0, 2), (2, 0))


def test_a_failed_step_that_was_there_before_is_not_called_good(chat: Begin) -> None:
    """After `undo` the step fails again: what it made before the change was taken back is out of date, and is told so."""
    talk = calm(chat)
    talk.say("change the window to 10 minutes")
    talk.say("approve")
    assert talk.say("undo").awaiting == "repair"
    skipped = talk.say("skip")
    assert (skipped.status, skipped.awaiting) == ("partial", "request")
    (coverage,) = [
        event for event in skipped.of("check") if (event.facts.get("step"), event.facts["check"]) == ("rough", "coverage")
    ]
    assert not coverage.facts["passed"]
    assert "2 of 2 partitions are out of date" in coverage.text


def test_without_a_model_a_failure_is_tried_thrice_left_or_explained(chat: Begin) -> None:
    """A sentence that is not understood changes nothing; the third try is the last; leaving keeps file and data."""
    talk = calm(chat)
    assert "the mean leaves nothing" in talk.say("why?").text("error")
    asked = talk.say("make it less wobbly please")
    assert (asked.status, talk.say("never mind").awaiting) == ("question", "repair")
    assert [talk.say("retry").awaiting for _ in range(2)] == ["repair", "repair"]
    assert "has failed 3 times" in talk.say("retry").text("error")
    left = talk.say("abort")
    assert (left.awaiting, talk.text("ace_calm")) == ("request", CALM)
    assert len(talk.read("ace_calm/b_mean", "2003-10-29")) > 5000


def test_a_failing_step_is_mended_by_an_edit(chat: Begin) -> None:
    """Cause and place are told; the edit is one step, and what succeeded before is not redone."""
    talk = failing(chat, edit("b_max", compute__code=GOOD))
    planned = talk.say("do not raise, just take the maximum")
    assert planned.awaiting == "approval"
    assert "too strong" not in planned.card["yaml"]
    done = talk.say("approve")
    assert done.status == "success"
    assert done.counts["b_gse"] == (0, 2)
    assert done.counts["b_max"] == (2, 0)


def test_a_failure_tells_cause_place_and_what_can_be_done(chat: Begin) -> None:
    """The step, the partition, the code's own error, and four ways to go on."""
    talk = chat([code_plan(LATER, TWO_DAYS)])
    talk.say(f"largest component of the ACE field for {TWO_DAYS}")
    failed = talk.say("approve")
    told = failed.text("error")
    assert "b_max" in told
    assert "2003-10-30" in told
    assert "too strong" in told
    (repair,) = failed.of("repair")
    assert repair.facts["choices"][0] == "retry (2 of 3)"
    assert len(repair.facts["choices"]) == 4


def test_a_step_is_tried_three_times_at_most(chat: Begin) -> None:
    """The fourth time is refused with what can be said instead, and the pipeline stays saved."""
    talk = failing(chat)
    again = talk.say("retry")
    assert again.counts["b_gse"] == (0, 2)
    assert talk.say("retry").awaiting == "repair"
    refused = talk.say("retry")
    assert "has failed 3 times" in refused.text("error")
    assert (refused.awaiting, talk.saved) == ("repair", [NAME])


def test_a_failed_step_is_skipped(chat: Begin) -> None:
    """What was made is checked, and the conversation goes on."""
    talk = failing(chat)
    skipped = talk.say("skip")
    assert (skipped.status, skipped.awaiting) == ("partial", "request")
    assert "b_gse" in skipped.text("check")


def test_a_failed_run_is_left(chat: Begin) -> None:
    """What was made stays, also its file."""
    talk = failing(chat)
    left = talk.say("abort")
    assert (left.awaiting, talk.saved) == ("request", [NAME])
    assert len(talk.read("demo/AC_H0_MFI/BGSEc", "2003-10-29")) > 5000


def test_an_archive_that_comes_back_is_tried_again(chat: Begin, served: Served) -> None:
    """A damaged file fails its day alone; once it is whole, `retry` makes just that."""
    for day in ("2003-10-29", "2003-10-30"):
        served.publish("AC_H0_MFI", day)
    talk = chat(archive="cdaweb", environment=served.environment)
    talk.say("ACE |B| from AC_H0_MFI 2003-10-29 to 2003-10-31")
    served.spoil("AC_H0_MFI", "2003-10-30")
    failed = talk.say("approve")
    assert failed.awaiting == "repair", failed.text("error")
    served.publish("AC_H0_MFI", "2003-10-30")
    done = talk.say("retry")
    assert done.status == "success", done.text("error")
    assert done.counts["b_gse"] == (1, 1)


def test_code_that_fails_cannot_be_kept_as_an_operation(chat: Begin) -> None:
    """The library stays as it was, and what the code failed of is told."""
    keep = call("keep_operation", step="b_max", operation="largest", summary="Largest component")
    talk = chat([code_plan(LATER), call("replay", name=None, time_words="2003-10-30"), keep])
    talk.say(REQUEST)
    assert talk.say("rather for 2003-10-30").card["start"] == "2003-10-30"
    refused = talk.say("save b_max as operation largest")
    assert "too strong" in refused.text("error")
    assert list(talk.settings.operations.glob("*")) == []
    assert refused.awaiting == "approval"


def test_working_code_is_kept_as_an_operation(chat: Begin) -> None:
    """It is tried first, and its file is there afterwards."""
    keep = call("keep_operation", step="b_max", operation="largest", summary="Largest component")
    talk = chat([code_plan(GOOD), keep])
    talk.agree(REQUEST)
    assert "largest@1" in talk.say("save b_max as operation largest").text("note")
    assert [path.name for path in talk.settings.operations.rglob("*.yaml")]


def test_a_plan_edited_to_failing_code_stays_with_its_error(chat: Begin) -> None:
    """The person's own edit is tried; it is not approved, and mended in the editor or taken back."""
    talk = chat([code_plan(GOOD)])
    text = talk.say(REQUEST).card["yaml"]
    wrong = text.replace(GOOD, "return b / unknown")
    card = next(event for event in talk.conversation.edited(wrong) if event.stage == "plan")
    assert (card.facts["yaml"], talk.conversation.plan_text) == (wrong, wrong)
    assert "unknown" in card.facts["failing"]["b_max"]
    assert "the plan cannot be approved" in talk.say("approve").text("error")
    assert talk.saved == []
    assert talk.say("undo").card["yaml"] == text


def test_a_candidate_that_is_all_fill_is_passed_over(chat: Begin, served: Served) -> None:
    """The next one is taken, that is said, and it stands in the file's assumptions."""
    served.publish("AC_H0_MFI", "2003-10-29", is_fill=True)
    served.publish("WI_H0_MFI", "2003-10-29")
    either = plan(
        "Field near L1",
        "2003-10-29",
        {**B, "candidates": [
            {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"},
            {"archive": "cdaweb", "dataset": "WI_H0_MFI", "parameter": "BGSE"},
        ]},
        figure(["b_gse"]),
    )  # fmt: skip
    talk = chat([either], archive="cdaweb", environment=served.environment)
    planned = talk.say("the magnetic field near L1 for 2003-10-29")
    looked = {event.facts["dataset"]: (event.facts["state"], event.facts["is_chosen"]) for event in planned.of("candidate")}
    assert looked == {"AC_H0_MFI": ("all_fill", False), "WI_H0_MFI": ("data", True)}
    talk.say("approve")
    fetched = talk.pipeline().step("b_gse").fetch
    assert fetched is not None
    assert fetched.dataset == "WI_H0_MFI"
    assert any("AC_H0_MFI" in each and "fill" in each for each in talk.pipeline().assumptions)


def test_where_no_candidate_has_data_that_is_asked_about(chat: Begin, served: Served) -> None:
    """No plan is made of fill."""
    served.publish("AC_H0_MFI", "2003-10-29", is_fill=True)
    only = plan("ACE field", "2003-10-29", {**B, "candidates": [
        {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}]}, figure(["b_gse"]))  # fmt: skip
    talk = chat([only], archive="cdaweb", environment=served.environment)
    asked = talk.say("ACE field for 2003-10-29")
    assert asked.status == "question"
    assert "fill" in asked.text("clarify")
    assert talk.saved == []
