"""The processes of a test, read from /proc: who descends from us, what they use, what is left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_WATCH_S = 0.03


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Make this process the parent of orphaned descendants, so that none of them is lost from sight."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot adopt orphans")
    try:
        yield
    finally:
        libc.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def descendants(pid: int | None = None, *, beside: Set[int] = frozenset()) -> set[int]:
    """Every living process below one; below this one where none is named, and no process of `beside`, nor what is below it."""
    return {process for process in _all_below(pid or os.getpid(), beside) if state(process) not in {"Z", ""}}


def _all_below(pid: int, beside: Set[int]) -> set[int]:
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        children = children_of(waiting.pop()) - found - beside
        found |= children
        waiting.extend(children)
    return found


def children_of(pid: int) -> set[int]:
    """The children of one process, dead ones that nobody has waited for among them."""
    found: set[int] = set()
    with suppress(OSError):
        for listing in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                found |= {int(child) for child in listing.read_text().split()}
    return found


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/<pid>/status, which anyone may read; none where the process is gone."""
    with suppress(OSError):
        return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return {}


def state(pid: int) -> str:
    """One letter: R, S, T (stopped), Z (zombie)…, or the empty text where the process is gone."""
    return status(pid).get("State", "")[:1]


def end(pids: set[int]) -> None:
    """Kill these processes and, as far as they are our own children, bury them."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


@dataclass
class Peaks:
    """The most that any one watched process used."""

    memory_bytes: int = 0
    threads: int = 0
    descriptors: int = 0


class Watch:
    """Watches what our descendants use, in a thread, while a call runs; not those `beside`, which have no part in it."""

    def __init__(self, *, beside: Set[int]) -> None:
        self.peaks = Peaks()
        self._beside = beside
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peaks:
        self._thread.start()
        return self.peaks

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_WATCH_S):
            for pid in _all_below(os.getpid(), self._beside):
                facts = status(pid)
                self._raise_to("memory_bytes", facts.get("VmHWM", "0"), unit=1024)
                self._raise_to("threads", facts.get("Threads", "0"))
                self._raise_to("descriptors", facts.get("FDSize", "0"))

    def _raise_to(self, name: str, text: str, *, unit: int = 1) -> None:
        value = int(text.split()[0]) * unit
        setattr(self.peaks, name, max(getattr(self.peaks, name), value))
