"""How a time range is written as a key: in the names of figures, and as the key of a result over a range."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from helio_dagster.domain.time_range import TimeRange

_MOMENT = r"\d{8}(?:T\d{6})?"
SPAN_KEY_PATTERN = rf"(?P<start>{_MOMENT})_(?P<stop>{_MOMENT})"
_SPAN_KEY = re.compile(SPAN_KEY_PATTERN)


def span_key(span: TimeRange) -> str:
    """The key of a range in whole seconds, such as `20031028_20031031` or `20031029T060000_20031029T090000`."""
    return f"{_stamp(span.start)}_{_stamp(span.stop)}"


def span_of(key: str) -> TimeRange | None:
    """The range that a key names; None for any other text."""
    match = _SPAN_KEY.fullmatch(key)
    if match is None:
        return None
    try:
        start, stop = _moment(match["start"]), _moment(match["stop"])
    except ValueError:
        return None
    return TimeRange(start, stop) if start < stop else None


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y%m%d" if (moment.hour, moment.minute, moment.second) == (0, 0, 0) else "%Y%m%dT%H%M%S")


def _moment(stamp: str) -> datetime:
    return datetime.strptime(stamp, "%Y%m%dT%H%M%S" if "T" in stamp else "%Y%m%d").replace(tzinfo=UTC)
