"""`helio serve` as a process of its own over the demo archive, and how programs talk to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.prepared import prepared
from tests.scenario.processes import PATIENCE_S, surroundings

REQUEST = "ACE magnetic field magnitude for 2003-10-29"


class Served:
    """A server on a free port, and its address. With `is_cold`, it and what it starts import everything themselves."""

    def __init__(self, folder: Path, *more: str, is_cold: bool = False) -> None:
        self.folder, self._more, self._is_cold = folder, more, is_cold
        self.start()

    @property
    def home(self) -> Path:
        """The served home."""
        return self.folder / ".helio"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        python = sys.executable if self._is_cold else prepared().python
        self.process = subprocess.Popen(
            [python, "-m", "helio_dagster", "serve", "--port", "0", "--archive", "demo", "--offline", *self._more],
            cwd=self.folder,
            env=surroundings(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        said, last = "", "Programs send" if "--token" in self._more else "For programs"
        while last not in said:
            line = self.process.stdout.readline()
            assert line, said
            said += line
        self.said = said
        found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
        assert found is not None, said
        self.url, self.port = found[0], int(found[1])
        self.client = httpx.Client(base_url=f"{self.url}/api/v1", timeout=PATIENCE_S)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """What is answered to a GET."""
        answer = self.client.get(path, params=query or None)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def post(self, path: str, status: int = 202, **body: Any) -> dict[str, Any]:
        """What is answered to a POST, with this status."""
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def begin(self) -> str:
        """A new conversation."""
        return str(self.post("/conversations", 201)["id"])

    def turn(self, session: str, text: str, **more: Any) -> list[dict[str, Any]]:
        """Say something, and follow the turn to its end."""
        after = self.post(f"/conversations/{session}/say", text=text, **more)["after"]
        return self.followed(session, after)

    def followed(self, session: str, after: int, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
        """The events behind a number up to the end of the turn."""
        found = []
        with self.client.stream("GET", f"/conversations/{session}/events", params={"after": after}, headers=headers) as answer:
            assert answer.status_code == 200
            for number, event in sent_events(answer):
                assert number == event["n"]
                found.append(event)
                if event["stage"] == "done":
                    break
        return found

    def planned(self) -> tuple[str, str]:
        """A conversation with a plan, and the digest of the plan."""
        session = self.begin()
        events = self.turn(session, REQUEST)
        assert events[-1]["status"] == "approval", events
        return session, str(next(each["digest"] for each in events if each["stage"] == "approval"))

    def await_end(self, path: str) -> dict[str, Any]:
        """What is answered once nothing is under way."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            found = self.get(path)
            if not found.get("is_running", found.get("state") == "running"):
                return found
            assert time.monotonic() < deadline, found
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait()
        self.client.close()

    def close(self) -> None:
        """Stop it as Ctrl-C does."""
        self.client.close()
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)


def sent_events(answer: httpx.Response) -> Iterator[tuple[int, dict[str, Any]]]:
    """The server-sent events of an answer: each one's id and data."""
    number = 0
    for line in answer.iter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            yield number, json.loads(line[6:])
