"""Sheets of Excel workbooks (.xlsx). Loaded only by the worker."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
from numpy.typing import NDArray

from helio_dagster.archives.own.binary.seen import Fault, Seen, table_named
from helio_dagster.archives.own.binary.sheet_heading import read_heading
from helio_dagster.archives.own.guess import unit_in_heading
from helio_dagster.archives.own.number_text import MISSING_WORDS

_LARGEST = 1 << 30
MOST_CELLS = 10_000_000
"""Cells of a sheet that are read: a year of minutes of nineteen columns. They are held at once, which XML makes necessary."""
_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 64 << 20


class WorkbookContents:
    """One sheet of a workbook; `sheet_heading` finds the names of its columns.

    Parameters
    ----------
    path
        The file.
    table
        The sheet's name, or its number counted from 1; None for the first.
    fault
        Makes errors.
    allow
        Called with how many bytes of values reading may hold.
    most_cells
        Cells above which a sheet is refused.

    Raises
    ------
    OwnFileError
        There is no such sheet, it unpacks to too much, or a cell has a formula whose value is not in the file.
    """

    def __init__(
        self, path: Path, table: str | None, fault: Fault, allow: Callable[[int], None], *, most_cells: int = MOST_CELLS
    ) -> None:
        allow(_unpacked_bytes(path, fault))
        sheet, others, rows = _rows(path, table, fault, most_cells)
        if not rows or (len(rows) < 2 and table is None and others):
            what = "is empty" if not rows else "holds no records"
            names = f": {', '.join(others[:30])}" if others else ""
            raise fault(f"the sheet {sheet!r} {what}", f"Give another with `table`, or --table{names}.")
        heading = read_heading(rows, fault)
        self._columns: dict[str, Seen] = {}
        self._values: dict[str, NDArray[Any]] = {}
        for name, place in heading.places.items():
            cells = [(number, row[place] if place < len(row) else None) for number, row in heading.records]
            kind, values, why = _column(cells)
            unit = heading.units.get(name) or unit_in_heading(name)
            self._columns[name] = Seen(name=name, kind=kind, records=len(values), unit=unit, why=why)
            self._values[name] = values

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name."""
        return self._columns

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:  # noqa: ARG002 - one value a cell
        """Some records of a column; see `Contents.read`."""
        return self._values[seen.name][start:stop]

    def close(self) -> None:
        """Let go of the values."""
        self._values.clear()


def _unpacked_bytes(path: Path, fault: Fault) -> int:
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if any(part.filename == "mimetype" for part in parts) and archive.read("mimetype")[:24] == b"application/vnd.oasis.op":
            raise fault("it is an OpenDocument file, not a workbook of Excel", "Save the sheet as .xlsx or CSV.")
        if not any(part.filename == "xl/workbook.xml" for part in parts):
            shown = ", ".join(repr(part.filename[:60]) for part in parts[:3]) or "nothing"
            raise fault(f"it is a zip archive of {shown}, not a workbook", "Unpack it, and give the file that is in it.")
        size = sum(part.file_size for part in parts)
        packed = sum(part.compress_size for part in parts)
        if size > min(_LARGEST, _ALWAYS_ALLOWED + _MOST_EXPANSION * packed):
            raise fault(f"it unpacks from {packed:,} to {size:,} bytes", "Write the sheet as CSV.")
        for part in parts:
            if part.filename.endswith(".xml"):
                with archive.open(part) as file:
                    if b"<!DOCTYPE" in file.read(4096):
                        raise fault(f"{part.filename[:60]} defines a document type", "Save the workbook again in Excel.")
    return size


def _rows(
    path: Path, table: str | None, fault: Fault, most_cells: int
) -> tuple[str, list[str], list[tuple[int, tuple[Any, ...]]]]:
    """The sheet's name, those of others, and its rows that are not empty, each with its number.

    Every formula must have its value beside it.
    """
    values = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    formulas = openpyxl.load_workbook(path, read_only=True, data_only=False, keep_links=False)
    sheets = [(each.title, each, place) for place, each in enumerate(values.worksheets)]
    title, sheet, place = table_named(sheets, table, "sheet", fault)
    written = formulas.worksheets[place]
    sheet.reset_dimensions()  # what a sheet says of its own size may be wrong, and would cut it off
    written.reset_dimensions()
    found, cells = [], 0
    pairs = zip(sheet.iter_rows(values_only=True), written.iter_rows(values_only=True), strict=True)
    for number, (row, texts) in enumerate(pairs, start=1):
        for column, (value, text) in enumerate(zip(row, texts, strict=True)):
            if value is None and isinstance(text, str) and text.startswith("="):
                cell = f"{openpyxl.utils.get_column_letter(column + 1)}{number}"
                raise fault(f"the value of the formula in {cell} is not in the file", "Open it in Excel and save it again.")
        if any(value is not None for value in row):
            found.append((number, row))
            cells += len(row)
            if cells > most_cells:
                raise fault(f"the sheet has more than {most_cells:,} cells", "Write it as CSV, which is read by day.")
    return title, [each[0] for each in sheets if each[0] != title], found


def _column(cells: Sequence[tuple[int, Any]]) -> tuple[Any, NDArray[Any], str]:
    """The kind of a column, its values, and which row keeps it from being numbers."""
    given = [
        (number, None if isinstance(value, str) and value.strip().casefold() in MISSING_WORDS else value)
        for number, value in cells
    ]
    filled = [(number, value) for number, value in given if value is not None]
    if filled and all(isinstance(value, (datetime, date)) for _, value in filled):
        return "time", np.array([np.datetime64(value or "NaT", "us") for _, value in given], dtype="datetime64[ns]"), ""
    are_dates = 2 * sum(isinstance(value, date) for _, value in filled) > len(filled)
    is_right = _is_date if are_dates else _is_number
    other = next(((number, value) for number, value in filled if not is_right(value)), None)
    if other is None:
        return "number", np.array([np.nan if value is None else float(value) for _, value in given], dtype=np.float64), ""
    texts = [
        "" if value is None else value.isoformat() if isinstance(value, date) else str(value).strip() for _, value in given
    ]
    return "text", np.array(texts, dtype=object), f"row {other[0]} holds {str(other[1])[:40]!r}"


def _is_date(value: Any) -> bool:
    return isinstance(value, date)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
