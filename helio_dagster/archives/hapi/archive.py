"""An `Archive` over a HAPI server: client, cache and chunks put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from helio_dagster.archives.archive import Fetched, Listed, Report
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.hapi.request import HapiRequest
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.archives.window_fetch import FetchSteps, WindowFetch
from helio_dagster.archives.window_listing import list_windows
from helio_dagster.domain.hapi_servers import server_url
from helio_dagster.domain.time_range import TimeRange


def _utc_now() -> datetime:
    return datetime.now(UTC)


class HapiArchive:
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
        self._name = name
        self._settings = settings or TransferSettings()
        self._client = HapiClient(server_url(name), archive=name, settings=self._settings)
        self._cache = FileCache(archive_folder(cache_dir, name), lambda: self._client.is_closed)
        self._decoders = decoders
        self._clock = clock

    @property
    def name(self) -> str:
        """The archive's name in pipelines and asset keys."""
        return self._name

    @property
    def is_synthetic(self) -> bool:
        """False: what a HAPI server gives is taken for measured."""
        return False

    @property
    def client(self) -> HapiClient:
        """The client, for catalog questions."""
        return self._client

    def fetch(
        self,
        dataset: str,
        parameter: str,
        windows: Sequence[TimeRange],
        *,
        verify: bool = False,
        report: Report | None = None,
    ) -> Iterator[Fetched]:
        """Fetch a parameter for each window, in order; see `Archive.fetch`."""
        request = self._request(dataset, parameter, verify=verify, report=report)
        steps = FetchSteps(request.list_files, request.teller.expect, request.obtain, request.decode)
        return WindowFetch(steps, downloads=self._settings.at_once, decoders=self._decoders, synthetic=False).run(windows)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The chunks that make up each window now, in order; see `Archive.listed`."""
        return list_windows(self._request(dataset, "", verify=False, report=report).list_files, windows)

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a chunk is in the cache; a listing names no parameter, so it cannot be said of one."""
        return self._cache.path(file.url, file.last_modified).exists()

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        self._client.close()

    def __enter__(self) -> HapiArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
