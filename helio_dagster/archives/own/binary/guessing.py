"""Guess a description of a file that says itself what its columns are. A person decides whether the guess is right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pandas as pd

from helio_dagster.archives.own.binary.seen import Seen
from helio_dagster.archives.own.guess import (
    FORMATS,
    PLAUSIBLE_S,
    Guess,
    clock_format,
    date_formats,
    day_count,
    described_bins,
    fault_of,
    reads,
)
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, OwnFileError
from helio_dagster.domain.frames import find_frame
from helio_dagster.domain.units import normalize_unit

_TIME_LIKE = re.compile(r"time|epoch|date|unix|tt2000|(^|[_/])t$", re.IGNORECASE)
_COUNTS = {"epoch_s": 1.0, "epoch_ms": 1e3, "epoch_us": 1e6, "epoch_ns": 1e9}
_MOST_STEPS = 8
_WIDEST = 12
_MOST_BINS = 256
_HEAD_COLUMNS = 8


def guess_of_columns(
    name: str, seen: Sequence[Seen], *, time: Sequence[str] = (), time_format: str = "", columns: Sequence[str] = ()
) -> Guess:
    """Guess which column is the time, and which are read.

    Parameters
    ----------
    name
        What messages call the file.
    seen
        Its columns.
    time, time_format
        The columns of the time and their format, if they are known.
    columns
        The columns to read; by default the first that are as long as the time.

    Raises
    ------
    InputError, OwnFileError
        The file holds no records, or nothing in it can be taken for a time.
    """
    if not any(each.records for each in seen):
        raise OwnFileError(f"{name}: it holds no records", where=name, hint="Add a file with some.")
    when, clock = _time(name, seen, list(time), time_format)
    wanted, notes = _wanted(name, seen, clock, when["columns"], columns)
    described: dict[str, Any] = {}
    groups: list[list[str]] = []
    frames: dict[str, str] = {}
    bins: dict[str, dict[str, Any]] = {}
    for each, names in wanted:
        unit = normalize_unit(each.unit)
        described |= {one: {"unit": unit} if unit else {} for one in names}
        groups.append(names)
        notes += _meaning(each)
        frame = find_frame(each.name, {"CATDESC": each.attributes.get("long_name", ""), **each.attributes}).frame
        if frame and len(names) == 3:
            frames[names[0]] = frame
        elif each.bins and len(names) == len(each.bins):
            bins[names[0]] = described_bins(each.bins, each.bins_unit, each.bins_name)
    if not any(one for one in described.values()):
        notes.append("the file names no units: add `unit:` to its columns")
    notes.insert(0, _note_of_time(when, clock))
    return Guess(
        {"time": when, "columns": described},
        _head([clock, *(each for each, _ in wanted)]),
        {one: str(meaning.get("unit", "")) for one, meaning in described.items()},
        notes,
        groups,
        frames,
        bins,
    )


def _time(name: str, seen: Sequence[Seen], given: list[str], form: str) -> tuple[dict[str, Any], Seen]:
    known = {each.name: each for each in seen if each.width == 1}
    for each in given:
        if each not in known:
            raise InputError(f"{name} has no column {each!r}", hint=remedy(each, list(known), what="Its columns"))
    if given and form:
        return {"columns": given, "format": form}, known[given[0]]
    if not form and len(given) != 1 and (pair := _date_and_clock([known[each] for each in given or known])) is not None:
        return pair
    likely = [known[each] for each in given] if given else sorted(known.values(), key=_likelihood, reverse=True)
    for column in likely:
        if not given and not _likelihood(column):
            break
        found = form or _format_of(column)
        if found is not None:
            return {"columns": [column.name], **({"format": found} if found != "iso" else {})}, column
    problem = f"{name}: no column is a time for sure"
    if likely and likely[0].kind == "text" and likely[0].head:
        fault = fault_of(pd.DataFrame({"time": list(likely[0].head)}), ["time"], "iso")
        if fault is not None:
            hint = f"Say which: --time {likely[0].name!r} --time-format '%d.%m.%Y %H:%M:%S', or write times in ISO 8601."
            raise InputError(f"{problem}; record {fault.row + 1}: {fault.problem}", hint=hint)
    if likely and likely[0].time_problem:
        problem = f"{name}: the units of {likely[0].name!r} are not read: {likely[0].time_problem}"
    first = likely[0].name if likely else "time"
    hint = f"Say which: --time {first!r} --time-format 'seconds since 2000-01-01 12:00:00', or epoch_s, mjd, tt2000."
    raise InputError(problem, hint=hint)


def _date_and_clock(seen: Sequence[Seen]) -> tuple[dict[str, Any], Seen] | None:
    """The columns of a date and of the time of day, and how they are written together; None where there are none for sure."""
    clocks = [each for each in seen if each.kind == "text" and clock_format(each.head)]
    for date, clock in product(seen, clocks):
        if date.kind not in ("time", "text") or date.records != clock.records or not date.head:
            continue
        days = [re.sub(r"T00:00(:00(\.0*)?)?$", "", each) for each in date.head]
        forms = ["iso", *(f"{form} {clock_format(clock.head)}" for form in date_formats(days))]
        frame = pd.DataFrame({"date": days, "clock": list(clock.head)})
        fits = [form for form in forms if fault_of(frame, ["date", "clock"], form) is None]
        if len(fits) == 1:
            return {"columns": [date.name, clock.name], **({"format": fits[0]} if fits != ["iso"] else {})}, date
    return None


def _likelihood(seen: Seen) -> int:
    """How much speaks for a column being the time."""
    if seen.kind == "time" or seen.time_units:
        return 3 + (seen.attributes.get("standard_name") == "time") + (_TIME_LIKE.search(seen.name) is not None)
    return (
        2
        if _TIME_LIKE.search(seen.name) or (seen.kind == "number" and seen.head and day_count(seen.name, float(seen.head[0])))
        else 0
    )


def _format_of(seen: Seen) -> str | None:
    """How the times of a column are written; None where that is not certain."""
    if seen.kind == "time" or seen.time_units:
        return "iso"
    if seen.kind == "text":
        head = pd.DataFrame({"time": list(seen.head)})
        dates = date_formats(list(seen.head))
        forms = (*FORMATS, *(dates if len(dates) == 1 else ()))
        return next((form for form in forms if len(head) and reads(head, ["time"], form)), None)
    if seen.time_problem or not seen.head:
        return None
    first = float(seen.head[0])
    if days := day_count(seen.name, first):
        return days
    return next((form for form, scale in _COUNTS.items() if PLAUSIBLE_S[0] < first / scale < PLAUSIBLE_S[1]), None)


def _goes_with(seen: Seen, clock: Seen) -> bool:
    is_along = seen.axis == clock.axis or not seen.axis or not clock.axis
    return seen.kind == "number" and seen.records == clock.records and is_along


def _why_not(seen: Seen, clock: Seen) -> str:
    """Why a column is not read with the time."""
    if seen.kind == "number" and seen.why:
        return f"{seen.name} {seen.why}."
    if seen.kind == "arrays":
        return f"{seen.name} has arrays of varying length, which are not read: write each value into a record or column."
    if seen.kind != "number":
        return f"{seen.name} is {seen.kind}{f': {seen.why}' if seen.why else ''}."
    if seen.records == clock.records and seen.axis and clock.axis and seen.axis != clock.axis:
        return f"{seen.name} runs along {seen.axis!r} first, and the times along {clock.axis!r}: time must be its first axis."
    return f"{seen.name} has {seen.records} records for {clock.records} times."


def _wanted(
    name: str, seen: Sequence[Seen], clock: Seen, times: Sequence[str], columns: Sequence[str]
) -> tuple[list[tuple[Seen, list[str]]], list[str]]:
    """The columns to read, with the names of those of their components that are."""
    beside = [each for each in seen if _goes_with(each, clock) and each.name not in times]
    if columns:
        found: list[tuple[Seen, list[str]]] = []
        for column in columns:
            match = next((each for each in beside if column == each.name or column in each.components), None)
            if match is None:
                known = [each.name for each in beside]
                raise InputError(f"{name} has no column {column!r} of numbers", hint=remedy(column, known, what="Its columns"))
            found.append((match, match.components if column == match.name else [column]))
        return found, []
    data = [each for each in beside if not each.time_units and each.width <= (_MOST_BINS if each.bins else _WIDEST)]
    if not data:
        wide = [f"{each.name} with {each.width} values a record" for each in beside if each.width > _WIDEST]
        others = [_why_not(each, clock) for each in seen if each not in (clock, *beside)]
        others = others or ["Beside its time it has no column that can be read; links to other files are not followed."]
        hint = f"It has {', '.join(wide[:4])}: name one with --column." if wide else ""
        hint = hint or " ".join([*others[:4], "Give --time, if another is the time."])
        raise InputError(f"{name} has no column of numbers that goes with its time", hint=hint)
    left = [each.name for each in beside if each not in data[:_MOST_STEPS]]
    notes = [f"not read: {', '.join(left[:20])}{', ...' if len(left) > 20 else ''}. Choose with --column"] if left else []
    notes += [
        f"not read: {_why_not(each, clock)}" for each in seen if (each.why or each.kind == "arrays") and each.name not in times
    ][:_MOST_STEPS]
    return [(each, each.components) for each in data[:_MOST_STEPS]], notes


def _meaning(seen: Seen) -> list[str]:
    """What the file's own attributes do to the values."""
    parts = []
    if seen.fills:
        parts.append(f"{', '.join(f'{each:g}' for each in seen.fills)} is missing")
    limits = [f"{word} {value:g}" for word, value in (("below", seen.low), ("above", seen.high)) if value is not None]
    if limits:
        parts.append(f"values {' and '.join(limits)} are missing")
    if seen.scale != 1.0 or seen.offset != 0.0:
        parts.append(f"numbers are stored as (value - {seen.offset:g}) / {seen.scale:g}")
    return [f"{seen.name}: {'; '.join(parts)}, by the file's own attributes"] if parts else []


def _note_of_time(when: dict[str, Any], clock: Seen) -> str:
    name = " and ".join(when["columns"])
    if "format" in when:
        return f"time: {name}, read as {when['format']}"
    if clock.time_units:
        return f"time: {name}, {clock.time_units}, by the file's own attributes"
    return f"time: {name}, which holds dates"


def _head(columns: Iterable[Seen]) -> pd.DataFrame:
    shown = [each for each in columns if each.head][:_HEAD_COLUMNS]
    most = max((len(each.head) for each in shown), default=0)
    rows: dict[str, list[str]] = {each.name: [""] * most for each in shown}
    for each, place in product(shown, range(most)):
        if place < len(each.head):
            rows[each.name][place] = each.head[place] + (" ..." if each.width > 1 else "")
    return pd.DataFrame(rows)
