"""The page about conversations names what programs meet."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from helio_dagster.agent.events import Stage
from helio_dagster.agent.session import Awaiting, Outcome

PAGE = (Path(__file__).parents[3] / "docs" / "chat.md").read_text()


@pytest.mark.parametrize("word", [*get_args(Stage), *get_args(Outcome), *get_args(Awaiting)])
def test_every_word_of_the_events_is_told(word: str) -> None:
    """Stages, how a turn ends, and what is awaited."""
    assert f"`{word}`" in PAGE
