"""A folder of CDF files as a `FileProvider`: datasets, coverage and versions, read from the files."""

from __future__ import annotations

import functools
import logging
import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_ISREG

from helio_dagster.archives.cdf.description import CdfDescription
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.provider import DatasetEntry, FileEntry, VariableEntry
from helio_dagster.archives.files.selection import covers, split_version
from helio_dagster.domain.errors import CorruptFile, InputError
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

_log = logging.getLogger(__name__)

_DATE = re.compile(r"(?<!\d)((?:19|20)\d{6})(?:\d{2}|\d{4}|\d{6})?(?!\d)")
_DAY = timedelta(days=1)
MASTERS_FOLDER = "masters"
_FAR = timedelta(days=366)


@dataclass(frozen=True)
class _Indexed:
    """One file of the folder; `stamp` (size in bytes, mtime in ns) shows whether it has changed since."""

    entry: FileEntry
    path: Path
    stamp: tuple[int, int]
    stem: str
    attributes: dict[str, str]
    variables: tuple[VariableEntry, ...]


class FileIndex:
    """The CDF files in a folder and the folders below it.

    A dataset's id is the file name before its date, in capitals (`RBSPA_REL04_ECT-HOPE-PA-L3`), the file's Logical_source an
    alias. Coverage is from the first to the last record; for a file without records, or one that cannot be read, the day in
    its name, as for one whose records are more than a year from that day, which is damage. An unreadable file stays listed:
    who fetches it must learn that it is corrupt, not that there are no data.
    Master files (`ac_h0_mfi_00000000_v01.cdf`) are in its folder `masters`, which holds no data.
    The folder is looked at again on every question, so that new and republished files appear; only changed files are read.

    Parameters
    ----------
    folder
        Where the files are.
    describe
        Reads what a file says about itself; raises CorruptFile. By default a reader of this process, which ends with it.

    Raises
    ------
    InputError
        There is no such folder.
    """

    def __init__(self, folder: Path, describe: Callable[[Path], CdfDescription] | None = None) -> None:
        if not folder.is_dir():
            raise InputError("there is no such folder", where=str(folder), hint="Give a folder that holds CDF files.")
        self._folder = folder
        self._describe = describe or _shared_reader().description
        self._lock = threading.Lock()
        self._indexed: dict[str, _Indexed] = {}
        self._by_dataset: dict[str, list[FileEntry]] = {}
        self._datasets: list[DatasetEntry] = []

    def datasets(self) -> Sequence[DatasetEntry]:
        """All datasets, in order of id."""
        with self._lock:
            self._look_again()
            return list(self._datasets)

    def files(self, dataset: str, span: TimeRange) -> Sequence[FileEntry]:
        """Files of the dataset with exactly this id that cover some of `span`."""
        with self._lock:
            self._look_again()
            return [entry for entry in self._by_dataset.get(dataset, ()) if covers(entry.start, entry.stop, span)]

    def master(self, dataset: str) -> bytes:
        """The bytes of a dataset's master file; FileNotFoundError where there is none."""
        return (self._folder / MASTERS_FOLDER / f"{dataset.lower()}_00000000_v01.cdf").read_bytes()

    def read(self, name: str) -> bytes:
        """The bytes of an indexed file; FileNotFoundError where there is none of that name."""
        with self._lock:
            # a large folder is not walked for a file whose path is known: that takes longer than the download
            if name not in self._indexed:
                self._look_again()
            indexed = self._indexed.get(name)
        if indexed is None:
            raise FileNotFoundError(name)
        return indexed.path.read_bytes()

    def _look_again(self) -> None:
        found = dict(self._walk())
        if {name: (indexed.path, indexed.stamp) for name, indexed in self._indexed.items()} == found:
            return
        fresh: dict[str, _Indexed] = {}
        for name, (path, stamp) in sorted(found.items()):
            known = self._indexed.get(name)
            indexed = known if known is not None and known.stamp == stamp else self._index(name, path, stamp)
            if indexed is not None:
                fresh[name] = indexed
        self._indexed = fresh
        grouped: dict[str, list[_Indexed]] = defaultdict(list)
        for indexed in fresh.values():
            grouped[indexed.stem.upper()].append(indexed)
        self._by_dataset = {dataset: [indexed.entry for indexed in group] for dataset, group in grouped.items()}
        self._datasets = [_dataset_entry(dataset, grouped[dataset]) for dataset in sorted(grouped)]

    def _walk(self) -> Iterator[tuple[str, tuple[Path, tuple[int, int]]]]:
        for folder, below, names in os.walk(self._folder):
            below[:] = [name for name in below if not name.startswith(".")]
            if Path(folder) == self._folder and MASTERS_FOLDER in below:
                below.remove(MASTERS_FOLDER)
            for file_name in names:
                if not file_name.lower().endswith(".cdf") or file_name.startswith("."):
                    continue
                path = Path(folder, file_name)
                try:
                    state = path.stat()
                except OSError:
                    continue  # gone meanwhile, or a dangling link
                if not S_ISREG(state.st_mode):
                    continue  # a pipe or a device is endless
                yield path.relative_to(self._folder).as_posix(), (path, (state.st_size, state.st_mtime_ns))

    def _index(self, name: str, path: Path, stamp: tuple[int, int]) -> _Indexed | None:
        dated = _DATE.search(path.stem)
        day = _day(dated[1]) if dated else None
        stem = path.stem[: dated.start()].rstrip("_-.") if dated and day else split_version(path.name)[0]
        try:
            about = self._describe(path)
        except CorruptFile as error:
            _log.warning("%s: %s; listed by the date in its name", name, error.problem)
            about = CdfDescription(None, None, {}, ())
        if about.start is not None and about.stop is not None:
            start, stop = about.start, about.stop
            if day is not None and (start - day > _FAR or day - stop > _FAR):
                start, stop = day, day + _DAY
        elif day is not None:
            start, stop = day, day + _DAY
        else:
            _log.warning("%s: left out: neither its records nor its name tell a date", name)
            return None
        entry = FileEntry(name, start, stop, datetime.fromtimestamp(stamp[1] // 1_000_000 / 1000, tz=UTC), stamp[0])
        return _Indexed(entry, path, stamp, stem or path.stem, about.attributes, about.variables)


@functools.cache
def _shared_reader() -> CdfReader:
    return CdfReader(workers=1)


def _day(digits: str) -> datetime | None:
    try:
        day = datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return day if EARLIEST <= day < LATEST - _DAY else None


def _dataset_entry(dataset: str, group: list[_Indexed]) -> DatasetEntry:
    newest = max((one for one in group if one.attributes), key=lambda one: one.entry.stop, default=group[-1])
    about = newest.attributes
    sources = {one.attributes.get("Logical_source", "").strip() for one in group} - {"", dataset}
    variables = {variable.name: variable for one in group for variable in one.variables}
    start = min(one.entry.start for one in group)
    stop = max(max(one.entry.stop for one in group), start + timedelta(milliseconds=1))
    return DatasetEntry(
        dataset,
        TimeRange(start, stop),
        label=about.get("TITLE", "") or about.get("Logical_source_description", "") or about.get("Descriptor", ""),
        aliases=tuple(sorted(sources)),
        observatory=about.get("Source_name", "").partition(">")[0],
        observatory_group=about.get("Mission_group", ""),
        instrument=about.get("Descriptor", "").partition(">")[0],
        instrument_type=about.get("Instrument_type", ""),
        pi_name=about.get("PI_name", ""),
        pi_affiliation=about.get("PI_affiliation", ""),
        variables=tuple(variables.values()),
    )
