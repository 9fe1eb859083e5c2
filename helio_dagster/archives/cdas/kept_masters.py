"""Datasets' masters as fetches use them: downloaded each time, and each state of one kept in the cache while it is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from helio_dagster.archives.archive import SourceFile
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.files.cache import FileCache
from helio_dagster.archives.transfer.settings import OnRetry, Received
from helio_dagster.domain.errors import ArchiveUnavailable, UnknownDataset


@dataclass(frozen=True)
class KeptMasters:
    """The masters of an archive. Methods may be called from several threads.

    `public_url` gives the URL under which one is recorded and cached.
    """

    client: CdasClient
    cache: FileCache
    public_url: Callable[[str], str]

    def newest_known(self, dataset: str, on_retry: OnRetry | None = None) -> tuple[Path, SourceFile] | None:
        """A dataset's master as it is now, or as it was when the archive last answered; None where the archive has none."""
        try:
            return self.current(dataset, on_retry)
        except ArchiveUnavailable:
            return self._get(dataset, on_retry, afresh=False)

    def current(self, dataset: str, on_retry: OnRetry | None = None) -> tuple[Path, SourceFile] | None:
        """A dataset's master as it is now, and where it is kept; None where the archive has none.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be had, or cannot be kept.
        """
        try:
            return self._get(dataset, on_retry, afresh=True)
        except UnknownDataset:
            return None

    def _get(self, dataset: str, on_retry: OnRetry | None, *, afresh: bool) -> tuple[Path, SourceFile]:
        def download(into: Path) -> Received:
            return self.client.download_master(dataset, into, on_retry=on_retry)

        url = self.public_url(self.client.master_url(dataset))
        newest = self.cache.get(url, "", None, download, afresh=afresh)

        def copy(into: Path) -> Received:
            shutil.copyfile(newest.path, into)
            return Received(newest.size, newest.sha256)

        kept = self.cache.get(url, newest.sha256, newest.size, copy)
        return kept.path, SourceFile(unquote(url).rpartition("/")[2], url, kept.size, kept.sha256, kept.sha256)
