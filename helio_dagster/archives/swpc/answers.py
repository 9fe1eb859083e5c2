"""The JSON of SWPC's solar wind as records: strict, because what is read here is kept.

A file is a list whose first row names the columns and whose other rows hold a time and numbers, as texts or as numbers, null
where there is none; or a list of objects with the same names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helio_dagster.archives.transfer.json_text import read_json

TIME = "time_tag"
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?Z?")
_LARGEST = 1e12
_LONGEST_ECHO = 60

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Answer:
    """The columns of an answer, and the time of each record, as `YYYY-MM-DDTHH:MM:SS.ffffff`, to its values, in order."""

    columns: tuple[str, ...]
    records: Mapping[str, Values]


def read_answer(body: bytes) -> Answer:
    """What a file says; of records with the same time the last.

    Raises
    ------
    ValueError
        It is not such a file, and which record is not.
    """
    found = read_json(body)
    if not isinstance(found, list):
        raise ValueError("it is not a list of records")
    if not found:
        return Answer((), {})
    if isinstance(found[0], dict):
        header = list(found[0])
        rows = [[row.get(name) for name in header] if isinstance(row, dict) else row for row in found]
    else:
        header, rows = found[0], found[1:]
    if not isinstance(header, list) or not all(isinstance(name, str) for name in header) or header.count(TIME) != 1:
        raise ValueError(f"its first row does not name the columns, with {TIME} among them")
    if len(set(header)) != len(header):
        raise ValueError("two of its columns have the same name")
    place = header.index(TIME)
    records: dict[str, Values] = {}
    for number, row in enumerate(rows, 1):
        try:
            time, values = _record(row, len(header), place)
        except ValueError as error:
            raise ValueError(f"record {number}: {error}") from None
        records[time] = values
    columns = tuple(name for name in header if name != TIME)
    return Answer(columns, {time: records[time] for time in sorted(records)})


def _record(row: Any, width: int, place: int) -> tuple[str, Values]:
    if not isinstance(row, list) or len(row) != width:
        raise ValueError(f"it does not have the {width} values that the first row names")
    return read_time(row[place]), tuple(_number(value) for at, value in enumerate(row) if at != place)


def read_time(text: object) -> str:
    """A time in the form of `Answer.records`; ValueError where it is none."""
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{_shown(text)} is not a time")
    time = f"{match[1]}T{match[2]}{(match[3] or '.').ljust(7, '0')}"
    try:
        datetime.fromisoformat(time)
    except ValueError:
        raise ValueError(f"{_shown(text)} is not a time") from None
    return time


def _number(value: Any) -> float | None:
    """A number, given as one or as text; None where there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{_shown(value)} is not a number")
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"{_shown(value)} is not a number") from None
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise ValueError(f"{_shown(value)} is not a number that can be measured")
    return number


def select(answer: Answer, columns: Sequence[str]) -> dict[str, Values]:
    """The records with these columns alone.

    Raises
    ------
    ValueError
        The answer has no such column.
    """
    missing = [name for name in columns if name not in answer.columns]
    if missing and answer.columns:
        raise ValueError(f"it has no column {missing[0]}; it has {', '.join(answer.columns)[:200]}")
    places = [answer.columns.index(name) for name in columns] if answer.columns else []
    return {time: tuple(values[place] for place in places) for time, values in answer.records.items()}


def _shown(value: object) -> str:
    return repr(value)[:_LONGEST_ECHO]
