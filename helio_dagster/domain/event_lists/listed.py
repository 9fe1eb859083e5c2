"""The rows of a list of events as a reader finds them: text cells under named columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.time_range import EARLIEST, LATEST

_ORDINAL = re.compile(r"(\d{4})-(\d{3})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?Z?")
_TIME = re.compile(r"\d{4}-\d{2,3}")


class EventTableError(HelioError):
    """The rows cannot be read; `line` counts the lines of the text from 1, or the rows of a form that has none."""

    exit_code = 2

    def __init__(self, problem: str, *, line: int, hint: str = "", what: str = "csv line") -> None:
        super().__init__(problem, where=f"{what} {line}", hint=hint)
        self.line = line


@dataclass(frozen=True)
class ListColumn:
    """A column: its name, its unit as the list gives it, and its description."""

    name: str
    unit: str = ""
    label: str = ""


@dataclass(frozen=True)
class ListedRows:
    """What a reader found.

    Parameters
    ----------
    form
        The form that it took the text for, in words.
    columns
        The columns, named once each.
    rows
        (line, cells): as many cells as columns; a blank cell has no value.
    start, stop, id
        Columns that hold the time, the stop and the id of an event by the convention of the form; None without one.
    what
        What `line` counts, in messages.
    """

    form: str
    columns: tuple[ListColumn, ...]
    rows: Sequence[tuple[int, Sequence[str]]]
    start: str
    stop: str | None = None
    id: str | None = None
    what: str = "csv line"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


def named_once(columns: Sequence[ListColumn], *, line: int, what: str = "csv line") -> tuple[ListColumn, ...]:
    """The columns as a tuple, once each has a name that no other has.

    Raises
    ------
    EventTableError
        A column has no name, or two have the same; `line` is where the header is.
    """
    names = [column.name for column in columns]
    if "" in names or len(set(names)) < len(names):
        raise EventTableError("a column without a name", line=line, hint="Name every column once.", what=what)
    return tuple(columns)


def parse_moment(text: str) -> datetime | None:
    """An ISO 8601 time, or date, with month and day or with the day of the year; without a zone it is UTC.

    None if it is not such a time, or is outside the years that are supported.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        match = _ORDINAL.fullmatch(text)
        if match is None or not 1 <= int(match[2]) <= 366:
            return None
        try:
            moment = datetime.fromisoformat(f"{match[1]}-01-01T{match[3] or '00:00'}") + timedelta(days=int(match[2]) - 1)
        except ValueError:
            return None
        if moment.year != int(match[1]):
            return None
    moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    return moment if EARLIEST <= moment <= LATEST else None


def looks_like_time(text: str) -> bool:
    """Whether a cell begins as an ISO date does."""
    return _TIME.match(text) is not None


def has_zone(text: str) -> bool:
    """Whether a time says its zone; a date alone needs none."""
    return (
        len(text) <= len("2003-10-29") or text.endswith(("Z", "z")) or re.search(r"[+-]\d{2}(:?\d{2})?$", text[10:]) is not None
    )
