"""How long one transfer may take: a deadline and a least rate, checked on the bytes as they arrive."""

from __future__ import annotations

import time

from helio_dagster.archives.transfer.settings import TransferSettings, TransferTrouble
from helio_dagster.domain.transfer_limits import DEADLINE_VARIABLE, RATE_VARIABLE

_SHORTEST_WAIT_S = 0.001


class Allowance:
    """What one request may take over all its tries. Used by one thread.

    Parameters
    ----------
    settings
        Limits.
    length
        How many bytes are expected, 0 where that is not known.
    """

    def __init__(self, settings: TransferSettings, *, length: int = 0) -> None:
        self._settings = settings
        expected_s = length / settings.slowest_bytes_per_s
        self._try_s = settings.total_s + expected_s
        self._all_s = settings.all_tries_s + 2 * expected_s
        self._spent_s = 0.0
        self._begin = self._since = time.monotonic()
        self._received = self._lately = 0
        self._is_in_head = True

    @property
    def is_used_up(self) -> bool:
        """Whether no time is left for another try."""
        return self._spent_s >= self._all_s

    def begin_try(self) -> None:
        """Start the clock of a try."""
        self._begin = self._since = time.monotonic()
        self._received = self._lately = 0
        self._is_in_head = True

    def end_try(self) -> None:
        """Stop the clock of a try."""
        self._spent_s += time.monotonic() - self._begin

    def begin_body(self) -> None:
        """The headers are complete."""
        self._is_in_head = False

    def patience_s(self, wanted_s: float | None) -> float:
        """How long to wait for the next bytes.

        Raises
        ------
        TransferTrouble
            The time is up, or the answer came too slowly.
        """
        left_s = self._check()
        return max(_SHORTEST_WAIT_S, left_s if wanted_s is None else min(wanted_s, left_s))

    def receive(self, size: int) -> None:
        """Count bytes that have arrived."""
        if not self._received:
            self._since = time.monotonic()
        self._received += size
        self._lately += size

    def _check(self) -> float:
        """How long the attempt may still take."""
        settings, now = self._settings, time.monotonic()
        taken_s = now - self._begin
        allowed_s = min(self._try_s, self._all_s - self._spent_s)
        if taken_s >= allowed_s:
            raise TransferTrouble(f"not complete after {allowed_s:.3g} s ({DEADLINE_VARIABLE} sets the limit)")
        if self._is_in_head and self._received > settings.head_limit_bytes:
            raise TransferTrouble(f"no end of headers after {self._received} bytes")
        if taken_s > settings.total_s + self._received / settings.slowest_bytes_per_s:
            raise TransferTrouble(
                f"slower than {settings.slowest_bytes_per_s:g} bytes/s for {taken_s:.0f} s ({RATE_VARIABLE} sets the limit)"
            )
        if self._received and now - self._since >= settings.least_over_s:
            if self._lately < settings.least_bytes_per_s * (now - self._since):
                raise TransferTrouble(f"slower than {settings.least_bytes_per_s:g} bytes/s for {settings.least_over_s:g} s")
            self._since, self._lately = now, 0
        return allowed_s - taken_s
