"""The times that labels and names of files give: ISO 8601 with a month and day, or with the day of the year."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_WRITTEN = re.compile(
    r"(?P<year>\d{4})-(?:(?P<doy>\d{3})|(?P<month>\d{2})(?:-(?P<day>\d{2}))?)"
    r"(?:T(?P<hour>\d{2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d*)?))?)?)?Z?"
)
_YMD = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)")
_DOY = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_d]?([0-3]\d{2})(?!\d)")


def label_time(text: str) -> datetime | None:
    """The moment of a label's time (aware UTC); None where it gives none (`N/A`, `UNK`, nothing)."""
    match = _WRITTEN.fullmatch(text.strip().strip('"'))
    if match is None:
        return None
    try:
        first = datetime(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1), tzinfo=UTC)
        days = int(match["doy"]) - 1 if match["doy"] else 0
        seconds = 3600 * int(match["hour"] or 0) + 60 * int(match["minute"] or 0) + float(match["second"] or 0)
        found = first + timedelta(days=days, microseconds=round(seconds * 1e6))
    except (ValueError, OverflowError):
        return None
    return found if match["doy"] is None or found.year == first.year else None


def name_date(name: str) -> datetime | None:
    """The first date in a file's name, as `20160827`, `2016240`, `2016-08-27` or `2016_240`; None without one."""
    found = []
    for match in _YMD.finditer(name):
        try:
            found.append((match.start(), datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)))
        except ValueError:
            continue
    found += [
        (match.start(), datetime(int(match[1]), 1, 1, tzinfo=UTC) + timedelta(days=int(match[2]) - 1))
        for match in _DOY.finditer(name)
        if 1 <= int(match[2]) <= 366
    ]
    return min(found)[1] if found else None
