"""How much memory a worker process may use: a share of the machine's, and for one file no more than it can honestly need."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_MOST_BYTES = 8 << 30
_SHARE = 0.75
_FOR_ANY_FILE = 512 << 20
_WORKING_COPIES = 8
_STATM = Path("/proc/self/statm")
_CGROUPS = Path("/sys/fs/cgroup")


def share_of_memory(workers: int) -> int:
    """Bytes that each of so many workers may use: three quarters of the machine's or the control group's memory among them."""
    return min(_MOST_BYTES, int(_machine_bytes() * _SHARE) // max(1, workers))


class MemoryBound:
    """The limit of this process's address space; damaged lengths then fail an allocation instead of the machine.

    Parameters
    ----------
    most_bytes
        Never more than this beside what the process has when this is made.
    """

    def __init__(self, most_bytes: int) -> None:
        _, given = resource.getrlimit(resource.RLIMIT_AS)
        most = _used_bytes() + most_bytes
        self._most = most if given == resource.RLIM_INFINITY else min(most, given)
        self._given = given
        self.lift()

    def lift(self) -> None:
        """Allow the most."""
        self._set(self._most)

    def allow(self, file_bytes: int) -> None:
        """Allow what reading a file of so many bytes of values takes, beside what is used now."""
        self._set(min(self._most, _used_bytes() + _FOR_ANY_FILE + _WORKING_COPIES * file_bytes))

    def _set(self, limit: int) -> None:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (limit, self._given))
        except (ValueError, OSError):  # macOS refuses; the time limit remains
            return


def _used_bytes() -> int:
    """Address space of this process; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _machine_bytes() -> int:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *_group_limits()])


def _group_limits() -> list[int]:
    """Memory limits of the control groups that this process is in, of version 2 and of version 1."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    limits = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers in ("", "memory"):
            root = _CGROUPS / controllers
            name = "memory.limit_in_bytes" if controllers else "memory.max"
            own = root / group.lstrip("/")
            folders = [folder for folder in (own, *own.parents) if folder.is_relative_to(root)]
            limits += [limit for folder in folders if (limit := _limit(folder / name))]
    return limits


def _limit(path: Path) -> int:
    """A limit in bytes; 0 where there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # no such file, or "max"
        return 0
