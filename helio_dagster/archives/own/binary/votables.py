"""VOTables, read whole: XML has no other way. Loaded only by the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
from astropy.io import votable
from numpy.typing import NDArray

from helio_dagster.archives.own.binary.origins import since_mjd
from helio_dagster.archives.own.binary.seen import MOST_COLUMNS, Fault, Seen, table_named

_LARGEST = 256 << 20
_DEEPEST = 40
_MJD_AS_JD = 2_400_000.5


class VotableContents:
    """One table of a VOTable file.

    Parameters
    ----------
    path
        The file.
    table
        The table's name or ID, or its number counted from 1; None for the first.
    fault
        Makes errors.
    allow
        Called with how many bytes of values reading may hold.

    Raises
    ------
    OwnFileError
        There is no such table, or it leads outside the file.
    """

    def __init__(self, path: Path, table: str | None, fault: Fault, allow: Callable[[int], None]) -> None:
        size = path.stat().st_size
        if size > _LARGEST:
            raise fault(
                f"a VOTable is read whole, up to {_LARGEST:,} bytes, and this one has {size:,}",
                "Write its table as FITS or Parquet.",
            )
        allow(size)
        _require_harmless(path, fault)
        document = votable.parse(path, verify="ignore")
        clocks = {each.ID: each for resource in document.resources for each in resource.time_systems}
        tables = [(each.name or each.ID or "", each, 0) for each in document.iter_tables()]
        _, found, _ = table_named(tables, table, "table", fault)
        self._columns: dict[str, Seen] = {}
        self._values: dict[str, NDArray[Any]] = {}
        for field in list(found.fields)[:MOST_COLUMNS]:
            values = found.array[field.ID]
            seen = _seen(field, values, clocks.get(field.ref))
            if seen is not None and seen.name not in self._columns:
                self._columns[seen.name] = seen
                self._values[seen.name] = _plain(values, seen) if seen.kind != "arrays" else np.empty(len(values))

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name."""
        return self._columns

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:
        """Some records of a column; see `Contents.read`."""
        raw = self._values[seen.name][start:stop]
        return raw if raw.ndim == 1 else raw[:, component]

    def close(self) -> None:
        """Let go of the values."""
        self._values.clear()


def _require_harmless(path: Path, fault: Fault) -> None:
    """OwnFileError for definitions of entities, data elsewhere, and deep nesting, before a library acts on them."""
    depth = 0

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise fault(f"its elements are nested over {_DEEPEST} deep", "Write the table again.")
        if name.rpartition(":")[2].upper() == "STREAM" and "href" in attributes:
            where = attributes["href"][:60]
            raise fault(f"its values are in another place, {where!r}, which is not read", "Write them into the file itself.")

    def stop(_: str) -> None:
        nonlocal depth
        depth -= 1

    def entities(name: str, *_: Any) -> None:
        raise fault(f"it defines a document type ({name[:40]}), which a VOTable does not need", "Remove its DOCTYPE.")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, stop, entities
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        raise fault(f"it is not sound XML: {error}", "Was it written to the end? Copy it again.") from None


def _seen(field: Any, values: Any, clock: Any) -> Seen | None:
    name, unit = str(field.name or field.ID), str(field.unit or "")
    records = len(values)
    if values.dtype.kind == "O" and field.datatype not in ("char", "unicodeChar"):
        return Seen(name=name, kind="arrays", records=records)
    if values.dtype.kind in "OSU":
        is_utc = clock is None or str(clock.timescale).upper() == "UTC"
        problem = "" if is_utc else f"its time scale is {clock.timescale}: these texts are not UTC"
        return Seen(name=name, kind="text", records=records, time_problem=problem) if values.ndim == 1 else None
    if values.dtype.kind not in "fiu" or values.ndim > 2:
        return None
    width = 1 if values.ndim == 1 else values.shape[1]
    units, problem = _time_units(unit, clock)
    attributes = {"long_name": str(field.description)[:200]} if field.description else {}
    if not 0 < width <= MOST_COLUMNS:
        return None
    return Seen(
        name=name,
        kind="number",
        records=records,
        width=width,
        unit=unit,
        time_units=units,
        time_problem=problem,
        attributes=attributes,
    )


def _time_units(unit: str, clock: Any) -> tuple[str, str]:
    if unit.casefold() in ("mjd", "jd"):
        return unit.casefold(), ""
    if clock is None:
        return "", ""
    scale = str(clock.timescale).upper()
    if scale not in ("UTC", "TT", "TAI"):
        return "", f"its time scale is {scale[:20]}, which is not read"
    origin = {"MJD-ORIGIN": 0.0, "JD-ORIGIN": -_MJD_AS_JD}.get(str(clock.timeorigin).upper())
    if origin is None:
        origin = float(clock.timeorigin) - _MJD_AS_JD
    counted = {"s": "seconds", "d": "days", "h": "hours", "min": "minutes"}.get(unit)
    if counted is None:
        return "", f"its unit {unit!r} is not one of time"
    if origin < 0 and counted == "days" and scale == "UTC":
        return "jd", ""
    return (since_mjd(counted, origin, scale), "") if origin >= 0 else ("", "its origin is Julian day 0; write MJD or UTC")


def _plain(values: Any, seen: Seen) -> NDArray[Any]:
    mask = np.ma.getmaskarray(values)
    if seen.kind == "text":
        texts = [("" if hidden else str(each).strip()) for each, hidden in zip(np.ma.getdata(values), mask, strict=True)]
        return np.array(texts, dtype=object)
    data = np.ma.getdata(values)
    native = data.astype(data.dtype.newbyteorder("="))
    return np.where(mask, np.nan, native.astype(np.float64)) if mask.any() else native
