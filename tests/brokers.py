"""Brokers and workers for tests: a queue of their own for each home, and processes that end with the test."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from helio_dagster.launch.dispatching.extra import answering_workers, open_app
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.storage.settings import Settings
from tests.prepared import prepared

BROKER = os.environ.get("HELIO_TEST_BROKER", "redis://127.0.0.1:6379/0")
RABBITMQ = os.environ.get("HELIO_TEST_RABBITMQ", "amqp://127.0.0.1:5672//")
_START_S = 90.0


def require_broker(address: str = BROKER) -> None:
    """Skip the test where no broker answers."""
    kombu = pytest.importorskip("kombu", reason="left out without the extra celery")
    try:
        with kombu.Connection(address, connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0.1, timeout=2)
    except Exception as error:  # noqa: BLE001 - each transport has errors of its own
        variable = "HELIO_TEST_RABBITMQ" if address.startswith("amqp") else "HELIO_TEST_BROKER"
        pytest.skip(f"left out without a broker at {address}; start one, or name it in {variable}: {error}")


@contextmanager
def started_workers(
    settings: Settings, count: int, log: Path, *, last: Mapping[str, str] | None = None
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of `helio worker` on a home, from the time all of them answer; what they leave at the broker is deleted.

    `last` is added to the environment of the last one.
    """
    app, processes = open_app(settings), list[subprocess.Popen[bytes]]()
    try:
        with log.open("ab") as words:
            processes += [start_worker(settings, words) for _ in range(count - 1)]
            processes.append(start_worker(settings, words, last))
        deadline = time.monotonic() + _START_S
        while answering_workers(app, queue_of(settings), enough=count) < count:
            assert all(each.poll() is None for each in processes), log.read_text(errors="replace")
            assert time.monotonic() < deadline, f"no worker answered: {log.read_text(errors='replace')}"
        yield processes
    finally:
        for process in processes:
            kill_group(process)
        clear(settings.dispatch.broker if settings.dispatch else BROKER, queue_of(settings))


def start_worker(settings: Settings, words: IO[bytes], environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start `helio worker`, forked from what has imported it, in a process group; with something more in its environment."""
    environment = {**os.environ, **settings.to_environment(), **(environment or {})}
    command = [prepared().python, "-m", "helio_dagster", "worker"]
    return subprocess.Popen(
        command, env=environment, stdout=words, stderr=words, stdin=subprocess.DEVNULL, start_new_session=True
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def clear(broker: str, queue: str) -> None:
    """Delete what the workers of a queue left at a broker: their messages, also those not acknowledged, and their bindings."""
    if broker.startswith("amqp"):
        kombu = pytest.importorskip("kombu")
        with kombu.Connection(broker) as connection:
            connection.default_channel.queue_delete(queue)
        return
    import redis

    with closing(redis.Redis.from_url(broker)) as client:
        name = queue.encode()
        for key in client.keys("_kombu.binding.*"):
            if client.type(key) == b"set":
                client.srem(key, b"", *(each for each in client.smembers(key) if name in each))
        for number, message in client.hgetall("unacked").items():
            if name in message:
                client.hdel("unacked", number)
                client.zrem("unacked_index", number)
        client.delete(b"", *client.keys(f"*{queue}*"))
