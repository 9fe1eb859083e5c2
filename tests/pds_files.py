"""Small products in the shape of the Planetary Data System: labels of PDS4 and PDS3, tables of text and of binary numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

_NAMESPACE = "http://pds.nasa.gov/pds4/pds/v1"
_PDS4_BINARY = {">f8": "IEEE754MSBDouble", "<f8": "IEEE754LSBDouble", ">f4": "IEEE754MSBSingle", "<f4": "IEEE754LSBSingle"}
_PDS4_BINARY |= {">i4": "SignedMSB4", "<i4": "SignedLSB4", ">i2": "SignedMSB2", "<u2": "UnsignedLSB2", "|u1": "UnsignedByte"}
_PDS3_BINARY = {">f8": "IEEE_REAL", ">f4": "IEEE_REAL", "<f4": "PC_REAL", "<f8": "PC_REAL", ">i2": "MSB_INTEGER"}
_PDS3_BINARY |= {">i4": "MSB_INTEGER", "<i4": "LSB_INTEGER", "<u2": "LSB_UNSIGNED_INTEGER", "|u1": "UNSIGNED_INTEGER"}


@dataclass(frozen=True)
class Column:
    """A column: texts as they stand in the file, or an array of binary numbers; `type` is the label's word for texts."""

    name: str
    values: Sequence[str] | np.ndarray[Any, Any]
    type: str = "ASCII_Real"
    unit: str = ""
    constant: str = ""
    description: str = ""
    scale: float | None = None

    @cached_property
    def width(self) -> int:
        """Bytes of one value."""
        if isinstance(self.values, np.ndarray):
            return int(self.values.dtype.itemsize)
        return max((len(value) for value in self.values), default=1)

    @property
    def binary(self) -> str:
        """Numpy's word for its binary numbers; empty for texts."""
        return self.values.dtype.str if isinstance(self.values, np.ndarray) else ""


def write_pds4(
    folder: Path,
    stem: str,
    columns: Sequence[Column],
    *,
    form: str = "Character",
    times: tuple[str, str] = ("2016-08-27T00:00:00Z", "2016-08-27T23:59:59Z"),
    lid: str = "urn:nasa:pds:bundle:collection",
    version: str = "1.0",
    header: bytes = b"",
    checksum: bool = True,
    suffix: str = ".xml",
) -> Path:
    """Write a product of PDS4 with one table; gives its label. `form` is Character, Delimited or Binary."""
    folder.mkdir(parents=True, exist_ok=True)
    count = len(columns[0].values)
    name = f"{stem}.{'csv' if form == 'Delimited' else 'tab' if form == 'Character' else 'dat'}"
    fields, row_bytes, rows = _rows(columns, form, count)
    data = header + b"".join(rows)
    (folder / name).write_bytes(data)
    record = f"<Record_{form}><fields>{len(columns)}</fields><groups>0</groups>"
    if form == "Delimited":
        delimiters = "<record_delimiter>Carriage-Return Line-Feed</record_delimiter><field_delimiter>Comma</field_delimiter>"
    else:
        record += f'<record_length unit="byte">{row_bytes}</record_length>'
        delimiters = "<record_delimiter>Carriage-Return Line-Feed</record_delimiter>" if form == "Character" else ""
    rule = "<parsing_standard_id>PDS DSV 1</parsing_standard_id>" if form == "Delimited" else ""
    md5 = f"<md5_checksum>{hashlib.md5(data, usedforsecurity=False).hexdigest()}</md5_checksum>" if checksum else ""
    label = f"""<?xml version="1.0" encoding="UTF-8"?>
<?xml-model href="https://pds.nasa.gov/pds4/pds/v1/PDS4_PDS_1B00.sch" schematypens="http://purl.oclc.org/dsdl/schematron"?>
<Product_Observational xmlns="{_NAMESPACE}">
  <Identification_Area>
    <logical_identifier>{lid}:{stem}</logical_identifier><version_id>{version}</version_id>
    <title>{stem}</title><information_model_version>1.11.0.0</information_model_version>
    <product_class>Product_Observational</product_class>
  </Identification_Area>
  <Observation_Area>
    <Time_Coordinates>
      <start_date_time>{times[0]}</start_date_time><stop_date_time>{times[1]}</stop_date_time>
    </Time_Coordinates>
  </Observation_Area>
  <File_Area_Observational>
    <File><file_name>{name}</file_name><file_size unit="byte">{len(data)}</file_size>{md5}</File>
    <Table_{form}>
      <name>data</name><offset unit="byte">{len(header)}</offset>{rule}<records>{count}</records>{delimiters}
      {record}{"".join(fields)}</Record_{form}>
    </Table_{form}>
  </File_Area_Observational>
</Product_Observational>
"""
    place = folder / f"{stem}{suffix}"
    place.write_text(label, encoding="utf-8")
    return place


def _rows(columns: Sequence[Column], form: str, count: int) -> tuple[list[str], int, list[bytes]]:
    fields, place = [], 1
    for number, column in enumerate(columns, 1):
        kind = _PDS4_BINARY[column.binary] if column.binary else column.type
        where = "" if form == "Delimited" else f'<field_location unit="byte">{place}</field_location>'
        length = "" if form == "Delimited" else f'<field_length unit="byte">{column.width}</field_length>'
        unit = f"<unit>{column.unit}</unit>" if column.unit else ""
        scale = f"<scaling_factor>{column.scale}</scaling_factor>" if column.scale is not None else ""
        missing = (
            f"<Special_Constants><missing_constant>{column.constant}</missing_constant></Special_Constants>"
            if column.constant
            else ""
        )
        fields.append(
            f"<Field_{form}><name>{escape(column.name)}</name><field_number>{number}</field_number>{where}"
            f"<data_type>{kind}</data_type>{length}{unit}{scale}<description>{escape(column.description)}</description>"
            f"{missing}</Field_{form}>\n"
        )
        place += column.width + (1 if form == "Character" else 0)
    return fields, (place - 1 if form == "Binary" else place), [_row(columns, form, row) for row in range(count)]


def _row(columns: Sequence[Column], form: str, row: int) -> bytes:
    if form == "Delimited":
        return ",".join(str(column.values[row]).strip() for column in columns).encode() + b"\r\n"
    if form == "Character":
        return " ".join(str(column.values[row]).rjust(column.width) for column in columns).encode() + b"\r\n"
    return b"".join(
        column.values[row : row + 1].tobytes()
        if isinstance(column.values, np.ndarray)
        else column.values[row].ljust(column.width).encode()
        for column in columns
    )


def write_pds3(
    folder: Path,
    stem: str,
    columns: Sequence[Column],
    *,
    times: tuple[str, str] = ("2016-240T00:00:00.000", "2016-240T23:59:59.999"),
    header: bytes = b"",
    extra: str = "",
    data_suffix: str = ".TAB",
) -> Path:
    """Write a product of PDS3 with one table, of text unless a column is binary; gives its label."""
    folder.mkdir(parents=True, exist_ok=True)
    is_binary = any(column.binary for column in columns)
    count, form = len(columns[0].values), "Binary" if is_binary else "Character"
    data = header + b"".join(_row(columns, form, row) for row in range(count))
    (folder / f"{stem}{data_suffix}").write_bytes(data)
    described, place = "", 1
    for column in columns:
        kind = _PDS3_BINARY[column.binary] if column.binary else column.type
        missing = f"    MISSING_CONSTANT = {column.constant}\r\n" if column.constant else ""
        scale = f"    SCALING_FACTOR = {column.scale}\r\n" if column.scale is not None else ""
        described += (
            f'  OBJECT = COLUMN\r\n    NAME = "{column.name}"\r\n    DATA_TYPE = {kind}\r\n    START_BYTE = {place}\r\n'
            f'    BYTES = {column.width}\r\n    UNIT = "{column.unit or "N/A"}"\r\n{missing}{scale}'
            f'    DESCRIPTION = "{column.description}\r\n      of the archive"\r\n  END_OBJECT = COLUMN\r\n'
        )
        place += column.width + (0 if is_binary else 1)
    row_bytes = place - 1 if is_binary else place
    pointer = f'("{stem}{data_suffix}", {len(header) + 1} <BYTES>)' if header else f'"{stem}{data_suffix}"'
    label = (
        f"PDS_VERSION_ID = PDS3\r\nRECORD_TYPE = FIXED_LENGTH\r\nRECORD_BYTES = {row_bytes}\r\nFILE_RECORDS = {count}\r\n"
        f'DATA_SET_ID = "JNO-J-3-FGM-CAL-V1.0"\r\nPRODUCT_ID = "{stem}"\r\nPRODUCT_VERSION_ID = "01"\r\n'
        f"START_TIME = {times[0]}\r\nSTOP_TIME = {times[1]}\r\n/* where the data are */\r\n^TABLE = {pointer}\r\n{extra}"
        f"OBJECT = TABLE\r\n  INTERCHANGE_FORMAT = {'BINARY' if is_binary else 'ASCII'}\r\n  ROWS = {count}\r\n"
        f"  COLUMNS = {len(columns)}\r\n  ROW_BYTES = {row_bytes}\r\n{described}END_OBJECT = TABLE\r\nEND\r\n"
    )
    place_of_label = folder / f"{stem}.LBL"
    place_of_label.write_bytes(label.encode())
    return place_of_label
