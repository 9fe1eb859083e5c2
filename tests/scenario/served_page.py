"""A home served by `helio serve` in a process of its own, and a browser to look at its page with."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import find_browser
from tests.ports import free_port
from tests.prepared import prepared
from tests.scenario.hostile_page import BROWSER_ARGUMENTS
from tests.scenario.processes import surroundings

PATIENCE_S = 60
PATIENCE_MS = 1000 * PATIENCE_S
STORM = """
version: 1
name: storm
title: A storm
partitions: daily
start: 2003-10-01
steps:
  - id: b
    intent: Fetch the field strength
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: ratio
    intent: What is left of it
    compute:
      inputs: {b: b}
      unit: nT
      code: |
        if b["ABS_B"].max() > 40:
            raise ValueError("the field is too strong to be true")
        return b["ABS_B"]
  - id: overview
    figure:
      panels:
        - traces: [{data: ratio}]
"""
LONG = """
version: 1
name: long
title: Many days
partitions: daily
start: 1998-01-01
schedule: weekly
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: magnitude
    compute: {operation: magnitude, inputs: {vector: b}}
"""
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> & co"
HOSTILE = f"""
version: 1
name: hostile
title: {json.dumps(MARKUP)}
description: "</main><script>document.title='owned'</script>"
partitions: daily
start: 2003-10-01
assumptions: ["<b onmouseover=document.title='owned'>bold</b>"]
steps:
  - id: b
    intent: "<svg onload=document.title='owned'> {{{{ 7 * 7 }}}}"
    fetch: {{archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}}
"""


@dataclass
class ServedHome:
    """A home and its server, which may be killed and started again at the same address."""

    folder: Path
    port: int
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pipelines(self) -> Path:
        """The folder of pipeline files."""
        return self.folder / "pipelines"

    def start(self, archive: str = "demo") -> None:
        """Start the server and wait until it answers."""
        command = [prepared().python, "-m", "helio_dagster", "serve", "--offline"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--archive", archive],
            cwd=self.folder,
            env=surroundings(self.folder, self.environment),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                assert httpx.get(f"{self.url}/static/helio.css").is_success
            except httpx.TransportError:
                assert self.process.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.1)
            else:
                return

    def kill(self) -> None:
        """End the server and all that it started, as a power cut would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
            while self._is_listening():  # a moment: it is a fork, which is killed when who stands for it is gone
                time.sleep(0.02)

    def _is_listening(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def served_home(folder: Path, environment: Mapping[str, str] | None = None, archive: str = "demo") -> Iterator[ServedHome]:
    """A served home with the pipelines `storm`, `long` and `hostile`."""
    home = ServedHome(folder, free_port(), environment or {})
    home.pipelines.mkdir()
    for name, text in (("storm", STORM), ("long", LONG), ("hostile", HOSTILE)):
        (home.pipelines / f"{name}.yaml").write_text(text)
    home.start(archive)
    try:
        yield home
    finally:
        home.kill()


@contextmanager
def browser() -> Iterator[Browser]:
    """The installed Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGUMENTS)
        yield started
        started.close()


def watched(browser: Browser, *, width: int = 1280, scheme: Any = "light") -> tuple[Page, list[str]]:
    """A page, and what its scripts and its policy complain about as time goes on."""
    page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    return page, complaints


def faults(page: Page) -> list[str]:
    """What axe finds serious or critical on a page."""
    found = Axe().run(page).response
    assert len(found["passes"]) > 5, "axe did not look"
    return [
        f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"] if each["impact"] in ("serious", "critical")
    ]
