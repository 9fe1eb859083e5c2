"""Which fields of a table tell the time, and how they are to be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from helio_dagster.archives.pds.layout import LabelledField, LabelledTable

Part = Literal["year", "month", "day", "doy", "decimal_day", "hour", "minute", "second", "millisecond", "ms_of_day", "s_of_day"]

_TEXT_NAMES = re.compile(
    r"(SAMPLE |SPACECRAFT EVENT |START |BEGIN |MID |CENTER |CENTRE )?(SCET|UTC|UT|TIME|EPOCH|DATE ?TIME)( ?\(?(UTC|UT)\)?)?"
    r"|(TIME|SCET|EPOCH|UTC)( UTC| TIME| START| BEGIN)?|SAMPLE UTC|SPACECRAFT EVENT TIME( \(UT\))?|DATE TIME( UTC)?",
)
_CLOCKS = re.compile(
    r"(SPACECRAFT CLOCK|S/?C ?CLOCK|SCLK|SPICE CLOCK|MISSION ELAPSED|\bMET\b|M65536|MOD60|FDS)"
    r"|(EPHEMERIS (TIME|SECOND)|\bET\b|J2000)"
)
_PARTS: tuple[tuple[Part, re.Pattern[str]], ...] = (
    ("year", re.compile(r"(UTC |UT |SCET |TIME )?(YEAR|YR|YYYY)")),
    ("doy", re.compile(r"(UTC |UT |SCET )?(DOY|DAY OF (THE )?YEAR|DAYOFYEAR|JULIAN DAY OF YEAR|DDD)")),
    ("decimal_day", re.compile(r"(DECIMAL ?DAY|DDAY|DEC ?DAY|FRACTIONAL ?DAY|DECIMAL ?(DOY|DAY OF YEAR))")),
    ("month", re.compile(r"(UTC |UT )?(MONTH|MON|MO)")),
    ("day", re.compile(r"(UTC |UT )?(DAY|DY|DAY OF MONTH|DOM)")),
    ("hour", re.compile(r"(UTC |UT )?(HOUR|HR|HH)S?")),
    ("minute", re.compile(r"(UTC |UT )?(MIN|MINUTE|MN)S?")),
    ("second", re.compile(r"(UTC |UT )?(SEC|SECOND|SS)S?")),
    ("millisecond", re.compile(r"(UTC |UT )?(MSEC|MILLISEC|MILLISECOND|MS)S?")),
)
_DATE_NAMES = ("DATE", "UTC DATE", "UT DATE")
_SHORTEST_MOMENT = 16
_DAY_OF_YEAR = re.compile(r"\bday of (?:the )?year\b", re.IGNORECASE)


@dataclass(frozen=True)
class ClockColumns:
    """The fields that tell a record's time: one or two of text (a date and a time of day), or numbers by their part."""

    texts: tuple[LabelledField, ...] = ()
    parts: tuple[tuple[Part, LabelledField], ...] = ()
    problem: str = ""

    @property
    def fields(self) -> tuple[LabelledField, ...]:
        """All of them."""
        return (*self.texts, *(field for _, field in self.parts))


def find_clock(table: LabelledTable) -> ClockColumns:
    """The fields that tell the time of a table's records; `problem` says why there are none."""
    singles = [field for field in table.fields if field.items == 1]
    plain = {id(field): _plain(field.name) for field in singles}
    times = [field for field in singles if field.kind == "time" and (not field.type.endswith("DATE") or field.length >= 14)]
    named = [field for field in singles if field.kind in ("text", "time") and _TEXT_NAMES.fullmatch(plain[id(field)])]
    dates = [field for field in singles if field.kind in ("text", "time") and plain[id(field)] in _DATE_NAMES]
    if dates and named and dates[0] not in named and named[0].length < _SHORTEST_MOMENT and table.form != "delimited":
        return ClockColumns((dates[0], named[0]))
    for found in (times, named):
        if found:
            return ClockColumns((found[0],))
    parts = _parts(singles, plain)
    if parts:
        return ClockColumns(parts=parts)
    clock = next((field.name for field in singles if _CLOCKS.search(plain[id(field)])), "")
    why = f"only {clock!r}, a clock of the spacecraft or of an ephemeris" if clock else "no field that is known to be one"
    return ClockColumns(problem=f"its records have no time in UTC: {why}")


def _parts(fields: list[LabelledField], plain: dict[int, str]) -> tuple[tuple[Part, LabelledField], ...]:
    """The numbers that together make a time; none where they do not."""
    found: dict[Part, LabelledField] = {}
    for field in fields:
        if field.kind not in ("number", "text"):
            continue
        part = next((name for name, words in _PARTS if words.fullmatch(plain[id(field)])), None)
        if part is None and plain[id(field)] in ("DATE", "DAY") and _DAY_OF_YEAR.search(field.description):
            part = "doy"
        if part is not None:
            found.setdefault(part, field)
    if "year" not in found:
        return ()
    if "day" in found and "month" not in found:
        found.setdefault("doy", found["day"])
    of_day = next((field for field in fields if _is_ms_of_day(field, plain[id(field)])), None)
    if of_day is not None and "hour" not in found:
        found["ms_of_day"] = of_day
    day: tuple[Part, ...] = ("doy",) if "doy" in found else ("month", "day") if {"month", "day"} <= found.keys() else ()
    if day and "hour" in found:
        chosen: tuple[Part, ...] = ("year", *day, "hour", "minute", "second", "millisecond")
    elif day and "ms_of_day" in found:
        chosen = ("year", *day, "ms_of_day")
    elif "decimal_day" in found:
        chosen = ("year", "decimal_day", *(("hour",) if "hour" in found else ()))
    else:
        return ()
    return tuple((part, found[part]) for part in chosen if part in found)


def _is_ms_of_day(field: LabelledField, plain: str) -> bool:
    return (
        field.kind == "number"
        and plain in ("UT", "UTC", "TIME", "MSEC OF DAY", "MS OF DAY")
        and field.unit.casefold() in (*("ms", "msec", "millisecond", "milliseconds"),)
    )


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[_\-.]+", " ", name).upper().split())
