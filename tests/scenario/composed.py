"""The services of deploy/compose.yaml as processes of this machine: the same commands, environment and health checks."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.brokers import kill_group
from tests.integration.running.test_daemon import wait
from tests.scenario.processes import PATIENCE_S, ROOT

DEPLOY = ROOT / "deploy"
OWN_IMAGE = "helio-dagster"
_SET = re.compile(r"^([A-Z_]+)=(.*)$", re.MULTILINE)
_IN_IMAGE = re.compile(r"\b(HELIO_[A-Z_]+)=(\S+)")


def read_compose() -> dict[str, Any]:
    """The file, with what services have in common put into each of them."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def read_environment() -> dict[str, str]:
    """What example.env sets."""
    return dict(_SET.findall((DEPLOY / "example.env").read_text()))


def environment_of_image(root: Path) -> dict[str, str]:
    """The settings that the image has, with `root` for its folder of the home."""
    found = dict(_IN_IMAGE.findall((DEPLOY / "Dockerfile").read_text()))
    return {name: value.replace("/srv/helio", str(root)) for name, value in found.items()}


@dataclass
class Services:
    """Runs the services whose image is ours.

    Parameters
    ----------
    environment
        That of every process.
    folder
        Where they run and write what they say.
    replaced
        Words of commands and what stands in their place here, such as another port.
    python
        The interpreter.
    """

    environment: Mapping[str, str]
    folder: Path
    replaced: Mapping[str, Sequence[str]]
    python: str = sys.executable
    running: list[tuple[str, subprocess.Popen[bytes]]] = field(default_factory=list)

    def start(self, name: str, service: Mapping[str, Any]) -> None:
        """Start the processes of a service, as many as it wants."""
        for _ in range(service.get("deploy", {}).get("replicas", 1)):
            with (self.folder / f"{name}.log").open("ab") as words:
                process = subprocess.Popen(
                    self._here(service["command"]),
                    cwd=self.folder,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=words,
                    stderr=words,
                    start_new_session=True,
                )
            self.running.append((name, process))

    def is_healthy(self, service: Mapping[str, Any]) -> bool:
        """Whether the health check of a service says so."""
        kind, *command = service["healthcheck"]["test"]
        assert kind == "CMD"
        checked = subprocess.run(self._here(command), cwd=self.folder, env=self.environment, capture_output=True, check=False)
        return checked.returncode == 0

    def wait_until_healthy(self, name: str, service: Mapping[str, Any]) -> None:
        """Wait for a service, and fail with what it said if it ends or does not become healthy."""
        ended = False

        def look() -> bool:
            nonlocal ended
            ended = any(process.poll() is not None for each, process in self.running if each == name)
            return ended or self.is_healthy(service)

        assert wait(look, bool), f"{name} is not healthy: {self.said(name)}"
        assert not ended, f"{name} ended: {self.said(name)}"

    def said(self, name: str) -> str:
        """What the processes of a service wrote."""
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def stop(self) -> dict[str, set[int]]:
        """Stop all as `docker stop` does; with which code each ended."""
        codes: dict[str, set[int]] = {}
        for _, process in self.running:
            process.send_signal(signal.SIGTERM)
        for name, process in self.running:
            codes.setdefault(name, set()).add(process.wait(PATIENCE_S))
        return codes

    def kill(self) -> None:
        """End what is left, with all that it started."""
        for _, process in self.running:
            kill_group(process)

    def _here(self, command: Sequence[str]) -> list[str]:
        """A command of the image as one of this machine."""
        program, *arguments = command
        start = {"helio": [self.python, "-m", "helio_dagster"], "python": [self.python]}[program]
        return [*start, *(part for each in arguments for part in self._replaced(each))]

    def _replaced(self, word: str) -> Sequence[str]:
        if word in self.replaced:
            return self.replaced[word]
        return [word.replace("127.0.0.1:3000", self.replaced["127.0.0.1:3000"][0])]
