"""What a table says of its columns beside their names: units in remarks or metadata, and which three are a vector.

Only for proposals, which a person looks at: what cannot be read counts as not said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helio_dagster.archives.own.guess import described_bins
from helio_dagster.domain.axes import SMALLEST_SPECTROGRAM
from helio_dagster.domain.frames import find_frame
from helio_dagster.domain.units import is_unit

_MOST_BYTES, _MOST_LINES = 1 << 18, 4000
_REMARKS = (
    re.compile(r"[#;%!]\s*column (?P<name>.{1,200}?) \[(?P<unit>[^\]]{1,80})\](?::|\s*$)"),
    re.compile(r"# - \{name: (?P<name>[^,{}]{1,200}), unit: (?P<unit>[^,{}]{1,80})[,}]"),
)
"""A column and its unit above the records: as `helio export` writes CSV, and ECSV, the format of astropy's tables."""
_OF_FIELD = (b"unit", b"units")
_OF_EXPORT = b"helio"
_AXES = ("xyz", "rtn")
_BIN = re.compile(
    r"(?P<before>\D*?)[ _]?(?P<value>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[ _]?(?P<unit>[A-Za-z]{1,4})(?P<behind>|[ _].*)"
)
"""A column that is a bin: `10.0 keV`, `flux_12.5keV`, `P 30 Hz`."""


def units_in_remarks(path: Path, encoding: str) -> dict[str, str]:
    """Column to its unit, as remarks above the records of a text say it."""
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES).decode(encoding, errors="replace")
    found = {}
    for line in islice(text.splitlines(), _MOST_LINES):
        match = next(filter(None, (each.match(line.strip()) for each in _REMARKS)), None)
        if match is not None and is_unit(match["unit"].strip()):
            found[match["name"].strip()] = match["unit"].strip()
    return found


def is_iaga(path: Path) -> bool:
    """Whether a text is in the format IAGA-2002, of geomagnetic observatories: values in nT or minutes of arc."""
    with path.open("rb") as file:
        return b"IAGA-2002" in file.read(1000)


def units_in_parquet(path: Path) -> dict[str, str]:
    """Column to its unit, as the metadata of a Parquet file say it: of each field, or those of `helio export`."""
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException):
        return {}
    found = dict(_exported((schema.metadata or {}).get(_OF_EXPORT, b"")))
    for field in schema:
        said = next(((field.metadata or {})[key] for key in _OF_FIELD if key in (field.metadata or {})), b"")
        found |= {field.name: said.decode("utf-8", errors="replace")} if said else {}
    return {name: unit for name, unit in found.items() if len(unit) < 80 and is_unit(unit)}


def _exported(sealed: bytes) -> Iterator[tuple[str, str]]:
    try:
        meta = json.loads(sealed)["meta"]
        for column in meta["columns"]:
            yield str(column["name"]), str(column.get("unit") or meta.get("unit") or "")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return


def groups_in(units: Mapping[str, str]) -> tuple[list[list[str]], dict[str, str], dict[str, dict[str, Any]]]:
    """Columns that one step reads, in order, the frame of each vector and the bins of each spectrogram by its first column.

    Parameters
    ----------
    units
        Column to its unit, in the order of the file.

    Returns
    -------
    tuple of list, dict and dict
        Three columns in a row of one unit that differ in x, y, z or r, t, n alone and name one frame, together; so are five
        or more that differ in a number with its unit, such as `10 keV`, that grows or falls.
    """
    names, groups, frames, bins = list(units), [], {}, {}
    while names:
        if (many := _bins_of(names, units)) is not None:
            size = len(many["values"])
            bins[names[0]] = many
            groups.append(names[:size])
            del names[:size]
            continue
        three = names[:3]
        frame = (
            find_frame("", {}, three).frame if _are_components(three) and len({units[each] for each in three}) == 1 else None
        )
        if frame:
            frames[three[0]] = frame
        groups.append(three if frame else names[:1])
        del names[: len(groups[-1])]
    return (groups, frames, bins) if frames or bins else ([], {}, {})


def _bins_of(names: Sequence[str], units: Mapping[str, str]) -> dict[str, Any] | None:
    """The bins that the names of the first columns say; None where they say none."""
    found = [_BIN.fullmatch(re.sub(r"\s*[\[(][^\])]*[\])]\s*$", "", name)) for name in names]
    first = found[0]
    if first is None or not is_unit(first["unit"]):
        return None
    same = [
        float(each["value"])
        for name, each in takewhile(lambda pair: pair[1] is not None, zip(names, found, strict=True))
        if each is not None
        and (each["before"], each["unit"], each["behind"], units[name])
        == (first["before"], first["unit"], first["behind"], units[names[0]])
    ]
    size = next((place for place in range(2, len(same)) if (same[place] > same[place - 1]) != (same[1] > same[0])), len(same))
    if size < SMALLEST_SPECTROGRAM or len({*same[:size]}) < size:
        return None
    return described_bins(same[:size], first["unit"], first["before"].strip(" _-=:"))


def shared_name(columns: Sequence[str]) -> str:
    """What the names of a vector's components have in common: `B_gse` of B_x_gse, B_y_gse and B_z_gse."""
    first, before = columns[0], _alike(columns)
    behind = _alike([column[before:][::-1] for column in columns])
    return f"{first[:before].rstrip('_ ')}{first[len(first) - behind :]}" or first


def _alike(texts: Sequence[str]) -> int:
    """How many letters texts have in common from their beginning."""
    places = enumerate(zip(*texts, strict=False))
    return next((place for place, letters in places if len(set(letters)) > 1), min(map(len, texts)))


def _are_components(names: Sequence[str]) -> bool:
    before = _alike(names)
    same = {name[before + 1 :] for name in names}
    return len(names) == 3 and len(same) == 1 and "".join(name[before : before + 1] for name in names).casefold() in _AXES
