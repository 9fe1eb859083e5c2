"""Judging answers made by hand: each verdict, of each kind of answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer, Asked, Edits, Fork, Information, Plan, Question, Refusal, Replay, Undo
from helio_dagster.agent.evaluation.known_answers import Expectation
from helio_dagster.agent.evaluation.verdicts import Judgement, judge
from helio_dagster.domain.pipeline_edit import AddStep, EditPipeline, EditStep, RemoveStep
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.domain.time_range import TimeRange

LISTS = {"ace_b": ["AC_H0_MFI/BGSEc", "AC_H3_MFI/B*"]}
DAY = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
TEXT = """\
version: 1
name: ace_b_mag
title: ACE |B|
partitions: daily
steps:
  - id: b_gse
    intent: Fetch
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    intent: Magnitude
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: b_mean
    intent: Mean
    compute: {operation: rolling_mean, inputs: {series: b_mag}, options: {window: PT10M}}
  - id: overview
    intent: Draw
    figure:
      panels:
        - traces: [{data: b_mean}]
"""
EXPECTED: dict[str, Any] = {
    "request": "ACE |B| smoothed over 10 minutes",
    "expect": "plan",
    "fetch": ["ace_b"],
    "compute": ["magnitude?", "rolling_mean window=PT10M"],
    "range": "2003-10-29 2003-10-30",
    "panels": 1,
}
QUESTION = Asked(Question(text="Which frame?", choices=["ACE |B| in GSE", "ACE |B| in GSM"]), notes=("or in RTN",))
REFUSAL = Refusal(("Ulysses has data until 2009.",))


@pytest.fixture
def file() -> PipelineFile:
    """The current pipeline."""
    return parse_pipeline(TEXT, file="ace_b_mag.yaml")


def expecting(**given: Any) -> Expectation:
    """An expectation, as a file has it."""
    return Expectation.model_validate({"request": "words", **given})


def judged(answer: Answer, file: PipelineFile | None = None, **given: Any) -> Judgement:
    """The judgement of an answer."""
    return judge(expecting(**given), answer, LISTS, file)


def test_a_plan_as_expected_is_right(file: PipelineFile) -> None:
    """Any dataset of the list, the operations with their options, the range and the panels."""
    assert judged(Plan(file.pipeline, DAY), **EXPECTED) == Judgement("right")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"fetch": [["WI_H0_MFI/BGSE"]]}, "fetches AC_H0_MFI/BGSEc"),
        ({"fetch": ["ace_b", ["AC_H0_SWE/Vp"]]}, "fetches none of AC_H0_SWE/Vp"),
        ({"compute": ["magnitude", "rolling_mean window=PT5M"]}, "computes no rolling_mean window=PT5M"),
        ({"compute": ["rolling_mean"]}, "computes magnitude"),
        ({"range": "2003-10-29 2003-10-31"}, "the range is 2003-10-29 2003-10-30"),
        ({"range": "none"}, "the range is 2003-10-29 2003-10-30"),
        ({"panels": 2}, "panels: [1]"),
        ({"panels": ["b_mag"]}, "panels: [['b_mean']]"),
    ],
)
def test_a_plan_that_differs_is_wrong(file: PipelineFile, change: dict[str, Any], fault: str) -> None:
    """The judgement says in what."""
    judgement = judged(Plan(file.pipeline, DAY), **EXPECTED | change)
    assert judgement.verdict == "wrong"
    assert fault in judgement.faults


def test_two_parameters_for_one_quantity_are_wrong(file: PipelineFile) -> None:
    """A list means any one of them."""
    twice = parse_pipeline(TEXT.replace("  - id: b_mag\n", _MORE + "  - id: b_mag\n"), file="ace_b_mag.yaml")
    assert judged(Plan(twice.pipeline, DAY), **EXPECTED).faults == ("fetches 2 parameters",)


_MORE = """\
  - id: b_gsm
    intent: Fetch
    fetch: {archive: cdaweb, dataset: AC_H3_MFI, parameter: BGSM}
"""


def test_of_several_ways_any_is_right(file: PipelineFile) -> None:
    """The faults are those of the way that comes nearest."""
    other: dict[str, Any] = {"fetch": [["OMNI2_H0_MRG1HR/F"]], "compute": []}
    ways = [other, {"fetch": ["ace_b"], "compute": EXPECTED["compute"]}]
    given = {key: value for key, value in EXPECTED.items() if key not in ("fetch", "compute")}
    assert judged(Plan(file.pipeline, DAY), **given, ways=ways).verdict == "right"
    assert judged(Plan(file.pipeline, DAY), **given, ways=[ways[0], {**ways[1], "compute": []}]).faults == (
        "computes magnitude",
        "computes rolling_mean window=PT10M",
    )


@pytest.mark.parametrize("answer", [QUESTION, REFUSAL])
def test_a_question_or_refusal_instead_of_a_plan_asks(answer: Answer) -> None:
    """Not wrong: a person sees that there is no plan."""
    assert judged(answer, **EXPECTED).verdict == "asks"


def test_a_plan_instead_of_a_question_is_wrong(file: PipelineFile) -> None:
    """It decides what only the person can."""
    judgement = judged(Plan(file.pipeline, DAY), expect="question")
    assert judgement == Judgement("wrong", ("plan, not question",))


def test_a_question_must_say_what_it_is_about() -> None:
    """In its text, choices or notes, in any case; of several words any one may be said."""
    assert judged(QUESTION, expect="question", about=["FRAME", ["HEE", "gsm"], "RTN"]).verdict == "right"
    judgement = judged(QUESTION, expect="question", about=["year"])
    assert judgement.verdict == "asks"
    assert judgement.faults[0].startswith("does not say 'year': Which frame?")


def test_a_question_may_be_right_beside_a_plan(file: PipelineFile) -> None:
    """If it says the words; the plan is right too."""
    assert judged(QUESTION, **EXPECTED, may_ask=["GSE"]).verdict == "right"
    assert judged(QUESTION, **EXPECTED, may_ask=["Wind"]).verdict == "asks"
    assert judged(Plan(file.pipeline, DAY), **EXPECTED, may_ask=["GSE"]).verdict == "right"


@pytest.mark.parametrize("answer", [REFUSAL, Asked(Question(text="Until 2009: when?")), Information("It ended in 2009.")])
def test_a_refusal_may_be_any_answer_that_plans_nothing_and_says_why(answer: Answer) -> None:
    """Only the reason counts."""
    assert judged(answer, expect="refusal", about=["2009"]).verdict == "right"
    assert judged(answer, expect="refusal", about=["2015"]).verdict != "right"


def test_information_counts_with_its_sources() -> None:
    """Another kind of answer is wrong, a refusal asks."""
    answer = Information("Thermal over magnetic pressure.", sources=("operation plasma_beta",))
    assert judged(answer, expect="information", about=["magnetic pressure", "plasma_beta"]).verdict == "right"
    assert judged(answer, expect="information", about=["Alfven"]).verdict == "wrong"
    assert judged(Undo(), expect="information").verdict == "wrong"
    assert judged(REFUSAL, expect="information").verdict == "asks"


def test_a_replay_has_its_range_and_pipeline() -> None:
    """No name means the current one."""
    given: dict[str, Any] = {"expect": "replay", "range": "2003-10-29 2003-10-30", "name": "storms"}
    assert judged(Replay(DAY, "storms"), **given).verdict == "right"
    assert judged(Replay(DAY), **given).faults == ("the pipeline is the current one",)
    later = TimeRange(DAY.stop, datetime(2003, 10, 31, tzinfo=UTC))
    assert judged(Replay(later, "storms"), **given).faults == ("the range is 2003-10-30 2003-10-31",)


def test_a_fork_has_its_mission() -> None:
    """By the catalog's name."""
    assert judged(Fork("Wind"), expect="fork", mission="Wind").verdict == "right"
    assert judged(Fork("ACE"), expect="fork", mission="Wind").faults == ("the mission is ACE",)


def test_a_fork_may_have_to_say_what_it_replaces() -> None:
    """Where the pipeline fetches from several missions; where the file leaves it open, either is right."""
    given: dict[str, Any] = {"expect": "fork", "mission": "DSCOVR", "instead_of": "Wind"}
    assert judged(Fork("DSCOVR", instead_of="Wind"), **given).verdict == "right"
    assert judged(Fork("DSCOVR", instead_of="ACE"), **given).faults == ("the mission replaced is ACE",)
    assert judged(Fork("DSCOVR"), **given).faults == ("the mission replaced is not named",)
    assert judged(Fork("DSCOVR", instead_of="ACE"), expect="fork", mission="DSCOVR").verdict == "right"


def test_undo_is_undo() -> None:
    """Nothing else is."""
    assert judged(Undo(), expect="undo").verdict == "right"
    assert judged(Edits(()), expect="undo").verdict == "wrong"


RED = "figure.panels[0].traces[0].color"
COLOR = {"figure.panels[[]0].traces[[]0].color": "red"}


@pytest.mark.parametrize(
    "changes",
    [{RED: "red"}, {"figure.panels[0].traces": [{"data": "b_mean", "color": "red"}]}],
    ids=["one value", "the traces written again"],
)
def test_edits_are_judged_by_what_they_change(file: PipelineFile, changes: dict[str, Any]) -> None:
    """Not by how they are written."""
    edits = Edits((EditStep(kind="edit_step", step="overview", changes=changes),))
    assert judged(edits, file, expect="edits", changes=COLOR) == Judgement("right")
    assert judged(edits, file, expect="edits", changes={next(iter(COLOR)): "any"}) == Judgement("right")


def test_edits_that_change_more_or_less_are_wrong(file: PipelineFile) -> None:
    """But the assumptions, and what is marked as optional."""
    more = EditPipeline(kind="edit_pipeline", changes={"title": "Red", "assumptions": ["Red is meant."]})
    edits = Edits((EditStep(kind="edit_step", step="overview", changes={RED: "red"}), more))
    assert judged(edits, file, expect="edits", changes=COLOR).faults == ("changes title to 'Red'",)
    assert judged(edits, file, expect="edits", changes={**COLOR, "title": "any?"}).verdict == "right"
    untouched = judged(Edits(()), file, expect="edits", changes={**COLOR, "title": "any?"})
    assert untouched == Judgement("wrong", ("changes nothing at figure.panels[[]0].traces[[]0].color",))
    assert judged(edits, file, expect="edits", changes={"figure.panels*": "blue", "title": "any"}).verdict == "wrong"


def test_steps_that_edits_add_and_remove(file: PipelineFile) -> None:
    """Fetches and operations are told apart by the lists; ids may have wildcards."""
    other = parse_pipeline(TEXT.replace("rolling_mean", "detrend").replace("id: b_mean", "id: b_det"), file="other").pipeline
    steps = (
        AddStep(kind="add_step", step=other.step("b_det"), before="overview"),
        EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[0].data": "b_det"}),
        RemoveStep(kind="remove_step", step="b_mean"),
    )
    given: dict[str, Any] = {"expect": "edits", "changes": {"figure.panels*": "any"}}
    assert judged(Edits(steps), file, **given, adds=["detrend window=PT10M"], removes=["b_m*n"]).verdict == "right"
    assert judged(Edits(steps), file, **given, adds=["ace_b"], removes=["b_mag"]).faults == (
        "fetches none of AC_H0_MFI/BGSEc, AC_H3_MFI/B*",
        "computes detrend window=PT10M",
        "removes b_mean",
        "removes no b_mag",
    )


def test_what_the_figure_holds_after_edits(file: PipelineFile) -> None:
    """Whether an edit wrote it or it was there before; `changes` alone says what may change."""
    edits = Edits((EditStep(kind="edit_step", step="overview", changes={RED: "red", "figure.panels[0].y.range": [0, 50]}),))
    given: dict[str, Any] = {"expect": "edits", "changes": {"figure.panels*": "any"}}
    held = {"panels[0].traces[0].color": "red", "panels[0].y.range": [0, 50], "panels[0].height": 1, "panels[0].y.scale": None}
    assert judged(edits, file, **given, after=held) == Judgement("right")
    other = {"panels[0].traces[0].color": "blue", "panels[0].y.range": [0, 60], "panels[1].height": 1}
    assert judged(edits, file, **given, after=other) == Judgement(
        "wrong", ("panels[0].traces[0].color is 'red'", "panels[0].y.range is [0, 50]", "there is no panels[1].height")
    )
    assert judged(edits, file, expect="edits", after=held).faults == (
        "changes figure.panels[0].traces[0].color to 'red'",
        "changes figure.panels[0].y.range to [0, 50]",
    )


PANELS = [{"traces": [{"data": "b_mag"}, {"data": "b_mean"}]}, {"traces": [{"data": "b_gse"}]}]


@pytest.mark.parametrize("panels", [["b_mag+b_mean", "b_gse"], ["b_mag+*", "b_*"], 2])
def test_what_each_panel_draws_after_edits(file: PipelineFile, panels: int | list[str]) -> None:
    """The ids of the steps in their order, with wildcards; or only how many panels there are."""
    edits = Edits((EditStep(kind="edit_step", step="overview", changes={"figure.panels": PANELS}),))
    assert judged(edits, file, expect="edits", changes={"figure.panels*": "any"}, panels=panels) == Judgement("right")


@pytest.mark.parametrize(
    ("panels", "fault"),
    [
        (["b_gse", "b_mag+b_mean"], "panels: [['b_mag+b_mean', 'b_gse']]"),
        (["b_mean+b_mag", "b_gse"], "panels: [['b_mag+b_mean', 'b_gse']]"),
        (["b_mag+b_mean"], "panels: [['b_mag+b_mean', 'b_gse']]"),
        (1, "panels: [2]"),
    ],
)
def test_other_panels_after_edits_are_wrong(file: PipelineFile, panels: int | list[str], fault: str) -> None:
    """In another order, or another number of them."""
    edits = Edits((EditStep(kind="edit_step", step="overview", changes={"figure.panels": PANELS}),))
    judgement = judged(edits, file, expect="edits", changes={"figure.panels*": "any"}, panels=panels)
    assert judgement == Judgement("wrong", (fault,))


def test_edits_that_leave_no_figure_hold_nothing_of_it(file: PipelineFile) -> None:
    """No panels, and no value at any path."""
    edits = Edits((RemoveStep(kind="remove_step", step="overview"),))
    given: dict[str, Any] = {"expect": "edits", "removes": ["overview"]}
    assert judged(edits, file, **given).verdict == "right"
    assert judged(edits, file, **given, panels=["b_mean"], after={"panels[0].height": 1}).faults == (
        "panels: []",
        "there is no panels[0].height",
    )


def test_the_title_after_edits(file: PipelineFile) -> None:
    """Letter by letter."""
    edits = Edits((EditPipeline(kind="edit_pipeline", changes={"title": "Halloween storm"}),))
    given: dict[str, Any] = {"expect": "edits", "changes": {"title": "any?"}}
    assert judged(edits, file, **given, title="Halloween storm").verdict == "right"
    assert judged(edits, file, **given, title="Halloween").faults == ("the title is 'Halloween storm'",)
    assert judged(Edits(()), file, **given, title="ACE |B|").verdict == "right"


def test_the_range_of_edits(file: PipelineFile) -> None:
    """Theirs, not that of the current pipeline; none where they leave it as it is."""
    edit = EditStep(kind="edit_step", step="overview", changes={RED: "red"})
    given: dict[str, Any] = {"expect": "edits", "changes": COLOR}
    assert judged(Edits((edit,), DAY), file, **given, range="2003-10-29 2003-10-30").verdict == "right"
    assert judged(Edits((edit,)), file, **given, range="none").verdict == "right"
    assert judged(Edits((edit,)), file, **given, range="2003-10-29 2003-10-30").faults == ("the range is none",)
    assert judged(Edits((edit,), DAY), file, **given, range="none").faults == ("the range is 2003-10-29 2003-10-30",)


def test_edits_that_cannot_be_applied_are_wrong(file: PipelineFile) -> None:
    """No such step; or there is no pipeline."""
    edits = Edits((EditStep(kind="edit_step", step="overvue", changes={RED: "red"}),))
    (fault,) = judged(edits, file, expect="edits", changes=COLOR).faults
    assert fault.startswith("the changes do not fit the pipeline: ")
    assert judged(edits, expect="edits", changes=COLOR).faults == ("changes a pipeline where there is none",)
