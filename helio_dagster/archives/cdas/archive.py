"""An `Archive` over a CDAS service: client, cache and reader put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.archives.archive import Report, SourceFile, TableReader
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdas.kept_masters import KeptMasters
from helio_dagster.archives.cdas.request import CdasRequest
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.remote_archive import RemoteArchive
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.addresses import address_fault


class CdasArchive(RemoteArchive):
    """Measurements of an archive that speaks CDAS.

    Parameters
    ----------
    base_url
        Up to and with `…/sp_phys/`.
    cache_dir
        Folder of the downloaded files of all archives; this one's go into a folder of its name.
    reader
        Decodes files; not closed here.
    name
        As in pipelines and asset keys.
    is_synthetic
        Marks all tables.
    settings
        Limits of transfers.
    decoders
        How many files are decoded at once.
    public_url
        The URL under which a file is recorded and cached, for servers whose own URL changes from run to run.

    Raises
    ------
    InputError
        The base URL is none.
    """

    def __init__(
        self,
        base_url: str,
        cache_dir: Path,
        reader: TableReader,
        *,
        name: str = "cdaweb",
        is_synthetic: bool = False,
        settings: TransferSettings | None = None,
        decoders: int = 2,
        public_url: Callable[[str], str] | None = None,
    ) -> None:
        limits = settings or TransferSettings()
        self._client = CdasClient(base_url, archive=name, settings=limits)
        cache = FileCache(archive_folder(cache_dir, name), lambda: self._client.is_closed)
        super().__init__(name, self._client, cache, downloads=limits.at_once, decoders=decoders, is_synthetic=is_synthetic)
        self._reader = reader
        self._public_url = public_url or _as_given
        self._masters = KeptMasters(self._client, cache, self._public_url)

    @property
    def client(self) -> CdasClient:
        """The client, for catalog questions."""
        return self._client

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a file is in the cache; see `Archive.is_at_hand`."""
        return not address_fault(file.url) and self._cache.path(self._public_url(file.url), file.last_modified).exists()

    def master(self, dataset: str) -> SourceFile | None:
        """A dataset's master as it is now; see `HasMasters`."""
        found = self._masters.current(dataset)
        return found[1] if found is not None else None

    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> CdasRequest:
        return CdasRequest(
            self._client,
            self._cache,
            self._reader,
            self._public_url,
            archive=self._name,
            is_synthetic=self._is_synthetic,
            dataset=dataset,
            parameter=parameter,
            verify=verify,
            teller=Teller(dataset, report),
            masters=self._masters,
        )


def _as_given(url: str) -> str:
    return url
