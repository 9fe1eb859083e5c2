"""An `Archive` over a HAPI server: client, cache and chunks put together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from helio_dagster.archives.archive import Report
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.hapi.request import HapiRequest
from helio_dagster.archives.remote_archive import RemoteArchive
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.hapi_servers import server_url


def _utc_now() -> datetime:
    return datetime.now(UTC)


class HapiArchive(RemoteArchive):
    """Measurements of a server that speaks HAPI.

    What was received for a chunk of time (`hapi.chunks`) takes the place of a file. Its date is the dataset's
    `modificationDate`: when that changes, all chunks of the dataset count as republished. A dataset without one shows only that
    it has grown; `verify`, as `--force` and `--refresh` ask for it, then downloads its chunks again.

    Parameters
    ----------
    name
        As in pipelines and asset keys: `hapi:<server>`, see `servers.server_url`.
    cache_dir
        Folder of the downloaded files of all archives; this one's go into a folder of its name.
    settings
        Limits of transfers.
    decoders
        How many chunks are decoded at once.
    clock
        What time it is; what is not over by then is not asked for.

    Raises
    ------
    InputError
        The name means no server.
    """

    def __init__(
        self,
        name: str,
        cache_dir: Path,
        *,
        settings: TransferSettings | None = None,
        decoders: int = 2,
        clock: Callable[[], datetime] = _utc_now,
    ) -> None:
        limits = settings or TransferSettings()
        self._client = HapiClient(server_url(name), archive=name, settings=limits)
        cache = FileCache(archive_folder(cache_dir, name), lambda: self._client.is_closed)
        super().__init__(name, self._client, cache, downloads=limits.at_once, decoders=decoders)
        self._clock = clock

    @property
    def client(self) -> HapiClient:
        """The client, for catalog questions."""
        return self._client

    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> HapiRequest:
        return HapiRequest(
            self._client,
            self._cache,
            archive=self._name,
            dataset=dataset,
            parameter=parameter,
            now=self._clock(),
            verify=verify,
            teller=Teller(dataset, report),
        )
