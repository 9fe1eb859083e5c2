"""The page about models says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from helio_dagster.agent.model.scripted import read_script
from helio_dagster.agent.model.settings import ModelLimits, ModelSettings

PAGE = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")


def test_the_default_models_and_limits_are_those_of_the_settings() -> None:
    """Names and numbers that stand in the table."""
    settings = ModelSettings.from_environment({"GOOGLE_API_KEY": "key"})
    assert f"`{settings.planning}` plans" in PAGE
    assert f"`{settings.small}` answers questions" in PAGE
    limits = ModelLimits()
    told = f"{limits.requests}, {limits.tool_calls} (failed ones count), {limits.tokens:,}, {limits.seconds} |"
    assert told in PAGE


def test_the_value_that_turns_streaming_off_stands_in_the_table() -> None:
    """And it is on where nothing is set, as the page says."""
    row = re.search(r"^\| `HELIO_MODEL_STREAM` \| `(.+?)`: .*without it they are streamed \|$", PAGE, re.MULTILINE)
    assert row is not None
    environment = {"GOOGLE_API_KEY": "key"}
    assert ModelSettings.from_environment(environment).is_streaming
    assert not ModelSettings.from_environment({**environment, "HELIO_MODEL_STREAM": row[1]}).is_streaming


def test_the_example_of_a_script_can_be_read(tmp_path: Path) -> None:
    """Three turns."""
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    path = tmp_path / "talk.yaml"
    path.write_text(block[1])
    assert len(read_script(path).planning) == 3
