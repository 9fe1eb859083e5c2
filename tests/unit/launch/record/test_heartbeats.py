"""The daemon's signs of life are read from the record as Dagster writes them, in either database."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster._daemon.types import DaemonHeartbeat

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.record.heartbeats import read_heartbeats, require_daemon
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings

NOW = datetime(2024, 5, 10, 12, 0, 30, tzinfo=UTC)
PARTS = ("SCHEDULER", "SENSOR", "BACKFILL")


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path, fresh_instance: Path) -> Settings:
    """A home with an empty record, in each kind of database."""
    address = request.getfixturevalue("postgres") if request.param == "postgres" else None
    if address is None:
        shutil.copytree(fresh_instance, tmp_path / "home" / "dagster")
    return Settings(tmp_path / "home", tmp_path / "pipelines", postgres=address)


def beat(settings: Settings, *parts: str, at: datetime) -> None:
    """Let Dagster itself record signs of life."""
    with open_instance(settings) as instance:
        for part in parts:
            instance.add_daemon_heartbeat(DaemonHeartbeat(at.timestamp(), part, "this one", []))


def test_signs_of_life_are_those_that_dagster_wrote(settings: Settings) -> None:
    """To the second, the last of each part; and the oldest of them is how long the daemon was silent at most."""
    beat(settings, *PARTS, at=NOW - timedelta(seconds=90))
    beat(settings, "SENSOR", at=NOW)
    assert read_heartbeats(settings)["SENSOR"] == NOW
    assert require_daemon(settings, NOW) == NOW - timedelta(seconds=90)


def test_a_daemon_that_is_not_there_is_told(settings: Settings) -> None:
    """Never started; started and silent since; without the part that gives queued runs to workers, where it is needed."""
    with pytest.raises(HelioError, match="has never run on this record"):
        require_daemon(settings, NOW)
    beat(settings, *PARTS, at=NOW - timedelta(minutes=10))
    with pytest.raises(HelioError, match="SCHEDULER of Dagster's daemon gave no sign of life for 600 s"):
        require_daemon(settings, NOW)
    beat(settings, *PARTS, at=NOW)
    assert require_daemon(settings, NOW) == NOW


def test_workers_need_the_queue(tmp_path: Path, postgres: str) -> None:
    """A daemon that was started before the home had workers hands out no runs."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines", postgres=postgres, dispatch=Dispatch("redis://nowhere/0"))
    beat(settings, *PARTS, at=NOW)
    with pytest.raises(HelioError, match="QUEUED_RUN_COORDINATOR of Dagster's daemon has never run"):
        require_daemon(settings, NOW)
    with open_instance(settings) as instance:
        beat(settings, *instance.get_required_daemon_types(), at=NOW)
    assert require_daemon(settings, NOW) == NOW
