"""What confines code on this machine, found out by trying to break out."""

from __future__ import annotations

import platform
import socket
import sys
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.errors import CodeError, CodeStopped
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.modes import MODES, ModeName
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.starting import Started

_DONE = "return pd.Series([1.0], index=pd.DatetimeIndex(['2000-01-01']))"
_PROBES = {
    "read a file of yours": "open(path).read()",
    "change a file of yours": "open(path, 'a').close()",
    "connect to a server": "import socket\nsocket.create_connection(('127.0.0.1', port), 2).close()",
    "start a program": "import subprocess\nsubprocess.run(['/bin/true'], check=True)",
    "start a process": "import os\nif not os.fork(): os._exit(0)",
    "take more memory than allowed": "bytearray(1 << 31)",
    "draw random numbers without a seed": "np.random.default_rng().normal()",
}
_DOES = {
    "landlock": "files: read Python's libraries, nothing else; no TCP",
    "seccomp": "no sockets, programs, processes, threads, signals or kernel interfaces",
    "network": "a private network with no way out",
    "capabilities": "no rights of root",
    "bubblewrap": "only system and Python libraries exist, read-only; no network",
    "limits": "processor time, wall-clock time, memory, size of the result; no files written",
    "environment": "none of your environment variables",
}
_ALWAYS = ("limits", "environment")
_UNPROTECTED: dict[ModeName, tuple[str, ...]] = {
    "kernel": (
        "that code learns which paths exist, though not what is in them",
        "that it reads Python's libraries and the installed packages",
        "that it reads the clock",
        "faults of the kernel itself",
    ),
    "bubblewrap": (
        "that code reads everything below /usr",
        "that it reads the clock",
        "faults of the kernel itself",
    ),
    "weak": ("whatever the layers that are off would hold: code that gets past the static check may do as you may",),
}


class LayerState(BaseModel):
    """One layer: whether it is in force here, what it does, and why it is not."""

    model_config = ConfigDict(frozen=True)

    name: str
    active: bool
    does: str
    why_not: str = ""


class Probe(BaseModel):
    """One attempt that was really made: whether it was stopped, and with what words."""

    model_config = ConfigDict(frozen=True)

    attempt: str
    stopped: bool
    answer: str


class Diagnosis(BaseModel):
    """How code is confined on this machine."""

    model_config = ConfigDict(frozen=True)

    mode: Literal["kernel", "bubblewrap", "weak"]
    platform: str
    layers: tuple[LayerState, ...]
    probes: tuple[Probe, ...]
    unprotected: tuple[str, ...]
    why_not_stronger: str = ""


def diagnose(strongest: ModeName = "kernel") -> Diagnosis:
    """Start a sandbox and try to break out of it.

    Parameters
    ----------
    strongest
        Look at this mode, or the next weaker one that works.

    Raises
    ------
    SandboxUnavailable
        No sandbox starts.
    """
    limits = SandboxLimits(cpu_s=20, wall_s=20, memory_bytes=1 << 30)
    with Sandbox(limits, allow_weak=True, strongest=strongest, check_code=lambda *_: None) as sandbox:
        started = sandbox.start()
        probes = _probe(sandbox)
    return Diagnosis(
        mode=started.mode.name,
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        layers=_layers(started),
        probes=probes,
        unprotected=(
            *_UNPROTECTED[started.mode.name],
            *(f"that code may {each.attempt}" for each in probes if not each.stopped),
        ),
        why_not_stronger=started.why_weak,
    )


def _layers(started: Started) -> tuple[LayerState, ...]:
    active = {*started.worker.ready.layers, *_ALWAYS, *(["bubblewrap"] if started.mode.uses_bubblewrap else [])}
    wanted = MODES["kernel"].layers if sys.platform == "linux" else ()
    names = [*wanted, *(["bubblewrap"] if "bubblewrap" in active else []), *_ALWAYS]
    reasons = started.worker.ready.missing
    return tuple(
        LayerState(
            name=name,
            active=name in active,
            does=_DOES[name],
            why_not="" if name in active else reasons.get(name, "not part of this mode"),
        )
        for name in names
    )


def _probe(sandbox: Sandbox) -> tuple[Probe, ...]:
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        file = Path(folder) / "file.txt"
        file.write_text("content")
        options = {"path": str(file), "port": server.getsockname()[1]}
        return tuple(_try(sandbox, attempt, body, options) for attempt, body in _PROBES.items())


def _try(sandbox: Sandbox, attempt: str, body: str, options: dict[str, object]) -> Probe:
    try:
        sandbox.call(f"{body}\n{_DONE}", {}, name="probe", options=options)
    except (CodeError, CodeStopped) as error:
        return Probe(attempt=attempt, stopped=True, answer=error.problem)
    return Probe(attempt=attempt, stopped=False, answer="it worked")
