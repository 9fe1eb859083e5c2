"""What could be said next is understood."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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


@pytest.mark.parametrize(
    ("cadence_s", "length", "offered"),
    [
        (16, timedelta(days=1), "smooth over 10 minutes"),
        (16, timedelta(hours=1), "smooth over 1 minute"),
        (64, timedelta(minutes=30), None),
        (1 / 16, timedelta(minutes=5), "smooth over 10 seconds"),
        (3600, timedelta(days=30), "smooth over 6 hours"),
        (86400, timedelta(days=3650), "smooth over 3 days"),
        (None, timedelta(days=4), "smooth over 10 minutes"),
    ],
)
def test_a_mean_is_offered_that_the_data_have_samples_for(
    cadence_s: float | None, length: timedelta, offered: str | None
) -> None:
    """Ten minutes say nothing of hourly values, nor of half an hour."""
    pipeline = parse_pipeline(PLAIN, file="plan.yaml").pipeline
    facts: dict[str, float | int | str] = {} if cadence_s is None else {"cadence_s": cadence_s}
    span = TimeRange(SPAN.start, SPAN.start + length)
    said = [
        words for words in suggest(pipeline, span, [CheckResult("b_gse", "coverage", True, "", facts)]) if "smooth" in words
    ]
    assert said == ([offered] if offered else [])


@pytest.mark.parametrize(("kind", "is_offered"), [("vector", True), ("curve", False), ("spectrogram", False)])
def test_a_mean_over_time_is_offered_of_what_is_over_time(kind: str, is_offered: bool) -> None:
    """A superposed epoch is over the time since its events."""
    pipeline = parse_pipeline(PLAIN, file="plan.yaml").pipeline
    assert any("smooth" in words for words in suggest(pipeline, SPAN, _values(-4, 40, kind))) is is_offered


def test_another_storm_than_the_one_shown_is_offered() -> None:
    """What is on the screen is not offered again."""
    pipeline = parse_pipeline(PLAIN, file="plan.yaml").pipeline
    assert not any("Halloween" in words for words in suggest(pipeline, SPAN, []))


def test_code_is_offered_for_keeping() -> None:
    """A step that works can become an operation."""
    pipeline = parse_pipeline(CODE, file="plan.yaml").pipeline
    assert suggest(pipeline, SPAN, [])[0] == "save b_twice as operation b_twice"


def _values(low: float, high: float, kind: str = "series") -> list[CheckResult]:
    return [CheckResult("b_mag", "values", True, "", {"min": low, "max": high, "unit": "nT", "kind": kind})]


@pytest.mark.parametrize(
    ("results", "is_offered"),
    [
        (_values(0.1, 40), True),
        (_values(-4, 40), False),
        (_values(3, 40), False),
        (_values(0.1, 40, "spectrogram"), False),
        ([], False),
    ],
)
def test_a_log_scale_is_offered_where_it_shows_more(results: list[CheckResult], is_offered: bool) -> None:
    """Of lines that are positive throughout and wide, and of nothing else."""
    text = PLAIN.replace("1997-09-02", "2025-01-01")  # after every storm, so that there is room for the last idea
    assert ("make it a log scale" in suggest(parse_pipeline(text, file="plan.yaml").pipeline, SPAN, results)) is is_offered


def test_a_mean_is_offered_of_lines_over_hours() -> None:
    """Not of a spectrogram, and not of ten minutes."""
    pipeline = parse_pipeline(PLAIN, file="plan.yaml").pipeline
    minutes = TimeRange(datetime(2003, 10, 29, 9, tzinfo=UTC), datetime(2003, 10, 29, 9, 10, tzinfo=UTC))
    assert "smooth over 10 minutes" in suggest(pipeline, SPAN, _values(0.1, 40))
    assert "smooth over 10 minutes" not in suggest(pipeline, minutes, _values(0.1, 40))
    assert "smooth over 10 minutes" not in suggest(pipeline, SPAN, _values(0.1, 40, "spectrogram"))


def test_a_storm_before_the_data_begin_is_not_offered() -> None:
    """MMS saw no Halloween storm."""
    pipeline = parse_pipeline(PLAIN.replace("1997-09-02", "2015-09-01"), file="plan.yaml").pipeline
    later = TimeRange(datetime(2016, 12, 9, tzinfo=UTC), datetime(2016, 12, 10, tzinfo=UTC))
    offered = [words for words in suggest(pipeline, later, []) if words.endswith(" instead")]
    assert offered
    assert not any("Halloween" in words or "Bastille" in words for words in offered)
