"""The demo archive: a CDAS-compatible server in this process over made-up files."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from helio_dagster.archives.archive import Archive, Fetched, Listed, Report, TableReader
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.demo.datasets import DATASETS, GENERATED, SPAN, DemoDataset
from helio_dagster.archives.files.provider import DatasetEntry, FileEntry, VariableEntry
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.packaged import PackagedKernels
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.ephemeris import is_ephemeris
from helio_dagster.domain.time_range import TimeRange

NAME = "demo"
_KEPT_FILES = 32
_KERNELS = Path(__file__).with_name("kernels")
_DATED = re.compile(r"_(\d{8})_v01\.cdf$")


class DemoFiles:
    """A `FileProvider` of made-up files, each made when it is asked for; the last few are kept."""

    def __init__(self, kept_files: int = _KEPT_FILES) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_files = kept_files
        self._lock = threading.Lock()

    def datasets(self) -> Sequence[DatasetEntry]:
        """All datasets, in order of id."""
        return [_entry(dataset) for dataset in DATASETS]

    def files(self, dataset: str, span: TimeRange) -> Sequence[FileEntry]:
        """The dataset's files that overlap `span`; there is one for every day or month of the demo's span."""
        known = _by_id(dataset)
        if known is None or not span.overlaps(SPAN):
            return []
        inside = TimeRange(max(span.start, SPAN.start), min(span.stop, SPAN.stop))
        return [
            FileEntry(f"{known.id}/{known.file_name(start)}", start, known.grain.following(start), GENERATED)
            for start in known.grain.starts(inside)
        ]

    def master(self, dataset: str) -> bytes:
        """None is made: a data file says the same."""
        raise FileNotFoundError(dataset)

    def read(self, name: str) -> bytes:
        """The bytes of a file.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        """
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        content = _make(name)
        with self._lock:
            self._kept[name] = content
            while len(self._kept) > self._kept_files:
                self._kept.popitem(last=False)
        return content


class DemoArchive:
    """The `Archive` named `demo`: works at once, without network or key; everything from it is marked synthetic.

    The server starts with the first fetch, on a free port of this machine's loopback; files are recorded and cached as
    `demo:/<dataset>/<file>`.

    Parameters
    ----------
    cache_dir
        Folder of the downloaded files of all archives.
    reader
        Decodes files; not closed here.
    settings
        Limits of transfers.
    decoders
        How many files are decoded at once.
    ephemerides
        Evaluates the kernels of its spacecraft; not closed here. Without one it has no ephemerides.
    """

    def __init__(
        self,
        cache_dir: Path,
        reader: TableReader,
        *,
        settings: TransferSettings | None = None,
        decoders: int = 2,
        ephemerides: EphemerisReader | None = None,
    ) -> None:
        self._cache_dir = cache_dir
        self._reader = reader
        self._settings = settings
        self._decoders = decoders
        self._orbits = SpiceArchive(NAME, PackagedKernels(_KERNELS), ephemerides, is_synthetic=True) if ephemerides else None
        self._lock = threading.Lock()
        self._running: tuple[CdasServer, CdasArchive] | None = None
        self._is_closed = False

    @property
    def name(self) -> str:
        """`demo`."""
        return NAME

    @property
    def is_synthetic(self) -> bool:
        """True."""
        return True

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
        return self._having(dataset).fetch(dataset, parameter, windows, verify=verify, report=report)

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The files that make up each window, in order; see `Archive.listed`."""
        return self._having(dataset).listed(dataset, windows, report=report)

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a file is in the cache; see `Archive.is_at_hand`."""
        if self._orbits is not None and file.url.startswith(f"{NAME}:/kernels/"):
            return self._orbits.is_at_hand(file)
        return self._archive().is_at_hand(file)

    def close(self) -> None:
        """Stop the server; fetching afterwards is a mistake."""
        with self._lock:
            self._is_closed = True
            running, self._running = self._running, None
        if running is not None:
            server, archive = running
            archive.close()
            server.close()

    def __enter__(self) -> DemoArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _having(self, dataset: str) -> Archive:
        """The part that has a dataset: measurements, or ephemerides."""
        return self._orbits if self._orbits is not None and is_ephemeris(NAME, dataset) else self._archive()

    def _archive(self) -> CdasArchive:
        with self._lock:
            if self._is_closed:
                raise ValueError("the demo archive is closed")
            if self._running is None:
                server = CdasServer(DemoFiles()).start()
                archive = CdasArchive(
                    server.url,
                    self._cache_dir,
                    self._reader,
                    name=NAME,
                    is_synthetic=True,
                    settings=self._settings,
                    decoders=self._decoders,
                    public_url=public_url,
                )
                self._running = server, archive
            return self._running[1]


def public_url(url: str) -> str:
    """The URL under which a file of the demo server is recorded: the same whatever the port, `demo:/<dataset>/<file>`."""
    dataset, file = unquote(urlsplit(url).path).rsplit("/", 2)[-2:]
    return f"{NAME}:/{dataset}/{file}"


def _by_id(dataset: str) -> DemoDataset | None:
    return next((known for known in DATASETS if known.id == dataset), None)


def _make(name: str) -> bytes:
    dataset, _, file = name.partition("/")
    known, start = _by_id(dataset), _start(file)
    if known is None or start is None or file != known.file_name(start):
        raise FileNotFoundError(name)
    if known.grain.floor(start) != start or not SPAN.start <= start < SPAN.stop:
        raise FileNotFoundError(name)
    return known.file_bytes(TimeRange(start, known.grain.following(start)))


def _start(file: str) -> datetime | None:
    """The date in a file's name."""
    dated = _DATED.search(file)
    try:
        return datetime.strptime(dated.group(1), "%Y%m%d").replace(tzinfo=UTC) if dated else None
    except ValueError:
        return None


def _entry(dataset: DemoDataset) -> DatasetEntry:
    return DatasetEntry(
        id=dataset.id,
        span=SPAN,
        label=f"SYNTHETIC {dataset.label}",
        observatory=dataset.mission,
        observatory_group=dataset.mission,
        instrument=dataset.instrument,
        instrument_type=dataset.instrument_type,
        pi_name="none (synthetic)",
        pi_affiliation="none (synthetic)",
        variables=tuple(
            VariableEntry(variable.name, variable.description, f"{variable.description} (synthetic)")
            for variable in dataset.variables
        ),
    )
