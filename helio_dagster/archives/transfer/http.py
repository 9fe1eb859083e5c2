"""Getting bytes over HTTP: pooled connections, few at once, time limits, retries. What the bytes mean is the caller's."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import tenacity

from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, Retry, TransferSettings, TransferTrouble
from helio_dagster.archives.transfer.slots import slots_for
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, StorageError

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_HEAD_BYTES = 512
_GIVEN_UP_AFTER = 3
_LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")


class HttpTransfer:
    """GET requests to one archive, from any number of threads.

    When three requests in a row have used up their tries, the archive is taken to be down: further ones get a single try, so
    that a long range fails soon, until one succeeds.

    Parameters
    ----------
    base_url
        The archive's; all transfers of this process to its host share the slots for requests at once.
    settings
        Limits.
    check_url
        What to check where the URL cannot be the right one; for messages.
    """

    def __init__(
        self, base_url: str, settings: TransferSettings | None = None, *, check_url: str = "Check HELIO_CDAWEB_URL."
    ) -> None:
        self._settings = settings or TransferSettings()
        self._check_url = check_url
        self._host = urlsplit(base_url).netloc
        self._slots = slots_for(self._host, self._settings.at_once)
        self._stopping = threading.Event()
        self._connecting = threading.Lock()
        self._failed_in_a_row = 0

    def get(self, url: str, parse: Callable[[Reply], _T], *, on_retry: OnRetry | None = None) -> _T:
        """What `parse` makes of the answer, with retries.

        `parse` gets any answer that is neither 429 nor 5xx, and may raise TransferTrouble to have it asked for again.

        Raises
        ------
        ArchiveUnavailable
            The last try failed too.
        ArchiveAnswerError
            The URL cannot be asked, or the answer is longer than any should be.
        """

        def ask() -> _T:
            with self._response(url, allowed_s=self._settings.total_s) as (response, chunks):
                return parse(self._reply(url, response, chunks))

        return self._with_retries(ask, url, on_retry)

    def download(
        self,
        url: str,
        into: Path,
        *,
        length: int | None,
        check_head: Callable[[bytes], None],
        refusal: Callable[[Reply], Exception] | None = None,
        on_retry: OnRetry | None = None,
    ) -> Received:
        """Write what the URL holds to a file and to disk, with retries.

        Parameters
        ----------
        into
            Written from its beginning on each try; incomplete when an error is raised.
        length
            How long it must be in bytes, where known.
        check_head
            Gets the first bytes; raises TransferTrouble when they are not those of the file wanted.
        refusal
            Makes the error of an answer that is not 200, from its text; TransferTrouble has it asked for again.

        Raises
        ------
        ArchiveUnavailable
            The last try failed too.
        ArchiveAnswerError
            The archive has no such file, or the URL cannot be asked.
        StorageError
            The file cannot be written.
        """
        allowed_s = self._settings.total_s + (length or 0) / self._settings.slowest_bytes_per_s

        def ask() -> Received:
            with self._response(url, allowed_s=allowed_s) as (response, chunks):
                if response.status_code != 200:
                    if refusal is not None:
                        raise refusal(self._reply(url, response, chunks))
                    raise ArchiveAnswerError(
                        f"the listed file cannot be had: status {response.status_code}",
                        where=url,
                        hint="The archive may be changing its files; run the same command again later.",
                    )
                return _write(
                    self._within(chunks, None if length is not None else self._settings.file_limit_bytes, url),
                    into,
                    length,
                    check_head,
                )

        return self._with_retries(ask, url, on_retry)

    def close(self) -> None:
        """End waits and refuse further requests."""
        self._stopping.set()
        with self._connecting:
            if "_client" in self.__dict__:
                self._client.close()

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._stopping.is_set()

    @cached_property
    def _client(self) -> httpx.Client:
        settings = self._settings
        return httpx.Client(
            headers={
                "User-Agent": "helio-dagster",
                "Accept": "application/json, */*;q=0.1",
                "Accept-Encoding": "gzip, identity",
            },
            timeout=httpx.Timeout(settings.read_s, connect=settings.connect_s, pool=None),
            limits=httpx.Limits(max_connections=settings.at_once, max_keepalive_connections=settings.at_once),
            follow_redirects=True,
            max_redirects=5,
            mounts=dict.fromkeys(_LOOPBACK),  # a proxy from the environment cannot reach this machine's own servers
        )

    @contextlib.contextmanager
    def _response(self, url: str, *, allowed_s: float) -> Iterator[tuple[httpx.Response, Iterator[bytes]]]:
        """An open response that is worth reading, and its body in chunks, which stop at the time limit."""
        with self._slots.taken(self._stopping), self._as_trouble(url):
            deadline = time.monotonic() + allowed_s
            with self._connecting:
                client = self._client
            with client.stream("GET", url) as response:
                if response.status_code in (408, 425, 429) or response.status_code >= 500:
                    raise TransferTrouble(f"answered with status {response.status_code}", _retry_after_s(response))
                yield response, self._until(deadline, response.iter_bytes(), allowed_s)

    def _reply(self, url: str, response: httpx.Response, chunks: Iterator[bytes]) -> Reply:
        body = b"".join(self._within(chunks, self._settings.text_limit_bytes, url))
        return Reply(url, response.status_code, response.headers.get("Content-Type", ""), body)

    def _within(self, chunks: Iterator[bytes], limit_bytes: int | None, url: str) -> Iterator[bytes]:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if limit_bytes is not None and size > limit_bytes:
                raise ArchiveAnswerError("the answer is too long to be what was asked for", where=url, hint=self._check_url)
            yield chunk

    def _until(self, deadline: float, chunks: Iterator[bytes], allowed_s: float) -> Iterator[bytes]:
        for chunk in chunks:
            yield chunk
            if time.monotonic() > deadline:
                raise TransferTrouble(f"not complete after {allowed_s:g} s")
            if self._stopping.is_set():
                raise TransferTrouble("stopped")

    @contextlib.contextmanager
    def _as_trouble(self, url: str) -> Iterator[None]:
        try:
            yield
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.TooManyRedirects) as error:
            raise ArchiveAnswerError(f"cannot be asked: {error}", where=url, hint=self._check_url) from error
        except httpx.TimeoutException as error:
            kind = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no answer"
            raise TransferTrouble(f"{kind} within the time limit") from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise TransferTrouble(f"the transfer broke: {error or type(error).__name__}") from error

    def _with_retries(self, ask: Callable[[], _T], url: str, on_retry: OnRetry | None) -> _T:
        tries = self._settings.tries if self._failed_in_a_row < _GIVEN_UP_AFTER else 1

        def before_sleep(state: tenacity.RetryCallState) -> None:
            retry = Retry(url, _cause(state), state.attempt_number, tries, state.upcoming_sleep)
            _log.info("%s: %s; try %d of %d, next in %.1f s", url, retry.cause, retry.attempt, tries, retry.wait_s)
            if on_retry is not None:
                on_retry(retry)

        def ask_unless_stopped() -> _T:
            if self._stopping.is_set():
                raise ArchiveUnavailable("stopped before it was asked", where=url, hint=_AGAIN)
            return ask()

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TransferTrouble),
            stop=tenacity.stop_any(tenacity.stop_after_attempt(tries), tenacity.stop_when_event_set(self._stopping)),
            wait=self._wait_s,
            sleep=tenacity.sleep_using_event(self._stopping),
            before_sleep=before_sleep,
            reraise=True,
        )
        try:
            result = retrying(ask_unless_stopped)
        except TransferTrouble as trouble:
            self._failed_in_a_row += 1
            tried = "" if self._stopping.is_set() else f" ({tries} tries)" if tries > 1 else " (after others failed as well)"
            raise ArchiveUnavailable(f"{trouble.cause}{tried}", where=url, hint=_AGAIN) from trouble
        self._failed_in_a_row = 0
        return result

    def _wait_s(self, state: tenacity.RetryCallState) -> float:
        settings = self._settings
        jitter_s = tenacity.wait_random(0, settings.jitter_s)(state)
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, TransferTrouble) and error.retry_after_s is not None:
            return min(error.retry_after_s, settings.longest_retry_after_s) + jitter_s
        return min(settings.first_wait_s * 2.0 ** (state.attempt_number - 1), settings.longest_wait_s) + jitter_s


def is_html(body: bytes, content_type: str = "") -> bool:
    """Whether an answer is a web page, whatever it says it is."""
    start = body[:_HEAD_BYTES].lstrip().lower()
    return "text/html" in content_type.lower() or start.startswith((b"<!doctype", b"<html"))


def _write(chunks: Iterator[bytes], into: Path, length: int | None, check_head: Callable[[bytes], None]) -> Received:
    digest = hashlib.sha256()
    size = 0
    head = b""
    try:
        with into.open("wb") as file:
            for chunk in chunks:
                if len(head) < _HEAD_BYTES:
                    head += chunk[:_HEAD_BYTES]
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
                if length is not None and size > length:
                    break
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(
            f"cannot be written: {error.strerror or error}", where=str(into), hint="Free space, or set HELIO_HOME elsewhere."
        ) from error
    check_head(head)
    if length is not None and size != length:
        raise TransferTrouble(f"sent {'more than' if size > length else f'{size} of'} the listed {length} bytes")
    return Received(size, digest.hexdigest())


def _retry_after_s(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    asked, now = _http_date(text), _http_date(response.headers.get("Date", ""))
    return max(0.0, (asked - now).total_seconds()) if asked and now else None


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.utcoffset() is not None else None


def _cause(state: tenacity.RetryCallState) -> str:
    return str(state.outcome.exception()) if state.outcome else ""


_AGAIN = "Run the same command again: what is already here is kept."
