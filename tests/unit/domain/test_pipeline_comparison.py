"""What two pipelines say differently."""

from __future__ import annotations

import pytest

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_comparison import Change, StepChange, compare_pipelines, families
from helio_dagster.domain.pipeline_text import parse_pipeline

TEXT = """\
version: 1
name: ace
title: ACE field
steps:
  - id: b
    intent: Fetch it
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT10M}}
  - id: seen
    figure:
      panels:
        - traces: [{data: mag}]
"""


def changed(*replacements: tuple[str, str]) -> Pipeline:
    """The pipeline with parts of its text replaced."""
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return parse_pipeline(text, file="x").pipeline


@pytest.mark.parametrize(
    "replacement",
    [
        ("title: ACE field", "title: 'ACE field'   # a comment\npartitions: daily"),
        ("name: ace", "name: other"),
        ("vector: b}", "vector: ace/b}"),
        ("data: mag", "data: ace/mag"),
        ("    intent: Fetch it\n", "    intent: Fetch it\n    critical: true\n"),
    ],
)
def test_layout_names_and_defaults_are_no_difference(replacement: tuple[str, str]) -> None:
    """Two texts with the same meaning compare as the same."""
    assert compare_pipelines(changed(), changed(replacement)).is_same


def test_the_order_of_steps_is_no_difference() -> None:
    """References, not places, order the work."""
    moved = changed()
    assert compare_pipelines(changed(), moved.model_copy(update={"steps": moved.steps[::-1]})).is_same


def test_a_changed_option_is_told_with_path_and_values() -> None:
    """Old and new, at the innermost place that differs; other data are made."""
    found = compare_pipelines(changed(), changed(("PT10M", "PT5M")))
    change = Change("compute.options.window", "PT10M", "PT5M")
    assert found.steps == (StepChange("mean", "compute", "changed", (change,)),)
    assert not found.has_same_data


def test_steps_of_one_alone_are_added_or_removed() -> None:
    """A step under another id is another step."""
    found = compare_pipelines(changed(), changed(("id: seen", "id: shown")))
    assert [(each.step, each.what) for each in found.steps] == [("seen", "removed"), ("shown", "added")]
    assert found.has_same_data


def test_the_head_is_compared_too() -> None:
    """A value that one does not give is None there."""
    found = compare_pipelines(changed(), changed(("title: ACE field\n", "start: 2001-01-01\n")))
    assert found.head == (Change("title", "ACE field", None), Change("start", None, "2001-01-01"))


@pytest.mark.parametrize(
    ("replacement", "is_same"),
    [
        (("traces: [{data: mag}]", "traces: [{data: mean, color: red}]"), True),
        (("intent: Fetch it", "intent: Get it"), True),
        (("title: ACE field", "title: Another"), True),
        (("title: ACE field", "partitions: hourly"), False),
        (("parameter: BGSEc", "parameter: BGSM"), False),
        (("vector: b}", "vector: wind/b}"), False),
    ],
)
def test_data_are_the_same_where_figures_and_words_differ(replacement: tuple[str, str], *, is_same: bool) -> None:
    """What is fetched and computed decides, and the length of a partition."""
    assert compare_pipelines(changed(), changed(replacement)).has_same_data is is_same


def test_true_is_not_one() -> None:
    """YAML tells a number from a truth value, and so does the comparison."""
    one, other = changed(("window: PT10M", "window: 1")), changed(("window: PT10M", "window: true"))
    assert not compare_pipelines(one, other).is_same
    assert not compare_pipelines(one, other).has_same_data


def test_families_share_their_data_steps() -> None:
    """Pipelines with other figures over the same data stand together; a lone one has no family."""
    other = changed(("name: ace", "name: zz"), ("[{data: mag}]", "[{data: mean}]"))
    lone = changed(("name: ace", "name: lone"), ("PT10M", "PT5M"))
    assert families([other, lone, changed()]) == [["ace", "zz"]]


def test_pipelines_of_figures_alone_are_no_family() -> None:
    """They have no data steps that could be the same."""
    figures = [changed(("name: ace", f"name: {name}")) for name in ("one", "two")]
    bare = [each.model_copy(update={"steps": each.steps[-1:]}) for each in figures]
    assert families(bare) == []
