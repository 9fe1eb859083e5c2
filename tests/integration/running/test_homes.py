"""Homes of any name, homes that cannot be written, and homes whose record is damaged."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.errors import StorageError
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Mission

DAY = "2023-01-03"
_RUN_APP = "from helio_dagster.cli.edge import run_app"
_DROP_BOUND, _OVERRIDES = 24, (1, 2)
"""`PR_CAPBSET_DROP`; the capabilities by which root passes over permissions."""


def as_others_are() -> None:
    """Let permissions hold for root too; before a program starts."""
    for capability in _OVERRIDES:
        ctypes.CDLL(None).prctl(_DROP_BOUND, capability, 0, 0, 0)


def test_any_name_of_a_folder_is_a_home(make_site: Callable, make_span: Callable) -> None:
    """What YAML or a URL would read otherwise is part of the name: a run there is recorded there."""
    site = make_site("a #b: {x} - 'q\" $HOME 100%")
    assert site.run(make_span(DAY)).status == "success"
    assert site.states(make_span(DAY))["mean"] == {DAY: "fresh"}
    assert (site.settings.instance / "history" / "runs" / "index.db").is_file()


def damage(path: Path) -> None:
    """Overwrite all pages but the first ones."""
    content = bytearray(path.read_bytes())
    for start in range(2 * 4096, len(content), 4096):
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)


def look(settings: Settings) -> None:
    """Read something of each database."""
    with open_instance(settings) as instance:
        assert instance.get_runs_count() == 0
        assert list(instance.all_asset_keys()) == []


@pytest.mark.parametrize("name", ["history/runs.db", "history/runs/index.db", "schedules/schedules.db"])
def test_a_damaged_record_is_called_so_and_can_be_made_anew(name: str, fresh_instance: Path, tmp_path: Path) -> None:
    """Not a full disk: the file is named, and so is `helio reindex`; with the folder moved away the home works."""
    settings = Settings(tmp_path, tmp_path / "pipelines")
    shutil.copytree(fresh_instance, settings.instance)
    damage(settings.instance / name)
    with pytest.raises(StorageError, match="damaged") as caught:
        look(settings)
    assert str(settings.instance / name) in caught.value.problem
    assert "helio reindex" in caught.value.hint
    assert "disk is full" not in caught.value.hint
    settings.instance.rename(tmp_path / "away")
    look(settings)


def test_a_home_that_cannot_be_written_can_be_read(make_site: Callable, make_span: Callable, tmp_path: Path) -> None:
    """Status, show, export elsewhere, cite and verify work and leave nothing there; a run says what is wrong."""
    site = make_site()
    site.run(make_span(DAY))
    home = site.settings.home
    commands = [
        ["status", "basic", DAY],
        ["show", "basic/mag", DAY],
        ["export", "basic/mag", DAY, "-o", str(tmp_path / "out.csv")],
        ["cite", "basic", DAY],
        ["verify", "basic", DAY],
        ["run", "basic", "2023-01-02"],
    ]
    before = sorted(home.rglob("*"))
    for path in [home, *before]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"{_RUN_APP}\nfor each in {commands}: print('exit', run_app(each))"],
            cwd=Path(__file__).parents[3],
            env={
                **os.environ,
                "HELIO_HOME": str(home),
                "HELIO_PIPELINES": str(site.settings.pipelines),
                "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
            },
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=as_others_are,
        )
    finally:
        for path in [home, *before]:
            path.chmod(path.stat().st_mode | 0o200)
    codes = [line for line in done.stdout.splitlines() if line.startswith("exit")]
    assert codes == ["exit 0"] * 5 + ["exit 1"], done.stdout + done.stderr
    assert "basic/mag                  1" in done.stdout
    assert f"Change the permissions of {site.settings.instance}" in done.stderr
    assert (tmp_path / "out.csv").is_file()
    assert sorted(home.rglob("*")) == before


class SlowFolder(FileIndex):
    """A folder whose files take a while to come."""

    def read(self, name: str) -> bytes:
        """The file, after a while."""
        time.sleep(0.5)
        return super().read(name)


def test_two_homes_on_one_machine_ask_an_archive_five_things_at_once(
    make_site: Callable, mission: Mission, package_root: Path, tmp_path: Path
) -> None:
    """Two commands at the same time, each with a record of its own in SQLite: all files come, at most five at a time."""
    days = [f"2023-01-{day:02d}" for day in range(1, 13)]
    for day in days:
        mission.publish(day)
    with CdasServer(SlowFolder(mission.folder)) as server:
        running = []
        for name in ("one", "other"):
            settings = replace(make_site(name).settings, cdaweb_url=server.url)
            command = [sys.executable, "-m", "helio_dagster", "run", "basic", days[0], days[-1], "--yes"]
            environment = {**os.environ, **settings.to_environment(), "XDG_CACHE_HOME": str(tmp_path / "cache")}
            running.append(subprocess.Popen(command, cwd=package_root, env=environment, stderr=subprocess.PIPE, text=True))
        for each in running:
            _, said = each.communicate()
            assert each.returncode == 0, said
        assert server.count(".cdf") == 2 * (len(days) - 1) + 2, "each home has files of its own, and a halo of a day"
        assert 1 < server.most_at_once <= 5
    assert [path.name for path in (tmp_path / "cache" / "helio").iterdir()] == ["requests.lock"]
