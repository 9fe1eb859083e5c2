"""Brokers of a test's own, which it may stop, kill and start again."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest

from tests.ports import free_ports

Kind = Literal["redis", "rabbitmq"]
_RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # Debian's other one changes the user, and is for the machine's own
_START_S = 60.0


@dataclass
class OwnBroker:
    """A broker that listens on this machine alone and keeps its queues in a folder."""

    kind: Kind
    folder: Path
    port: int
    nodes_port: int
    """Where RabbitMQ's nodes reach each other; the machine's own broker has another."""
    config: str = ""
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _node: str = field(default_factory=lambda: f"helio-{secrets.token_hex(4)}@localhost")

    @property
    def address(self) -> str:
        """As `runs.broker` names it."""
        return f"redis://127.0.0.1:{self.port}/0" if self.kind == "redis" else f"amqp://127.0.0.1:{self.port}//"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        with (self.folder / "log").open("ab") as words:
            self._started.append(
                subprocess.Popen(
                    self._command(),
                    env=self._environment(),
                    cwd=self.folder,
                    stdout=words,
                    stderr=words,
                    start_new_session=True,
                )
            )
        deadline = time.monotonic() + _START_S
        while True:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            assert self._started[-1].poll() is None, (self.folder / "log").read_text(errors="replace")
            assert time.monotonic() < deadline, "the broker did not start"
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Stop it with all that it started: in order, or at once by SIGKILL."""
        if not self._started:
            return
        process = self._started.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _command(self) -> list[str]:
        if self.kind == "rabbitmq":
            return [str(_RABBITMQ)]
        kept = ["--appendonly", "no", "--save", "", "--bind", "127.0.0.1", "--dir", str(self.folder)]
        return ["redis-server", "--port", str(self.port), *kept, *self.config.split()]

    def _environment(self) -> dict[str, str]:
        if self.kind == "redis":
            return dict(os.environ)
        config = self.folder / "rabbitmq.conf"
        config.write_text(self.config)
        places = {
            "HOME": self.folder,
            "RABBITMQ_NODENAME": self._node,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": self.port,
            "RABBITMQ_DIST_PORT": self.nodes_port,
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": self.folder / "mnesia",
            "RABBITMQ_LOG_BASE": self.folder / "logs",
            "RABBITMQ_PID_FILE": self.folder / "pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": self.folder / "plugins",
            "RABBITMQ_CONFIG_FILE": config,
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
        }
        return {**os.environ, **{name: str(value) for name, value in places.items()}}


@contextmanager
def own_broker(kind: Kind, config: str = "") -> Iterator[OwnBroker]:
    """A broker that was started; skips where it is not installed.

    Redis keeps nothing when it ends unless the config says so. RabbitMQ keeps what is durable.
    """
    if kind == "rabbitmq" and not _RABBITMQ.exists():
        pytest.skip("left out without RabbitMQ's own programs: install Debian's package rabbitmq-server")
    if kind == "redis" and shutil.which("redis-server") is None:
        pytest.skip("left out without Redis's own program: install Debian's package redis-server")
    with TemporaryDirectory(prefix="helio-broker-", ignore_cleanup_errors=True) as place:
        port, nodes_port = free_ports(2)
        broker = OwnBroker(kind, Path(place), port, nodes_port, config)
        broker.start()
        try:
            yield broker
        finally:
            broker.stop(signal.SIGKILL)
