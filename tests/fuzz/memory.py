"""Resident memory of a process and all that it started, read from /proc; zero where there is none."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")


def resident_mib(pid: int) -> float:
    """Memory that a process and its descendants hold now, in MiB. Shared pages count once for each process."""
    total_kib, waiting = 0, [pid]
    while waiting:
        process = waiting.pop()
        total_kib += _resident_kib(process)
        waiting += _children(process)
    return total_kib / 1024


def _resident_kib(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)


def _children(pid: int) -> list[int]:
    try:
        tasks = list((PROC / str(pid) / "task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
