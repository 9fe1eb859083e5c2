"""Claims of partitions over all machines that share a record in PostgreSQL, by advisory locks of one session for each run.

The server releases the locks of a session that ends, however its process or machine died. Who loses its session, as when the
server is restarted, takes its claims again within a second or two, unless another run has one or has made its partition
meanwhile; who had none leaves the others the time for it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.claim_holder import Holder
from helio_dagster.resources.claim_session import ClaimSession, SessionEnded
from helio_dagster.resources.postgres_connection import PATIENCE_S, is_away, postgres_error
from helio_dagster.storage.claims import ClaimLost, Key

_log = logging.getLogger(__name__)

MOST_AT_ONCE = 250
"""Claims that a run has at a time. A server has room for 6,400 locks of all its sessions, unless it is told otherwise."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.05, 1.0
LOOK_S = 1.0
"""How often it is looked whether the session goes on."""
GRACE_S = 5.0
"""How long others have to take their claims again. Longer than a look and the longest pause between two tries together."""
_MOST_ENDS = 5
"""Times that the server may end the session while one question is asked."""
_QUIET_S = 2.0
"""Who waits no longer than this says nothing."""
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class _Claim:
    """What is known of a claim: its lock, and the last event that was recorded before it was taken."""

    number: int
    since: int


class PostgresClaims:
    """Claims that hold between all processes that use one record, for one store of tables.

    Whoever waits holds nothing, so that nobody waits for ever.

    Parameters
    ----------
    address
        The record's.
    store
        What tells the store from others whose homes have the same record.
    run_id
        The run that makes the partitions, by which others know who does.
    patience_s
        How long a server that went away is waited for.
    look_s
        How often it is looked whether the session goes on, though nothing is asked.
    sleep
        Waits for some seconds.
    """

    def __init__(
        self,
        address: str,
        store: str,
        run_id: str = "",
        *,
        patience_s: float = PATIENCE_S,
        look_s: float = LOOK_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address, self._store, self._sleep = address, store, sleep
        self._patience_s, self._look_s = patience_s, look_s
        self._session = ClaimSession(address, Holder.this_process(run_id))
        self._access = threading.RLock()
        self._held: dict[tuple[str, Key], _Claim] = {}
        self._lost: set[tuple[str, Key]] = set()
        self._trouble: StorageError | None = None
        self._keeper: threading.Thread | None = None
        self._is_over = threading.Event()

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:
        """First keys that are free, then the others as they become free."""
        left, waiting = list(keys), _Waiting()
        while left:
            taken = next(filter(None, (self._take(asset, block) for block in _blocks(left))), None)
            if taken is None:
                if waiting.is_long:
                    waiting.say(self._who_has(asset, left))
                self._sleep(waiting.next_s())
                continue
            waiting = _Waiting()
            ours = set(taken)
            left = [key for key in left if key not in ours]
            try:
                yield taken
            finally:
                self._let_go(asset, taken)

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:
        """Those that another process has now."""
        if not keys:
            return set()
        numbers = {self._number(asset, key): key for key in keys}
        with self._access:
            found = self._again(lambda: self._session.held_by_others(list(numbers)))
        return {numbers[number] for number in found}

    def require(self, asset: str, key: Key) -> None:
        """Make sure that a partition is still ours.

        Raises
        ------
        ClaimLost
            Another run may make it, or has made it, since the session ended.
        StorageError
            The server does not come back.
        """
        with self._access:
            self._keep_session()
            if not self._lost.isdisjoint({(asset, key), (asset, None)}):
                place = f"{asset} {key}" if key else asset
                problem = f"the connection to the record was lost, and another run took over {place}"
                raise ClaimLost(problem, hint="Run the same command again: what the other run made is used.")

    def close(self) -> None:
        """Release everything."""
        self._is_over.set()
        with self._access:
            self._session.close()
            self._held.clear()
        if self._keeper is not None:
            self._keeper.join()

    def _keep(self) -> None:
        """See to it that claims are taken again also while nothing is asked, as while a long step computes."""
        while not self._is_over.wait(self._look_s):
            with self._access, suppress(StorageError):  # which the next question raises
                self._keep_session()

    def _keep_session(self) -> None:
        """Begin the session again if it ended and held claims."""
        if self._held and not self._session.is_alive():
            self._take_again()

    def _take(self, asset: str, keys: Sequence[Key]) -> list[Key]:
        """Claim those keys that are free."""
        numbers = {key: self._number(asset, key) for key in keys}
        with self._access:
            ours, since = self._again(lambda: self._session.lock(list(numbers.values()), server_age_s=GRACE_S))
            taken = [key for key in keys if numbers[key] in ours]
            for key in taken:
                self._held[asset, key] = _Claim(numbers[key], since)
                self._lost.discard((asset, key))
            if taken and self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name="claims", daemon=True)
                self._keeper.start()
        return taken

    def _let_go(self, asset: str, keys: Sequence[Key]) -> None:
        with self._access:
            found = [self._held.pop((asset, key), None) for key in keys]
            numbers = [claim.number for claim in found if claim is not None]
            try:
                if numbers:
                    self._session.unlock(numbers)
            except SessionEnded:
                pass  # so the server has released them

    def _again(self, ask: Callable[[], _Answer]) -> _Answer:
        """The answer to a question, also where the session has to be begun again, or could not be begun."""
        for _ in range(_MOST_ENDS):
            try:
                return ask()
            except SessionEnded:
                pass
            except StorageError as error:
                if not is_away(error.__cause__):
                    raise
            self._take_again()
            if not self._held:
                self._sleep(GRACE_S)
        raise StorageError(
            f"the record in PostgreSQL ended the connection {_MOST_ENDS} times", hint="See that the server runs."
        )

    def _take_again(self) -> None:
        """Begin a new session with the claims that are still free, and whose partitions nobody recorded meanwhile."""
        if self._trouble is not None:
            raise self._trouble
        held = dict(self._held)
        patient = Retrying(
            retry=retry_if_exception_type(StorageError),
            wait=wait_exponential(0.1, max=2),
            stop=stop_after_delay(self._patience_s),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            free, recorded = patient(self._locked_again, held)
        except StorageError as error:
            self._trouble = error  # others of this run need not wait as long again
            raise
        names = {name: json.dumps(name.split("/")) for name, _ in held}
        whole = {asset for asset, _ in recorded}
        for place, claim in held.items():
            name, key = place
            was_made = names[name] in whole if key is None else (names[name], key) in recorded
            if claim.number not in free or was_made:
                self._lost.add(place)
            if claim.number not in free:
                self._held.pop(place, None)

    def _locked_again(self, held: dict[tuple[str, Key], _Claim]) -> tuple[set[int], set[tuple[str, str | None]]]:
        """The locks that are had again, and what others recorded since they were first had."""
        assets = sorted({json.dumps(name.split("/")) for name, _ in held})
        since = min((claim.since for claim in held.values()), default=0)
        self._session.close()
        try:
            free, _ = self._session.lock([claim.number for claim in held.values()])
            return free, self._session.recorded_by_others(assets, since) if held else set()
        except SessionEnded as error:
            raise postgres_error(error.__cause__ or error, self._address) from error

    def _who_has(self, asset: str, keys: Sequence[Key]) -> str:
        """What is waited for, and who has it, in words; empty where nobody has any more."""
        numbers = {self._number(asset, key): key for key in keys}
        with self._access:
            found = self._again(lambda: self._session.held_by_others(list(numbers)))
            first = next((number for number in numbers if number in found), None)
            if first is None:
                return ""
            holder = found[first]
            person = self._again(lambda: self._session.person_of(holder.run_id)) if holder and holder.run_id else ""
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        who = holder.described(person) if holder else "another session of PostgreSQL"
        return f"waiting for {' '.join(filter(None, (asset, numbers[first])))}{more}, which {who} is making"

    def _number(self, asset: str, key: Key) -> int:
        """The number of a partition's lock: the same everywhere, and hardly ever that of another."""
        text = "\0".join((self._store, asset, key or ""))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], signed=True)


class _Waiting:
    """How long somebody has waited for others."""

    def __init__(self) -> None:
        self._next_s, self._total_s, self._said = _FIRST_WAIT_S, 0.0, ""

    @property
    def is_long(self) -> bool:
        """Whether it is time to say so."""
        return self._total_s >= _QUIET_S

    def next_s(self) -> float:
        """How long to wait now."""
        found = self._next_s
        self._next_s, self._total_s = min(found * 1.5, _LONGEST_WAIT_S), self._total_s + found
        return found

    def say(self, text: str) -> None:
        """Say what is waited for, unless that was said last."""
        if text and text != self._said:
            self._said = text
            _log.warning("%s", text)


def _blocks(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    for first in range(0, len(keys), MOST_AT_ONCE):
        yield keys[first : first + MOST_AT_ONCE]
