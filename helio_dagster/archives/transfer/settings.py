"""Limits and outcomes of transfers from an archive: settings, replies, retries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from helio_dagster.archives.transfer.slots import SharedSlots
from helio_dagster.domain.transfer_limits import TransferLimits

_ALL_TRIES_SHARE = 4 / 3


@dataclass(frozen=True)
class TransferSettings:
    """Limits of transfers: seconds, bytes, counts. Rates count bytes as they arrive, before decompression.

    Parameters
    ----------
    tries
        How often a request is made at most.
    connect_s, read_s
        How long to wait for a connection, and for the next bytes.
    total_s, slowest_bytes_per_s
        One try may take `total_s`, and for a file its listed length over `slowest_bytes_per_s` more; after `total_s` it must
        have kept that rate so far.
    least_bytes_per_s, least_over_s
        Once an answer has begun, each stretch of `least_over_s` must bring this rate.
    all_tries_s
        What all tries of a request may take together, without the waits between them; for a file, twice its listed length over
        `slowest_bytes_per_s` more.
    first_wait_s, longest_wait_s, longest_retry_after_s, jitter_s
        Waits between tries double from the first to the longest, or follow Retry-After up to `longest_retry_after_s`; each with
        up to `jitter_s` more.
    at_once
        How many requests are under way at one host.
    shared
        Slots for requests that other processes take, too; without any, `at_once` holds for this process alone.
    head_limit_bytes
        How much may arrive before the answer's headers are complete.
    text_limit_bytes, file_limit_bytes, listed_limit_bytes
        How long an answer in text may be, a file whose length the archive does not list, and one whose length it lists.
    most_listed
        How many files may be listed in one answer.
    """

    tries: int = 5
    connect_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 300.0
    slowest_bytes_per_s: float = 50_000.0
    least_bytes_per_s: float = 1_000.0
    least_over_s: float = 30.0
    all_tries_s: float = 400.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    longest_retry_after_s: float = 60.0
    jitter_s: float = 0.5
    at_once: int = 5
    shared: SharedSlots | None = None
    head_limit_bytes: int = 256 * 2**10
    text_limit_bytes: int = 64 * 2**20
    file_limit_bytes: int = 512 * 2**20
    listed_limit_bytes: int = 8 * 2**30
    most_listed: int = 100_000

    @classmethod
    def within(cls, limits: TransferLimits) -> Self:
        """Settings with the limits that a person can set."""
        return cls(
            total_s=limits.deadline_s,
            all_tries_s=limits.deadline_s * _ALL_TRIES_SHARE,
            slowest_bytes_per_s=limits.least_bytes_per_s,
        )


@dataclass(frozen=True)
class Reply:
    """Status, type and body of an answer that is text."""

    url: str
    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Received:
    """Size in bytes and hash of a downloaded file."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Retry:
    """A failed try that will be followed by another, after `wait_s`."""

    url: str
    cause: str
    attempt: int
    tries: int
    wait_s: float


OnRetry = Callable[[Retry], None]


class TransferTrouble(Exception):  # never leaves the transfer: becomes ArchiveUnavailable after the last try
    """A try failed in a way that another may not; `retry_after_s` is how long the server asks to wait."""

    def __init__(self, cause: str, retry_after_s: float | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.retry_after_s = retry_after_s
