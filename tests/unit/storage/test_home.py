"""Where things lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.storage.home import CDAWEB_URL, Settings


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    """The home is `.helio` in the working directory, pipelines are in it, the archive is CDAWeb."""
    settings = Settings.from_environment({}, tmp_path)
    assert settings.home == tmp_path / ".helio"
    assert settings.pipelines == tmp_path / ".helio" / "pipelines"
    assert settings.cdaweb_url == CDAWEB_URL


def test_pipelines_of_the_working_directory_come_first(tmp_path: Path) -> None:
    """A folder `pipelines` where one works is the library."""
    (tmp_path / "pipelines").mkdir()
    assert Settings.from_environment({}, tmp_path).pipelines == tmp_path / "pipelines"


@pytest.mark.parametrize("home", ["lab", "/data/lab"])
def test_the_environment_decides(tmp_path: Path, home: str) -> None:
    """Relative paths start at the working directory; the archive's URL gets its last slash."""
    given = {"HELIO_HOME": home, "HELIO_PIPELINES": "mine", "HELIO_CDAWEB_URL": "http://127.0.0.1:1/sp_phys"}
    settings = Settings.from_environment(given, tmp_path)
    assert settings.home == tmp_path / home
    assert settings.pipelines == tmp_path / "mine"
    assert settings.cdaweb_url == "http://127.0.0.1:1/sp_phys/"
