"""What one fetch from a CDAS service does with a range or a file: list, download through the cache, decode, report."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from helio_dagster.archives.archive import SourceFile, TableReader
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdas.kept_masters import KeptMasters
from helio_dagster.archives.file_steps import Teller, decode_or_mend
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

DEFINED_BY = "HELIO_DEFINED_BY"
"""The attribute of a table's metadata that names the master which defines a variable that no file holds."""
_MARGIN = timedelta(minutes=1)  # listed on both sides: servers differ on whether a file that touches an edge overlaps


@dataclass
class CdasRequest:
    """A dataset's parameter, asked for by one fetch. Its methods are called from several threads.

    `public_url` gives the URL under which a file is recorded and cached; `verify` verifies every file again.
    """

    client: CdasClient
    cache: FileCache
    reader: TableReader
    public_url: Callable[[str], str]
    archive: str
    is_synthetic: bool
    dataset: str
    parameter: str
    verify: bool
    teller: Teller
    masters: KeptMasters
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _variables: set[str] | None = None
    _master: tuple[Path, SourceFile] | None = None
    _is_master_known: bool = False

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """Files around a time range.

        Raises
        ------
        UnknownDataset
            The archive has no such dataset.
        ArchiveError
            The listing cannot be fetched, or the archive contradicts itself.
        """
        files = self.client.files(self.dataset, span.start - _MARGIN, span.stop + _MARGIN, on_retry=self.teller.retried)
        if not files:
            self._require_no_data(span)
        return files

    def _require_no_data(self, span: TimeRange) -> None:
        """Compare a listing without files with the archive's inventory: no data are recorded only where both say so."""
        try:
            intervals = self.client.inventory(self.dataset, span, on_retry=self.teller.retried)
        except ArchiveAnswerError:
            return  # it keeps no inventory of this dataset
        held = [each for each in intervals if each.start < span.stop and each.end > span.start]
        if held:
            raise ArchiveAnswerError(
                f"the archive contradicts itself: it lists no files, but data from {held[0].start:%Y-%m-%dT%H:%MZ} on",
                where=f"{self.archive}/{self.dataset}, {span}",
                hint="Run the same command again later. The data may be computed on demand, and cannot be downloaded as files.",
            )

    def obtain(self, file: ListedFile) -> CachedFile:
        """The file on this disk, downloaded unless it is there.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be downloaded, or cannot be stored.
        """
        fault = address_fault(file.url)
        if fault:
            raise ArchiveAnswerError(
                f"the listing names a file that cannot be fetched: {fault}",
                where=ascii(file.url[:200]),
                hint="The listing may be wrong: tell the archive.",
            )
        if not file.name.lower().endswith(".cdf"):
            raise ArchiveAnswerError(
                f"{file.name} is not a CDF file, and no other format can be read",
                where=file.url,
                hint="Choose another dataset: `helio catalog search` offers them.",
            )

        cached = self._cached(file)
        self.teller.obtained(file, cached)
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The file's table; a corrupt file is put aside and downloaded once more.

        Raises
        ------
        UnknownDataset
            Neither the file nor the archive's list of the dataset's variables has the parameter.
        ArchiveError, StorageError
            The file cannot be decoded, had or kept.
        """
        return decode_or_mend(file, cached, decode=self._decode, download=self._cached, cache=self.cache, teller=self.teller)

    def _decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        try:
            table, master = self._read(cached)
        except UnknownDataset as error:
            if not self._is_listed_variable():
                raise UnknownDataset(error.problem, where=f"{self.archive}/{self.dataset}", hint=error.hint) from error
            raise ArchiveAnswerError(
                f"{file.name} has no {self.parameter}, which other files of the dataset have", where=file.url, hint=error.hint
            ) from error
        return SourceFile(file.name, self.public_url(file.url), cached.size, file.last_modified, cached.sha256, master), table

    def _read(self, cached: CachedFile) -> tuple[Table, SourceFile | None]:
        """The file's table; of what only the dataset's master defines, with the master, named among its attributes."""
        try:
            return self.reader.read(cached.path, self.parameter, synthetic=self.is_synthetic), None
        except UnknownDataset:
            with self._lock:
                if not self._is_master_known:
                    self._master, self._is_master_known = self.masters.newest_known(self.dataset, self.teller.retried), True
                found = self._master
            if found is None:
                raise
        path, master = found
        table = self.reader.read(cached.path, self.parameter, synthetic=self.is_synthetic, master=path)
        attributes = {**table.meta.attributes, DEFINED_BY: f"{master.url}, sha256 {master.sha256}"}
        return replace(table, meta=table.meta.model_copy(update={"attributes": attributes})), master

    def _cached(self, file: ListedFile) -> CachedFile:
        def download(into: Path) -> Received:
            return self.client.download(file, into, on_retry=self.teller.retried)

        return self.cache.get(self.public_url(file.url), file.last_modified, file.length, download, verify=self.verify)

    def _is_listed_variable(self) -> bool:
        with self._lock:
            if self._variables is None:
                try:
                    listed = self.client.variables(self.dataset, on_retry=self.teller.retried)
                except ArchiveError:
                    listed = []  # the file's own word is all there is
                self._variables = {variable.name for variable in listed}
            return self.parameter in self._variables
