"""The index of a file whose records come in batches of times and values: which records each day has, and their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.own.index import DAY_NS, Day, FileIndex, Run, State
from helio_dagster.archives.own.text_files import MOST_RUNS
from helio_dagster.archives.own.times import Nanoseconds
from helio_dagster.domain.errors import OwnFileError

Batch = tuple[Nanoseconds, Mapping[str, NDArray[np.float64]]]
"""Times and values of consecutive records; a time of `NO_TIME` is a record that holds nothing."""
NO_TIME = np.iinfo(np.int64).min


def index_batches(
    batches: Iterable[Batch], columns: Sequence[str], state: State, fault: Callable[[str, str], OwnFileError]
) -> FileIndex:
    """The index of a file.

    Parameters
    ----------
    batches
        All records in the order of the file; those of `NO_TIME` are counted and belong to no day.
    columns
        The columns of values, whose hash is taken.
    state
        The file before the first batch was read.
    fault
        Makes the error of a problem and a hint.

    Raises
    ------
    OwnFileError
        The records are in no order of time.
    """
    days: dict[int, tuple[list[Run], Any]] = {}
    records: dict[int, int] = {}
    low: int | None = None
    high: int | None = None
    before: int | None = None
    place, is_sorted, count = 0, True, 0
    for time, values in batches:
        numbers = time // DAY_NS
        edges = np.concatenate([[0], np.flatnonzero(np.diff(numbers)) + 1, [len(time)]])
        for first, beyond in pairwise(edges.tolist()):
            if time[first] == NO_TIME:
                continue
            day = int(numbers[first])
            runs, digest = days.setdefault(day, ([], begun_digest(columns)))
            digest_records(digest, time[first:beyond], {name: each[first:beyond] for name, each in values.items()})
            records[day] = records.get(day, 0) + int(beyond - first)
            if runs and runs[-1].stop == place + int(first):
                runs[-1] = Run(start=runs[-1].start, stop=place + int(beyond))
            else:
                runs.append(Run(start=place + int(first), stop=place + int(beyond)))
                count += 1
        if count > MOST_RUNS:
            raise fault("its records are in no order of time", "Sort it by time first.")
        place += len(time)
        dated = time[time != NO_TIME]
        if not len(dated):
            continue
        is_sorted &= bool((np.diff(dated) >= 0).all()) and (before is None or before <= int(dated[0]))
        before = int(dated[-1])
        low = int(dated.min()) if low is None else min(low, int(dated.min()))
        high = int(dated.max()) if high is None else max(high, int(dated.max()))
    found = {
        day: Day(records=records[day], runs=runs, sha256=digest.hexdigest()) for day, (runs, digest) in sorted(days.items())
    }
    return FileIndex(state=state.triple, first_ns=low, last_ns=high, is_sorted=is_sorted, days=found)


def begun_digest(columns: Sequence[str]) -> Any:
    """The hash of a day before its first record."""
    return hashlib.sha256("\n".join(columns).encode())


def digest_records(digest: Any, time: Nanoseconds, values: Mapping[str, NDArray[np.float64]]) -> None:
    """Add records to a digest one by one, so that it does not matter in which parts they come.

    Parameters
    ----------
    digest
        A hash of `hashlib`, which is updated.
    time
        ns since 1970, shape (record,).
    values
        Column to its values in their own unit, shape (record,).
    """
    digest.update(np.column_stack([time.view(np.float64), *values.values()]).tobytes())
