"""An `Archive` over the node for Planetary Plasma Interactions of the Planetary Data System: server, cache and reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from helio_dagster.archives.archive import Fetched, Listed, Report
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.pds.layout import Product
from helio_dagster.archives.pds.places import place_of
from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.archives.pds.request import PdsRequest
from helio_dagster.archives.pds.server import PdsServer
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.archives.window_fetch import FetchSteps, WindowFetch
from helio_dagster.archives.window_listing import list_windows
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.domain.time_range import TimeRange


class PdsArchive:
    """Measurements of planetary missions.

    The dataset of a fetch is a collection of PDS4 or a data set of PDS3 (`places.place_of`), its parameter a field of the
    tables, or several joined with commas. A file counts as changed when the date of it or of its label changes, or the label's
    version.

    Parameters
    ----------
    cache_dir
        Folder of the downloaded files of all archives; this one's go into a folder of its name.
    reader
        Reads labels and tables; not closed here.
    mirror
        URL of a server with the archive's folders, in place of the archive.
    settings
        Limits of transfers.
    decoders
        How many files are decoded at once.
    """

    def __init__(
        self,
        cache_dir: Path,
        reader: ProductReader,
        *,
        mirror: str = "",
        settings: TransferSettings | None = None,
        decoders: int = 2,
    ) -> None:
        self._server = PdsServer(mirror, settings)
        self._cache = FileCache(archive_folder(cache_dir, PDS_ARCHIVE), lambda: self._server.is_closed)
        self._reader, self._decoders = reader, decoders
        self._products: dict[str, Product] = {}

    @property
    def name(self) -> str:
        """The archive's name in pipelines and asset keys."""
        return PDS_ARCHIVE

    @property
    def is_synthetic(self) -> bool:
        """False: what the archive gives is measured."""
        return False

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
        return WindowFetch(steps, downloads=self._server.at_once, decoders=self._decoders, synthetic=False).run(windows)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The files that make up each window now, in order; see `Archive.listed`."""
        return list_windows(self._request(dataset, "", verify=False, report=report).list_files, windows)

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a file is in the cache; see `Archive.is_at_hand`."""
        return self._cache.path(file.url, file.last_modified).exists()

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        self._server.close()

    def __enter__(self) -> PdsArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> PdsRequest:
        return PdsRequest(
            self._server,
            self._cache,
            self._reader,
            place_of(dataset),
            parameter=parameter,
            verify=verify,
            products=self._products,
            teller=Teller(dataset, report),
        )
