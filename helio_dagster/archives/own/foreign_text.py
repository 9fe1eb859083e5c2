"""What a file is that is not the table of text it is described as: another format, or other marks between its fields."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MAGICS = (
    (b"PK\x03\x04", "a zip archive (or a workbook, which is one)", "Unpack it, or give `format: excel`."),
    (b"PK\x05\x06", "an empty zip archive", "Give the CSV file itself."),
    (b"\x1f\x8b", "compressed by gzip", "Unpack it: gunzip FILE."),
    (b"BZh", "compressed by bzip2", "Unpack it: bunzip2 FILE."),
    (b"\xfd7zXZ", "compressed by xz", "Unpack it: unxz FILE."),
    (b"\x89HDF", "an HDF5 or netCDF-4 file", "Give `format: hdf5` or `format: netcdf`."),
    (b"CDF\x01", "a netCDF file", "Give `format: netcdf`."),
    (b"PAR1", "a Parquet file", "Give `format: parquet`."),
    (b"SIMPLE  =", "a FITS file", "Give `format: fits`."),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", "Save the sheet as CSV."),
    (b"%PDF", "a PDF document", "Save its table as CSV."),
    (b"SQLite format 3", "an SQLite database", "Write the table as CSV: sqlite3 -csv -header FILE 'SELECT * FROM ...'."),
    (b"version https://git-lfs", "a pointer of Git LFS in place of the file", "Fetch the file itself: git lfs pull."),
    (b"\xff\xfe\x00\x00", "encoded as UTF-32", "Save it as UTF-8."),
    (b"\x00\x00\xfe\xff", "encoded as UTF-32", "Save it as UTF-8."),
    (b"\xff\xfe", "encoded as UTF-16", "Save it as UTF-8."),
    (b"\xfe\xff", "encoded as UTF-16", "Save it as UTF-8."),
)
_TEXTS = (
    (b"<!doctype", "a web page", "Download the file itself: a server may have answered with an error."),
    (b"<html", "a web page", "Download the file itself: a server may have answered with an error."),
    (b"<?xml", "XML", "Give `format: votable` if it is a VOTable, else write it as CSV."),
    *((start, "JSON", "Write it as CSV: a line of names, then a line for each record.") for start in (b"{", b"[{", b"[[")),
    *((start, "a label of PDS3", "Give the table that it describes (^TABLE).") for start in (b"pds_version_id", b"ccsd3z")),
)
_WDC = re.compile(rb"[A-Z]{3}\d{4}[A-Z*][\d ]\d")
"""Station, year and month of two digits each, element, day: hourly values as the World Data Centers exchange them."""


def other_format(start: bytes) -> tuple[str, str] | None:
    """What a file is by its first bytes, and what to do; None where nothing says that it is no table of text."""
    for magic, what, hint in _MAGICS:
        if start.startswith(magic):
            return f"it is {what}, not text", hint
    for beginning, what, hint in _TEXTS:
        if b"".join(start.split()).lower().startswith(beginning):
            return f"it is {what}, not a table of text", hint
    if _WDC.match(start):
        hint = "Write a line for each hour, with its time; in the format IAGA-2002, which these centers serve too, it is read."
        return "it is in the exchange format of the World Data Centers, with the 24 hours of a day in one line", hint
    return None


def other_delimiter(names: Sequence[str], wanted: str) -> str:
    """What to do where a line of names is one field, and another mark divides it into names with the one wanted; else empty."""
    for mark, called in ((";", "';'"), ("\t", "'\\t'"), ("|", "'|'"), (",", "','")):
        if len(names) == 1 and wanted in [each.strip() for each in names[0].split(mark)[:1000]] and mark in names[0]:
            return f"Its fields are divided by {called}: give `delimiter: {called}` under `text`."
    return ""
