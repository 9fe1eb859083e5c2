"""Where things lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.settings import CDAWEB_URL, Settings


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


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("HELIO_HOME", "s3://bucket/home", "is a URL"),
        ("HELIO_PIPELINES", "gs://bucket/p", "is a URL"),
        ("HELIO_HOME", "what?", "cannot hold Dagster's databases"),
        ("HELIO_HOME", "%5Bx", "cannot hold Dagster's databases"),
        ("HELIO_HOME", "two\nlines", "cannot be stored"),
        ("HELIO_PIPELINES", "b\udcffd", "cannot be stored"),
        ("HELIO_HOME", "long/" * 200, "too long"),
        ("HELIO_PIPELINES", "x" * 300, "too long"),
        ("HELIO_HOME", "~nobody_of_this_name/home", "cannot be used"),
    ],
)
def test_what_cannot_be_a_folder_is_refused(tmp_path: Path, name: str, value: str, problem: str) -> None:
    """Wrong input that names the setting, before anything is written elsewhere or half of the commands fail."""
    with pytest.raises(InputError, match=f"{name} .*{problem}") as caught:
        Settings.from_environment({name: value}, tmp_path)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_empty_setting_is_none_and_a_tilde_is_the_person_s_folder(tmp_path: Path) -> None:
    """As a shell has it; a slash at the end changes nothing."""
    assert Settings.from_environment({"HELIO_HOME": "", "HELIO_PIPELINES": ""}, tmp_path).home == tmp_path / ".helio"
    assert Settings.from_environment({"HELIO_HOME": "~/lab/"}, tmp_path).home == Path.home() / "lab"
