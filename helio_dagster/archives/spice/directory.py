"""A server's folder of kernels: its listing, read from the page that web servers make of a folder, and downloads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.archives.transfer.folder_page import Entry, read_folder_page
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.errors import ArchiveAnswerError

_HEADS = {
    ".bsp": b"DAF/SPK",
    ".bc": b"DAF/CK",
    ".tls": b"KPL/LSK",
    ".tpc": b"KPL/PCK",
    ".tf": b"KPL/FK",
    ".tsc": b"KPL/SCLK",
}


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


def _read_page(reply: Reply, folder: str, most: int) -> list[Entry]:
    if reply.status == 404:
        hint = "The archive may have moved it. Check HELIO_SPICE_URL, if it is set."
        raise ArchiveAnswerError(f"there is no folder of kernels {folder}", where=folder, hint=hint)
    if reply.status != 200 or not is_html(reply.body, reply.content_type):
        hint = "The archive may have changed. Check HELIO_SPICE_URL."
        raise ArchiveAnswerError(f"not a list of files (status {reply.status})", where=folder, hint=hint)
    text = reply.body.decode("utf-8", "replace")
    return [entry for entry in read_folder_page(text, folder, most) if not entry.is_folder]


def _check_head(url: str) -> Callable[[bytes], None]:
    wanted = next((head for suffix, head in _HEADS.items() if url.lower().endswith(suffix)), b"")

    def check(head: bytes) -> None:
        if not head.startswith(wanted):
            other = f"something that begins with {head[:12]!r}" if head else "an empty file"
            raise TransferTrouble(f"sent {'a web page' if is_html(head) else other}, not a kernel")

    return check
