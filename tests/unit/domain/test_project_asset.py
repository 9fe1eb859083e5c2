"""Inputs that are assets of a Dagster project, as a pipeline's file says them."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.pipeline import ProjectAsset
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline

TEXT = """version: 1
name: p
steps:
  - id: smooth
    compute: {operation: magnitude, inputs: {vector: INPUT}}
"""


def test_an_asset_is_read_and_written() -> None:
    """With what the step says of it; it is no reference to a step, and the file comes out the same."""
    text = TEXT.replace("INPUT", "{asset: ground/station, unit: nT, units: {t: deg K}, time: moment}")
    pipeline = parse_pipeline(text, file="p.yaml").pipeline
    (step,) = pipeline.steps
    assert step.references == []
    assert step.compute is not None
    given = ProjectAsset(asset="ground/station", unit="nT", units={"t": "K"}, time="moment")
    assert step.compute.project_inputs == {"vector": given}
    assert step.compute.step_inputs == {}
    assert str(given) == "asset ground/station"
    assert parse_pipeline(dump_pipeline(pipeline), file="p.yaml").pipeline == pipeline


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        ('{asset: "my key"}', "vector.asset", "'my key' is not an asset's key"),
        ("{asset: ../outside}", "vector.asset", "is not an asset's key"),
        ("{aset: a}", "vector.aset", "unknown key 'aset'"),
        ("{asset: a, units: 3}", "vector.units", "should be a mapping"),
        ("Station", "vector", "'Station' refers to no step"),
        ("[a]", "vector", "this is a list, but should be text"),
    ],
)
def test_what_is_wrong_is_said_once(given: str, path: str, words: str) -> None:
    """Of the kind of input that was meant, with line and path."""
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(TEXT.replace("INPUT", given), file="p.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.path) == (5, f"steps[0].compute.inputs.{path}")
    assert words in problem.problem
