"""Guess how a text file is laid out: what separates its columns, its comments, and where and how the columns are named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helio_dagster.archives.own.guess import is_iso
from helio_dagster.domain.units import is_unit

_TOP_BYTES = 65_536
_NUMBER = re.compile(r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$")
_TIME_NAME = re.compile(r"time|date|epoch|year|yyyy|doy|day", re.IGNORECASE)
_MOST_TOP_LINES = 60
_SAMPLE = 49


def guess_layout(path: Path) -> dict[str, Any]:
    """What of a text file's layout is not the default."""
    with path.open("rb") as file:
        top = file.read(_TOP_BYTES)
    found: dict[str, Any] = {}
    try:
        text = top.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(top) - 4:
            found["encoding"] = "latin-1"
        text = top.decode("latin-1")
    numbered = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    numbered = numbered[:-1] if len(top) == _TOP_BYTES and len(numbered) > 1 else numbered
    mark = numbered[0][1][0] if numbered and numbered[0][1][0] in "#%!;" else None
    mark = mark or next((line[0] for _, line in numbered if line[0] in "#%!"), None)
    if mark:
        found["comment"] = mark
        numbered = [(number, line) for number, line in numbered if not line.startswith(mark)]
    lines = [line for _, line in numbered]
    if not lines:
        return found
    above = _lines_above(lines)
    sample = lines[above : above + _SAMPLE] or lines
    delimiter = next((each for each in ("\t", ";", ",", "|") if _is_regular(sample, each)), None)
    if delimiter is None and len({len(line.split()) for line in sample}) == 1 and len(sample[0].split()) > 1:
        delimiter = "space"
    default = "\t" if path.suffix.casefold() in (".tsv", ".tab") else ","
    if delimiter is not None and delimiter != default:
        found["delimiter"] = delimiter
    separator = None if delimiter == "space" else delimiter or default
    fields = [field.strip() for line in sample for field in line.split(separator)]
    if separator != "," and any(re.fullmatch(r"[+-]?\d+,\d+", each) for each in fields):
        found["decimal"] = ","
    first = lines[0].split(separator)
    if any(_NUMBER.match(each.strip().replace(",", ".")) for each in first) or is_iso(first[0].strip()):
        found["names"] = ["time", *(f"column_{place}" for place in range(2, len(first) + 1))]
    elif above > 1 and (names := _names_above(lines[:above], separator, len(sample[0].split(separator)))) is not None:
        found |= {"skip": numbered[above - 1][0], "names": names}
    return found


def _lines_above(lines: Sequence[str]) -> int:
    """How many lines stand above the first record: what begins with a number or a date begins a record. One where none does."""
    for place, line in enumerate(lines[:_MOST_TOP_LINES]):
        first = re.split(r"[\t;, ]", line.strip().strip('"'))[0]
        if is_iso(first) or _NUMBER.match(first) or re.match(r"\d+[-/.]\d+", first):
            return max(1, place)
    return 1


def _names_above(above: Sequence[str], separator: str | None, size: int) -> list[str] | None:
    """The names of columns among lines above the records, with the units that stand in a line of their own; None without."""
    rows = [[field.strip() for field in line.strip().strip("|").split(separator)] for line in above]
    if len(rows[-1]) != size:
        return None
    units = [field.strip("()[] ") for field in rows[-1]]
    are_units = not _TIME_NAME.search(units[0]) and any(is_unit(unit) for unit in units[1:])
    if are_units and len(rows) > 1 and len(rows[-2]) == size and _are_names(rows[-2]):
        pairs = zip(rows[-2], units, strict=True)
        return [f"{name} [{unit}]" if place and is_unit(unit) else name for place, (name, unit) in enumerate(pairs)]
    return rows[-1] if _are_names(rows[-1]) else None


def _are_names(fields: Sequence[str]) -> bool:
    return all(fields) and len(set(fields)) == len(fields)


def _is_regular(lines: Sequence[str], delimiter: str) -> bool:
    counts = {line.count(delimiter) for line in lines}
    return len(counts) == 1 and counts.pop() > 0
