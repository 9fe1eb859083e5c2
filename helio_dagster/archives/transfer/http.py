"""Getting bytes over HTTP: pooled connections, few at once, bounded in time and size, with retries."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import httpcore
import httpx
import tenacity
from tenacity.stop import stop_base

from helio_dagster.archives.transfer.allowance import Allowance
from helio_dagster.archives.transfer.bodies import TooLong, read_body
from helio_dagster.archives.transfer.connections import Connections
from helio_dagster.archives.transfer.headers import header, retry_after_s
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, Retry, TransferSettings, TransferTrouble
from helio_dagster.archives.transfer.slots import slots_for
from helio_dagster.domain.addresses import address_fault, without_secrets
from helio_dagster.domain.amounts import readable_size
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, StorageError

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_HEAD_BYTES = 512
_GIVEN_UP_AFTER = 3
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (408, 425, 429)


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
        self._connections: Connections | None = None
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
        allowance = Allowance(self._settings)

        def ask() -> _T:
            with self._response(url, allowance) as response:
                return parse(self._reply(url, response))

        return self._with_retries(ask, url, allowance, on_retry)

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
            Gets the first bytes; raises TransferTrouble when they are not those of the requested file.
        refusal
            Makes the error of an answer that is not 200, from its text; TransferTrouble has it asked for again.

        Raises
        ------
        ArchiveUnavailable
            The last try failed too.
        ArchiveAnswerError
            The archive has no such file, the URL cannot be asked, or the file is longer than any should be.
        StorageError
            The file cannot be written.
        """
        settings = self._settings
        if length is not None and length > settings.listed_limit_bytes:
            raise ArchiveAnswerError(
                f"the file is listed with more than the {settings.listed_limit_bytes} bytes that a file may have",
                where=url,
                hint="The listing may be wrong: tell the archive.",
            )
        limit_bytes = settings.file_limit_bytes if length is None else length + 1
        allowance = Allowance(settings, length=length or 0)

        def ask() -> Received:
            with self._response(url, allowance) as response:
                if response.status != 200:
                    if refusal is not None:
                        raise refusal(self._reply(url, response))
                    raise ArchiveAnswerError(
                        f"the listed file cannot be downloaded: status {response.status}",
                        where=url,
                        hint="The archive may be changing its files; run the same command again later.",
                    )
                try:
                    return _write(self._body(response, limit_bytes), into, length, check_head)
                except TooLong:
                    if length is not None:
                        raise TransferTrouble(f"sent more than the listed {length} bytes") from None
                    raise self._too_long(url) from None

        return self._with_retries(ask, url, allowance, on_retry)

    def close(self) -> None:
        """End waits and refuse further requests."""
        self._stopping.set()
        with self._connecting:
            if self._connections is not None:
                self._connections.close()

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._stopping.is_set()

    def _taken_of_all(self) -> contextlib.AbstractContextManager[None]:
        """Hold a slot of those that all processes share, where they share any."""
        shared = self._settings.shared
        return contextlib.nullcontext() if shared is None else shared.taken(self._host, self._settings.at_once, self._stopping)

    @contextlib.contextmanager
    def _response(self, url: str, allowance: Allowance) -> Iterator[httpcore.Response]:
        """An open response that is worth reading; redirects are followed without reading them."""
        with self._slots.taken(self._stopping), self._taken_of_all(), self._as_trouble(url):
            with self._connecting:
                if self._connections is None:
                    self._connections = Connections(self._settings)
                connections = self._connections
            allowance.begin_try()
            try:
                place = url
                for _ in range(1 + _MOST_REDIRECTS):
                    with connections.get(self._address(place, url), allowance) as response:
                        target = header(response, b"location") if response.status in _REDIRECTS else ""
                        if not target:
                            if response.status in _BUSY or response.status >= 500:
                                raise TransferTrouble(f"answered with status {response.status}", retry_after_s(response))
                            yield response
                            return
                    place = _joined(place, target)
                raise ArchiveAnswerError(f"redirected more than {_MOST_REDIRECTS} times", where=url, hint=self._check_url)
            finally:
                allowance.end_try()

    def _address(self, place: str, url: str) -> httpx.URL:
        fault = address_fault(place)
        try:
            if not fault:
                return httpx.URL(place)
        except (httpx.InvalidURL, ValueError):
            fault = "it cannot be read"
        which = "this address cannot be asked" if place == url else f"redirected to {place[:200]!r}, which cannot be asked"
        raise ArchiveAnswerError(f"{which}: {fault}", where=url[:300], hint=self._check_url)

    def _reply(self, url: str, response: httpcore.Response) -> Reply:
        try:
            body = b"".join(self._body(response, self._settings.text_limit_bytes))
        except TooLong:
            raise self._too_long(url) from None
        return Reply(url, response.status, header(response, b"content-type"), body)

    def _too_long(self, url: str) -> ArchiveAnswerError:
        most = readable_size(self._settings.text_limit_bytes)
        hint = f"Ask for a shorter range. {self._check_url}"
        return ArchiveAnswerError(f"the answer is too long: at most {most} are read", where=url, hint=hint)

    def _body(self, response: httpcore.Response, limit_bytes: int) -> Iterator[bytes]:
        for piece in read_body(response.iter_stream(), header(response, b"content-encoding").lower(), limit_bytes):
            if self._stopping.is_set():
                raise TransferTrouble("stopped")
            yield piece

    @contextlib.contextmanager
    def _as_trouble(self, url: str) -> Iterator[None]:
        try:
            yield
        except (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, UnicodeError) as error:
            raise ArchiveAnswerError(f"cannot be asked: {error}", where=url, hint=self._check_url) from error
        except httpcore.TimeoutException as error:
            kind = "no connection" if isinstance(error, httpcore.ConnectTimeout) else "no answer"
            raise TransferTrouble(f"{kind} within the time limit") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            raise TransferTrouble(f"the transfer broke: {str(error)[:300] or type(error).__name__}") from error

    def _with_retries(self, ask: Callable[[], _T], url: str, allowance: Allowance, on_retry: OnRetry | None) -> _T:
        url = without_secrets(url)
        tries = self._settings.tries if self._failed_in_a_row < _GIVEN_UP_AFTER else 1
        made = 0

        def before_sleep(state: tenacity.RetryCallState) -> None:
            retry = Retry(url, _cause(state), state.attempt_number, tries, state.upcoming_sleep)
            _log.info("%s: %s; try %d of %d, next in %.1f s", url, retry.cause, retry.attempt, tries, retry.wait_s)
            if on_retry is not None:
                on_retry(retry)

        def ask_unless_stopped() -> _T:
            nonlocal made
            made += 1
            if self._stopping.is_set():
                raise ArchiveUnavailable("stopped before it was asked", where=url, hint=_AGAIN)
            return ask()

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TransferTrouble),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(tries),
                tenacity.stop_when_event_set(self._stopping),
                _stop_when(lambda: allowance.is_used_up),
            ),
            wait=self._wait_s,
            sleep=tenacity.sleep_using_event(self._stopping),
            before_sleep=before_sleep,
            reraise=True,
        )
        try:
            result = retrying(ask_unless_stopped)
        except TransferTrouble as trouble:
            self._failed_in_a_row += 1
            tried = "" if self._stopping.is_set() else f" ({made} tries)" if tries > 1 else " (after others failed as well)"
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
            f"cannot be written: {error.strerror or error}",
            where=str(into),
            hint="Free some disk space, or set HELIO_HOME to a folder on another disk.",
        ) from error
    check_head(head)
    if length is not None and size != length:
        raise TransferTrouble(f"sent {'more than' if size > length else f'{size} of'} the listed {length} bytes")
    return Received(size, digest.hexdigest())


class _stop_when(stop_base):  # noqa: N801 - as tenacity names its own
    """Stop once a condition holds."""

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    def __call__(self, retry_state: tenacity.RetryCallState) -> bool:  # noqa: ARG002 - tenacity's signature
        return self._holds()


def _joined(place: str, target: str) -> str:
    try:
        return urljoin(place, target)
    except ValueError:
        return target  # it is refused with its fault when it is asked


def _cause(state: tenacity.RetryCallState) -> str:
    return str(state.outcome.exception()) if state.outcome else ""


_AGAIN = "Run the same command again: what is already here is kept."
