"""Which files of a listing make up a window: coverage, newest version, revision."""

from __future__ import annotations

import bisect
import hashlib
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time

from helio_dagster.domain.time_range import TimeRange

_VERSIONED = re.compile(r"^(?P<logical>.+?)[_-]v(?P<version>\d+(?:[._p-]\d+)*)(?:_r(?P<revision>\d+))?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as the archive lists it.

    `url` is where to get it, `name` the last part of it. `start` and `stop` (aware UTC) are its nominal coverage. `length` is
    in bytes, None where the archive does not say; `last_modified` is the archive's own text.
    """

    url: str
    name: str
    start: datetime
    stop: datetime
    length: int | None
    last_modified: str


def covers(start: datetime, stop: datetime, window: TimeRange) -> bool:
    """Whether a file's nominal coverage reaches into a window.

    A `stop` at midnight is exclusive, as CDAS writes whole days; any other is the time of a record, hence inclusive. A file
    that starts inside the window always counts, be it of a single record.
    """
    if start >= window.stop:
        return False
    return start >= window.start or stop > window.start or (stop == window.start and stop.time() != time.min)


def split_version(name: str) -> tuple[str, tuple[int, ...]]:
    """Logical file and version of a file name; the version's numbers compare naturally (v9 < v10, v5.87.0).

    A name without version is its own logical file, of version ().
    """
    stem, dot, suffix = name.rpartition(".")
    if not dot or suffix[:1].isdigit():
        stem = name
    match = _VERSIONED.match(stem)
    if match is None:
        return stem.casefold(), ()
    numbers = re.findall(r"\d+", f"{match['version']}.{match['revision'] or ''}")
    return match["logical"].casefold(), tuple(int(number) for number in numbers)


def revision_of(files: Iterable[ListedFile]) -> str:
    """What names a state of an archive's files: a hash over name, date and, where the archive gives it, length of each.

    Where a file is served from does not count: a mirror, or a server on another port, has the same revision.
    """
    facts = sorted((file.name, file.last_modified, -1 if file.length is None else file.length) for file in files)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:32]


def revision_with(revision: str, masters: Iterable[str]) -> str:
    """The revision of files together with that of the masters, given by their hashes, which define what they do not hold."""
    found = sorted(masters)
    return f"{revision}.{hashlib.sha256(repr(found).encode()).hexdigest()[:32]}" if found else revision


def newest_revision(known: str | None, seen: str) -> str:
    """What is known of a dataset's files and its master after a revision was seen of both, or of the files alone."""
    master = (known or "").partition(".")[2]
    return f"{seen}.{master}" if master and "." not in seen else seen


class Listing:
    """Files of one dataset over some time, asked for window by window."""

    def __init__(self, files: Iterable[ListedFile]) -> None:
        self._files = sorted(set(files), key=lambda file: (file.start, file.name, file.url))
        self._versions = [split_version(file.name) for file in self._files]
        self._starts = [file.start for file in self._files]
        self._latest_stops = list(itertools.accumulate((max(file.start, file.stop) for file in self._files), max))

    def files_for(self, window: TimeRange) -> list[ListedFile]:
        """Files that make up a window: those that cover it, in their newest version, in order of start and name.

        The choice depends on the window alone, never on how much more was listed with it.
        """
        first = bisect.bisect_left(self._latest_stops, window.start)
        beyond = bisect.bisect_left(self._starts, window.stop)
        newest: dict[str, tuple[tuple[int, ...], str, str, ListedFile]] = {}
        for file, (logical, version) in zip(self._files[first:beyond], self._versions[first:beyond], strict=True):
            if not covers(file.start, file.stop, window):
                continue
            rank = (version, file.last_modified, file.url, file)
            if logical not in newest or rank[:3] > newest[logical][:3]:
                newest[logical] = rank
        return sorted((each[3] for each in newest.values()), key=lambda file: (file.start, file.name, file.url))
