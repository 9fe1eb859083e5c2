"""Half-open UTC time ranges and ISO 8601 durations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)

_DURATION = re.compile(
    r"^P(?:(?P<weeks>\d+(?:\.\d+)?)W)?(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?$"
)

_UNITS_NS = {
    "weeks": 604_800 * 10**9,
    "days": 86_400 * 10**9,
    "hours": 3600 * 10**9,
    "minutes": 60 * 10**9,
    "seconds": 10**9,
}


@dataclass(frozen=True, order=True)
class TimeRange:
    """`[start, stop)` in UTC; both are aware and `start < stop`."""

    start: datetime
    stop: datetime

    def __post_init__(self) -> None:
        for edge in (self.start, self.stop):
            if edge.utcoffset() is None:
                raise ValueError(f"a time range needs aware times, not {edge!r}")
        object.__setattr__(self, "start", self.start.astimezone(UTC))
        object.__setattr__(self, "stop", self.stop.astimezone(UTC))
        if self.start >= self.stop:
            raise InputError(
                f"stop {format_time(self.stop)} is not after start {format_time(self.start)}",
                hint="Give the earlier time first; the stop itself is not in the range.",
            )
        if self.start < EARLIEST or self.stop > LATEST:
            raise InputError(
                f"{self} is outside {EARLIEST:%Y} to {LATEST:%Y}", hint="Check the year; no archive reaches that far."
            )

    @property
    def duration(self) -> timedelta:
        """Length of the range."""
        return self.stop - self.start

    def widened(self, before: timedelta, after: timedelta) -> TimeRange:
        """The range `[start - before, stop + after)`."""
        return TimeRange(self.start - before, self.stop + after)

    def overlaps(self, other: TimeRange) -> bool:
        """Whether the two ranges share an instant."""
        return self.start < other.stop and other.start < self.stop

    def part_in(self, other: TimeRange) -> TimeRange:
        """What the two ranges have in common; they must overlap."""
        return TimeRange(max(self.start, other.start), min(self.stop, other.stop))

    def bounds_ns(self) -> tuple[np.datetime64, np.datetime64]:
        """Start and stop as naive-UTC `datetime64[ns]`, the form of a table's time column."""
        return datetime_to_ns(self.start), datetime_to_ns(self.stop)

    def __str__(self) -> str:
        return f"{format_time(self.start)} to {format_time(self.stop)}"


def datetime_to_ns(moment: datetime) -> np.datetime64:
    """An aware time as naive-UTC `datetime64[ns]`."""
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "ns")


def ns_to_datetime(moment: np.datetime64) -> datetime:
    """A naive-UTC time as a datetime, to the microsecond."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(moment.astype("datetime64[us]").astype(np.int64)))


def format_time(moment: datetime) -> str:
    """The shortest ISO form: a date for midnight, else to the minute, second or microsecond."""
    moment = moment.astimezone(UTC)
    if (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0):
        return f"{moment.year:04d}-{moment:%m-%d}"
    if moment.microsecond:
        return f"{moment.replace(tzinfo=None).isoformat()}Z"
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M}Z" if not moment.second else f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}Z"


def parse_duration(text: str) -> timedelta:
    """An ISO 8601 duration of weeks, days, hours, minutes and seconds (`PT10M`, `P1D`, `PT0.0078125S`), to the nanosecond.

    A fraction of a minute or longer that is not a whole number of nanoseconds (a third of a day) is rounded to the microsecond.

    Raises
    ------
    InputError
        The text is not such a duration; months and years have no fixed length and are refused, as is less than a nanosecond.
    """
    match = _DURATION.match(text)
    given = {name: value for name, value in match.groupdict().items() if value} if match else {}
    if not given:
        raise InputError(f"{text!r} is not an ISO 8601 duration", hint="Write PT10M, PT1H30M, P1D or P2W.")
    if len(given.get("seconds", "").partition(".")[2].rstrip("0")) > 9:
        raise InputError(f"the duration {text} is finer than a nanosecond", hint="Give at most nine decimals of a second.")
    length_ns = sum(Fraction(value) * _UNITS_NS[name] for name, value in given.items())
    try:
        if length_ns.denominator == 1:
            return duration_from_ns(int(length_ns))
        return timedelta(**{name: float(value) for name, value in given.items()})
    except OverflowError:
        raise InputError(f"the duration {text} is too long", hint="Give a shorter one.") from None


def format_duration(length: timedelta) -> str:
    """The ISO 8601 form of a non-negative duration: the inverse of `parse_duration`."""
    days, rest = divmod(duration_ns(length), _UNITS_NS["days"])
    hours, rest = divmod(rest, _UNITS_NS["hours"])
    minutes, rest = divmod(rest, _UNITS_NS["minutes"])
    seconds, decimals = divmod(rest, _UNITS_NS["seconds"])
    clock = (
        (f"{hours}H" if hours else "")
        + (f"{minutes}M" if minutes else "")
        + (f"{seconds}.{decimals:09d}".rstrip("0").rstrip(".") + "S" if rest else "")
    )
    date = f"{days}D" if days else ""
    return f"P{date}T{clock}" if clock else (f"P{date}" if date else "PT0S")
