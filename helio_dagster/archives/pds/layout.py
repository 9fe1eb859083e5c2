"""What a label says of a product: its time, its files, and where the fields of its tables are. Read from labels elsewhere."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

FieldKind = Literal["number", "text", "time", "unread"]
TableForm = Literal["character", "delimited", "binary"]

MOST_FIELDS = 8192
MOST_ITEMS = 4096
LONGEST_RECORD = 1 << 24


class LabelFault(Exception):
    """A label contradicts itself or its data, or cannot be read; becomes a CorruptFile that names the file."""


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LabelledField(_Said):
    """A field of a record.

    `start` is its first byte in the record, from 0, and `length` counts the bytes of one item; of a delimited table `start` is
    the number of its first column. A field of several `items` repeats every `stride` bytes (columns). `type` is the label's own
    word, `dtype` numpy's for a binary number. `constants` stand for values that are missing, as they are written. The value is
    the number times `scale` plus `offset`.
    """

    name: str
    kind: FieldKind
    type: str
    start: int
    length: int
    items: int = 1
    stride: int = 0
    dtype: str = ""
    unit: str = ""
    description: str = ""
    constants: tuple[str, ...] = ()
    scale: float = 1.0
    offset: float = 0.0


class LabelledTable(_Said):
    """A table of a file: `records` records from byte `offset` on, of `record_bytes` bytes each (0 where they vary)."""

    name: str
    form: TableForm
    file: str
    offset: int
    records: int
    record_bytes: int
    fields: tuple[LabelledField, ...]
    delimiter: str = ","


class Product(_Said):
    """A product as its label describes it: id, version, coverage (`stop` is the time of the last record), tables.

    `problem` says why a file of the product has no table that can be read, where that is so.
    """

    id: str
    version: str = ""
    start: datetime | None
    stop: datetime | None
    tables: tuple[LabelledTable, ...]
    md5: dict[str, str] = {}
    problem: str = ""


def check_table(table: LabelledTable) -> LabelledTable:
    """The table, if its numbers are possible.

    Raises
    ------
    LabelFault
        A count, offset or length is negative or absurd, or a field reaches beyond its record.
    """
    where = f"the table {table.name!r}"
    if table.offset < 0 or table.records < 0:
        raise LabelFault(f"{where} has {table.records} records from byte {table.offset} on, which cannot be")
    if not 0 < len(table.fields) <= MOST_FIELDS:
        raise LabelFault(f"{where} has {len(table.fields)} fields; 1 to {MOST_FIELDS} are read")
    if table.form != "delimited" and not 0 < table.record_bytes <= LONGEST_RECORD:
        raise LabelFault(f"{where} has records of {table.record_bytes} bytes, which cannot be")
    for field in table.fields:
        _check_field(table, field)
    return table


def _check_field(table: LabelledTable, field: LabelledField) -> None:
    where = f"the field {field.name!r} of the table {table.name!r}"
    if field.start < 0 or field.length <= 0 or field.stride < 0:
        raise LabelFault(f"{where} has {field.length} bytes from byte {field.start + 1} on, which cannot be")
    if not 0 < field.items <= MOST_ITEMS:
        raise LabelFault(f"{where} has {field.items} items; 1 to {MOST_ITEMS} are read")
    if field.items > 1 and field.stride < field.length:
        raise LabelFault(f"{where} repeats every {field.stride} bytes, and one item has {field.length}")
    if table.form == "delimited":
        return
    beyond = field.start + field.stride * (field.items - 1) + field.length
    if beyond > table.record_bytes:
        raise LabelFault(f"{where} reaches to byte {beyond}, and a record has {table.record_bytes}")
