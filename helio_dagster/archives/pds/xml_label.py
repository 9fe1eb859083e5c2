"""PDS4: a product's XML label, after the PDS4 Information Model: which tables its files hold, and where their fields are."""

from __future__ import annotations

from helio_dagster.archives.pds.label_times import label_time
from helio_dagster.archives.pds.layout import (
    MOST_FIELDS,
    FieldKind,
    LabelFault,
    LabelledField,
    LabelledTable,
    Product,
    TableForm,
    check_table,
)
from helio_dagster.archives.pds.xml_text import Element, read_xml

_FORMS: dict[str, TableForm] = {"Table_Character": "character", "Table_Delimited": "delimited", "Table_Binary": "binary"}
_SUFFIXES: dict[TableForm, str] = {"character": "Character", "delimited": "Delimited", "binary": "Binary"}
_DELIMITERS = {"comma": ",", "horizontal tab": "\t", "semicolon": ";", "vertical bar": "|"}
_BINARY = {
    "SignedByte": "i1",
    "UnsignedByte": "u1",
    **{
        f"{sign}{order}{size}": f"{mark}{letter}{size}"
        for sign, letter in (("Signed", "i"), ("Unsigned", "u"))
        for order, mark in (("MSB", ">"), ("LSB", "<"))
        for size in (2, 4, 8)
    },
    **{
        f"IEEE754{order}{name}": f"{mark}f{size}"
        for order, mark in (("MSB", ">"), ("LSB", "<"))
        for name, size in (("Single", 4), ("Double", 8))
    },
}
_NUMBERS = ("ASCII_Real", "ASCII_Integer", "ASCII_NonNegative_Integer", "ASCII_Numeric_Base10")
_MISSING = (
    *("missing_constant", "invalid_constant", "unknown_constant", "not_applicable_constant", "error_constant"),
    *("saturated_constant", "high_instrument_saturation", "low_instrument_saturation"),
    *("high_representation_saturation", "low_representation_saturation"),
)


def read_xml_label(raw: bytes) -> Product:
    """The product of a PDS4 label.

    Raises
    ------
    LabelFault
        It is not a product's label, or contradicts itself.
    """
    root = read_xml(raw)
    if not root.name.startswith("Product_"):
        raise LabelFault(f"the label describes {root.name[:60]!r}, which is not a product of PDS4")
    named = root.first("Identification_Area")
    times = root.first("Observation_Area", "Time_Coordinates") or root.first("Context_Area", "Time_Coordinates")
    tables: list[LabelledTable] = []
    checksums: dict[str, str] = {}
    others: set[str] = set()
    for area in root.children:
        file = area.value("File", "file_name")
        if not area.name.startswith("File_Area") or not file:
            continue
        if checksum := area.value("File", "md5_checksum"):
            checksums[file] = checksum.casefold()
        for each in area.children:
            if each.name in _FORMS:
                tables.append(check_table(_table(each, file, len(tables) + 1)))
            elif each.name.startswith(("Array", "Encoded", "Stream")):
                others.add(each.name)
    what = f"its data are {', '.join(sorted(others))}, not a table" if others else "it describes no table"
    return Product(
        id=named.value("logical_identifier") if named else "",
        version=named.value("version_id") if named else "",
        start=label_time(times.value("start_date_time")) if times else None,
        stop=label_time(times.value("stop_date_time")) if times else None,
        tables=tuple(tables),
        md5=checksums,
        problem="" if tables else what,
    )


def _table(element: Element, file: str, number: int) -> LabelledTable:
    form = _FORMS[element.name]
    name = element.value("name") or element.value("local_identifier") or f"table {number}"
    record = element.first(f"Record_{_SUFFIXES[form]}")
    if record is None:
        raise LabelFault(f"the table {name!r} describes no record")
    fields: list[LabelledField] = []
    _collect(record, form, fields, base=0, items=1, stride=0)
    said = element.value("field_delimiter").casefold() or "comma"
    if form == "delimited" and said not in _DELIMITERS:
        raise LabelFault(f"the table {name!r} is delimited by {said[:40]!r}, which is not known")
    return LabelledTable(
        name=name,
        form=form,
        file=file,
        offset=_bytes(element, "offset", 0),
        records=_number(element, "records", None),
        record_bytes=0 if form == "delimited" else _bytes(record, "record_length", None),
        fields=tuple(fields),
        delimiter=_DELIMITERS.get(said, ","),
    )


def _collect(record: Element, form: TableForm, into: list[LabelledField], *, base: int, items: int, stride: int) -> int:
    """Add the fields of a record or group; gives how many columns of a delimited record they take."""
    suffix, column = _SUFFIXES[form], 0
    for each in record.children:
        if len(into) > MOST_FIELDS:
            raise LabelFault(f"a record has over {MOST_FIELDS} fields")
        start = base + column if form == "delimited" else base
        if each.name == f"Field_{suffix}":
            into.append(_field(each, form, start, items, stride))
            column += 1
        elif each.name == f"Group_Field_{suffix}":
            if items > 1:
                raise LabelFault("a group of fields repeats inside another one that repeats, which is not read")
            repeats = _number(each, "repetitions", None)
            if form == "delimited":
                width = sum(child.name == f"Field_{suffix}" for child in each.children)
                _collect(each, form, into, base=start, items=repeats, stride=width)
                column += repeats * width
            else:
                length = _bytes(each, "group_length", None)
                step = length // repeats if repeats > 0 else 0
                place = _bytes(each, "group_location", None) - 1
                if place < 0:
                    raise LabelFault("a group of fields begins before its record")
                _collect(each, form, into, base=start + place, items=repeats, stride=step)
    return column


def _field(element: Element, form: TableForm, base: int, items: int, stride: int) -> LabelledField:
    name, given = element.value("name"), element.value("data_type")
    kind, dtype = _kind(form, given)
    start = base if form == "delimited" else base + _bytes(element, "field_location", None) - 1
    length = 1 if form == "delimited" else _bytes(element, "field_length", None)
    if dtype and length != int(dtype[-1]):
        raise LabelFault(f"the field {name!r} has {length} bytes, and {given} has {dtype[-1]}")
    constants = element.first("Special_Constants")
    return LabelledField(
        name=name,
        kind=kind,
        type=given,
        start=start,
        length=length,
        items=items,
        stride=stride,
        dtype=dtype,
        unit=element.value("unit"),
        description=element.value("description")[:2000],
        constants=tuple(dict.fromkeys(text for each in _MISSING if constants and (text := constants.value(each)))),
        scale=_real(element, "scaling_factor", 1.0),
        offset=_real(element, "value_offset", 0.0),
    )


def _kind(form: TableForm, given: str) -> tuple[FieldKind, str]:
    if form == "binary" and given in _BINARY:
        return "number", _BINARY[given]
    if given in _NUMBERS:
        return "number", ""
    if given.startswith("ASCII_Date_Time"):
        return "time", ""
    return ("text", "") if given.startswith(("ASCII_", "UTF8_")) else ("unread", "")


def _bytes(element: Element, name: str, default: int | None) -> int:
    found = element.first(name)
    unit = found.attributes.get("unit", "byte") if found is not None else "byte"
    if unit != "byte":
        raise LabelFault(f"{name} is given in {unit[:20]!r}, not in bytes")
    return _number(element, name, default)


def _number(element: Element, name: str, default: int | None) -> int:
    text = element.value(name)
    if not text and default is not None:
        return default
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        raise LabelFault(f"{name} is {text[:40]!r}, which is not a whole number" if text else f"{name} is missing")
    return int(text)


def _real(element: Element, name: str, default: float) -> float:
    text = element.value(name)
    try:
        return float(text) if text else default
    except ValueError:
        raise LabelFault(f"{name} is {text[:40]!r}, which is not a number") from None
