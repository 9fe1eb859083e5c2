"""Binary tables of FITS files, mapped into memory. Loaded only by the worker."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits
from numpy.typing import NDArray

from helio_dagster.archives.own.binary.origins import since_mjd
from helio_dagster.archives.own.binary.seen import MOST_COLUMNS, Fault, Seen, table_named

_BLOCK = 2880
_MOST_HDUS = 1000
_FORM = re.compile(r"(\d*)([LXBIJKAEDCMPQ])")
_NUMBERS = {"B": "u1", "I": ">i2", "J": ">i4", "K": ">i8", "E": ">f4", "D": ">f8"}
_OTHERS = {"L": 1, "A": 1, "C": 8, "M": 16, "P": 8, "Q": 16}


class FitsContents:
    """One binary table of a FITS file.

    Parameters
    ----------
    path
        The file.
    table
        The table's EXTNAME, or its number among the tables, counted from 1; None for the first.
    fault
        Makes errors.

    Raises
    ------
    OwnFileError
        There is no such table, or its header contradicts itself or the file.
    """

    def __init__(self, path: Path, table: str | None, fault: Fault) -> None:
        header, offset = _find(path, table, fault)
        fields = [_field(header, number, fault) for number in range(1, _count(header, "TFIELDS", fault) + 1)]
        dtype = np.dtype([(f"f{place}", each) for place, (_, each, _) in enumerate(fields)])
        width, records = _count(header, "NAXIS1", fault), _count(header, "NAXIS2", fault)
        if dtype.itemsize != width:
            problem = f"its columns make records of {dtype.itemsize} bytes, and NAXIS1 says {width}"
            raise fault(problem, "The header is wrong. Write the table again.")
        held = path.stat().st_size - offset
        if width * records > held:
            problem = (
                f"its header claims {records:,} records of {width} bytes, and the file holds {max(held, 0):,} bytes of them"
            )
            raise fault(problem, "The file is cut off, or its header is wrong. Copy it again.")
        self._fields: dict[str, tuple[str, str]] = {}
        self._columns: dict[str, Seen] = {}
        self._data: Any = (
            np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(records,)) if records else np.empty(0, dtype)
        )
        for place, (name, _, form) in enumerate(fields):
            seen = _seen(header, place + 1, name, form, records)
            if seen is not None and name not in self._columns:
                self._columns[name], self._fields[name] = seen, (f"f{place}", form)

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name."""
        return self._columns

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:
        """Some records of a column; see `Contents.read`."""
        field, _ = self._fields[seen.name]
        raw = self._data[field][start:stop]
        if seen.kind == "text":
            return np.array([bytes(each).decode("ascii", errors="replace").strip("\0 ") for each in raw], dtype=object)
        part = np.array(raw if raw.ndim == 1 else raw[:, component])
        return part.astype(part.dtype.newbyteorder("="))

    def close(self) -> None:
        """Let go of the file."""
        del self._data


def _find(path: Path, table: str | None, fault: Fault) -> tuple[Any, int]:
    """The header of a table, and where its data begin."""
    found: list[tuple[str, Any, int]] = []
    size, place = path.stat().st_size, 0
    with path.open("rb") as file:
        for _ in range(_MOST_HDUS):
            if place >= size:
                break
            file.seek(place)
            header = fits.Header.fromfile(file)
            start = file.tell()
            if str(header.get("XTENSION", "")).strip() in ("BINTABLE", "A3DTABLE") and not header.get("ZIMAGE"):
                found.append((str(header.get("EXTNAME", "")).strip(), header, start))
            place = start + -(-_data_bytes(header, fault) // _BLOCK) * _BLOCK
    _, header, offset = table_named(found, table, "binary table", fault)
    return header, offset


def _data_bytes(header: Any, fault: Fault) -> int:
    if str(header.get("XTENSION", "")).strip() in ("BINTABLE", "A3DTABLE") and header.get("NAXIS") != 2:
        problem = f"NAXIS in the table's header is {header.get('NAXIS')!r}, and a table has 2 axes"
        raise fault(problem, "The header is wrong. Write the table again.")
    axes = [_count(header, f"NAXIS{number}", fault) for number in range(1, min(_count(header, "NAXIS", fault), 999) + 1)]
    values = math.prod(axes) + int(header.get("PCOUNT", 0)) if axes else 0
    return max(0, abs(int(header.get("BITPIX", 8))) // 8 * values * int(header.get("GCOUNT", 1)))


def _count(header: Any, key: str, fault: Fault) -> int:
    value = header.get(key)
    if not isinstance(value, int) or not 0 <= value < 1 << 62 or (key == "TFIELDS" and value > MOST_COLUMNS):
        raise fault(f"{key} in the table's header is {value!r}", "The header is wrong. Write the table again.")
    return value


def _field(header: Any, number: int, fault: Fault) -> tuple[str, Any, str]:
    """A column's name, its type in the records, and the letter of its TFORM."""
    form = str(header.get(f"TFORM{number}", "")).strip()
    found = _FORM.match(form)
    if found is None:
        raise fault(f"TFORM{number} in the table's header is {form!r}", "The header is wrong. Write the table again.")
    repeat, letter = int(found[1] or 1), found[2]
    if repeat >= 1 << 31:
        raise fault(f"TFORM{number} in the table's header is {form!r}", "The header is wrong. Write the table again.")
    name = str(header.get(f"TTYPE{number}", f"column_{number}")).strip()
    if letter in _NUMBERS:
        return name, (_NUMBERS[letter], (repeat,)) if repeat != 1 else _NUMBERS[letter], letter
    size = (repeat + 7) // 8 if letter == "X" else repeat * _OTHERS[letter]
    return name, f"V{size}", letter


def _seen(header: Any, number: int, name: str, form: str, records: int) -> Seen | None:
    found = _FORM.match(str(header[f"TFORM{number}"]).strip())
    repeat = int(found[1] or 1) if found is not None else 1
    unit = str(header.get(f"TUNIT{number}", "")).strip()
    if form == "A":
        units, problem = _time_units(header, "")
        return Seen(name=name, kind="text", records=records, time_problem="" if units in ("", "UTC") else problem or units)
    if form in "PQ":
        return Seen(name=name, kind="arrays", records=records)
    if form not in _NUMBERS or not 0 < repeat <= MOST_COLUMNS:
        return None
    null = header.get(f"TNULL{number}")
    units, problem = _time_units(header, unit)
    return Seen(
        name=name,
        kind="number",
        records=records,
        width=repeat,
        unit=unit,
        scale=float(header.get(f"TSCAL{number}", 1.0)),
        offset=float(header.get(f"TZERO{number}", 0.0)),
        fills=(float(null),) if isinstance(null, int) and form in "BIJK" else (),
        time_units=units if re.search("time|^t$|mjd", name, re.IGNORECASE) else "",
        time_problem=problem,
    )


def _time_units(header: Any, unit: str) -> tuple[str, str]:
    """What a number of this unit counts by the file's MJDREF and TIMESYS, or why that is not known."""
    clock = str(header.get("TIMESYS", "UTC")).strip().upper()
    if clock not in ("UTC", "TT", "TAI"):
        return "", f"TIMESYS is {clock[:20]}, which is not read"
    if unit.casefold() in ("mjd", "jd"):
        return unit.casefold(), ""
    if not unit and clock != "UTC":
        return "", f"TIMESYS is {clock}: these texts are not UTC"
    whole = header.get("MJDREFI", header.get("MJDREF"))
    if whole is None:
        return "", ""
    days = float(whole) + (float(header.get("MJDREFF", 0.0)) if "MJDREFI" in header else 0.0)
    zero = float(header.get("TIMEZERO", 0.0))
    if zero:
        return "", "TIMEZERO is not read"
    named = {"s": "seconds", "sec": "seconds", "seconds": "seconds", "d": "days", "day": "days", "days": "days"}
    counted = named.get((unit or str(header.get("TIMEUNIT", ""))).strip().casefold())
    return (since_mjd(counted, days, clock), "") if counted else ("", "")
