"""What one fetch from the archive does with a range or a file: list, download through the cache, decode, report."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from helio_dagster.archives.archive import SourceFile
from helio_dagster.archives.file_steps import Teller, decode_or_mend
from helio_dagster.archives.files.cache import CachedFile, FileCache
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.pds.folders import LabelFile, find_labels
from helio_dagster.archives.pds.layout import Product
from helio_dagster.archives.pds.parameters import by_name
from helio_dagster.archives.pds.places import PDS_URL, Place
from helio_dagster.archives.pds.products import DataFile, find_files, require_one_kind
from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.archives.pds.server import NoFolder, PdsServer
from helio_dagster.archives.transfer.folder_page import Entry
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.errors import ArchiveAnswerError, CorruptFile, InputError, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_MOST_KEPT = 20_000


@dataclass
class PdsRequest:
    """A dataset's parameter, asked for by one fetch. Its methods are called from several threads.

    A folder is listed once in a request. `verify` verifies every file again; `products` keeps what labels say between requests.
    """

    server: PdsServer
    cache: FileCache
    reader: ProductReader
    place: Place
    parameter: str
    verify: bool
    products: dict[str, Product]
    teller: Teller
    _pages: dict[str, list[Entry]] = field(default_factory=dict)
    _files: dict[ListedFile, DataFile] = field(default_factory=dict)
    _fields: set[frozenset[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def list_files(self, span: TimeRange) -> list[ListedFile]:
        """The data files around a time range, of the one kind that the dataset's id chooses.

        Raises
        ------
        UnknownDataset
            There is no such dataset, or its id leaves several kinds of files.
        ArchiveError
            The listing cannot be fetched.
        """
        where = f"pds/{self.place.dataset}"
        try:
            labels, is_cut = find_labels(self._entries, self.place.folder, span, self.server.most_listed)
            if not labels and not is_cut:
                problem = f"the folder {self.place.folder} holds no labels, and without them its files cannot be read"
                raise ArchiveAnswerError(problem, where=where, hint="Choose another dataset.")
            found = find_files(labels, span, self.place.kind, self._read_labels)
            require_one_kind(found, self.place.dataset)
        except NoFolder as error:
            problem = f"there is no dataset {self.place.dataset}: {error.problem}"
            hint = "Check the id: `helio catalog search` finds datasets. Or the archive has moved it."
            raise UnknownDataset(problem, where=error.where, hint=hint) from error
        except InputError as error:
            raise UnknownDataset(error.problem, where=error.where or where, hint=error.hint) from error
        with self._lock:
            self._files.update((file.listed, file) for file in found)
        return [file.listed for file in found]

    def obtain(self, file: ListedFile) -> CachedFile:
        """The file on this disk, downloaded unless it is there.

        Raises
        ------
        ArchiveError, StorageError
            It cannot be downloaded, or cannot be stored.
        """
        fault = self._of(file).fault
        if fault is not None:
            raise fault
        cached = self._cached(file)
        self.teller.obtained(file, cached)
        return cached

    def decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        """The file's table; a corrupt file is put aside and downloaded once more.

        Raises
        ------
        UnknownDataset
            The file has no such parameter.
        ArchiveError, StorageError
            The file cannot be decoded, had or kept.
        """
        return decode_or_mend(file, cached, decode=self._decode, download=self._cached, cache=self.cache, teller=self.teller)

    def _decode(self, file: ListedFile, cached: CachedFile) -> tuple[SourceFile, Table]:
        label = self._of(file).label
        on_disk = self._cached_label(label)
        try:
            table = self.reader.read(on_disk.path, label.name, cached.path, file.name, self.parameter)
        except UnknownDataset as error:
            where = f"pds/{self.place.dataset}, {file.name}"
            if self._is_elsewhere():
                raise ArchiveAnswerError(f"{error.problem}, which other files have", where=where, hint=error.hint) from error
            raise UnknownDataset(error.problem, where=where, hint=error.hint) from error
        return SourceFile(file.name, file.url, cached.size, file.last_modified, cached.sha256), table

    def _is_elsewhere(self) -> bool:
        """Whether another file of those listed has all fields of the parameter."""
        names = {self.parameter}, {name.strip() for name in self.parameter.split(",")}
        with self._lock:
            return any(wanted <= fields for wanted in names for fields in self._fields)

    def _entries(self, folder: str) -> list[Entry]:
        if folder not in self._pages:
            self._pages[folder] = self.server.entries(folder, self.teller.retried)
        return self._pages[folder]

    def _read_labels(self, labels: Sequence[LabelFile]) -> list[Product | CorruptFile]:
        if not labels:
            return []
        with ThreadPoolExecutor(self.server.at_once, "helio-labels") as pool:
            return list(pool.map(self._read_label, labels))

    def _read_label(self, label: LabelFile) -> Product | CorruptFile:
        cached = self._cached_label(label)
        key = f"{cached.sha256} {label.name}"
        product = self.products.get(key)
        if product is None:
            try:
                product = self.reader.label(cached.path, label.name)
            except CorruptFile as error:
                return error
            if len(self.products) < _MOST_KEPT:
                self.products[key] = product
        with self._lock:
            self._fields |= {frozenset(by_name(table)) for table in product.tables}
        return product

    def _cached_label(self, label: LabelFile) -> CachedFile:
        return self._get(f"{PDS_URL}{quote(label.path)}", label.last_modified)

    def _cached(self, file: ListedFile) -> CachedFile:
        return self._get(file.url, file.last_modified)

    def _get(self, url: str, last_modified: str) -> CachedFile:
        def download(into: Path) -> Received:
            return self.server.download(url, into, self.teller.retried)

        return self.cache.get(url, last_modified, None, download, verify=self.verify)

    def _of(self, file: ListedFile) -> DataFile:
        with self._lock:
            return self._files[file]
