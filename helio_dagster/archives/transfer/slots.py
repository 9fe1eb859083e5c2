"""How many requests may be under way at one host, of a process and of all that share a record: archives ask for few."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol
from weakref import WeakValueDictionary

from helio_dagster.domain.errors import ArchiveUnavailable

_POLL_S = 0.1
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.02, 0.2


class SharedSlots(Protocol):
    """Slots that other processes take too, on whatever machine."""

    def taken(self, host: str, number: int, stopping: threading.Event) -> AbstractContextManager[None]:
        """Hold one of a host's slots; ArchiveUnavailable when asked to stop while waiting for one."""


def await_slot(
    take: Callable[[], int | None], is_awaited: Callable[[], bool], stopping: threading.Event, sleep: Callable[[float], None]
) -> int | None:
    """Take one of the slots that others take too, asking ever less often; None once it is no longer awaited.

    Raises
    ------
    ArchiveUnavailable
        `stopping` was set.
    """
    wait_s = _FIRST_WAIT_S
    while (slot := take()) is None and is_awaited():
        if stopping.is_set():
            raise stopped()
        sleep(wait_s)
        wait_s = min(wait_s * 1.5, _LONGEST_WAIT_S)
    return slot


class RequestSlots:
    """A number of slots; each request holds one."""

    def __init__(self, number: int) -> None:
        self._free = threading.BoundedSemaphore(number)

    @contextlib.contextmanager
    def taken(self, stopping: threading.Event) -> Iterator[None]:
        """Hold a slot; ArchiveUnavailable when asked to stop while waiting for one."""
        while not self._free.acquire(timeout=_POLL_S):
            if stopping.is_set():
                raise stopped()
        try:
            yield
        finally:
            self._free.release()


def stopped() -> ArchiveUnavailable:
    """The error of a request that no longer waits for a slot."""
    return ArchiveUnavailable("stopped before it was asked", hint="Run the same command again.")


def slots_for(host: str, number: int) -> RequestSlots:
    """The slots of a host, shared by all that use them now; the first to ask sets their number."""
    with _lock:
        slots = _by_host.get(host)
        if slots is None:
            slots = _by_host[host] = RequestSlots(number)
        return slots


# The one thing a process must hold in common: the limit is the archive's, however many clients are open.
_lock = threading.Lock()
_by_host: WeakValueDictionary[str, RequestSlots] = WeakValueDictionary()
