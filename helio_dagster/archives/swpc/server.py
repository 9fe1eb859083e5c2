"""The web server of SWPC: the solar wind of the last day, three days or week."""

from __future__ import annotations

from helio_dagster.archives.swpc.answers import Answer, read_answer
from helio_dagster.archives.transfer.http import HttpTransfer, is_html
from helio_dagster.archives.transfer.settings import OnRetry, Reply, TransferSettings, TransferTrouble
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.real_time import SWPC_URL

LENGTHS_DAYS = (1, 3, 7)
"""The lengths of answers that are asked for, the last one reaching back as far as any."""
_CHECK = "Check HELIO_SWPC_URL."


class SwpcServer:
    """One server. Methods may be called from several threads at once.

    Parameters
    ----------
    mirror
        URL of a server with the same files; without one SWPC itself is asked. Files are recorded under SWPC's own URLs.
    settings
        Limits of transfers.
    """

    def __init__(self, mirror: str = "", settings: TransferSettings | None = None) -> None:
        self._base = (mirror or SWPC_URL).rstrip("/")
        self._settings = settings or TransferSettings()
        self._transfer = HttpTransfer(f"{self._base}/", self._settings, check_url=_CHECK)

    @property
    def at_once(self) -> int:
        """How many requests may be under way."""
        return self._settings.at_once

    def solar_wind(self, dataset: str, days: int, on_retry: OnRetry | None = None) -> Answer:
        """The records of the last days.

        Raises
        ------
        ArchiveUnavailable
            The server does not answer.
        ArchiveAnswerError
            The answer is not what it should be.
        """
        url = f"{self._base}/products/{place_of(dataset, days)}"

        def parse(reply: Reply) -> Answer:
            if reply.status != 200:
                raise ArchiveAnswerError(f"the archive answered with status {reply.status}", where=url, hint=_CHECK)
            if is_html(reply.body, reply.content_type):
                raise TransferTrouble("sent a web page instead of the solar wind")
            try:
                return read_answer(reply.body)
            except ValueError as error:
                hint = "The server may be writing the file: run the same command again. If it stays so, SWPC has changed it."
                raise ArchiveAnswerError(f"the answer cannot be read: {error}", where=url, hint=hint) from None

        return self._transfer.get(url, parse, on_retry=on_retry)

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are made."""
        return self._transfer.is_closed

    def close(self) -> None:
        """End waits and refuse further requests."""
        self._transfer.close()


def place_of(dataset: str, days: int) -> str:
    """The file of a dataset's last days, below `products/`: `solar-wind-mag` is `solar-wind/mag-7-day.json`."""
    return f"solar-wind/{dataset.removeprefix('solar-wind-')}-{days}-day.json"
