"""Slots for requests at an archive that all processes of a person on this machine share, whichever homes they work on.

They are locks on bytes of one file. The system releases those of a process that ends, and what it forks does not have them.
They keep archives from being asked too much, and nothing depends on them: without the file each process has its own limit.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from helio_dagster.archives.transfer.slots import await_slot

_log = logging.getLogger(__name__)
_PATIENCE_S = 120.0
"""How long others are waited for: a process that was suspended holds its slots as long as it is."""


class FileSlots:
    """The slots.

    Parameters
    ----------
    path
        The file, which stays empty. It and its folder are made where they do not exist.
    sleep
        Waits for some seconds.
    clock
        Counts seconds.
    """

    def __init__(
        self, path: Path, *, sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._locks, self._sleep, self._clock = _locks_of(path), sleep, clock

    @contextmanager
    def taken(self, host: str, number: int, stopping: threading.Event) -> Iterator[None]:
        """Hold one of a host's slots, or none where others have kept all of them for two minutes.

        Parameters
        ----------
        host
            The archive's host.
        number
            How many slots it has.
        stopping
            Set when the request shall no longer wait.

        Raises
        ------
        ArchiveUnavailable
            `stopping` was set while it waited.
        """
        places = [_place(host, each) for each in range(number)]
        give_up = self._clock() + _PATIENCE_S

        def is_awaited() -> bool:
            if self._locks.is_usable and self._clock() > give_up:
                _log.warning("other processes have asked %s for two minutes without an end: it is asked beside them", host)
                return False
            return self._locks.is_usable

        place = await_slot(lambda: self._locks.take(places), is_awaited, stopping, self._sleep)
        try:
            yield
        finally:
            if place is not None:
                self._locks.let_go(place)


class _Locks:
    """The locks of this process on the bytes of a file; the system does not tell its threads apart."""

    def __init__(self, path: Path) -> None:
        self._access, self._held, self._process = threading.Lock(), set[int](), os.getpid()
        self._path, self._handle = path, -1
        self.is_usable = True

    def take(self, places: Sequence[int]) -> int | None:
        """Lock a byte that is free; None if there is none, or if the file cannot be locked."""
        with self._access:
            if self._process != os.getpid():  # forked: the locks are those of the process that forked it
                self._held, self._process = set(), os.getpid()
            for place in places:
                if self.is_usable and place not in self._held and self._is_locked(place):
                    self._held.add(place)
                    return place
            return None

    def _is_locked(self, place: int) -> bool:
        try:
            if self._handle < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno == errno.EACCES and self._handle >= 0:  # what some systems say of a lock that is held
                return False
            _log.debug("processes do not share the requests at archives: %s", error)
            self.is_usable = False
            return False
        return True

    def let_go(self, place: int) -> None:
        """Unlock a byte."""
        with self._access:
            self._held.discard(place)
            fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, place)


def _locks_of(path: Path) -> _Locks:
    """Those of this process, which has the file open once: closing it anywhere would release all of them."""
    with _opening:
        if path not in _opened:
            _opened[path] = _Locks(path)
        return _opened[path]


def _place(host: str, number: int) -> int:
    """The byte of a slot: the same for all processes, and hardly ever that of another one."""
    return int.from_bytes(hashlib.sha256(f"{host}\0{number}".encode()).digest()[:7])


_opening = threading.Lock()
_opened: dict[Path, _Locks] = {}
