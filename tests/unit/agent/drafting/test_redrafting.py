"""A file follows its intent: two drafts differ in what is changed, and all else stays as the person has it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.drafting.redrafting import Redraft
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import ask, chain, checked, on_the_table, panels

FIELD = "ACE |B| on 2003-10-29"
SPEED = "ACE speed on 2003-10-29"
MEANS = "ACE speed on 2003-10-29, hourly means"


def drafted(request: str) -> Plan:
    """The plan of a request."""
    plan = ask(request)
    assert isinstance(plan, Plan)
    return plan


def redraft(before: str, after: str, by_hand: Sequence[Edit] = ()) -> PipelineFile | None:
    """The file of one request, changed by hand, after it has become that of another one; None where it cannot."""
    old, new = drafted(before), drafted(after)
    file = apply_edits(on_the_table(old).file, by_hand)
    edits = Redraft(file, old.pipeline, new.pipeline, shipped_knowledge().catalog).edits()
    return None if edits is None else apply_edits(file, edits)


def redrafted(before: str, after: str, by_hand: Sequence[Edit] = ()) -> Pipeline:
    """The pipeline of it, which passes the check."""
    file = redraft(before, after, by_hand)
    assert file is not None
    assert checked(file).problems == []
    return file.pipeline


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (FIELD, "ACE |B| and density on 2003-10-29"),
        ("ACE |B| and density on 2003-10-29", FIELD),
        (FIELD, "ACE |B| on 2003-10-29, 10-minute running mean"),
        (MEANS, "ACE density on 2003-10-29, hourly means"),
        (MEANS, SPEED),
        ("power spectrum of ACE Bz in GSE on 2003-10-29", "power spectrum of ACE |B| on 2003-10-29"),
        ("power spectrum of ACE Bz in GSE on 2003-10-29", "wavelet spectrum of ACE Bz in GSE on 2003-10-29"),
        ("ACE magnetic field in GSE on 2003-10-29", "ACE magnetic field in GSM on 2003-10-29"),
        ("lag between ACE and Wind |B| on 2003-10-29", "lag between ACE and Wind speed on 2003-10-29"),
    ],
)
def test_what_nobody_has_changed_becomes_the_other_draft(before: str, after: str) -> None:
    """Its steps, its panels, and what it says of itself."""
    pipeline, draft = redrafted(before, after), drafted(after).pipeline
    assert sorted(chain(pipeline)) == sorted(chain(draft))
    assert panels(pipeline) == panels(draft)
    assert (pipeline.title, pipeline.description) == (draft.title, draft.description)
    assert sorted(pipeline.assumptions) == sorted(draft.assumptions)


def test_what_both_drafts_have_keeps_its_id() -> None:
    """Though a draft of two spacecraft calls it otherwise: nothing that was made is made again."""
    pipeline = redrafted(FIELD, "ACE and Wind |B| on 2003-10-29")
    assert chain(pipeline)[:2] == chain(drafted(FIELD).pipeline)
    assert panels(pipeline) == ["b_mag+wind_b_mag"]


def test_looks_and_words_of_the_person_stay() -> None:
    """A colour, the title of an axis and that of the pipeline, a height; of another quantity the range goes."""
    trace = "figure.panels[0].traces[0].color"
    axis = {"figure.panels[0].y.title": "Wind speed", "figure.panels[0].y.range": [300, 900], "figure.panels[0].height": 2.0}
    by_hand: list[Edit] = [
        EditStep(kind="edit_step", step="overview", changes={trace: "red", **axis}),
        EditPipeline(kind="edit_pipeline", changes={"title": "Halloween"}),
    ]
    longer = redrafted(MEANS, "ACE speed on 2003-10-29, 2-hour means", by_hand)
    other = redrafted(MEANS, "ACE density on 2003-10-29, hourly means", by_hand)
    for pipeline, limits in ((longer, (300, 900)), (other, None)):
        figure = pipeline.steps[-1].figure
        assert figure is not None
        (panel,) = figure.panels
        assert (pipeline.title, panel.traces[0].color, panel.y.title, panel.height) == ("Halloween", "red", "Wind speed", 2.0)
        assert panel.y.range == limits


def test_a_value_that_only_the_person_has_changed_stays() -> None:
    """Medians stay medians where their length is another one."""
    by_hand: list[Edit] = [EditStep(kind="edit_step", step="speed_1hour", changes={"compute.options.method": "median"})]
    assert "speed_2hour=resample(speed,PT2H,median)" in chain(
        redrafted(MEANS, "ACE speed on 2003-10-29, 2-hour means", by_hand)
    )


def test_a_step_of_the_person_reads_what_takes_the_place_of_its_input() -> None:
    """Where that is the same quantity; a limit of another one is never made from it."""
    step = Step.model_validate(
        {
            "id": "fast",
            "compute": {"operation": "intervals_where", "inputs": {"series": "speed_1hour"}, "options": {"above": 600}},
        }
    )
    by_hand: list[Edit] = [
        AddStep(kind="add_step", step=step, before="overview"),
        EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[+]": {"data": "fast"}}),
    ]
    pipeline = redrafted(MEANS, "ACE speed on 2003-10-29, 2-hour means", by_hand)
    assert panels(pipeline) == ["speed_2hour+fast"]
    compute = pipeline.step("fast").compute
    assert compute is not None
    assert compute.inputs == {"series": "speed_2hour"}
    assert redraft(MEANS, "ACE density on 2003-10-29, hourly means", by_hand) is None


def test_a_line_that_was_taken_out_stays_out() -> None:
    """The values behind the running mean, of another quantity too."""
    smooth = "ACE speed on 2003-10-29, 10-minute running mean"
    by_hand: list[Edit] = [EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[0]": None})]
    assert panels(redrafted(smooth, "ACE density on 2003-10-29, 10-minute running mean", by_hand)) == ["density_mean"]


def test_what_only_a_step_of_the_person_reads_is_made_too() -> None:
    """The vector in the other frame, of which means by hand are drawn."""
    step = Step.model_validate(
        {
            "id": "means",
            "compute": {
                "operation": "resample",
                "inputs": {"series": "b_gse"},
                "options": {"cadence": "PT1H", "method": "mean"},
            },
        }
    )
    by_hand: list[Edit] = [
        AddStep(kind="add_step", step=step, before="overview"),
        EditStep(kind="edit_step", step="overview", changes={"figure.panels[0].traces[0].data": "means"}),
    ]
    pipeline = redrafted("ACE magnetic field in GSE on 2003-10-29", "ACE magnetic field in GSM on 2003-10-29", by_hand)
    assert chain(pipeline) == ["means=resample(b_gsm,PT1H,mean)", "b_gsm=AC_H0_MFI/BGSM"]
    assert panels(pipeline) == ["means"]
