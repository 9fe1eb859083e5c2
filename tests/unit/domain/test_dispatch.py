"""Settings of runs on workers: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch, with_password
from helio_dagster.domain.errors import InputError
from helio_dagster.storage.settings import Settings

REDIS = "redis://field@db.lab:6379/0"


@pytest.mark.parametrize("broker", [REDIS, "rediss://db.lab/1", "amqp://field@db.lab:5672//", "amqps://db.lab"])
def test_redis_and_rabbitmq_are_brokers(broker: str) -> None:
    """With and without encryption."""
    assert Dispatch.from_environment({"HELIO_RUNS_BROKER": broker}) == Dispatch(broker, partitions=90, at_once=4)


def test_numbers_are_read() -> None:
    """Both."""
    environment = {"HELIO_RUNS_BROKER": REDIS, "HELIO_RUNS_PARTITIONS": "31", "HELIO_RUNS_AT_ONCE": "2"}
    assert Dispatch.from_environment(environment) == Dispatch(REDIS, partitions=31, at_once=2)


@pytest.mark.parametrize("environment", [{}, {"HELIO_RUNS_BROKER": ""}, {"HELIO_RUNS_BROKER": "none"}])
def test_runs_stay_where_no_broker_is(environment: dict[str, str]) -> None:
    """`none` undoes what a file says."""
    assert Dispatch.from_environment(environment) is None


@pytest.mark.parametrize("broker", ["redis:/", "http://db.lab", "db.lab:6379", "redis://db.lab:port/0", "redis://db .lab/0"])
def test_what_is_no_broker_is_refused(broker: str) -> None:
    """With an example of each kind."""
    with pytest.raises(InputError, match="address") as caught:
        Dispatch.from_environment({"HELIO_RUNS_BROKER": broker})
    assert caught.value.where == "HELIO_RUNS_BROKER"
    assert "redis://host:6379/0" in caught.value.hint


@pytest.mark.parametrize("broker", ["redis://field:Sesame12@db.lab/0", "redis://db.lab/0?password=Sesame12"])
def test_a_password_is_refused_and_not_repeated(broker: str) -> None:
    """It would be stored in dagster.yaml and shown."""
    with pytest.raises(InputError, match="holds a password") as caught:
        Dispatch.from_environment({"HELIO_RUNS_BROKER": broker})
    assert "HELIO_BROKER_PASSWORD" in caught.value.hint
    assert "Sesame12" not in str(caught.value)


@pytest.mark.parametrize("given", ["0", "-1", "2.5", "many", "100001", "٣"])
def test_a_number_out_of_range_is_refused(given: str) -> None:
    """Even where no broker is set."""
    with pytest.raises(InputError, match="from 1 to 100000") as caught:
        Dispatch.from_environment({"HELIO_RUNS_PARTITIONS": given})
    assert caught.value.where == "HELIO_RUNS_PARTITIONS"


def test_the_password_is_in_the_environment() -> None:
    """Encoded, beside the user; without one the address stays as it is."""
    assert with_password(REDIS, {"HELIO_BROKER_PASSWORD": "a/b@c"}) == "redis://field:a%2Fb%40c@db.lab:6379/0"
    assert with_password("redis://db.lab/0", {"HELIO_BROKER_PASSWORD": "x"}) == "redis://:x@db.lab/0"
    assert with_password(REDIS, {}) == REDIS


def test_messages_name_no_user() -> None:
    """Only the kind of broker and its host."""
    assert Dispatch(REDIS).place == "redis://db.lab:6379"


def test_workers_need_a_record_that_is_shared(tmp_path: Path) -> None:
    """SQLite cannot be."""
    with pytest.raises(InputError, match="PostgreSQL") as caught:
        Settings.from_environment({"HELIO_RUNS_BROKER": REDIS}, tmp_path)
    assert "record.postgres" in caught.value.hint


@pytest.mark.parametrize("broker", [REDIS, "none"])
def test_processes_that_are_started_have_the_same_settings(tmp_path: Path, broker: str) -> None:
    """By their environment."""
    environment = {
        "HELIO_RECORD_POSTGRES": "postgresql://field@db.lab/helio",
        "HELIO_RUNS_BROKER": broker,
        "HELIO_RUNS_PARTITIONS": "31",
    }
    settings = Settings.from_environment(environment, tmp_path)
    assert Settings.from_environment(settings.to_environment(), tmp_path / "elsewhere").dispatch == settings.dispatch
