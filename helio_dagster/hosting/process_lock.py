"""A file that a process holds while it works, and in which its number stands, so that others find and stop it."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_MOST_LOOKS = 5


@dataclass(frozen=True)
class ProcessLock:
    """The file. The lock is let go when all processes that have it open from `taken` have closed it, however they end."""

    path: Path

    @contextmanager
    def taken(self) -> Iterator[int | None]:
        """Hold the file with this process, or with one that inherits the descriptor; None if a process holds it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with opened(self.path, os.O_RDWR | os.O_CREAT) as held:
            if not _take_soon(held):
                yield None
                return
            os.ftruncate(held, 0)
            yield held

    def is_held(self) -> bool:
        """Whether a process holds it. Looking shares the lock, so that two who look at once do not take each other for it."""
        try:
            with opened(self.path, os.O_RDWR) as held:
                return not _take(held, fcntl.LOCK_SH)
        except FileNotFoundError:
            return False

    def stop(self) -> bool:
        """Stop the process that holds it, as Ctrl-C does; False if there is none."""
        if not self.is_held():
            return False
        try:
            pid = int(self.path.read_text())
        except (OSError, ValueError):
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        return True


def name_process(held: int, pid: int) -> None:
    """Write down which process holds an open lock."""
    os.pwrite(held, str(pid).encode(), 0)


def holder_of(path: Path) -> str:
    """Which process holds a file's lock, in words, where the system tells; empty if not."""
    try:
        known = path.stat()
        rows = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return ""
    wanted = f"{os.major(known.st_dev):02x}:{os.minor(known.st_dev):02x}:{known.st_ino}"
    for row in rows:
        found = re.search(r"FLOCK\s+\S+\s+\S+\s+(\d+)\s+(\S+)", row)
        if found is not None and found[2] == wanted:
            with suppress(OSError):
                command = Path(f"/proc/{found[1]}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                return f"process {found[1]}: {_short(command)}"
            return f"process {found[1]}"
    return ""


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A file's descriptor; only its owner may read the file."""
    handle = os.open(path, flags, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _short(command: str) -> str:
    """A command without the path of its interpreter and what was said in it."""
    words = [word.rpartition("/")[2] if word.startswith("/") else word for word in command.split()]
    return " ".join(words)[:60].strip()


def _take_soon(handle: int) -> bool:
    """As `_take`, but with patience for who only looks whether it is held."""
    for _ in range(_MOST_LOOKS):
        if _take(handle):
            return True
        time.sleep(0.02)
    return False


def _take(handle: int, how: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
