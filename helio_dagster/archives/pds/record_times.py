"""The times of records, out of the fields that tell them. Loaded only by the worker."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.pds.clock_columns import ClockColumns
from helio_dagster.archives.pds.layout import LabelFault
from helio_dagster.archives.pds.records import Records
from helio_dagster.domain.table import Times

_S_NS, _MS_NS, _DAY_S = 1_000_000_000, 1_000_000, 86_400
_NOT_A_TIME = np.iinfo(np.int64).min
_MOMENT = re.compile(
    rb"(?P<year>\d{4})[-/ ](?:(?P<doy>\d{1,3})|(?P<month>\d{1,2})[-/](?P<day>\d{1,2}))"
    rb"(?:[T /:]\s*(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}(?:\.\d*)?))?)?\s*Z?"
)
_SPACED = re.compile(
    rb"(?P<year>\d{4})\s+(?P<doy>\d{1,3})\s+(?P<hour>\d{1,2})\s+(?P<minute>\d{1,2})\s+(?P<second>\d{1,2}(?:\.\d*)?)"
    rb"(?:\s+(?P<ms>\d{1,3}))?"
)
_ABSENT = re.compile(rb"|N/A|UNK|NULL|9999-.*")
_Ints = NDArray[np.int64]


def read_times(records: Records, clock: ClockColumns) -> Times:
    """The time of each record, `datetime64[ns]`, NaT where the file has none; shape (record,).

    A leap second counts as the first second after it.

    Raises
    ------
    LabelFault
        A field holds something else than a time.
    """
    if clock.problem:
        raise LabelFault(clock.problem)
    found = _from_texts(records, clock) if clock.texts else _from_parts(records, clock)
    return found.view("datetime64[ns]")


def _from_texts(records: Records, clock: ClockColumns) -> _Ints:
    texts = records.texts(clock.texts[0])
    if len(clock.texts) > 1:
        texts = np.char.add(np.char.add(texts, b"T"), records.texts(clock.texts[1]))
    name = " and ".join(field.name for field in clock.texts)
    if not len(texts):
        return np.empty(0, dtype=np.int64)
    fast = _uniform(texts)
    return fast if fast is not None else _one_by_one(texts, name)


def _uniform(texts: NDArray[np.bytes_]) -> _Ints | None:
    """Times that are all written alike (`2016-240T12:00:00.5`, `2016-08-27T12:00:00Z`), many at once; None for others."""
    width = texts.dtype.itemsize
    cells = np.ascontiguousarray(texts).view(np.uint8).reshape(len(texts), width)
    first = bytes(texts[0])
    is_doy = re.match(rb"\d{4}-\d{3}T\d\d:\d\d:\d\d", first) is not None
    if not is_doy and re.match(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", first) is None:
        return None
    start = 9 if is_doy else 11
    marks = {4: 45, start - 1: 84, start + 2: 58, start + 5: 58} | ({} if is_doy else {7: 45})
    whole = [place for place in range(start + 8) if place not in marks]
    digits = cells[:, whole]
    if not all((cells[:, place] == code).all() for place, code in marks.items()) or ((digits < 48) | (digits > 57)).any():
        return None

    def number(begin: int, stop: int) -> _Ints:
        total = np.zeros(len(cells), dtype=np.int64)
        for place in range(begin, stop):
            total = total * 10 + (cells[:, place].astype(np.int64) - 48)
        return total

    fraction = np.zeros(len(cells), dtype=np.int64)
    over = np.zeros(len(cells), dtype=bool)
    for place in range(start + 8, width):
        cell = cells[:, place]
        over |= (cell == 90) | (cell == 0)
        is_digit = (cell >= 48) & (cell <= 57)
        expected = (cell == 46) if place == start + 8 else is_digit
        if not (expected | over).all() or (over & is_digit).any():
            return None
        if place > start + 8:
            fraction += np.where(is_digit, (cell.astype(np.int64) - 48) * 10 ** max(0, 8 - (place - start - 9)), 0) * (
                place - start - 9 <= 8
            )
    year, doy, day, month = number(0, 4), None, None, None
    if is_doy:
        doy = number(5, 8)
    else:
        month, day = number(5, 7), number(8, 10)
    of_day = _ns_of_day(number(start, start + 2), number(start + 3, start + 5), number(start + 6, start + 8))
    return _joined(year, doy, month, day, np.where(of_day < 0, of_day, of_day + fraction), "the time")


def _ns_of_day(hour: _Ints, minute: _Ints, second: _Ints) -> _Ints:
    """The time of day; -1 for one that no day has."""
    is_possible = (hour < 24) & (minute < 60) & (second <= 60)
    return np.where(is_possible, (hour * 3600 + minute * 60 + second) * _S_NS, -1)


def _one_by_one(texts: NDArray[np.bytes_], name: str) -> _Ints:
    found = np.full(len(texts), _NOT_A_TIME, dtype=np.int64)
    rows: list[tuple[int, ...]] = []
    places: list[int] = []
    for place, text in enumerate(texts.tolist()):
        match = _MOMENT.fullmatch(text) or _SPACED.fullmatch(text)
        if match is None:
            if _ABSENT.fullmatch(text):
                continue
            raise LabelFault(f"record {place + 1} has {text[:40].decode('latin-1')!r} in {name!r}, which is not a time")
        parts = match.groupdict()
        second, _, fraction = (parts["second"] or b"0").partition(b".")
        below = int((fraction + b"000000000")[:9]) + int(parts.get("ms") or 0) * _MS_NS
        of_day = tuple(int(each or 0) for each in (parts["hour"], parts["minute"], second))
        rows.append((*(int(parts.get(each) or 0) for each in ("year", "doy", "month", "day")), *of_day, below))
        places.append(place)
    if rows:
        year, doy, month, day, hour, minute, second_of, below_second = np.array(rows, dtype=np.int64).T
        whole = _ns_of_day(hour, minute, second_of)
        ns_of_day = np.where(whole < 0, whole, whole + below_second)
        by_day = doy > 0
        at = np.array(places)
        found[at] = np.where(
            by_day,
            _joined(year, np.where(by_day, doy, 1), None, None, ns_of_day, name),
            _joined(year, None, np.where(by_day, 1, month), np.where(by_day, 1, day), ns_of_day, name),
        )
    return found


def _from_parts(records: Records, clock: ClockColumns) -> _Ints:
    given = {part: _number(records, field) for part, field in clock.parts}
    names = ", ".join(field.name for _, field in clock.parts)
    missing = np.logical_or.reduce([~np.isfinite(values) for values in given.values()])
    kept = {part: np.where(missing, 1.0, values) for part, values in given.items()}
    year_field = dict(clock.parts)["year"]
    year = kept["year"].copy()
    if ((year < 100) & ~missing).any():
        if "1900" not in year_field.description:
            raise LabelFault(f"the years of {year_field.name!r} have two digits, and the label does not say of which century")
        year = np.where(missing, 1970, year + 1900)
    year = np.where(missing, 1970, year)
    zero = np.zeros(len(year))
    ms = 1000.0 * (3600 * kept.get("hour", zero) + 60 * kept.get("minute", zero) + kept.get("second", zero))
    ms = ms + kept.get("millisecond", zero) + kept.get("ms_of_day", zero)
    day_of_year, month, day = kept.get("doy"), kept.get("month"), kept.get("day")
    if "decimal_day" in kept:
        day_of_year = np.floor(kept["decimal_day"])
        if "hour" not in kept:
            ms = (kept["decimal_day"] - day_of_year) * _DAY_S * 1000.0
    ns = np.rint(ms * 1e3).astype(np.int64) * 1000
    found = _joined(
        _whole(year, names),
        None if day_of_year is None else _whole(day_of_year, names),
        None if month is None or day_of_year is not None else _whole(month, names),
        None if day is None or day_of_year is not None else _whole(day, names),
        ns,
        names,
    )
    return np.where(missing, _NOT_A_TIME, found)


def _number(records: Records, field: Any) -> NDArray[np.float64]:
    as_number = field if field.kind == "number" else field.model_copy(update={"kind": "number"})
    return np.asarray(records.numbers(as_number), dtype=np.float64)


def _whole(values: NDArray[np.float64], names: str) -> _Ints:
    bad = values != np.floor(values)
    if bad.any():
        raise LabelFault(f"record {int(bad.argmax()) + 1} has parts of a year or day in {names}, which are not whole")
    return values.astype(np.int64)


def _joined(year: _Ints, doy: _Ints | None, month: _Ints | None, day: _Ints | None, ns_of_day: _Ints, names: str) -> _Ints:
    """Ns since 1970 of a day, by its number in the year or by month and day, and the time in it."""
    years = np.clip(year, 1700, 2250)
    if doy is not None:
        days = (years - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64) + doy - 1
        length = (years - 1969).astype("datetime64[Y]").astype("datetime64[D]") - (years - 1970).astype("datetime64[Y]")
        bad = (doy < 1) | (doy > length.astype(np.int64))
    else:
        if month is None or day is None:
            raise LabelFault(f"{names} give no day")
        months = (years - 1970) * 12 + np.clip(month, 1, 12) - 1
        first = months.astype("datetime64[M]").astype("datetime64[D]")
        length = (months + 1).astype("datetime64[M]").astype("datetime64[D]") - first
        days = first.astype(np.int64) + day - 1
        bad = (month < 1) | (month > 12) | (day < 1) | (day > length.astype(np.int64))
    bad |= (year != years) | (ns_of_day < 0) | (ns_of_day > (_DAY_S + 1) * _S_NS)
    if bad.any():
        raise LabelFault(f"record {int(bad.argmax()) + 1} has a day or time in {names} that does not exist")
    return days * (_DAY_S * _S_NS) + ns_of_day
