"""Finding the strongest mode in which a worker starts on this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from helio_dagster.domain.errors import SandboxUnavailable
from helio_dagster.sandbox.modes import MODES, NEEDED, Mode, ModeName, WorkerSettings, can_fork
from helio_dagster.sandbox.worker_process import WorkerProcess, find_bubblewrap


@dataclass(frozen=True)
class Started:
    """A running worker, its mode, and why no stronger mode can be had; empty where there is none."""

    worker: WorkerProcess
    mode: Mode
    why_weak: str


def start_worker(strongest: ModeName, settings: WorkerSettings) -> Started:
    """Start a worker in the strongest mode that holds here.

    Raises
    ------
    SandboxUnavailable
        No worker starts, in no mode.
    """
    if not can_fork():
        raise SandboxUnavailable("this system cannot run code steps", hint="Use Linux, or Linux inside Windows (WSL 2).")
    names = list(MODES)
    reasons: list[str] = []
    available: tuple[str, ...] = ()
    for name in names[names.index(strongest) :]:
        mode = replace(MODES[name], layers=available) if MODES[name].is_weak else MODES[name]
        if mode.uses_bubblewrap and find_bubblewrap() is None:
            reasons.append("bubblewrap is not installed")
            continue
        try:
            worker = WorkerProcess(mode, settings)
        except SandboxUnavailable as error:
            if not mode.uses_bubblewrap:
                raise  # a passing shortage must not lead to a weaker mode
            reasons.append(f"{name}: {error.problem}")
            continue
        lacking = NEEDED[name] - set(worker.ready.layers)
        if not lacking:
            return Started(worker, mode, "; ".join(reasons))
        worker.stop()
        available = tuple(worker.ready.layers)  # too few to promise anything, and better than none
        reasons += [f"{layer}: {worker.ready.missing.get(layer, 'missing')}" for layer in sorted(lacking)]
    raise SandboxUnavailable("no worker starts", hint="; ".join(reasons))
