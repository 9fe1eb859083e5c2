"""What is guessed of a file, and how times are recognized in its first records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.archives.own.times import TimeFault, ZoneSeen, read_times
from helio_dagster.domain.axes import spacing_of
from helio_dagster.domain.own_files import TimeColumns
from helio_dagster.domain.units import is_unit, normalize_unit

_UNITS = (
    re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$"),
    re.compile(r"^(?P<name>.*[^\s,])\s*, (?P<unit>[^,\[\]()]{1,30})$"),
)
"""A unit in brackets behind a name, or behind a comma."""
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
_NUMBERED_DATE = re.compile(r"\s*(\d{1,2})([-/.])(\d{1,2})\2\d{4}(?:\s+(\S+(?:\s[AaPp][Mm])?))?\s*")
_CLOCKS = (
    ("%H:%M", re.compile(r"\s*\d{1,2}:\d\d\s*")),
    ("%H:%M:%S", re.compile(r"\s*\d{1,2}:\d\d:\d\d\s*")),
    ("%H:%M:%S.%f", re.compile(r"\s*\d{1,2}:\d\d:\d\d\.\d{1,9}\s*")),
    ("%I:%M %p", re.compile(r"\s*(0?[1-9]|1[0-2]):\d\d\s[AaPp][Mm]\s*")),
    ("%I:%M:%S %p", re.compile(r"\s*(0?[1-9]|1[0-2]):\d\d:\d\d\s[AaPp][Mm]\s*")),
)
_MONTHS = 12
_COUNTED_DAYS = {"mjd": (15020.0, 88069.0), "jd": (2415020.5, 2488069.5)}
"""Formats that count days, and from when to when: 1900 to 2100."""
PLAUSIBLE_S = (1e8, 4.1e9)
"""Seconds since 1970 that a count may be taken for: 1973 to 2099."""


@dataclass(frozen=True)
class Guess:
    """A description without the file's place, what it was guessed from, and what a person should look at.

    `groups` are columns that one step reads, by default each by itself; `frames` the frames of vectors and `bins` the axes of
    spectrograms, by their first column.
    """

    document: dict[str, Any]
    head: pd.DataFrame
    units: dict[str, str]
    notes: list[str] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)
    frames: dict[str, str] = field(default_factory=dict)
    bins: dict[str, dict[str, Any]] = field(default_factory=dict)


def unit_in_heading(heading: str) -> str:
    """The unit in brackets or behind a comma after a column's name; empty where there is none."""
    found = (named["unit"].strip() for pattern in _UNITS if (named := pattern.match(heading)))
    return next((unit for unit in found if is_unit(unit)), "")


def described_bins(values: Sequence[float], unit: str, name: str) -> dict[str, Any]:
    """The axis of a spectrogram as a description has it."""
    scale = spacing_of(values)
    said = {"unit": normalize_unit(unit), "name": name, "scale": "log" if scale == "log" else ""}
    return {"values": [float(f"{each:.9g}") for each in values], **{key: value for key, value in said.items() if value}}


_WORDS = {"iso", "year_doy", "year_doy_seconds", "%Y %j", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M"}


def reads(head: pd.DataFrame, columns: Sequence[str], form: str) -> bool:
    """Whether the first records can be times that are written in a format."""
    return fault_of(head, columns, form) is None


def repeats(head: pd.DataFrame, columns: Sequence[str], form: str) -> bool:
    """Whether most of the first records would share their time with another: a date without its clock does."""
    frame = pd.DataFrame({place: head[each].astype(str) for place, each in enumerate(columns)})
    found = read_times(frame, TimeColumns(columns=list(columns), format=form), ZoneSeen())
    return 2 * len(np.unique(found)) < len(found)


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


def date_formats(texts: Sequence[str]) -> list[str]:
    """The formats that can read dates such as 29.10.2003, alone or with a clock behind.

    Parameters
    ----------
    texts
        The first times of a file.

    Returns
    -------
    list of str
        One where a number above 12 tells the day from the month, else two; none where a text is something else.
    """
    found = [_NUMBERED_DATE.fullmatch(text) for text in texts]
    dates = [each for each in found if each is not None]
    marks = {each[2] for each in dates}
    if not dates or len(dates) < len(found) or len(marks) > 1:
        return []
    clocks = [each[4] or "" for each in dates]
    clock = clock_format(clocks)
    if any(clocks) and not clock:
        return []
    forms = {
        "%d{0}%m{0}%Y": any(int(each[3]) > _MONTHS for each in dates),
        "%m{0}%d{0}%Y": any(int(each[1]) > _MONTHS for each in dates),
    }
    mark = next(iter(marks))
    return [f"{form.format(mark)} {clock}".strip() for form, is_wrong in forms.items() if not is_wrong]


def clock_format(texts: Sequence[str]) -> str:
    """The format of times of the day; empty where they are something else."""
    return next((form for form, clock in _CLOCKS if texts and all(clock.fullmatch(text) for text in texts)), "")


def day_count(name: str, value: float) -> str:
    """The format of a column that is called mjd or jd and counts such days; empty for any other."""
    form = next((form for form in re.split(r"[^a-z]+", name.casefold()) if form in _COUNTED_DAYS), "")
    low, high = _COUNTED_DAYS.get(form, (0.0, 0.0))
    return form if low < value < high else ""


def is_iso(text: str) -> bool:
    """Whether a text begins with a date of ISO 8601."""
    return re.match(r"\d{4}-\d{2}-\d{2}", text) is not None
