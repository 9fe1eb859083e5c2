"""What is guessed of a file, and how times are recognized in its first records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.archives.own.times import TimeFault, ZoneSeen, read_times
from helio_dagster.domain.own_files import TimeColumns
from helio_dagster.domain.units import is_unit

_UNIT = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")
FORMATS = (
    "iso",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y%m%d %H%M%S",
    "%Y%m%d%H%M%S",
    "%Y%m%d",
    "%Y-%j",
    "%Y %j",
)
PLAUSIBLE_S = (1e8, 4.1e9)
"""Seconds since 1970 that a count may be taken for: 1973 to 2099."""


@dataclass(frozen=True)
class Guess:
    """A description without the file's place, what it was guessed from, and what a person should look at.

    `groups` are columns that one step reads, by default each by itself; `frames` the frames of vectors, by their first column.
    """

    document: dict[str, Any]
    head: pd.DataFrame
    units: dict[str, str]
    notes: list[str] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    frames: dict[str, str] = field(default_factory=dict)


def unit_in_heading(heading: str) -> str:
    """The unit in brackets behind a column's name; empty where there is none."""
    named = _UNIT.match(heading)
    return named["unit"].strip() if named and is_unit(named["unit"].strip()) else ""


_WORDS = {"iso", "year_doy", "year_doy_seconds", "%Y %j", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M"}


def reads(head: pd.DataFrame, columns: Sequence[str], form: str) -> bool:
    """Whether the first records can be times that are written in a format."""
    return fault_of(head, columns, form) is None


def fault_of(head: pd.DataFrame, columns: Sequence[str], form: str) -> TimeFault | None:
    """Which of the first records is not a time in a format, and why; None where all are."""
    if len(columns) > 1 and form.count(" ") + 1 != len(columns) and form not in _WORDS:
        return TimeFault(0, "the format is of another number of columns", "Give another format.")
    if len(columns) > 1 and form == "iso" and not is_iso(str(head[columns[0]].iloc[0]).strip()):
        return TimeFault(0, "the first column is not a date of ISO 8601", "Give its format.")
    frame = pd.DataFrame({place: head[each].astype(str) for place, each in enumerate(columns)})
    try:
        found = read_times(frame, TimeColumns(columns=list(columns), format=form), ZoneSeen())
    except TimeFault as fault:
        return fault
    except ValueError as error:
        return TimeFault(0, str(error), "Give another format.")
    is_time = bool(np.ptp(found) > 0) or len(found) == 1
    return None if is_time else TimeFault(0, "all records have the same time", "Give another column or format.")


def is_iso(text: str) -> bool:
    """Whether a text begins with a date of ISO 8601."""
    return re.match(r"\d{4}-\d{2}-\d{2}", text) is not None
