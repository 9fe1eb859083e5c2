"""A second machine for tests: processes that see neither those of this one nor its files, and share the network with it.

By bubblewrap: another name of the host, other numbers of processes, a folder of temporary files and a home of its own, and
everything else read-only. What is installed is the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from helio_dagster.launch.dispatching.extra import answering_workers, open_app
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.storage.settings import Settings

_TEMPORARY = Path(tempfile.gettempdir())
_PERSON = _TEMPORARY / "machine"
_HOME, _PIPELINES = _PERSON / "home", _PERSON / "pipelines"
_START_S = 240.0
_ROOT = Path(__file__).parents[1]


@dataclass
class Machine:
    """A worker on a second machine."""

    host: str
    process: subprocess.Popen[bytes]
    log: Path

    def power_off(self) -> None:
        """Kill everything on it at once: the first process of a namespace takes the others with it."""
        self.process.kill()
        self.process.wait()


@contextmanager
def second_machine(
    settings: Settings, host: str, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Machine]:
    """A machine with `helio worker` over a home of its own, from when it answers; skips where bubblewrap is not installed.

    Parameters
    ----------
    settings
        The record, tables, broker and archive, as on this machine; home and pipelines are replaced.
    host
        What it is called.
    folder
        Its log is put there. It finds a copy of the pipelines that are in the folder now.
    environment
        More variables.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        pytest.skip("left out without bubblewrap, which makes a second machine: install Debian's package bubblewrap")
    folder.mkdir(parents=True)
    shutil.copytree(settings.pipelines, folder / "pipelines")
    theirs = replace(settings, home=_HOME, pipelines=_PIPELINES, requests=None)
    keys = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    given = {"HOME": str(_PERSON), "PATH": os.environ["PATH"], **keys, **theirs.to_environment(), **(environment or {})}
    needed = [_ROOT, Path(sys.prefix), Path(sys.base_prefix), *map(Path, (environment or {}).values())]
    seen = [str(place) for place in needed if place.is_relative_to(_TEMPORARY)]
    command = [
        bwrap,
        *("--unshare-pid", "--unshare-uts", "--unshare-ipc", "--hostname", host, "--die-with-parent", "--new-session"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", str(_TEMPORARY)),
        *("--dir", str(_HOME), "--ro-bind", str(folder / "pipelines"), str(_PIPELINES)),
        *(word for place in seen for word in ("--ro-bind", place, place)),
        *("--clearenv", *(word for name, value in given.items() for word in ("--setenv", name, value))),
        *("--chdir", str(_ROOT), sys.executable, "-m", "helio_dagster", "worker"),
    ]
    log = folder / "worker.log"
    app, queue = open_app(settings), queue_of(settings)
    before = answering_workers(app, queue, enough=99)
    with log.open("ab") as words:
        machine = Machine(host, subprocess.Popen(command, stdout=words, stderr=words, stdin=subprocess.DEVNULL), log)
    try:
        deadline = time.monotonic() + _START_S
        while answering_workers(app, queue, enough=before + 1) <= before:
            assert machine.process.poll() is None, log.read_text(errors="replace")
            assert time.monotonic() < deadline, f"no worker answered: {log.read_text(errors='replace')}"
        yield machine
    finally:
        machine.power_off()
