"""The page about pipeline files: its whole examples are sound."""

from __future__ import annotations

import re
from pathlib import Path

from helio_dagster.assets.library import check_files
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import parse_pipeline

PAGE = Path(__file__).parents[3] / "docs" / "pipelines.md"


def test_the_example_of_expectations_is_sound() -> None:
    """It is a whole pipeline that a check finds nothing in, and its steps expect something."""
    texts = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL) if text.startswith("version:")]
    (text,) = texts
    file = parse_pipeline(text, file="wind_watch.yaml")
    assert check_files({"wind_watch": file}) == Findings()
    assert all(step.expect is not None for step in file.pipeline.steps)
    assert file.pipeline.range == "last 7 days"
