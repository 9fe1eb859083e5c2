"""The page that lists pipelines keeps what it judged between requests, and never shows what is no longer so."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from helio_dagster.hosting.served_home import ServedHome as Site
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.storage.settings import Settings
from tests.ports import free_port
from tests.scenario.processes import helio
from tests.scenario.served_page import ServedHome

OVER_EVENTS = """
version: 1
name: storms
title: Storms of a list
partitions: {events: list, before: PT3H, after: PT3H}
start: 2003-10-01
steps:
  - id: list
    events: {file: lists/storms.csv, source: by hand}
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: smooth
    compute: {operation: rolling_mean, inputs: {series: b}, options: {window: PT3H}}
"""
LIST = "start,stop,id\n2003-10-27T12:00Z,2003-10-27T14:00Z,one\n2003-10-28T12:00Z,2003-10-28T14:00Z,two\n"
LATER = "2003-10-29T12:00Z,2003-10-29T14:00Z,three\n"


def add_event(folder: Path) -> None:
    """To the list."""
    (folder / "pipelines" / "lists" / "storms.csv").write_text(LIST + LATER)


def run_added(folder: Path) -> None:
    """By another process."""
    helio(folder, "run", "storms", "--all", "--yes")


def delete_result(folder: Path) -> None:
    """By hand."""
    next((folder / ".helio" / "data" / "storms" / "smooth").glob("*one*.parquet")).unlink()


def damage_result(folder: Path) -> None:
    """One byte, in place."""
    path = next((folder / ".helio" / "data" / "storms" / "smooth").glob("*two*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def change_step(folder: Path) -> None:
    """So that every result is stale."""
    (folder / "pipelines" / "storms.yaml").write_text(OVER_EVENTS.replace("window: PT3H", "window: PT5H"))


CHANGES: list[tuple[Callable[[Path], None], dict[str, int]]] = [
    (add_event, {"fresh": 2, "missing": 1}),
    (run_added, {"fresh": 3}),
    (delete_result, {"fresh": 2, "stale": 1}),
    (damage_result, {"fresh": 1, "stale": 2}),
    (run_added, {"fresh": 3}),
    (change_step, {"stale": 3}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A home whose two events were run."""
    (tmp_path / "pipelines" / "lists").mkdir(parents=True)
    (tmp_path / "pipelines" / "storms.yaml").write_text(OVER_EVENTS)
    (tmp_path / "pipelines" / "lists" / "storms.csv").write_text(LIST)
    helio(tmp_path, "run", "storms", "--all", "--yes")
    return tmp_path


@pytest.fixture
def served(folder: Path) -> Iterator[ServedHome]:
    """A server over it."""
    home = ServedHome(folder, free_port(), {})
    home.start()
    yield home
    home.kill()


def let_it_rest(folder: Path, seconds: float = 3600) -> None:
    """As if everything had been written an hour ago."""
    then = time.time() - seconds
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def listed(home: ServedHome) -> dict[str, int]:
    """State to number of events in the list of pipelines."""
    page = httpx.get(f"{home.url}/pipelines/", timeout=60).text
    words = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    return {state: int(count) for count, state in re.findall(r"(\d+) (fresh|stale|missing|empty|failed)\b", words)}


def test_every_change_is_seen_at_the_next_request(served: ServedHome, folder: Path) -> None:
    """A list, a run by another process, a deleted and a damaged file, a step: after each, the counts are those of now."""
    assert listed(served) == {"fresh": 2}
    for change, expected in CHANGES:
        let_it_rest(folder)
        before = listed(served)
        assert listed(served) == before
        change(folder)
        assert (change.__name__, listed(served)) == (change.__name__, expected)


def test_what_did_not_change_is_not_judged_again(folder: Path) -> None:
    """The same object is given, until a file is written; what was written just now is not relied on."""
    pages = PageHome(Site(Settings.from_environment({}, folder), {}, folder))

    def summary() -> object:
        with pages.bench() as bench:
            return pages.summaries.of(pages.home, pages.home.files["storms"].pipeline, bench)

    let_it_rest(folder, seconds=-60)  # just now, however long the rest of this takes
    assert summary() is not summary()
    let_it_rest(folder)
    kept = summary()
    assert summary() is kept
    add_event(folder)
    assert summary() is not kept
