"""A folder of pipelines with files of one's own, and an archive over a description."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.archives.own.archive import OwnArchive
from helio_dagster.archives.own.places import Places
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workers import Workers
from tests.unit.archives.own.days import day

MakeArchive = Callable[..., OwnArchive]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of pipelines."""
    made = tmp_path / "pipelines"
    made.mkdir()
    return made


@pytest.fixture
def make_archive(folder: Path, tmp_path: Path, workers: Workers) -> MakeArchive:
    """An archive over a description; a file of the column H with ISO times unless told otherwise."""

    def make(*, allowed: tuple[Path, ...] = (), **given: Any) -> OwnArchive:
        document = {"file": "g.csv", "time": {"columns": "time"}, "columns": {"H": {"unit": "nT"}}, **given}
        return OwnArchive(Fetch.model_validate(document), Places(folder, allowed), tmp_path / "cache", workers)

    return make


@pytest.fixture
def read(make_archive: MakeArchive) -> Callable[..., Table]:
    """What the archive gives for one window, by default the 1st of January 2024; its error is raised."""

    def of(window: TimeRange | None = None, **given: Any) -> Table:
        (found,) = make_archive(**given).fetch("", "", [window or day(1)])
        if found.error is not None:
            raise found.error
        assert found.table is not None
        return found.table

    return of
