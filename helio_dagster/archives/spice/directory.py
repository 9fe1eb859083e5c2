"""A server's folder of kernels: its listing, read from the page that web servers make of a folder, and downloads."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.errors import ArchiveAnswerError

_DATES = (
    (re.compile(r"(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})"), "%Y-%m-%d %H:%M"),
    (re.compile(r"(\d{2}-[A-Z][a-z]{2}-\d{4}) (\d{2}:\d{2})"), "%d-%b-%Y %H:%M"),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}")
_HEADS = {".bsp": b"DAF/SPK", ".tls": b"KPL/LSK", ".tpc": b"KPL/PCK"}


class Entry(NamedTuple):
    """A file of a folder: its name, and its date as ISO text, empty where the page has none."""

    name: str
    last_modified: str


class KernelDirectory:
    """One server's kernels.

    Parameters
    ----------
    server
        Scheme and host, such as https://naif.jpl.nasa.gov.
    settings
        Limits of transfers.
    """

    def __init__(self, server: str, settings: TransferSettings | None = None) -> None:
        self._settings = settings or TransferSettings()
        self._transfer = HttpTransfer(server, self._settings, check_url="Check HELIO_SPICE_URL.")

    def entries(self, folder: str, on_retry: OnRetry | None = None) -> list[Entry]:
        """The files of a folder, given as its URL, in order of name.

        Raises
        ------
        ArchiveUnavailable
            The server does not answer.
        ArchiveAnswerError
            There is no such folder, or the answer is not a list of files.
        """
        return self._transfer.get(
            folder, lambda reply: _read_page(reply, folder, self._settings.most_listed), on_retry=on_retry
        )

    def download(self, url: str, into: Path, on_retry: OnRetry | None = None) -> Received:
        """Write a kernel to a file; what does not begin as its kind must is refused.

        Raises
        ------
        ArchiveUnavailable, ArchiveAnswerError, StorageError
            As `HttpTransfer.download`.
        """
        return self._transfer.download(url, into, length=None, check_head=_check_head(url), on_retry=on_retry)

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._transfer.is_closed

    def close(self) -> None:
        """End waits and refuse further requests."""
        self._transfer.close()


class _Links(HTMLParser):
    """The links of a page, each with the text up to the next one, where servers write date and size."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href") if tag == "a" else None
        if target:
            self.found.append((target, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            target, text = self.found[-1]
            self.found[-1] = (target, f"{text} {data}"[:500])


def _read_page(reply: Reply, folder: str, most: int) -> list[Entry]:
    if reply.status == 404:
        raise ArchiveAnswerError("there is no such folder of kernels", where=folder, hint="The archive may have moved it.")
    if reply.status != 200 or not is_html(reply.body, reply.content_type):
        hint = "The archive may have changed. Check HELIO_SPICE_URL."
        raise ArchiveAnswerError(f"not a list of files (status {reply.status})", where=folder, hint=hint)
    links = _Links()
    links.feed(reply.body.decode("utf-8", "replace"))
    found: dict[str, Entry] = {}
    above = unquote(urlsplit(folder).path)
    for target, text in links.found[:most]:
        try:
            place = urljoin(folder, target)
            path = unquote(urlsplit(place).path)
        except ValueError:
            continue
        name = path.rpartition("/")[2]
        if place.startswith(folder) and path == f"{above}{name}" and _NAME.fullmatch(name):
            found[name] = Entry(name, _date_in(text))
    return [found[name] for name in sorted(found)]


def _date_in(text: str) -> str:
    for pattern, form in _DATES:
        match = pattern.search(text)
        if match is not None:
            try:
                moment = datetime.strptime(f"{match[1]} {match[2]}", form).replace(tzinfo=UTC)
            except ValueError:
                continue
            return f"{moment:%Y-%m-%dT%H:%M}:00.000Z"
    return ""


def _check_head(url: str) -> Callable[[bytes], None]:
    wanted = next((head for suffix, head in _HEADS.items() if url.lower().endswith(suffix)), b"")

    def check(head: bytes) -> None:
        if not head.startswith(wanted):
            what = "a web page" if is_html(head) else f"something that begins with {head[:12]!r}"
            raise TransferTrouble(f"sent {what}, not a kernel")

    return check
