"""Why nothing is drawn is answered from what was made; what was ignored, from the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from helio_dagster.agent.answers import Edits
from helio_dagster.domain.inquiry import ColumnStatistics
from helio_dagster.domain.pipeline_edit import EditPipeline
from tests.unit.agent.conversation.paper_home import PaperHome, Talk
from tests.unit.agent.conversation.test_conversation import PLAN

Begin = Callable[..., Talk]


@pytest.mark.parametrize("said", ["why is there nothing?", "why is it empty?", "the plot is empty", "where is the data?"])
def test_before_a_run_nothing_can_be_drawn(talk: Begin, said: str) -> None:
    """The plan waits for approval, and keeps waiting."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    (answer,) = spoken.texts(said, "information")
    assert "has not been run" in answer
    assert spoken.awaiting() == "approval"


def test_fill_values_are_told_from_no_records(talk: Begin) -> None:
    """After a run, from the tables of each step."""
    filled: dict[str, tuple[ColumnStatistics, ...]] = {
        "b_mag": (ColumnStatistics("b_mag", "nT", 0, 24),),
        "b_gse": (ColumnStatistics("b_gse", "nT", 0, 0),),
    }
    spoken = talk([PLAN], PaperHome(measured=filled))
    spoken.say("ACE field on 2023-01-02")
    spoken.say("approve")
    (answer,) = spoken.texts("why is there nothing?", "information")
    assert "only fill values" in answer
    assert "no records" in answer
    assert "AC_H0_MFI" in answer


def test_what_was_ignored_is_told_of_request_and_change(talk: Begin) -> None:
    """As long as the plan waits."""
    edit = EditPipeline(kind="edit_pipeline", changes={"title": "Field"})
    spoken = talk([replace(PLAN, ignored=("kindly",)), Edits((edit,), notes=("'coauthor' is ignored.",))])
    spoken.say("kindly ACE field on 2023-01-02")
    assert spoken.texts("what did you ignore?", "information") == ["Ignored: 'kindly'. Everything else is in the plan."]
    spoken.say("my coauthor wants the title Field")
    assert "'kindly', 'coauthor'" in spoken.texts("which words did you leave out?", "information")[0]
