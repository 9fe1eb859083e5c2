"""Who may work in a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.home_lock import occupied


def test_runs_work_together_and_nobody_is_alone_with_them(tmp_path: Path) -> None:
    """Two at once; who wants to be alone is told at once, until both are gone."""
    with occupied(tmp_path), occupied(tmp_path), pytest.raises(StorageError, match="a run is writing"):  # noqa: SIM117
        with occupied(tmp_path, alone=True):
            pass
    with occupied(tmp_path, alone=True):
        pass


def test_who_is_alone_is_alone(tmp_path: Path) -> None:
    """A second one is refused."""
    with occupied(tmp_path, alone=True), pytest.raises(StorageError), occupied(tmp_path, alone=True):
        pass


def test_an_error_inside_is_handed_on_and_frees_the_home(tmp_path: Path) -> None:
    """As it is."""
    with pytest.raises(KeyError), occupied(tmp_path):
        raise KeyError
    with occupied(tmp_path, alone=True):
        pass


def test_a_home_that_is_a_file_is_told(tmp_path: Path) -> None:
    """StorageError with a remedy."""
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(StorageError, match="home") as caught, occupied(tmp_path / "home"):
        pass
    assert caught.value.hint
