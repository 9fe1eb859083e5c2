"""PDS3: a product's label, after the PDS Standards Reference: where its tables are, and where their columns."""

from __future__ import annotations

import re

from helio_dagster.archives.pds.label_times import label_time
from helio_dagster.archives.pds.layout import (
    FieldKind,
    LabelFault,
    LabelledField,
    LabelledTable,
    Product,
    TableForm,
    check_table,
)
from helio_dagster.archives.pds.odl_text import OdlObject, read_odl

_TABLES = ("TABLE", "SERIES", "TIME_SERIES", "SPECTRUM")
_NOT_DATA = ("HEADER", "CATALOG", "DESCRIPTION", "DOCUMENT", "TEXT")
_INTEGERS = {
    **dict.fromkeys(("MSB_INTEGER", "INTEGER", "SUN_INTEGER", "MAC_INTEGER"), ">i"),
    **dict.fromkeys(("MSB_UNSIGNED_INTEGER", "UNSIGNED_INTEGER", "SUN_UNSIGNED_INTEGER", "MAC_UNSIGNED_INTEGER"), ">u"),
    **dict.fromkeys(("LSB_INTEGER", "PC_INTEGER", "VAX_INTEGER"), "<i"),
    **dict.fromkeys(("LSB_UNSIGNED_INTEGER", "PC_UNSIGNED_INTEGER", "VAX_UNSIGNED_INTEGER"), "<u"),
}
_REALS = {
    **dict.fromkeys(("IEEE_REAL", "FLOAT", "REAL", "SUN_REAL", "MAC_REAL"), ">f"),
    "PC_REAL": "<f",
}
_NUMBERS = ("ASCII_REAL", "ASCII_INTEGER", "INTEGER", "REAL", "FLOAT", "UNSIGNED_INTEGER")
_MISSING = (
    *("MISSING_CONSTANT", "INVALID_CONSTANT", "UNKNOWN_CONSTANT", "NOT_APPLICABLE_CONSTANT", "NULL_CONSTANT"),
    *("MISSING", "NULL"),
)
_PLACE = re.compile(r"(?P<number>\d{1,18})\s*(?:<(?P<unit>[A-Za-z]+)>)?")
_WITH_UNIT = re.compile(r"\s*<[^<>]*>\s*$")


def read_odl_label(raw: bytes, name: str) -> Product:
    """The product of a PDS3 label, the content of the file of this name.

    Raises
    ------
    LabelFault
        It is not a label, or contradicts itself.
    """
    label = read_odl(raw)
    tables: list[LabelledTable] = []
    problem = "it describes no table"
    places = {each.upper(): values for each, values in label.values.items() if each.startswith("^")}
    for described in _described(label):
        if described.kind.endswith(_NOT_DATA):
            continue
        if not described.kind.endswith(_TABLES):
            problem = f"its data are {described.kind}, not a table" if f"^{described.kind}" in places else problem
            continue
        if problem_of := _unread(described):
            problem = problem_of
            continue
        tables.append(check_table(_table(label, described, places, name)))
    return Product(
        id=label.text("PRODUCT_ID") or name,
        version=label.text("PRODUCT_VERSION_ID"),
        start=label_time(label.text("START_TIME")),
        stop=label_time(label.text("STOP_TIME")),
        tables=tuple(tables),
        md5={},
        problem="" if tables else problem,
    )


def _described(label: OdlObject) -> list[OdlObject]:
    """The data objects, also those inside a FILE object."""
    inner = [each for one in label.objects if one.kind == "FILE" for each in one.objects]
    return [*(one for one in label.objects if one.kind != "FILE"), *inner]


def _unread(table: OdlObject) -> str:
    structure = next((value for keyword, value in table.values.items() if keyword == "^STRUCTURE"), None)
    if structure is not None:
        return f"its columns are described in another file, {structure[0][:60]!r}, which is not read"
    inner = next((each.kind for each in table.objects if each.kind not in ("COLUMN", "ALIAS")), None)
    return f"its records hold a {inner}, which is not read" if inner else ""


def _table(label: OdlObject, table: OdlObject, places: dict[str, list[str]], name: str) -> LabelledTable:
    said = table.text("INTERCHANGE_FORMAT").upper()
    form: TableForm = "binary" if said == "BINARY" else "character"
    if said not in ("ASCII", "BINARY", ""):
        raise LabelFault(f"the table {table.kind!r} has the interchange format {said[:40]!r}, which is not known")
    row_bytes = table.number("ROW_BYTES")
    record_bytes = label.number("RECORD_BYTES", row_bytes)
    file, offset = _place(places.get(f"^{table.kind}"), record_bytes, name)
    suffix, prefix = table.number("ROW_SUFFIX_BYTES", 0), table.number("ROW_PREFIX_BYTES", 0)
    if prefix < 0 or suffix < 0:
        raise LabelFault(f"the table {table.kind!r} has a negative prefix or suffix of its rows")
    return LabelledTable(
        name=table.text("NAME") or table.kind,
        form=form,
        file=file,
        offset=offset,
        records=table.number("ROWS"),
        record_bytes=prefix + row_bytes + suffix,
        fields=tuple(_column(each, form, prefix) for each in table.objects if each.kind == "COLUMN"),
    )


def _place(said: list[str] | None, record_bytes: int, name: str) -> tuple[str, int]:
    """The file of a table and the byte where it begins: `"X.TAB"`, `("X.TAB", 12)`, `("X.TAB", 600 <BYTES>)` or a number."""
    if not said:
        raise LabelFault("the label does not say in which file its table is")
    number = _PLACE.fullmatch(said[-1].strip())
    file = said[0] if number is None or len(said) > 1 else name
    if number is None:
        return file, 0
    first = int(number["number"]) - 1
    return file, first if (number["unit"] or "").upper() in ("BYTE", "BYTES") else first * record_bytes


def _column(column: OdlObject, form: TableForm, prefix: int) -> LabelledField:
    name, given = column.text("NAME"), column.text("DATA_TYPE").upper()
    size, items = column.number("BYTES", 0), column.number("ITEMS", 1)
    length = column.number("ITEM_BYTES", size // items if items > 0 else size)
    kind, dtype = _kind(name, given, form, length)
    return LabelledField(
        name=name,
        kind=kind,
        type=given,
        start=prefix + column.number("START_BYTE") - 1,
        length=length,
        items=items,
        stride=column.number("ITEM_OFFSET", length) if items > 1 else 0,
        dtype=dtype,
        unit=column.text("UNIT"),
        description=column.text("DESCRIPTION")[:2000],
        constants=tuple(dict.fromkeys(_WITH_UNIT.sub("", text) for each in _MISSING if (text := column.text(each)))),
        scale=_real(column, "SCALING_FACTOR", 1.0),
        offset=_real(column, "OFFSET", 0.0),
    )


def _kind(name: str, given: str, form: TableForm, length: int) -> tuple[FieldKind, str]:
    if given in ("TIME", "DATE"):
        return "time", ""
    if given == "CHARACTER":
        return "text", ""
    if form == "character":
        return ("number", "") if given in _NUMBERS else ("unread", "")
    start, sizes = (_REALS.get(given), (4, 8)) if given in _REALS else (_INTEGERS.get(given), (1, 2, 4, 8))
    if start is None:
        return ("number", "") if given in ("ASCII_REAL", "ASCII_INTEGER") else ("unread", "")
    if length not in sizes:
        raise LabelFault(f"the column {name!r} has {length} bytes, which a {given} cannot have")
    return "number", f"{start}{length}"


def _real(column: OdlObject, keyword: str, default: float) -> float:
    text = _WITH_UNIT.sub("", column.text(keyword))
    try:
        return float(text) if text else default
    except ValueError:
        raise LabelFault(f"{keyword} of a column is {text[:40]!r}, which is not a number") from None
