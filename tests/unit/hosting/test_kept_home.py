"""The pipelines of a served home are read again once one of their files is another, and not before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.hosting.kept_home import KeptHome
from helio_dagster.storage.settings import Settings

ONE = """
version: 1
name: one
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
"""
OVER_EVENTS = """
version: 1
name: over
partitions: {events: storms}
steps:
  - id: storms
    events: {file: lists/storms.csv, start: start, stop: stop, id: name}
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
"""
EVENTS = "name,start,stop\nfirst,2003-10-29T06:00,2003-10-29T12:00\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home with one pipeline."""
    made = Settings(tmp_path / "home", tmp_path / "pipelines")
    made.pipelines.mkdir()
    (made.pipelines / "one.yaml").write_text(ONE)
    return made


def test_nothing_is_read_again_while_nothing_changed(settings: Settings) -> None:
    """The same graph is given to every request, though other files of the home are written."""
    kept = KeptHome(settings)
    graph = kept.now().graph
    (settings.home / "data").mkdir(parents=True)
    (settings.home / "data" / "table.parquet").write_bytes(b"x")
    assert kept.now().graph is graph


def edit(folder: Path) -> None:
    """The same number of bytes, and the same time."""
    path = folder / "one.yaml"
    state = path.stat()
    new = path.with_suffix(".new")
    new.write_text(ONE.replace("2003-10-01", "2003-10-02"))
    new.replace(path)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def add(folder: Path) -> None:
    """Another pipeline."""
    (folder / "two.yaml").write_text(ONE.replace("name: one", "name: two"))


def remove(folder: Path) -> None:
    """No pipeline any more."""
    (folder / "one.yaml").unlink()


def save_operation(folder: Path) -> None:
    """A file among the saved operations."""
    operations = folder.parent / "operations"
    operations.mkdir()
    (operations / "own@1.yaml").write_text("id: own")


@pytest.mark.parametrize("change", [edit, add, remove, save_operation])
def test_what_changed_is_seen_at_the_next_request(settings: Settings, change: Callable[[Path], None]) -> None:
    """As a home that is opened anew sees it."""
    kept = KeptHome(settings)
    before = kept.now()
    assert list(before.graph.pipelines) == ["one"]
    change(settings.pipelines)
    after = kept.now()
    assert after is not before
    assert list(after.graph.pipelines) == sorted(path.stem for path in settings.pipelines.glob("*.yaml"))


def test_a_list_of_events_is_read_anew(settings: Settings) -> None:
    """Its events are partitions, and it may be edited at any time."""
    path = settings.pipelines / "lists" / "storms.csv"
    path.parent.mkdir()
    path.write_text(EVENTS)
    (settings.pipelines / "over.yaml").write_text(OVER_EVENTS)
    kept = KeptHome(settings)
    assert list(kept.now().graph.events["over"].events) == ["20031029T0600_first"]
    path.write_text(EVENTS + "second,2003-11-20T06:00,2003-11-20T12:00\n")
    assert list(kept.now().graph.events["over"].events) == ["20031029T0600_first", "20031120T0600_second"]
