"""Conversations for scenarios."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.resources.workers import Workers
from tests.scenario.processes import Terminal
from tests.scenario.talking import Chat


@pytest.fixture(autouse=True)
def quiet_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command line's edge sets before Dagster starts."""
    monkeypatch.setenv("DAGSTER_EVENT_BATCH_SIZE", "1000")


@pytest.fixture
def new_folder(tmp_path: Path, fresh_instance: Path) -> Callable[[], Path]:
    """Makes working folders with a home in which nothing was run yet."""
    made: list[Path] = []

    def make() -> Path:
        made.append(tmp_path / f"folder{len(made)}")
        shutil.copytree(fresh_instance, made[-1] / ".helio" / "dagster")
        return made[-1]

    return make


@pytest.fixture
def chat(new_folder: Callable[[], Path], workers: Workers) -> Iterator[Callable[..., Chat]]:
    """Begins conversations, each in a folder of its own; they are left at the end."""
    begun: list[Chat] = []

    def begin(script: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> Chat:
        lent = None if "environment" in more else workers  # one with settings of its own has processes of its own
        begun.append(Chat(more.pop("folder", None) or new_folder(), script, workers=lent, **more))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


@pytest.fixture
def terminal(new_folder: Callable[[], Path]) -> Iterator[Callable[..., Terminal]]:
    """Starts `helio` in pseudo terminals, which are closed at the end."""
    begun: list[Terminal] = []

    def begin(*arguments: str, folder: Path | None = None, **environment: str) -> Terminal:
        begun.append(Terminal(folder or new_folder(), arguments, environment))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()
