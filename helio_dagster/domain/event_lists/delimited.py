"""Lists with a header and one row a line: CSV, also with semicolons or tabs.

HELIO4CAST publishes its ICMECAT so (`HELIO4CAST_ICMECAT_v23.csv`, https://helioforecast.space/icmecat): written by pandas with
its index as a first column without a name, times such as `2022-05-26T20:10Z`, blanks for what is not known.
"""

from __future__ import annotations

import csv
import io

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.event_lists.conventions import known_columns
from helio_dagster.domain.event_lists.listed import EventTableError, ListColumn, ListedRows, named_once

_SEPARATORS = {",": "CSV", ";": "CSV with semicolons", "\t": "tab separated"}


def read_delimited(text: str, separator: str = ",", *, first_line: int = 1, form: str = "") -> ListedRows:
    """The rows below a header.

    Parameters
    ----------
    text
        The header and the rows.
    separator
        What is between two cells.
    first_line
        The line of the whole text in which this one begins.
    form
        What to call the form; by default after its separator.

    Raises
    ------
    EventTableError
        A row or the header cannot be read, or there is no row.
    """
    header_line, header, rows = _cells(text, separator, first_line)
    if header and not header[0] and len(header) > 1:  # the index that pandas writes
        header, rows = header[1:], [(line, cells[1:]) for line, cells in rows]
    columns = named_once([ListColumn(name) for name in header], line=header_line)
    if not rows:
        raise EventTableError("the table has a header and no row", line=header_line, hint="Write one row a line below it.")
    return known_columns(form or _SEPARATORS[separator], columns, rows)


def separator_of(header: str) -> str | None:
    """What separates the names in a header; None if they stand between blanks, or there is only one."""
    return next((each for each in (",", "\t", ";") if each in header), None)


def _cells(text: str, separator: str, first_line: int) -> tuple[int, list[str], list[tuple[int, list[str]]]]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True, delimiter=separator)
    read: list[tuple[int, list[str]]] = []
    line = first_line
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                read.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + first_line
    except csv.Error as error:
        raise EventTableError(f"not CSV: {error}", line=line, hint="Close every quote; double a quote inside one.") from None
    if not read:
        raise EventTableError("the table is empty", line=first_line, hint="Write a header, then one row a line.")
    header_line, header = read[0]
    for number, cells in read[1:]:
        if len(cells) != len(header):
            problem = f"{counted(len(cells), 'cell')}, where the header names {counted(len(header), 'column')}"
            commas = counted(len(header) - 1, "separator")
            hint = (
                "Quote a cell that holds a comma."
                if len(cells) > len(header)
                else f"Leave a cell empty, but write all {commas}."
            )
            raise EventTableError(problem, line=number, hint=hint)
    return header_line, header, read[1:]
