"""What the rest of the package asks of an archive, and the values it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from helio_dagster.archives.files.selection import ListedFile, revision_of, revision_with
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class SourceFile:
    """An archive file that a table was made from: its name, canonical URL, size in bytes, the archive's date and its hash.

    `master` is the dataset's master where that defines what was read and the file does not hold it. The archive does not date
    masters: the date of one is its hash.
    """

    name: str
    url: str
    size: int
    last_modified: str
    sha256: str
    master: SourceFile | None = None


@dataclass(frozen=True)
class Listed:
    """The files that an archive lists for one window, in their newest version; or the error that kept it from saying.

    `masters` is the dataset's master where that is known as well.
    """

    window: TimeRange
    files: tuple[ListedFile, ...]
    error: HelioError | None
    masters: tuple[SourceFile, ...] = ()

    @property
    def revision(self) -> str:
        """What names this state of the archive's files; see `revision_of`."""
        return revision_with(revision_of(self.files), (master.sha256 for master in self.masters))


@dataclass(frozen=True)
class Fetched:
    """What came of one window: exactly one of `table` and `error`.

    A table without records is a true answer: without sources the archive has no files there, with sources they hold no
    records there. `masters` define what the sources do not hold. `revision` names the state of all these at the archive.
    """

    window: TimeRange
    table: Table | None
    sources: tuple[SourceFile, ...]
    error: HelioError | None
    revision: str = ""
    masters: tuple[SourceFile, ...] = ()

    def __post_init__(self) -> None:
        if (self.table is None) == (self.error is None):
            raise ValueError("a fetched window has exactly one of table and error")


@dataclass(frozen=True)
class FetchProgress:
    """Something that happened while fetching.

    `subject` is the file or dataset, `detail` says more (the cause of a retry, the wait before it). `done` of `total` files
    are in the cache; `total` grows as more is listed. `size` is in bytes.
    """

    event: Literal["listed", "downloaded", "cached", "retry", "quarantined", "failed"]
    subject: str
    done: int = 0
    total: int = 0
    size: int = 0
    detail: str = ""


Report = Callable[[FetchProgress], None]


class Archive(Protocol):
    """A source of measurements. Methods may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The archive's name in pipelines and asset keys, such as `cdaweb`."""
        ...

    @property
    def is_synthetic(self) -> bool:
        """Whether its data are made up."""
        ...

    def fetch(
        self,
        dataset: str,
        parameter: str,
        windows: Sequence[TimeRange],
        *,
        verify: bool = False,
        report: Report | None = None,
    ) -> Iterator[Fetched]:
        """Fetch a parameter for each window, in order, each yielded as soon as it is ready.

        A window's table holds exactly the records in `[start, stop)`, whatever other windows are asked for with it. A window
        that fails carries its error, and the others continue.

        Parameters
        ----------
        dataset, parameter
            The archive's own ids.
        windows
            Time ranges, best in order of time.
        verify
            Compare the hash of every cached file, also where this process has done so before.
        report
            Called with progress, by one thread at a time.

        Raises
        ------
        UnknownDataset
            The archive has no such dataset or parameter; raised on the first step of the iterator that finds out.
        """
        ...

    def listed(self, dataset: str, windows: Sequence[TimeRange], *, report: Report | None = None) -> Iterator[Listed]:
        """The files that make up each window now, in order; nothing is downloaded.

        Parameters
        ----------
        dataset
            The archive's own id.
        windows
            Time ranges, best in order of time.
        report
            Called with progress, by one thread at a time.

        Raises
        ------
        UnknownDataset
            The archive has no such dataset.
        """
        ...

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a listed file need not be downloaded, as far as can be known without reading it."""
        ...

    def close(self) -> None:
        """Give back connections and stop what is still under way."""
        ...


@runtime_checkable
class HasMasters(Protocol):
    """An archive whose datasets have masters, which define what no file holds."""

    def master(self, dataset: str) -> SourceFile | None:
        """A dataset's master as it is now; None where the archive has none; raises ArchiveError."""
        ...


class TableReader(Protocol):
    """Reads one parameter of a downloaded file. Called from several threads at once."""

    def read(self, path: Path, parameter: str, *, synthetic: bool = False, master: Path | None = None) -> Table:
        """All records of the file, in order of time, times unique; `master` may define what the file lacks.

        Raises
        ------
        CorruptFile
            The file cannot be decoded.
        UnknownDataset
            The file has no such parameter.
        """
        ...
