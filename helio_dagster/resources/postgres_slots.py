"""Slots for requests at an archive that all processes with one record in PostgreSQL share, by its advisory locks.

They keep archives from being asked too much, and nothing depends on them: while the server is away, each process goes on with
the limit that it has itself.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from helio_dagster.archives.transfer.slots import await_slot
from helio_dagster.domain.errors import HelioError
from helio_dagster.resources.claim_holder import Holder
from helio_dagster.resources.claim_session import ClaimSession, SessionEnded

_log = logging.getLogger(__name__)
_WITHOUT_S = 30.0
"""How long a server that could not be asked is not asked again."""


class PostgresSlots:
    """The slots, over one session for all threads of a process. The server frees those of a process that ends.

    Parameters
    ----------
    address
        The record's.
    sleep
        Waits for some seconds.
    clock
        Counts seconds.
    """

    def __init__(
        self, address: str, *, sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        holder = Holder.this_process("")
        self._session = ClaimSession(address, holder, holder.session.replace("helio -", "helio-requests", 1))
        self._access = threading.Lock()
        self._held: set[int] = set()
        self._sleep, self._clock = sleep, clock
        self._without_until = 0.0

    @contextmanager
    def taken(self, host: str, number: int, stopping: threading.Event) -> Iterator[None]:
        """Hold one of a host's slots.

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
        numbers = [_number(host, place) for place in range(number)]
        slot = await_slot(lambda: self._take(numbers), lambda: self._is_asked, stopping, self._sleep)
        try:
            yield
        finally:
            if slot is not None:
                self._let_go(slot)

    def close(self) -> None:
        """Release everything."""
        with self._access:
            self._session.close()
            self._held.clear()

    @property
    def _is_asked(self) -> bool:
        return self._clock() >= self._without_until

    def _take(self, numbers: list[int]) -> int | None:
        """A slot that is free; None if there is none, or the server cannot be asked."""
        with self._access:
            free = [each for each in numbers if each not in self._held]  # a session gets the same lock twice
            if not free or not self._is_asked:
                return None
            try:
                slot = self._session.lock_one(free)
            except (SessionEnded, HelioError) as error:
                self._session.close()
                self._held.clear()  # the server has freed them
                self._without_until = self._clock() + _WITHOUT_S
                _log.warning("the record cannot say how many others ask the archive, so the limit is this process's: %s", error)
                return None
            if slot is not None:
                self._held.add(slot)
            return slot

    def _let_go(self, slot: int) -> None:
        with self._access:
            if slot not in self._held:
                return
            self._held.discard(slot)
            try:
                self._session.unlock([slot])
            except (SessionEnded, HelioError):
                self._held.clear()


def _number(host: str, place: int) -> int:
    """The number of a slot's lock: the same everywhere, and hardly ever that of another."""
    text = f"requests at\0{host}\0{place}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], signed=True)
