"""Times as numbers: what one counts, from when, and by which clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

_SCALES_NS = {
    **dict.fromkeys(("nanosecond", "nsec", "ns"), 1),
    **dict.fromkeys(("microsecond", "usec", "us"), 10**3),
    **dict.fromkeys(("millisecond", "msec", "ms"), 10**6),
    **dict.fromkeys(("second", "sec", "s"), 10**9),
    **dict.fromkeys(("minute", "min"), 60 * 10**9),
    **dict.fromkeys(("hour", "hr", "h"), 3600 * 10**9),
    **dict.fromkeys(("day", "d"), 86_400 * 10**9),
}
_SINCE = re.compile(r"\s*([A-Za-z]+)\s+since\s+(.+?)\s*", re.IGNORECASE)
_ORIGIN = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[T ]\s*(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9})\d*)?)?)?"
    r"\s*(?:(?P<clock>TT|TAI)|Z|UTC|GMT|[+-]00:?00|[+-]0:00)?",
    re.IGNORECASE,
)
_CALENDARS = ("", "standard", "gregorian", "proleptic_gregorian")
_DAY_NS = 86_400 * 10**9
_MOST_NS = 9 * 10**18
_FIRST_YEAR = 1583
"""Of the Gregorian calendar; counts from before mean that or the Julian one."""
_J2000_NS = 946_728_000 * 10**9
MJD_OF_1970 = 40_587.0

Clock = Literal["UTC", "TT", "TAI"]


@dataclass(frozen=True)
class TimeUnits:
    """What a number of a time column means: `scale_ns` nanoseconds each, counted from `shift` at `origin_ns`.

    `origin_ns` is in ns since 1970 on `clock`; `shift` is in the number's own unit. UTC days have 86400 seconds: leap seconds
    are not counted. On the clocks TT and TAI all seconds count.
    """

    scale_ns: int
    origin_ns: int
    shift: float = 0.0
    clock: Clock = "UTC"


NAMED_TIMES: Mapping[str, TimeUnits] = {
    "epoch_s": TimeUnits(10**9, 0),
    "epoch_ms": TimeUnits(10**6, 0),
    "epoch_us": TimeUnits(10**3, 0),
    "epoch_ns": TimeUnits(1, 0),
    "mjd": TimeUnits(_DAY_NS, 0, MJD_OF_1970),
    "jd": TimeUnits(_DAY_NS, 0, MJD_OF_1970 + 2_400_000.5),
    "tt2000": TimeUnits(1, _J2000_NS, clock="TT"),
}
"""Counts of time that have a name: since 1970, Julian day numbers, and the TT2000 of CDF files."""


def parse_time_units(text: str) -> TimeUnits:
    """The meaning of `seconds since 2000-01-01 12:00:00`, or of a name in `NAMED_TIMES`.

    Raises
    ------
    ValueError
        It is neither; the message says what is wrong.
    """
    if text.strip().casefold() in NAMED_TIMES:
        return NAMED_TIMES[text.strip().casefold()]
    found = _SINCE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:60]!r} is not a count of time. Write it as 'seconds since 2000-01-01 12:00:00'")
    unit = found[1].casefold()
    scale = _SCALES_NS.get(unit) or _SCALES_NS.get(unit.removesuffix("s"))
    if scale is None:
        raise ValueError(
            f"{found[1]!r} is not a unit of time of fixed length. Use days, hours, minutes, seconds, or parts of them"
        )
    origin_ns, clock = _origin(found[2])
    is_far = abs(origin_ns) > _MOST_NS
    return TimeUnits(scale, 0, -origin_ns / scale, clock) if is_far else TimeUnits(scale, origin_ns, clock=clock)


def _origin(text: str) -> tuple[int, Clock]:
    found = _ORIGIN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:60]!r} is not a date in UTC. Write it as 2000-01-01 12:00:00")
    fields = [int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")]
    try:
        year, month, day, hour, minute, second = fields
        seconds = int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
    except ValueError as error:
        raise ValueError(f"{text[:60]!r} is not a date: {error}") from None
    if fields[0] < _FIRST_YEAR:
        raise ValueError(f"{text[:60]!r} is in a calendar that is not certain: count from a date after {_FIRST_YEAR}")
    clock: Clock = "TT" if (found["clock"] or "").upper() == "TT" else "TAI" if found["clock"] else "UTC"
    return seconds * 10**9 + int((found["fraction"] or "0").ljust(9, "0")), clock


def time_units_of_attributes(attributes: Mapping[str, str]) -> str:
    """What a variable's own attributes say that its numbers count, as `parse_time_units` reads it; empty where they do not.

    Parameters
    ----------
    attributes
        By name; `units` and `calendar` of the CF conventions, `UNITS`, `TIME_BASE` and `TIME_SCALE` of ISTP's.

    Raises
    ------
    ValueError
        They name a calendar in which days are not those of UTC, or a time base that is not known.
    """
    given = {name.casefold(): value.strip() for name, value in attributes.items()}
    units = given.get("units", "")
    if _SINCE.fullmatch(units):
        if given.get("calendar", "").casefold() not in _CALENDARS:
            raise ValueError(f"its calendar is {given['calendar'][:40]!r}, whose days are not those of UTC")
        return units
    if units.casefold() in ("mjd", "jd"):
        return units.casefold()
    base, scale = given.get("time_base", ""), given.get("time_scale", "").casefold()
    unit = units.casefold()
    if not base or (_SCALES_NS.get(unit) or _SCALES_NS.get(unit.removesuffix("s"))) is None:
        return ""
    if base.casefold().startswith("j2000"):
        if unit in ("ns", "nanosecond", "nanoseconds") and scale in ("tt", "terrestrial time", ""):
            return "tt2000"
        if scale in ("utc", ""):
            return f"{units} since 2000-01-01 12:00:00"
    if "1970" in base:
        return f"{units} since 1970-01-01 00:00:00"
    raise ValueError(f"its TIME_BASE is {base[:40]!r} with the TIME_SCALE {scale[:40]!r}, which is not known")
