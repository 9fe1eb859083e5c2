"""Homes and requests that cannot be: one clear message each, nothing lost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.launch.record.instance import open_instance, write_configuration
from tests.integration.running.conftest import MakeSpan, Site

DAY = "2023-01-02"


def test_a_home_that_is_a_file_is_told(site: Site, make_span: MakeSpan, tmp_path: Path) -> None:
    """StorageError that names it, with HELIO_HOME as the way out."""
    site.settings.home.rename(tmp_path / "aside")
    site.settings.home.write_text("in the way")
    site.settings = replace(site.settings, pipelines=tmp_path / "aside" / "pipelines")
    with pytest.raises(StorageError, match="home") as caught:
        site.run(make_span(DAY))
    assert "HELIO_HOME" in caught.value.hint


@pytest.mark.parametrize("database", ["runs.db", "index.db"])
def test_a_corrupt_instance_is_told(site: Site, make_span: MakeSpan, database: str) -> None:
    """The folder to move away is named; once it is away, the next run redoes the record and keeps tables and downloads."""
    site.run(make_span(DAY))
    before = site.files()
    (found,) = site.settings.instance.rglob(database)
    for companion in found.parent.glob(f"{database}-*"):
        companion.unlink()
    found.write_bytes(b"this is not a database" * 500)
    with pytest.raises(StorageError, match="record of runs") as caught:
        site.run(make_span(DAY), force=True)
    assert str(site.settings.instance) in caught.value.hint
    site.settings.instance.rename(site.settings.home / "dagster-broken")
    assert site.run(make_span(DAY)).status == "success"
    assert site.files() == before


def test_a_configuration_changed_by_hand_stays(site: Site) -> None:
    """Whoever deletes the first line keeps changes of their own; ours is brought up to date."""
    path = write_configuration(site.settings) / "dagster.yaml"
    ours = path.read_text()
    own = ours.split("\n", 1)[1] + "# mine\n"
    path.write_text(own)
    write_configuration(site.settings)
    assert path.read_text() == own
    path.write_text(ours.split("\n", 1)[0] + "\n# of another release\n")
    write_configuration(site.settings)
    assert path.read_text() == ours


def test_a_configuration_changed_by_hand_is_read_in_the_same_process(site: Site) -> None:
    """Also after helio's own was read there, which is read once."""
    path = site.settings.instance / "dagster.yaml"
    with open_instance(site.settings) as instance:
        assert not instance.get_settings("retention")
    ours = path.read_text()
    path.write_text(ours.split("\n", 1)[1] + "retention:\n  schedule:\n    purge_after_days: 7\n")
    with open_instance(site.settings) as instance:
        assert instance.get_settings("retention") == {"schedule": {"purge_after_days": 7}}
    path.write_text(ours)
    with open_instance(site.settings) as instance:
        assert not instance.get_settings("retention")


def test_a_full_disk_fails_what_cannot_be_stored(site: Site, make_span: MakeSpan, package_root: Path) -> None:
    """No file may grow beyond 100 kB: an error with a remedy, no traceback; with room, the same command completes."""
    environment = {
        **os.environ,
        "HELIO_HOME": str(site.settings.home),
        "HELIO_PIPELINES": str(site.settings.pipelines),
        "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
    }
    command = [sys.executable, "-m", "helio_dagster", "run", "basic", DAY]
    done = subprocess.run(
        command,
        cwd=package_root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "free some space" in done.stdout + done.stderr
    report = site.run(make_span(DAY))
    assert report.status == "success"
    assert site.states(make_span(DAY))["mean"] == {DAY: "fresh"}


def test_before_the_pipelines_start_there_is_nothing_to_run(site: Site, make_span: MakeSpan) -> None:
    """Wrong input, with the first day there is."""
    with pytest.raises(InputError, match="has no partitions before") as caught:
        site.run(make_span("2001-01-01"))
    assert "start:" in caught.value.hint


def test_a_day_that_is_not_over_cannot_be_run(site: Site, make_span: MakeSpan) -> None:
    """Wrong input, with the last complete day's stop."""
    with pytest.raises(InputError, match="not over yet") as caught:
        site.run(make_span("2026-01-01"))
    assert "2026-01-01" in caught.value.hint


OVER_WEEKS = """
version: 1
name: days
partitions: daily
start: 2023-01-02
steps:
  - id: twice
    compute: {operation: scale, inputs: {series: weeks/mag}, options: {factor: 2}}
"""


def test_a_day_made_from_a_week_that_is_not_over_cannot_be_run(site: Site, make_span: MakeSpan) -> None:
    """Wrong input, with the stop of the last complete week: it is not a day without data."""
    site.save((site.settings.pipelines / "basic.yaml").read_text().replace("basic", "weeks").replace("daily", "weekly"))
    site.save(OVER_WEEKS)
    with pytest.raises(InputError, match="reads longer ones") as caught:
        site.run(make_span("2025-12-30"), name="days")
    assert "2025-12-29" in caught.value.hint
