"""What `helio doctor` says of the services that a home shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.launch.upkeep.services import Service, try_services
from helio_dagster.storage.settings import Settings
from tests.brokers import BROKER, RABBITMQ, require_broker, started_workers
from tests.ports import free_port


def asked(settings: Settings) -> dict[str, Service]:
    """What each service says now."""
    return {each.name: each for each in try_services(settings, datetime.now(UTC))}


def test_a_laptop_has_none(tmp_path: Path) -> None:
    """SQLite, a folder and runs in their own process need no service."""
    assert asked(Settings(tmp_path, tmp_path / "pipelines")) == {}


def test_a_record_that_is_out_of_reach_is_named_alone(tmp_path: Path) -> None:
    """With its address and what to do; what is found through it is not asked for."""
    port = free_port()
    lost = Settings(
        tmp_path, tmp_path / "pipelines", postgres=f"postgresql://field@127.0.0.1:{port}/helio", dispatch=Dispatch(BROKER)
    )
    found = asked(lost)
    assert [*found] == ["Record"]
    assert f"helio on 127.0.0.1:{port}" in found["Record"].problem
    assert "record.postgres" in found["Record"].hint


def test_what_is_missing_for_runs_on_workers_is_named(tmp_path: Path, postgres: str) -> None:
    """No daemon, then no broker, then no worker; and a worker that is there."""
    require_broker()
    (tmp_path / "pipelines").mkdir()
    home = Settings(tmp_path / "home", tmp_path / "pipelines", postgres=postgres, dispatch=Dispatch(BROKER))
    found = asked(home)
    assert found["Record"].says == "0 runs recorded"
    assert "has never run on this record" in found["Daemon"].problem
    assert found["Daemon"].hint.startswith("Start it: helio daemon")
    assert (found["Runs"].problem, found["Runs"].hint) == ("the broker answers, but no worker does", "Start one: helio worker")
    away = asked(replace(home, dispatch=Dispatch(f"redis://127.0.0.1:{free_port()}/0")))
    assert "the broker of the workers does not answer" in away["Runs"].problem
    with started_workers(home, 1, tmp_path / "log"):
        assert asked(home)["Runs"].says == "1 worker ready"


@pytest.mark.parametrize(
    ("change", "password", "said", "remedy"),
    [
        (lambda address: address.replace("//", "//nobody@", 1), "wrong", "ACCESS_REFUSED", "HELIO_BROKER_PASSWORD"),
        (lambda address: f"{address.removesuffix('//')}/nowhere", "guest", "vhost nowhere not found", "rabbitmqctl add_vhost"),
    ],
    ids=["an unknown user", "an unknown virtual host"],
)
def test_a_broker_that_refuses(
    tmp_path: Path,
    postgres: str,
    change: Callable[[str], str],
    password: str,
    said: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RabbitMQ's reason, and what to do about it."""
    require_broker(RABBITMQ)
    monkeypatch.setenv("HELIO_BROKER_PASSWORD", password)
    home = Settings(tmp_path / "home", tmp_path / "pipelines", postgres=postgres, dispatch=Dispatch(change(RABBITMQ)))
    found = asked(home)["Runs"]
    assert "the broker of the workers refuses" in found.problem
    assert said in found.problem
    assert remedy in found.hint
