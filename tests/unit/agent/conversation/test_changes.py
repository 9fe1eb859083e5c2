"""What an edit changes, in words."""

from __future__ import annotations

import pytest

from helio_dagster.agent.conversation.changes import tell_changes
from helio_dagster.domain.pipeline_comparison import compare_pipelines
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, RemoveStep, apply_edits
from helio_dagster.domain.pipeline_text import parse_pipeline

FILE = parse_pipeline(
    """version: 1
name: ace
title: ACE
partitions: daily
steps:
  - id: b_gse
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: b_mag}, options: {window: PT10M}}
  - id: code
    compute:
      inputs: {b: b_mag}
      unit: nT
      code: |
        return b
  - id: overview
    figure:
      panels:
        - traces: [{data: b_mag, color: black}, {data: mean}]
""",
    file="ace.yaml",
)


def told(*edits: Edit) -> list[str]:
    """What is said of edits."""
    new = apply_edits(FILE, edits).pipeline
    return list(tell_changes(compare_pipelines(FILE.pipeline, new), new))


def step(name: str, **changes: object) -> EditStep:
    """A change of a step; underscores in twos are dots."""
    return EditStep(kind="edit_step", step=name, changes={key.replace("__", "."): value for key, value in changes.items()})


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (step("mean", compute__options__window="PT5M"), "mean: window: PT10M -> PT5M"),
        (step("overview", **{"figure.panels[0].traces[0].color": "red"}), "overview: color of b_mag: black -> red"),
        (step("overview", **{"figure.panels[0].traces[0].color": None}), "overview: color of b_mag: no longer black"),
        (step("overview", **{"figure.panels[0].traces[1].data": "b_gse"}), "overview: draws b_gse instead of mean"),
        (step("overview", **{"figure.panels[0].y": {"scale": "log"}}), 'overview: y of panel 1: {"scale": "log"}'),
        (step("overview", **{"figure.panels[0].traces[+]": {"data": "b_gse"}}), "overview: trace 3 of panel 1: b_gse"),
        (step("overview", **{"figure.panels[+]": {"traces": [{"data": "mean"}]}}), "overview: panel 2: shows mean"),
        (step("code", compute__code="return b * 2"), "code: its code has changed"),
        (EditPipeline(kind="edit_pipeline", changes={"title": "Mine"}), "title: ACE -> Mine"),
        (RemoveStep(kind="remove_step", step="code"), "compute code is removed"),
    ],
)
def test_a_change_is_told_as_a_person_would(edit: Edit, words: str) -> None:
    """The place by what it is, the values as they are written."""
    assert told(edit) == [words]


def test_a_new_step_is_told_with_what_it_does() -> None:
    """As in the plan."""
    new = {"id": "half", "intent": "Half", "compute": {"operation": "rolling_mean", "inputs": {"series": "b_mag"},
           "options": {"window": "PT1H"}}}  # fmt: skip
    assert told(AddStep.model_validate({"kind": "add_step", "step": new})) == [
        "new compute half: Half (rolling_mean(b_mag, window=PT1H))"
    ]


def test_what_means_the_same_is_called_so() -> None:
    """No line is left empty."""
    assert told() == ["none: the meaning is the same as before"]
