"""Which runs workers hold, on whatever machines: an advisory lock of PostgreSQL for each, and a note of who took it.

The server releases the lock however the worker's process or machine dies; the note stays, and so a run whose lock is free
counts as abandoned. Which partitions a run makes is decided by other locks, in `postgres_claims`.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.claim_holder import Holder
from helio_dagster.resources.claim_session import ClaimSession, SessionEnded
from helio_dagster.resources.postgres_connection import PATIENCE_S
from helio_dagster.resources.postgres_questions import PostgresQuestions

_KEY = "helio/held/"
_TAKE = "INSERT INTO kvs (key, value) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_TAKEN = "SELECT value FROM kvs WHERE key = %s"
_NOTED = "SELECT key FROM kvs WHERE key = ANY(%s)"
_LET_GO = "DELETE FROM kvs WHERE key = %s"
_IS_ABANDONED = """
    SELECT now() - pg_postmaster_start_time() > %s * interval '1 second' AND EXISTS (SELECT 1 FROM kvs WHERE key = %s)
    AND NOT EXISTS (
        SELECT 1 FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) | objid::bigint = %s
    )
"""
_GRACE_S = 20.0
"""How long after its start the server says nothing about locks: those who had some are still taking them again."""
_LOOK_S = 1.0
_LOOKS, _BETWEEN_S = 5, 0.5
"""A lock that is free at all of so many looks has nobody: longer than its holder needs to see that its session ended."""


class HeldRuns:
    """The runs that workers hold, in one record.

    Parameters
    ----------
    address
        The record's.
    sleep
        Waits for some seconds.
    """

    def __init__(self, address: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._address, self._sleep = address, sleep
        self._questions = PostgresQuestions(address, sleep=sleep)

    @contextmanager
    def hold(self, run_id: str, on_loss: Callable[[], None] | None = None) -> Iterator[bool]:
        """Hold a run for the length of the block; False if another process holds it already.

        A run that somebody has held, and did not let go of, takes some seconds longer. The note stays, and the run looks
        abandoned, until `let_go`.

        Parameters
        ----------
        run_id
            The run.
        on_loss
            Called by a thread if another process took the run over, after the session had ended. By default this process is
            killed, as it would go on with what is another's.

        Raises
        ------
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        holder = Holder.this_process(run_id)
        session = ClaimSession(self._address, holder, holder.session.replace("helio ", "helio-holds ", 1))
        try:
            if not self._is_taken(session, run_id):
                yield False
                return
            token = uuid.uuid4().hex
            self._questions.rows(_TAKE, (_KEY + run_id, f"{token} {holder.pid}@{holder.host}"), patience_s=PATIENCE_S)
            done = threading.Event()
            keeper = threading.Thread(target=self._keep, args=(session, run_id, token, done, on_loss or _end), daemon=True)
            keeper.start()
            try:
                yield True
            finally:
                done.set()
                keeper.join()
        finally:
            session.close()

    def is_abandoned(self, run_id: str) -> bool:
        """Whether a process held a run, and ended without `let_go`; not known, and so False, soon after the server's start.

        Raises
        ------
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        values = (_GRACE_S, _KEY + run_id, _number(run_id))
        for look in range(_LOOKS):
            if look:
                self._sleep(_BETWEEN_S)
            if self._questions.rows(_IS_ABANDONED, values) != [(True,)]:
                return False
        return True

    def held(self, run_ids: Collection[str], *, patience_s: float = 0.0) -> set[str]:
        """Those runs that a process has taken, be it alive or dead; a server that is restarted is waited for so long.

        Raises
        ------
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        rows = self._questions.rows(_NOTED, ([_KEY + each for each in run_ids],), patience_s=patience_s)
        return {str(key).removeprefix(_KEY) for (key,) in rows}

    def let_go(self, run_id: str) -> None:
        """Forget that a process held a run: it is over, or its process is dead and another one is to take it."""
        self._questions.rows(_LET_GO, (_KEY + run_id,), patience_s=PATIENCE_S)

    def close(self) -> None:
        """End the connection; what is held stays so."""
        self._questions.close()

    def _is_taken(self, session: ClaimSession, run_id: str) -> bool:
        """Take the lock of a run; who had it, and whose session has ended just now, is given the time to take it again."""
        if not self._is_locked(session, run_id):
            return False
        if not self.held([run_id], patience_s=PATIENCE_S):
            return True
        with suppress(SessionEnded, StorageError):  # a server that is gone holds nothing
            session.unlock([_number(run_id)])
        self._sleep(_LOOKS * _BETWEEN_S)
        return self._is_locked(session, run_id)

    def _is_locked(self, session: ClaimSession, run_id: str) -> bool:
        """Take the lock of a run; False if another session has it. A server that is restarted is waited for."""
        left_s = PATIENCE_S
        while True:
            try:
                return bool(session.lock([_number(run_id)])[0])
            except (SessionEnded, StorageError) as error:
                left_s -= _BETWEEN_S
                if left_s < 0:
                    trouble = StorageError("the record in PostgreSQL ended the connection", hint="See that the server runs.")
                    raise error if isinstance(error, StorageError) else trouble from error
            self._sleep(_BETWEEN_S)

    def _keep(self, session: ClaimSession, run_id: str, token: str, done: threading.Event, on_loss: Callable[[], None]) -> None:
        """Take the lock again whenever the session ended, as where the server is restarted."""
        while not done.wait(_LOOK_S):
            try:
                if session.is_alive():
                    continue
                is_ours = bool(session.lock([_number(run_id)])[0])
                noted = self._questions.rows(_TAKEN, (_KEY + run_id,))
            except (SessionEnded, StorageError):
                continue  # the server is not back
            if not any(str(value).startswith(token) for (value,) in noted):
                session.close()
                on_loss()
                return
            if not is_ours:
                session.close()  # the server still has the session that ended: asked again until it sees that


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _number(run_id: str) -> int:
    """The number of a run's lock: the same everywhere, and hardly ever that of another."""
    return int.from_bytes(hashlib.sha256(f"held run\0{run_id}".encode()).digest()[:8], signed=True)
