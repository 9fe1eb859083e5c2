"""Limits and outcomes of transfers from an archive: settings, replies, retries. Transfers are made in `transfer.http`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class TransferSettings:
    """Limits of transfers: seconds, bytes, counts.

    A request may take `total_s` in all, a file its length over `slowest_bytes_per_s` more. Waits between tries double from
    `first_wait_s` to `longest_wait_s`, or follow Retry-After up to `longest_retry_after_s`; each with up to `jitter_s` more.
    `file_limit_bytes` is how long a file may be whose length the archive does not tell.
    """

    tries: int = 5
    connect_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 300.0
    slowest_bytes_per_s: float = 50_000.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    longest_retry_after_s: float = 60.0
    jitter_s: float = 0.5
    at_once: int = 5
    text_limit_bytes: int = 64 * 2**20
    file_limit_bytes: int = 512 * 2**20


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
