"""The archive's web server: the pages of its folders, and downloads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.archives.pds.places import PDS_URL
from helio_dagster.archives.transfer.folder_page import Entry, read_folder_page
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.settings import OnRetry, Received, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.errors import ArchiveAnswerError

_CHECK = "Check HELIO_PDS_URL."


class NoFolder(ArchiveAnswerError):
    """The server has no such folder."""


class PdsServer:
    """One server of the archive. Methods may be called from several threads at once.

    Parameters
    ----------
    mirror
        URL of a server with the same folders; without one the archive itself is asked. Files are recorded and cached under the
        archive's own URLs either way.
    settings
        Limits of transfers.
    """

    def __init__(self, mirror: str = "", settings: TransferSettings | None = None) -> None:
        self._base = (mirror or PDS_URL).rstrip("/")
        self._settings = settings or TransferSettings()
        self._transfer = HttpTransfer(f"{self._base}/", self._settings, check_url=_CHECK)

    @property
    def at_once(self) -> int:
        """How many requests may be under way."""
        return self._settings.at_once

    @property
    def most_listed(self) -> int:
        """How many files may be listed."""
        return self._settings.most_listed

    def entries(self, folder: str, on_retry: OnRetry | None = None) -> list[Entry]:
        """What a folder holds, given as its path `/data/…/`, in order of name.

        Raises
        ------
        ArchiveUnavailable
            The server does not answer.
        NoFolder
            There is no such folder.
        ArchiveAnswerError
            The answer is not the page of a folder.
        """
        place = f"{self._base}{folder}"

        def parse(reply: Reply) -> list[Entry]:
            if reply.status == 404:
                raise NoFolder("the archive has no such folder", where=place, hint=f"It may have moved it. {_CHECK}")
            if reply.status != 200 or not is_html(reply.body, reply.content_type):
                raise ArchiveAnswerError(f"not the page of a folder (status {reply.status})", where=place, hint=_CHECK)
            return read_folder_page(reply.body.decode("utf-8", "replace"), place, self._settings.most_listed)

        return self._transfer.get(place, parse, on_retry=on_retry)

    def download(self, url: str, into: Path, on_retry: OnRetry | None = None) -> Received:
        """Write a file of the archive, given by its own URL, to `into`; a web page in its place is refused."""
        place = f"{self._base}{url.removeprefix(PDS_URL)}"
        return self._transfer.download(place, into, length=None, check_head=_check_head(url), on_retry=on_retry)

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._transfer.is_closed

    def close(self) -> None:
        """End waits and refuse further requests."""
        self._transfer.close()


def _check_head(url: str) -> Callable[[bytes], None]:
    def check(head: bytes) -> None:
        if is_html(head):
            raise TransferTrouble(f"sent a web page instead of {url.rpartition('/')[2]}")

    return check
