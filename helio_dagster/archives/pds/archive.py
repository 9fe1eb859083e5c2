"""An `Archive` over the node for Planetary Plasma Interactions of the Planetary Data System: server, cache and reader."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.archives.archive import Report
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.pds.layout import Product
from helio_dagster.archives.pds.places import place_of
from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.archives.pds.request import PdsRequest
from helio_dagster.archives.pds.server import PdsServer
from helio_dagster.archives.remote_archive import RemoteArchive
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.planetary import PDS_ARCHIVE


class PdsArchive(RemoteArchive):
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
        cache = FileCache(archive_folder(cache_dir, PDS_ARCHIVE), lambda: self._server.is_closed)
        super().__init__(PDS_ARCHIVE, self._server, cache, downloads=self._server.at_once, decoders=decoders)
        self._reader = reader
        self._products: dict[str, Product] = {}

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
