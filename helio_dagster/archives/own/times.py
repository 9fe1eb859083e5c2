"""Read the times of records as a description says they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from helio_dagster.archives.own.iso_faults import iso_fault
from helio_dagster.archives.own.time_scales import counted_times
from helio_dagster.domain.own_files import TimeColumns
from helio_dagster.domain.time_range import EARLIEST, LATEST, datetime_to_ns
from helio_dagster.domain.time_units import parse_time_units

Nanoseconds = NDArray[np.int64]
_ISO = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]|\s*$)"
_YEAR_DOY = re.compile(r"\s*\d{4}-\d{3}(\D|$)")
_LARGEST_OFFSET_H = 14
_YEAR_AND_DAY = {
    "year_doy": (("year", "doy"), "a year and a day of the year"),
    "year_doy_seconds": (("year", "doy", "seconds"), "a year, a day of the year and seconds"),
}
_QUOTES = tuple("\u2018\u2019\u201c\u201d\u201e\u00ab")
_FIRST = int(datetime_to_ns(EARLIEST).astype(np.int64))
_LAST = int(datetime_to_ns(LATEST).astype(np.int64))


class TimeFault(Exception):
    """A time that cannot be read: of which row, what is wrong, what to do."""

    def __init__(self, row: int, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.row, self.problem, self.hint = row, problem, hint


@dataclass
class ZoneSeen:
    """Whether the times of a file name a zone, by the first of them: None before any was read."""

    has_zone: bool | None = None


def read_times(frame: pd.DataFrame, described: TimeColumns, zone: ZoneSeen) -> Nanoseconds:
    """The time of each row, ns since 1970 UTC, shape (row,).

    Parameters
    ----------
    frame
        The columns of time as text, in the order of the description.
    described
        Their format.
    zone
        What was seen of the file so far.

    Raises
    ------
    TimeFault
        A time cannot be read.
    """
    if not len(frame):
        return np.empty(0, dtype=np.int64)
    absent = frame.isna().any(axis=1).to_numpy()
    if absent.any():
        raise TimeFault(int(absent.argmax()), "the record has no time", "Remove the line, or write its time.")
    if described.is_count:
        found = _counted(frame.iloc[:, 0], described.format)
    elif described.format in _YEAR_AND_DAY:
        found = _of_year(frame, described.format)
    else:
        found = _written(frame, described.format, zone)
    row = first_outside(found)
    if row is not None:
        when = f"{EARLIEST:%Y} to {LATEST:%Y}"
        hint = "Check the format of times: seconds, or milliseconds?" if described.is_count else "Check the year."
        raise TimeFault(row, f"the time {_text(frame, row)!r} is outside {when}", hint)
    return found


def first_outside(times: Nanoseconds) -> int | None:
    """Which time, in ns since 1970, shape (record,), is the first that tables do not hold; None if there is none."""
    outside = (times < _FIRST) | (times >= _LAST)
    return int(outside.argmax()) if outside.any() else None


def _written(frame: pd.DataFrame, form: str, zone: ZoneSeen) -> Nanoseconds:
    parts = [pa.array(frame.iloc[:, place], type=pa.string(), from_pandas=True) for place in range(frame.shape[1])]
    joined = parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, " ")
    if form == "iso":
        _require_one_kind_of_zone(frame, joined, zone)
        odd = ~pc.match_substring_regex(joined, _ISO).to_numpy(zero_copy_only=False)
        if odd.any():
            raise _fault(frame, int(odd.argmax()), form)
        if (fast := _plain_iso(joined)) is not None:
            return fast
    text = joined.to_pandas()
    read = pd.to_datetime(text, format="ISO8601" if form == "iso" else form, utc=True, errors="coerce")
    missing = read.isna().to_numpy()
    if missing.any():
        raise _fault(frame, int(missing.argmax()), form)
    if "%j" in form:  # day 366 of a year of 365 days is read as the next year's first
        first: list[int] = np.flatnonzero((read.dt.dayofyear == 1).to_numpy()).tolist()
        year = read.dt.year.to_numpy()
        for row in first:
            if str(year[row]) not in _text(frame, row):
                raise TimeFault(
                    row, f"the time {_text(frame, row)!r} is a day that its year does not have", "Correct the line."
                )
    times: Nanoseconds = read.dt.tz_localize(None).to_numpy().astype("datetime64[ns]").astype(np.int64)
    return times


def _plain_iso(joined: pa.Array) -> Nanoseconds | None:
    """Times in UTC or without a zone, several times faster than pandas reads them; None where there are others."""
    try:
        found: Nanoseconds = pc.cast(pc.utf8_rtrim(joined, "Zz "), pa.timestamp("ns")).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return found


def _require_one_kind_of_zone(frame: pd.DataFrame, joined: pa.Array, zone: ZoneSeen) -> None:
    """Times that name an offset are exact and may differ; beside times that name none, nobody knows what those mean."""
    named = pc.match_substring_regex(joined, _ZONE_OF_TIME).to_numpy(zero_copy_only=False)
    if zone.has_zone is None:
        zone.has_zone = bool(named[0])
    if (named != zone.has_zone).any():
        row = int((named != zone.has_zone).argmax())
        one, other = ("names a time zone", "name none") if named[row] else ("names no time zone", "name one")
        problem = f"mixed time zones: the time {_text(frame, row)!r} {one}, and those before it {other}"
        raise TimeFault(row, problem, "Write all times in UTC, or all with their offset.")


_ZONE_OF_TIME = r"[T ][0-9:.,]+\s*(?:[Zz]|[+-][0-9]{2}:?[0-9]{0,2})\s*$"


def _fault(frame: pd.DataFrame, row: int, form: str) -> TimeFault:
    text = _text(frame, row)
    if remark := re.match(r"\s*([#%!])", text):
        hint = f"If it is a remark, give `comment: '{remark[1]}'` under `text`, or remove it."
        return TimeFault(row, f"the time {text!r} is not a time", hint)
    if re.search(r":\d{2}:60(\D|$)", text):
        hint = "UTC in tables has no leap seconds: remove the line, or give it the time 59.999."
        return TimeFault(row, f"the time {text!r} is in a leap second", hint)
    if re.search(r"[T ]24:00(:00)?(\D|$)", text):
        return TimeFault(row, f"the time {text!r} is hour 24 of a day", "Write it as 00:00 of the next day.")
    if form == "iso" and (said := iso_fault(text)) is not None:
        return TimeFault(row, f"the time {text!r} {said[0]}", said[1])
    if not re.search(r"\d", text):
        hint = "If it repeats the names of the columns, or is a remark or a sum, remove it."
        return TimeFault(row, f"the time {text!r} has no digits, so that the line is not a record", hint)
    if re.match(r"\s*0000[-/.]?00", text):
        return TimeFault(row, f"the time {text!r} is not a date: databases write it for none", "Remove the record.")
    if form == "iso" and (day := re.match(r"\s*(\d{4})-\d{2}-\d{2}", text)):
        if not EARLIEST.year <= int(day[1]) < LATEST.year:
            return TimeFault(row, f"the time {text!r} is outside {EARLIEST:%Y} to {LATEST:%Y}", "Check the year.")
        if (offset := re.search(r"[+-](\d{2}):?(\d{2})?\s*$", text[10:])) and int(offset[1]) > _LARGEST_OFFSET_H:
            return TimeFault(row, f"the time {text!r} has an offset from UTC that no clock has", "Correct the offset.")
    if form == "iso" and text.strip()[:1] in _QUOTES:
        hint = 'Write the quotation mark of the keyboard ("), or leave it out.'
        return TimeFault(row, f"the time {text!r} is in quotation marks of typography", hint)
    if form == "iso" and (zone := re.search(r"\d\s*([A-Z]{3,4})\s*$", text)):
        hint = f"Write the offset from UTC in place of {zone[1]}, such as +01:00, or all times in UTC."
        return TimeFault(row, f"the time {text!r} names its zone by letters", hint)
    if form != "iso":
        return TimeFault(row, f"the time {text!r} is not written as {form!r}", "Correct the line, or `format` under `time`.")
    if re.match(r"\s*\d{1,2}[-/.]\d{1,2}[-/.]\d{1,2}(\D|$)", text):
        return TimeFault(row, f"the time {text!r} has a year of two digits, which means several", "Write all four digits.")
    if re.match(r"\s*\d{1,2}[-/.]\d{1,2}[-/.]\d{4}", text):
        hint = "Give `format` under `time`, such as '%d.%m.%Y %H:%M:%S' or '%m/%d/%Y %H:%M'."
        return TimeFault(row, f"the time {text!r} is not ISO 8601, and the order of day and month is not known", hint)
    if month := re.match(r"\s*\d{1,2}[-/. ]*([^\W\d_]{3,})[-/. ,]*\d{2,4}", text):
        hint = "Give `format` under `time`, such as '%d-%b-%Y %H:%M:%S'; months are read in English (Oct) or as numbers."
        return TimeFault(row, f"the time {text!r} is not ISO 8601, and names its month {month[1]!r}", hint)
    if re.fullmatch(r"\s*\d+(\.\d*)?\s*", text):
        hint = "Give `format` under `time`: epoch_s, epoch_ms, or directives such as '%Y%m%d'."
        if re.fullmatch(r"\s*\d\d?\s*", text):
            hint = "If it is a year, write all four digits."
        return TimeFault(row, f"the time {text!r} is a bare number, not ISO 8601", hint)
    example = "Give `format: '%Y-%j'`" if _YEAR_DOY.match(text) else "Write 2024-02-01T12:00:00, or give `format`"
    return TimeFault(row, f"the time {text!r} is not ISO 8601", f"{example} under `time`.")


def _text(frame: pd.DataFrame, row: int) -> str:
    return " ".join(str(value) for value in frame.iloc[row])[:60]


def _counted(values: pd.Series, form: str) -> Nanoseconds:
    """Whole numbers are exact; others are exact to the microsecond, which is what a double holds."""
    whole = pc.match_substring_regex(pa.array(values.astype(str)), r"^\s*[+-]?[0-9]{1,18}\s*$").to_numpy(zero_copy_only=False)
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(bad.argmax())
        raise TimeFault(
            row, f"the time {str(values.iloc[row])[:60]!r} is not a number of {form}", "Correct the line or the format."
        )
    return counted_times(values.astype(np.int64).to_numpy() if whole.all() else numbers, parse_time_units(form))


def _of_year(frame: pd.DataFrame, form: str) -> Nanoseconds:
    """Times of a year, its day and the seconds of that, or of a year and its day with a fraction, which counts from 1."""
    names, what = _YEAR_AND_DAY[form]
    if frame.shape[1] != len(names):
        raise TimeFault(0, f"{form} reads {len(names)} columns", f"Give `columns: [{', '.join(names)}]` under `time`.")
    numbers = [pd.to_numeric(frame.iloc[:, place], errors="coerce").to_numpy(dtype=np.float64) for place in range(len(names))]
    year, doy = numbers[:2]
    seconds = numbers[2] if len(numbers) > 2 else np.rint(doy % 1 * 86_400e6) / 1e6
    bad = ~np.isfinite(sum(numbers)) | (year % 1 != 0) | ((doy % 1 != 0) & (len(numbers) > 2))
    if bad.any():
        row = int(bad.argmax())
        raise TimeFault(row, f"{_text(frame, row)!r} is not {what}", "Correct the line.")
    if (year < 100).any():
        row = int((year < 100).argmax())
        raise TimeFault(row, f"{_text(frame, row)!r} has a year of two digits, which means several", "Write all four digits.")
    first = (year.astype(np.int64) - 1970).astype("datetime64[Y]")
    days = (first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")
    off = (doy < 1) | (np.floor(doy) > days.astype(np.int64)) | (seconds < 0) | (seconds > 86_400)
    off |= (seconds == 86_400) & (len(numbers) > 2)
    if off.any():
        row = int(off.argmax())
        is_leap = 86_400 <= seconds[row] < 86_401
        problem = "is in a leap second" if is_leap else "is no day and second of a year: days count from 1"
        raise TimeFault(row, f"{_text(frame, row)!r} {problem}", "Correct or remove the line.")
    start = first.astype("datetime64[ns]").astype(np.int64)
    found: Nanoseconds = start + (doy.astype(np.int64) - 1) * 86_400 * 10**9 + np.rint(seconds * 1e6).astype(np.int64) * 1000
    return found
