"""Which questions are read as questions about results, and what they ask."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.conversation.result_question import read_question, sources_of
from helio_dagster.agent.planner import Current
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.time_range import TimeRange

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
FILE = parse_pipeline(
    """version: 1
name: storm
steps:
  - {id: b_gse, intent: Fetch the ACE magnetic field in GSE, fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}}
  - {id: b_mag, intent: Magnitude of the magnetic field, compute: {operation: magnitude, inputs: {vector: b_gse}}}
  - {id: speed, intent: Fetch the ACE speed, fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Vp}}
  - {id: density, intent: Fetch the ACE density, fetch: {archive: cdaweb, dataset: AC_H0_SWE, parameter: Np}}
  - {id: dst, intent: Fetch the OMNI Dst, fetch: {archive: cdaweb, dataset: OMNI2_H0_MRG1HR, parameter: DST}}
  - {id: overview, figure: {panels: [{traces: [{data: b_mag}]}, {traces: [{data: speed}]}]}}
""",
    file="storm.yaml",
)
DAY = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
MONTH = TimeRange(datetime(2003, 10, 1, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
CURRENT = Current(FILE, DAY, is_saved=True)


@pytest.mark.parametrize(
    ("said", "statistic", "steps"),
    [
        ("what is the maximum of the speed?", "maximum", ["speed"]),
        ("What was the highest speed that was reached?", "maximum", ["speed"]),
        ("when was Dst lowest?", "minimum", ["dst"]),
        ("when did the density peak?", "maximum", ["density"]),
        ("mean density", "mean", ["density"]),
        ("the average solar wind speed", "mean", ["speed"]),
        ("what is the median of b_mag?", "median", ["b_mag"]),
        ("what is the standard deviation of the density", "std", ["density"]),
        ("what is the maximum |B|?", "maximum", ["b_mag"]),
        ("what is the maximum of the field?", "maximum", ["b_gse", "b_mag"]),
        ("what is the minimum of ACE density?", "minimum", ["density"]),
        ("how many gaps?", "coverage", ["b_mag", "speed"]),
        ("how many gaps are there in the density?", "coverage", ["density"]),
        ("are there any gaps?", "coverage", ["b_mag", "speed"]),
        ("what is the longest gap in Dst?", "coverage", ["dst"]),
        ("how many records are there of Dst?", "count", ["dst"]),
        ("how fast was the solar wind?", "maximum", ["speed"]),
        ("how low did Dst get?", "minimum", ["dst"]),
        ("what was the density?", "summary", ["density"]),
        ("what is the range of the speed?", "summary", ["speed"]),
        ("what is the maximum?", "maximum", ["b_mag", "speed"]),
    ],
)
def test_a_statistic_of_a_step_is_read(said: str, statistic: str, steps: list[str]) -> None:
    """By its id, its quantity or its mission; without a subject, of what is drawn. The time is left open."""
    question = read_question(said, NOW, CURRENT)
    assert question is not None
    assert (question.statistic, list(question.steps), question.span, question.moment) == (statistic, steps, None, None)


@pytest.mark.parametrize(
    "said",
    [
        "what is the plasma beta?",
        "what is the maximum of the temperature?",
        "what is the maximum of the Wind density?",
        "what is the mean of Bz in GSM?",
        "which missions measured the 2003 storm?",
        "what is the maximum speed of light in a fibre?",
        "add the mean",
        "show the maximum of the speed",
        "plot the mean density",
        "average over 10 minutes",
        "smooth over 5 minutes",
        "hourly mean of the density",
        "mean over 3 hours",
        "median filter of 5 samples",
        "minimum variance analysis of the field",
        "make |B| red",
        "start at 05:00",
        "the Halloween storm instead",
        "what happened at 06:00?",
        "what is the speed above 600 km/s?",
        "",
    ],
)
def test_anything_else_is_left_to_the_planner(said: str) -> None:
    """A sentence with a word that is no part of the question is not one about results."""
    assert read_question(said, NOW, CURRENT) is None


def test_bare_words_are_no_question_while_another_one_is_open() -> None:
    """They may be its answer; a sentence that asks is one."""
    assert read_question("mean density", NOW, CURRENT, is_whole_sentence=True) is None
    assert read_question("what is the mean density?", NOW, CURRENT, is_whole_sentence=True) is not None


@pytest.mark.parametrize(
    ("said", "hour"),
    [
        ("what was the speed at 06:00 on 2003-10-29?", 6),
        ("what was the speed on 29 Oct 2003 at 06:00", 6),
        ("what was the speed at 18:00?", 18),
    ],
)
def test_a_moment_is_read(said: str, hour: int) -> None:
    """With its day, or on the one day that was run."""
    question = read_question(said, NOW, CURRENT)
    assert question is not None
    assert (question.statistic, question.moment) == ("at", datetime(2003, 10, 29, hour, tzinfo=UTC))


def test_a_clock_time_of_several_days_is_not_guessed() -> None:
    """The day must be given."""
    with pytest.raises(InputError, match="several days"):
        read_question("what was the speed at 18:00?", NOW, Current(FILE, MONTH, is_saved=True))


def test_a_range_is_read() -> None:
    """In place of the one that was run."""
    question = read_question("when was Dst lowest in October 2003?", NOW, CURRENT)
    assert question is not None
    assert question.span == MONTH


@pytest.mark.parametrize(("said", "component"), [("lowest Bz", "z"), ("what is the mean of the x component?", "x")])
def test_a_component_is_read(said: str, component: str) -> None:
    """As a letter behind the quantity, or in words."""
    question = read_question(said, NOW, CURRENT)
    assert question is not None
    assert question.component == component


def test_the_sources_of_a_computed_step_are_its_fetches() -> None:
    """However many steps are in between."""
    assert sources_of(FILE.pipeline, "b_mag") == ["cdaweb AC_H0_MFI BGSEc"]


def test_a_named_result_of_code_is_asked_about_like_a_step() -> None:
    """The code that gives it is not; what it is made of is what the code reads."""
    both = "  - {id: both, compute: {inputs: {b: b_mag}, results: {smooth: {}, rough: {}}, code: return b}}\n"
    file = parse_pipeline(FILE.text + both, file="storm.yaml")
    question = read_question("what is the maximum of smooth?", NOW, Current(file, DAY, is_saved=True))
    assert question is not None
    assert question.steps == ("smooth",)
    assert sources_of(file.pipeline, "smooth") == ["cdaweb AC_H0_MFI BGSEc"]
    assert read_question("what is the maximum of both?", NOW, Current(file, DAY, is_saved=True)) is None
