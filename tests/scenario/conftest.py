"""Conversations for scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.talking import Chat


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Callable[..., Chat]]:
    """Begins conversations, each in a folder of its own; they are left at the end."""
    begun: list[Chat] = []

    def begin(script: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> Chat:
        folder = tmp_path / f"chat{len(begun)}"
        folder.mkdir()
        begun.append(Chat(folder, script, **more))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()
