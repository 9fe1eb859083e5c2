"""What could be said next is understood."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Edits, Fork, Keep, Replay
from helio_dagster.agent.conversation.suggestions import suggest
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.conversation.paper_home import PaperHome
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2024, 6, 1, tzinfo=UTC)
SPAN = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
FETCH = """version: 1
name: plan
start: 1997-09-02
steps:
  - id: b_gse
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
"""
PLAIN = (
    FETCH
    + """  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: overview
    figure: {panels: [{traces: [{data: b_mag}]}]}
"""
)
CODE = (
    FETCH
    + """  - id: b_twice
    compute: {inputs: {b: b_gse}, unit: nT, code: return b * 2}
  - id: overview
    figure: {panels: [{traces: [{data: b_twice}]}]}
"""
)
THIN = [CheckResult("b_gse", "coverage", False, "b_gse: nothing there")]


@pytest.mark.parametrize("text", [PLAIN, CODE])
@pytest.mark.parametrize("results", [[], THIN])
def test_each_suggestion_is_understood_offline(text: str, results: list[CheckResult]) -> None:
    """Said as it stands, it is an edit, a replay, a fork or an operation to keep, and no question."""
    file = parse_pipeline(text, file="plan.yaml")
    planner = OfflinePlanner(shipped_knowledge(), side=PaperHome(files={"plan": file}))
    said = suggest(file.pipeline, SPAN, results)
    assert 2 <= len(said) <= 3
    for words in said:
        answer = planner.answer(Situation(words, NOW, current=Current(file, SPAN, is_saved=True)))
        assert isinstance(answer, (Edits, Replay, Fork, Keep)), (words, answer)


def test_another_storm_than_the_one_shown_is_offered() -> None:
    """What is on the screen is not offered again."""
    pipeline = parse_pipeline(PLAIN, file="plan.yaml").pipeline
    assert not any("Halloween" in words for words in suggest(pipeline, SPAN, []))


def test_code_is_offered_for_keeping() -> None:
    """A step that works can become an operation."""
    pipeline = parse_pipeline(CODE, file="plan.yaml").pipeline
    assert suggest(pipeline, SPAN, [])[0] == "save b_twice as operation b_twice"
