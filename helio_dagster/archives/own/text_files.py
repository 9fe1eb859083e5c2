"""Text files of one's own: find the days of a file, read one of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.archives.own.index import DAY_NS, Day, FileIndex, Run, State, changed_while_read
from helio_dagster.archives.own.lines import Heading, Lines, TextReader
from helio_dagster.archives.own.times import Nanoseconds, TimeFault, ZoneSeen, read_times
from helio_dagster.domain.own_files import OwnFileFields, TimeColumns

MOST_RUNS = 500_000
"""A file whose records are in no order at all has a run for each of them."""


@dataclass(frozen=True)
class Records:
    """Records as they stand in a file: times in ns since 1970, values by column, and the line of each."""

    time: Nanoseconds
    values: dict[str, NDArray[np.float64]]
    lines: NDArray[np.int64]


class TextFile:
    """A text file with its description.

    Parameters
    ----------
    described
        The description.
    path, name
        Where it is, and what messages call it.
    """

    def __init__(self, described: OwnFileFields, path: Path, name: str) -> None:
        if described.time is None:
            raise TypeError(f"{name} is not described")
        self._described, self._path, self._name = described, path, name
        self._time: TimeColumns = described.time
        self._reader = TextReader(described, name, str(path))

    def scan(self, _path: Path) -> FileIndex:
        """Read the file through once, a block at a time.

        Raises
        ------
        OwnFileError
            It is not as described.
        """
        found = _Days()
        with self._path.open("rb") as file:
            state = State.of(file.fileno())
            heading = self._reader.heading(file)
            found.seed = heading.text
            for lines, time in self._times(file, heading):
                found.add(lines, time)
                if found.runs > MOST_RUNS:
                    raise self._reader.fault("its records are in no order of time", "Sort it by time first.")
        return found.index(state)

    def read(self, day: Day, columns: list[str]) -> Records:
        """The records of one day, in the order of the file.

        Raises
        ------
        OwnFileError
            They are not as described, or no longer those of the index.
        """
        wanted = [*self._time.columns, *columns]
        with self._path.open("rb") as file:
            heading = self._reader.heading(file)
            places = self._reader.places_of(wanted, heading)
            digest, parts = hashlib.sha256(heading.text), []
            for run in day.runs:
                file.seek(run.start)
                content = file.read(run.stop - run.start)
                digest.update(content)
                parts.append((content, run))
        if digest.hexdigest() != day.sha256:
            raise changed_while_read(self._name, self._path)
        return _joined([self._records(content, run, heading, places, columns) for content, run in parts])

    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        with self._path.open("rb") as file:
            return self._reader.heading(file).names

    def head(self, most: int) -> tuple[Heading, pd.DataFrame]:
        """The columns and the first records as text, for people and for guesses."""
        with self._path.open("rb") as file:
            heading = self._reader.heading(file)
            for lines in self._reader.blocks(file, heading):
                top = b"".join(lines.content.splitlines(keepends=True)[:most])
                cut = Lines(top, lines.starts[:most], lines.numbers[:most])
                frame = self._reader.frame(cut, heading, range(len(heading.names)))
                frame.columns = pd.Index(heading.names)
                frame.index = pd.Index(cut.numbers, name="line")
                return heading, frame
        return heading, pd.DataFrame(columns=heading.names)

    def _records(self, content: bytes, run: Run, heading: Heading, places: list[int], columns: list[str]) -> Records:
        lines = self._reader.lines(content, run.start, run.line)
        frame = self._reader.frame(lines, heading, places)
        count = len(self._time.columns)
        time = self._read_times(frame.iloc[:, :count], lines, ZoneSeen())
        values = {name: self._reader.numbers(frame[count + place], lines, name) for place, name in enumerate(columns)}
        return Records(time, values, lines.numbers)

    def _times(self, file: Any, heading: Heading) -> Iterator[tuple[Lines, Nanoseconds]]:
        places = self._reader.places_of(self._time.columns, heading)
        self._reader.places_of(list(self._described.columns or {}), heading)
        zone = ZoneSeen()
        for lines in self._reader.blocks(file, heading):
            frame = self._reader.frame(lines, heading, places, is_whole=False)
            yield lines, self._read_times(frame, lines, zone)

    def _read_times(self, frame: pd.DataFrame, lines: Lines, zone: ZoneSeen) -> Nanoseconds:
        try:
            return read_times(frame, self._time, zone)
        except TimeFault as fault:
            raise self._reader.fault(fault.problem, fault.hint, line=int(lines.numbers[fault.row])) from None


class _Days:
    """The days of a file while it is read through."""

    def __init__(self) -> None:
        self.seed, self.runs = b"", 0
        self._found: dict[int, tuple[list[list[int]], Any]] = {}
        self._records: dict[int, int] = {}
        self._first: int | None = None
        self._last: int | None = None
        self._before: int | None = None
        self._is_sorted = True
        self._run_day: int | None = None

    def add(self, lines: Lines, time: Nanoseconds) -> None:
        """Note the records of the next lines of the file."""
        if not len(time):
            return
        days = time // DAY_NS
        edges = np.concatenate([[0], np.flatnonzero(np.diff(days)) + 1, [len(days)]])
        lengths = _lengths(lines)
        stops = lines.starts + lengths
        shift = np.concatenate([[0], np.cumsum(lengths)])
        for first, beyond in pairwise(edges.tolist()):
            self._add_run(int(days[first]), lines, first, beyond, stops, shift)
        steps = np.diff(time if self._before is None else np.concatenate([[self._before], time]))
        self._is_sorted &= bool((steps >= 0).all())
        self._before = int(time[-1])
        low, high = int(time.min()), int(time.max())
        self._first = low if self._first is None else min(low, self._first)
        self._last = high if self._last is None else max(high, self._last)

    def _add_run(
        self, day: int, lines: Lines, first: int, beyond: int, stops: NDArray[np.int64], shift: NDArray[np.int64]
    ) -> None:
        runs, digest = self._found.setdefault(day, ([], hashlib.sha256(self.seed)))
        self._records[day] = self._records.get(day, 0) + int(beyond - first)
        gaps = np.flatnonzero(lines.starts[first + 1 : beyond] != stops[first : beyond - 1]) + first + 1
        for low, high in zip([first, *gaps], [*gaps, beyond], strict=True):
            start, stop = int(lines.starts[low]), int(stops[high - 1])
            if self._run_day == day and runs and runs[-1][1] == start:
                runs[-1][1] = stop
            else:
                runs.append([start, stop, int(lines.numbers[low])])
                self.runs += 1
            self._run_day = day
            digest.update(memoryview(lines.content)[int(shift[low]) : int(shift[high])])

    def index(self, state: State) -> FileIndex:
        """What was found."""
        days = {
            day: Day(
                records=self._records[day],
                runs=[Run(start=start, stop=stop, line=line) for start, stop, line in runs],
                sha256=digest.hexdigest(),
            )
            for day, (runs, digest) in sorted(self._found.items())
        }
        return FileIndex(state=state.triple, first_ns=self._first, last_ns=self._last, is_sorted=self._is_sorted, days=days)


def _lengths(lines: Lines) -> NDArray[np.int64]:
    """The length of each line in bytes, with what ends it."""
    data = np.frombuffer(lines.content, dtype=np.uint8)
    stops = np.flatnonzero(data == 10) + 1
    if len(stops) < len(lines):
        stops = np.append(stops, len(data))
    return np.diff(np.concatenate([[0], stops])).astype(np.int64)


def _joined(parts: list[Records]) -> Records:
    if len(parts) == 1:
        return parts[0]
    return Records(
        np.concatenate([part.time for part in parts]),
        {name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values},
        np.concatenate([part.lines for part in parts]),
    )
