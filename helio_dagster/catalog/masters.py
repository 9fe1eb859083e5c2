"""The master CDFs of an archive's datasets: fetched, kept while they are needed, read in a worker process."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Protocol

from helio_dagster.archives.cdas.client import require_cdf
from helio_dagster.archives.cdas.place import master_url
from helio_dagster.archives.cdf.header import check_header
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.archives.transfer.http import HttpTransfer
from helio_dagster.archives.transfer.settings import Reply, TransferSettings
from helio_dagster.domain.errors import ArchiveAnswerError, CorruptFile, InputError
from helio_dagster.storage.atomic import atomic_path, storage_error, sweep

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,120}")


class MasterReader(Protocol):
    """What decodes a master: `CdfReader`."""

    def master(self, path: Path) -> MasterDescription:
        """What a master file says; raises CorruptFile."""
        ...


class _NoMaster(ArchiveAnswerError):
    """The archive has none for this dataset."""


class CdasMasters:
    """Masters from the host of a CDAS service. `fetch` may be called from several threads, one dataset in each.

    A downloaded file stays in the folder until `forget`, so that work that was cut off does not ask for it again.

    Parameters
    ----------
    base_url
        The service's, up to and with `…/sp_phys/`.
    folder
        Where files are kept.
    reader
        Decodes them; not closed here.
    settings
        Limits of transfers.
    """

    def __init__(self, base_url: str, folder: Path, reader: MasterReader, *, settings: TransferSettings | None = None) -> None:
        self._base_url = base_url
        self._folder = folder
        self._reader = reader
        self._transfer = HttpTransfer(base_url, settings)
        self._lock = threading.Lock()
        self.downloads = 0

    def fetch(self, dataset: str) -> MasterDescription | None:
        """What the master of a dataset says; None where the archive has none.

        Raises
        ------
        InputError
            The id cannot be one.
        ArchiveUnavailable
            The network or the server failed on each try.
        ArchiveAnswerError
            The answer cannot be a master file.
        CorruptFile
            No reader can decode it; it is not kept.
        StorageError
            It cannot be written.
        """
        if not is_dataset_id(dataset):
            raise InputError(f"{dataset[:60]!r} cannot be the id of a dataset", hint="Ids are letters, digits, and _ . + -.")
        path = self._folder / f"{dataset.lower()}_00000000_v01.cdf"
        if path.is_file():
            try:
                return self._read(path)
            except CorruptFile:  # it was kept from work that was cut off: ask once more
                pass
        try:
            self._download(dataset, path)
        except _NoMaster:
            return None
        return self._read(path)

    def forget(self) -> None:
        """Delete the kept files."""
        sweep(self._folder)
        try:
            for path in sorted(self._folder.glob("*.cdf")):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, self._folder) from error

    def close(self) -> None:
        """End waits, close connections."""
        self._transfer.close()

    def _read(self, path: Path) -> MasterDescription:
        try:
            return self._reader.master(path)
        except CorruptFile:
            path.unlink(missing_ok=True)
            raise

    def _download(self, dataset: str, path: Path) -> None:
        with atomic_path(path) as temporary:
            self._transfer.download(
                master_url(self._base_url, dataset), temporary, length=None, check_head=require_cdf, refusal=_refusal
            )
            check_header(temporary)
        with self._lock:
            self.downloads += 1


def is_dataset_id(text: str) -> bool:
    """Whether a text can be the id of a dataset, and so part of a file name."""
    return _ID.fullmatch(text) is not None


def _refusal(reply: Reply) -> ArchiveAnswerError:
    if reply.status == 404:
        return _NoMaster("the archive has no such master", where=reply.url)
    return ArchiveAnswerError(
        f"the archive refused with status {reply.status}", where=reply.url, hint="Run the same command again later."
    )
