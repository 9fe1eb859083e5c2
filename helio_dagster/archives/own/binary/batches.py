"""Records of an opened file as its description reads them: times in UTC, values with what is missing as NaN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.archives.own.binary.seen import Contents, Fault, Seen, as_numbers, find_column
from helio_dagster.archives.own.day_scan import NO_TIME, Batch
from helio_dagster.archives.own.time_scales import counted_times
from helio_dagster.archives.own.times import Nanoseconds, TimeFault, ZoneSeen, first_outside, read_times
from helio_dagster.domain.own_files import OwnFileFields, TimeColumns
from helio_dagster.domain.time_range import EARLIEST, LATEST
from helio_dagster.domain.time_units import parse_time_units
from helio_dagster.domain.units import is_same_unit, normalize_unit

BATCH_RECORDS = 65_536
_NO_TIME = "Remove it, or write its time: of cells that are merged, only the first has a value."
_COUNTS = "'seconds since 2000-01-01 12:00:00', epoch_s, mjd or tt2000"


class DescribedContents:
    """An opened file with its description.

    Parameters
    ----------
    contents, described, fault
        The file, its description, and what makes its errors.

    Raises
    ------
    OwnFileError
        A column is not there, is not as long as the time, holds no numbers, or has another unit than described.
    """

    def __init__(self, contents: Contents, described: OwnFileFields, fault: Fault) -> None:
        if described.time is None or not described.columns:
            raise TypeError("the file is not described")
        self._contents, self._fault = contents, fault
        self._time: TimeColumns = described.time
        self._times = [find_column(contents, name, fault) for name in self._time.columns]
        self._values = {name: find_column(contents, name, fault) for name in described.columns}
        first = self._times[0][0]
        self.records = first.records
        for seen, _ in (*self._times[1:], *self._values.values()):
            if seen.records != first.records or (seen.axis and first.axis and seen.axis != first.axis):
                of = f" along {seen.axis}" if seen.axis else ""
                problem = f"{seen.name!r} has {seen.records} records{of}, and the time {first.name!r} has {first.records}"
                raise fault(problem, "Name the time that belongs to the column.")
        for name, (seen, _) in self._values.items():
            if seen.kind != "number":
                why = f": {seen.why}" if seen.why else ""
                raise fault(f"the column {name!r} does not hold numbers{why}", "Correct that, or leave the column out.")
            require_unit(name, seen.unit, described.columns[name].unit, described.columns[name].labelled, fault)

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        """The records `[start, stop)`, some at a time; a record without time and values has the time `NO_TIME`.

        Raises
        ------
        OwnFileError
            A time cannot be read, or a record has values and no time.
        """
        zone = ZoneSeen()
        stop = self.records if stop is None else min(stop, self.records)
        for first in range(start, stop, BATCH_RECORDS):
            beyond = min(first + BATCH_RECORDS, stop)
            values = {
                name: as_numbers(self._contents.read(seen, place, first, beyond), seen)
                for name, (seen, place) in self._values.items()
            }
            raw = [self._contents.read(seen, place, first, beyond) for seen, place in self._times]
            if any(len(each) != beyond - first for each in (*raw, *values.values())):
                raise self._fault("it ends before its last record", "Was it written to the end? Copy it again.")
            yield self._dated(raw, values, first, zone), values

    def _dated(
        self, raw: Sequence[NDArray[Any]], values: dict[str, NDArray[np.float64]], first: int, zone: ZoneSeen
    ) -> Nanoseconds:
        is_absent = np.logical_or.reduce([_absent(each, seen) for each, (seen, _) in zip(raw, self._times, strict=True)])
        if is_absent.any():
            holds = np.logical_or.reduce([np.isfinite(each) for each in values.values()]) & is_absent
            if holds.any():
                raise self._fault("the record has values and no time", _NO_TIME, record=first + int(holds.argmax()))
        at = np.flatnonzero(~is_absent)
        found = np.full(len(is_absent), NO_TIME, dtype=np.int64)
        if len(at):
            found[at] = self._read([each[at] for each in raw], first + at, zone)
        return found

    def _read(self, raw: Sequence[NDArray[Any]], records: NDArray[np.intp], zone: ZoneSeen) -> Nanoseconds:
        seen = self._times[0][0]
        if len(raw) > 1 or seen.kind == "text":
            if seen.time_problem and not self._time.is_count:
                raise self._fault(f"the times {seen.name!r} are not read: {seen.time_problem}", "Write them in UTC.")
            frame = pd.DataFrame({place: pd.Series(each).astype(str) for place, each in enumerate(raw)})
            try:
                return read_times(frame, self._time, zone)
            except TimeFault as error:
                raise self._fault(error.problem, error.hint, record=int(records[error.row])) from None
        if seen.kind == "time":
            times = raw[0].astype("datetime64[ns]").astype(np.int64)
        else:
            numbers = raw[0] if seen.scale == 1.0 and seen.offset == 0.0 else raw[0] * seen.scale + seen.offset
            times = counted_times(numbers, parse_time_units(self._units(seen)))
        row = first_outside(times)
        if row is not None:
            problem = f"the time {str(raw[0][row])[:40]} is outside {EARLIEST:%Y} to {LATEST:%Y}"
            hint = f"Check what the times count: {_COUNTS}, in `format` under `time`."
            raise self._fault(problem, hint, record=int(records[row]))
        return times

    def _units(self, seen: Seen) -> str:
        if self._time.is_count:
            return self._time.format
        if seen.time_units:
            return _checked(seen.time_units, seen.name, self._fault)
        why = seen.time_problem or "no attribute says what they count"
        hint = f"Give `format` under `time`: {_COUNTS}."
        raise self._fault(f"the times {seen.name!r} are numbers, and {why}", hint)


def _checked(text: str, name: str, fault: Fault) -> str:
    try:
        parse_time_units(text)
    except ValueError as error:
        raise fault(f"the units of {name!r}: {error}", f"Give `format` under `time`: {_COUNTS}.") from None
    return text


def _absent(raw: NDArray[Any], seen: Seen) -> NDArray[np.bool_]:
    if seen.kind == "text":
        return np.asarray([not each for each in raw], dtype=bool)
    if seen.kind == "time":
        return np.asarray(np.isnat(raw), dtype=bool)
    numbers = raw.astype(np.float64)
    is_absent: NDArray[np.bool_] = np.isin(numbers, seen.fills) | ~np.isfinite(numbers)
    return is_absent


def require_unit(name: str, own: str, unit: str, labelled: str | None, fault: Fault) -> None:
    """OwnFileError where a file names another unit of a column than its description, which has not noted that.

    Parameters
    ----------
    name
        The column.
    own
        The unit that the file names; empty where it names none.
    unit, labelled
        What the description says of the column.
    fault
        Makes the error.
    """
    if not own or is_same_unit(normalize_unit(own), normalize_unit(unit)):
        return
    if labelled is not None and labelled.strip() == own.strip():
        return
    described = f"the pipeline says {unit!r}" if unit else "the pipeline gives no unit"
    hint = f"Write `unit: {own}`, or add `labelled: {own!r}` to the column if the file is wrong."
    raise fault(f"the file says that {name!r} is in {own!r}, and {described}", hint)
