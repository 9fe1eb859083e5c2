"""The records of a labelled table: bytes in, one array for each field that is asked for. Loaded only by the worker."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from helio_dagster.archives.pds.layout import LabelFault, LabelledField, LabelledTable

Numbers = NDArray[np.float64]
_LF = 10


class Records:
    """A table's records, whole in memory.

    Parameters
    ----------
    path
        The data file.
    table
        Where the table is in it.

    Raises
    ------
    LabelFault
        The file does not hold what the label says.
    """

    def __init__(self, path: Path, table: LabelledTable) -> None:
        self._table = table
        raw = path.read_bytes()
        if table.offset > len(raw):
            raise LabelFault(f"the table begins at byte {table.offset + 1}, and the file has {len(raw)}")
        self._cells: list[NDArray[np.bytes_]] | None = None
        self._lines: NDArray[np.uint8] = np.empty((0, 0), dtype=np.uint8)
        if table.form == "delimited":
            self._cells = _split(raw[table.offset :], table)
        elif table.form == "binary":
            self._lines = _fixed(raw, table)
        else:
            self._lines = _text_lines(raw, table)

    def texts(self, field: LabelledField, item: int = 0) -> NDArray[np.bytes_]:
        """A field's texts, white space around them out; shape (record,)."""
        if self._cells is not None:
            found: NDArray[Any] = self._cells[field.start + item * field.stride]
        else:
            start = field.start + item * field.stride
            cut = np.ascontiguousarray(self._lines[:, start : start + field.length])
            found = cut.view(f"S{field.length}").ravel()
        return np.char.strip(found, b' \t\r\n"')

    def numbers(self, field: LabelledField, item: int = 0) -> NDArray[Any]:
        """A field's numbers, scaled, NaN where one of its constants stands or nothing; shape (record,).

        Raises
        ------
        LabelFault
            The field holds something else.
        """
        if field.dtype:
            start = field.start + item * field.stride
            cut = np.ascontiguousarray(self._lines[:, start : start + field.length])
            stored = cut.view(field.dtype).ravel()
            plain = stored.astype(stored.dtype.newbyteorder("="))
            return _scaled(_without(plain, field), field)
        return _scaled(_without(_parsed(self.texts(field, item), field), field), field)


def _fixed(raw: bytes, table: LabelledTable) -> NDArray[np.uint8]:
    beyond = table.offset + table.records * table.record_bytes
    if beyond > len(raw):
        raise LabelFault(
            f"the label says {table.records} records of {table.record_bytes} bytes from byte {table.offset + 1} on, "
            f"and the file has {len(raw)} bytes"
        )
    size = table.records * table.record_bytes
    return np.frombuffer(raw, dtype=np.uint8, count=size, offset=table.offset).reshape(table.records, table.record_bytes)


def _text_lines(raw: bytes, table: LabelledTable) -> NDArray[np.uint8]:
    """The records of a table of characters, cut where the label says; where no lines end there, at the ends of lines."""
    fits = table.offset + table.records * table.record_bytes <= len(raw)
    if fits:
        lines = _fixed(raw, table)
        ends = lines[:, -1]
        if not table.records or (ends == _LF).all() or not (lines == _LF).any():
            return lines
    found = raw[table.offset :].split(b"\n")
    if found and not found[-1].strip():
        found.pop()
    needed = max(field.start + field.stride * (field.items - 1) + field.length for field in table.fields)
    if len(found) < table.records:
        raise LabelFault(
            f"the label says {table.records} records of {table.record_bytes} bytes from byte {table.offset + 1} on, "
            f"and the file has {len(found)} lines there"
        )
    kept = [line.rstrip(b"\r") for line in found[: table.records]]
    short = next((number for number, line in enumerate(kept, 1) if len(line) < needed), None)
    long = next((number for number, line in enumerate(kept, 1) if len(line) > table.record_bytes), None)
    if short is not None or long is not None:
        number = short or long or 0
        raise LabelFault(
            f"record {number} has {len(kept[number - 1])} bytes, and the label says {table.record_bytes} with fields to "
            f"byte {needed}"
        )
    return np.frombuffer(b"".join(line.ljust(table.record_bytes) for line in kept), np.uint8).reshape(
        table.records, table.record_bytes
    )


def _split(raw: bytes, table: LabelledTable) -> list[NDArray[np.bytes_]]:
    """The columns of a delimited table, as texts."""
    width = max(field.start + field.stride * (field.items - 1) + 1 for field in table.fields)
    lines = raw.split(b"\n", table.records)[: table.records]
    if lines and not lines[-1].strip():
        lines.pop()
    if len(lines) < table.records:
        raise LabelFault(f"the label says {table.records} records, and the file has {len(lines)}")
    if not lines:
        return [np.empty(0, dtype="S1") for _ in range(width)]
    names = [str(place) for place in range(width)]
    try:
        found = csv.read_csv(
            io.BytesIO(b"\n".join(lines) + b"\n"),
            read_options=csv.ReadOptions(use_threads=False, column_names=names),
            parse_options=csv.ParseOptions(delimiter=table.delimiter, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid as error:
        text = str(error).splitlines()[0][:200]
        raise LabelFault(f"its delimited records are not the {width} fields of the label: {text}") from None
    return [np.asarray(column.to_numpy(), dtype=bytes) for column in found.columns]


def _parsed(texts: NDArray[np.bytes_], field: LabelledField) -> Numbers:
    found = np.full(len(texts), np.nan)
    if not len(texts):
        return found
    given = texts != b""
    kept = texts[given]
    if b"_" not in kept.tobytes():  # which float() would pass over
        try:
            found[given] = kept.astype(np.float64)
        except ValueError:
            pass
        else:
            if np.isfinite(found[given]).all():
                return found
            found[given] = np.nan
    plain = np.char.replace(np.char.replace(kept, b"D", b"E"), b"d", b"e")
    words = np.isin(kept, [each.encode() for each in field.constants]) if field.constants else np.zeros(len(kept), bool)
    numbers = pd.to_numeric(pd.Series(np.char.decode(plain, "latin-1")), errors="coerce").to_numpy(dtype=np.float64)
    is_named = np.isin(np.char.lower(kept), [b"nan", b"inf", b"-inf", b"null", b"n/a"])
    bad = ~np.isfinite(numbers) & ~words & ~is_named
    if bad.any():
        number = int(np.flatnonzero(given)[bad.argmax()]) + 1
        text = kept[bad.argmax()][:40].decode("latin-1")
        raise LabelFault(f"record {number} has {text!r} in the field {field.name!r}, which is not a number")
    found[given] = np.where(np.isfinite(numbers), numbers, np.nan)
    return found


def _without(values: NDArray[Any], field: LabelledField) -> NDArray[Any]:
    """The values, NaN where a constant stands: the same but for rounding when it was written."""
    missing = np.zeros(len(values), dtype=bool)
    for text in field.constants:
        try:
            constant = float(text)
        except ValueError:
            constant = _from_bits(text, values.dtype)
        if np.isnan(constant):
            continue
        wide = values.astype(np.float64)
        missing |= np.isclose(wide, constant, rtol=1e-6, atol=0.0)
    if not missing.any():
        return values
    floats = values if values.dtype.kind == "f" else values.astype(np.float64)
    return np.where(missing, np.asarray(np.nan, dtype=floats.dtype), floats)


def _from_bits(text: str, dtype: np.dtype[Any]) -> float:
    """A constant that is written by its bits, as `16#FF7FFFFB#` or `0xFF7FFFFB`; NaN where it cannot be read."""
    digits = text.removeprefix("16#").removesuffix("#").removeprefix("0x").removeprefix("0X")
    try:
        raw = bytes.fromhex(digits)
    except ValueError:
        return float("nan")
    if len(raw) != dtype.itemsize:
        return float("nan")
    return float(np.frombuffer(raw, dtype=dtype.newbyteorder(">"))[0])


def _scaled(values: NDArray[Any], field: LabelledField) -> NDArray[Any]:
    if field.scale == 1.0 and field.offset == 0.0:
        return values
    return values * field.scale + field.offset
