"""Walk all records of a CDF file before a reader sees it: attributes, variables, and the index of each variable's records.

What follows from the walk is what a reader may believe: every pointer leads to a record of the right type, none to one that was
there before, all values that a variable says it has are in the file. Their checksums are `checksums`' to check.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from struct import Struct

from helio_dagster.archives.cdf.layout import (
    ADR,
    BIG_ENDIAN_ENCODINGS,
    CPR,
    CVVR,
    ENCODINGS,
    NO_COMPRESSION,
    R_ENTRY,
    R_VDR,
    TEXTS,
    VALUE_BYTES,
    VAX_ENCODINGS,
    VVR,
    VXR,
    Z_ENTRY,
    Z_VDR,
)
from helio_dagster.archives.cdf.records import Content, Descriptors, Record, Records, damaged, open_records
from helio_dagster.domain.errors import InputError

_HAS_RECORDS, _IS_COMPRESSED = 0x1, 0x4
_GLOBAL_SCOPES, _VARIABLE_SCOPES = (1, 3), (2, 4)
_DEEPEST = 16
_PADDING = 16
_MOST_EXPANSION = 1032
"""Deflate's greatest ratio; also how much larger than a file its records may be where it leaves some out."""
_ALWAYS_HELD = 1 << 26


@dataclass(frozen=True)
class Block:
    """Consecutive records `first` to `last` of a variable, at `start` in the file, `size` bytes, compressed or not."""

    first: int
    last: int
    start: int
    size: int
    is_compressed: bool


@dataclass(frozen=True)
class StoredVariable:
    """Where a variable's values are.

    `type` is the data type of its numbers, `record_bytes` the size of one record, `number_bytes` that of a number in it (1 for
    texts), `method` how its blocks are compressed.
    """

    name: str
    records: int
    type: int
    record_bytes: int
    number_bytes: int
    method: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Structure:
    """A file that agrees with itself; `declared_bytes` is the size of all its values."""

    content: Content
    is_big_endian: bool
    flags: int
    variables: Mapping[str, StoredVariable]
    declared_bytes: int


def walk(content: Content) -> Structure:
    """Follow every pointer of a file.

    Parameters
    ----------
    content
        A file's bytes, as they are after a compression of the whole is undone.

    Raises
    ------
    CorruptFile
        It contradicts itself.
    InputError
        It is sound but cannot be read here.
    """
    records, given = open_records(content)
    if given.encoding not in ENCODINGS:
        raise damaged(f"there is no encoding {given.encoding}")
    if given.encoding in VAX_ENCODINGS:
        raise InputError("its numbers are in the format of VAX computers, which cannot be read", hint="Choose another dataset.")
    _check_attributes(records, given)
    variables = [*_variables(records, given, R_VDR), *_variables(records, given, Z_VDR)]
    records.check_apart()
    by_name = {variable.name: variable for variable in variables}
    if len(by_name) < len(variables):
        raise damaged("two of its variables have the same name")
    declared = sum(variable.records * variable.record_bytes for variable in variables)
    if declared > _ALWAYS_HELD + _MOST_EXPANSION * len(content):
        raise damaged(f"its variables claim {declared} bytes, far more than {len(content)} bytes can hold")
    return Structure(content, given.encoding in BIG_ENDIAN_ENCODINGS, given.flags, by_name, declared)


def _check_attributes(records: Records, given: Descriptors) -> None:
    layout = records.layout
    for attribute in records.chain(given.attributes, ADR, layout.attribute, given.attribute_count, "attributes"):
        _, r_head, scope, number, r_count, _, _, z_head, z_count, *_ = attribute.fields
        if attribute.size < layout.attribute.size + layout.name_bytes:
            raise damaged(f"the attribute at byte {attribute.offset} has no name")
        if scope not in _GLOBAL_SCOPES + _VARIABLE_SCOPES or min(r_count, z_count) < 0:
            raise damaged(f"the attribute at byte {attribute.offset} is neither global nor a variable's")
        for head, kind, count, most in (
            (r_head, R_ENTRY, r_count, given.r_variable_count),
            (z_head, Z_ENTRY, z_count, given.z_variable_count),
        ):
            if head and not count:
                raise damaged(f"the attribute at byte {attribute.offset} has entries that it does not count")
            for entry in records.chain(head, kind, layout.entry, count, "entries of an attribute"):
                _check_entry(entry, layout.entry.size, number, most if scope in _VARIABLE_SCOPES else None)


def _check_entry(entry: Record, header_bytes: int, attribute: int, variables: int | None) -> None:
    _, its_attribute, data_type, number, values, *_ = entry.fields
    if its_attribute != attribute or number < 0 or (variables is not None and number >= variables):
        raise damaged(f"the attribute entry at byte {entry.offset} belongs to nothing")
    if data_type not in VALUE_BYTES or values < 0 or values * VALUE_BYTES[data_type] > entry.size - header_bytes:
        raise damaged(f"the attribute entry at byte {entry.offset} does not hold {values} values of type {data_type}")


def _variables(records: Records, given: Descriptors, kind: int) -> Iterator[StoredVariable]:
    head, count = (given.r_variables, given.r_variable_count) if kind == R_VDR else (given.z_variables, given.z_variable_count)
    if head and not count:
        raise damaged("it has variables that it does not count")
    for place, record in enumerate(records.chain(head, kind, records.layout.variable, count, "variables")):
        yield _variable(records, given, record, place)


def _variable(records: Records, given: Descriptors, record: Record, place: int) -> StoredVariable:
    layout, content = records.layout, records.content
    _, data_type, greatest, index_head, _, flags, sparse = record.fields
    at = record.offset + layout.variable.size + layout.variable_reserved + (layout.gap if given.version < (2, 5) else 0)
    names_at = at + layout.variable_rest.size
    shape_at, stop = names_at + layout.name_bytes, record.offset + record.size
    if shape_at > stop:
        raise damaged(f"the variable at byte {record.offset} has no name")
    values, number, compression, _ = layout.variable_rest.unpack_from(content, at)
    name = content[names_at:shape_at].partition(b"\0")[0].decode("utf-8", errors="replace")
    if number != place or greatest < -1 or sparse not in (0, 1, 2):
        raise damaged(f"the variable {name!r} has number {number} where {place} is due, or {greatest + 1} records")
    if data_type not in VALUE_BYTES or values < 1 or (values > 1 and data_type not in TEXTS):
        raise damaged(f"the variable {name!r} has no type {data_type} of {values} values")
    width = _values_in_record(content, record, shape_at, given.r_sizes, name)
    count = greatest + 1 if flags & _HAS_RECORDS else min(greatest + 1, 1)
    method = _method(records, compression) if flags & _IS_COMPRESSED and index_head else NO_COMPRESSION
    blocks = tuple(sorted(_blocks(records, index_head), key=lambda block: block.first))
    value_bytes = VALUE_BYTES[data_type] * values
    number_bytes = min(VALUE_BYTES[data_type], 8)  # an EPOCH16 is two
    found = StoredVariable(name, count, data_type, value_bytes * width, number_bytes, method, blocks)
    _check_blocks(content, found, is_sparse=sparse != 0, value_bytes=value_bytes)
    return found


def _values_in_record(content: Content, record: Record, at: int, r_sizes: tuple[int, ...], name: str) -> int:
    """How many values (texts, for a variable of texts) a record has: the product of the axes along which it varies."""
    stop = record.offset + record.size
    sizes, axes = r_sizes, len(r_sizes)
    if record.type == Z_VDR:
        axes = int.from_bytes(content[at : at + 4], "big", signed=True)
        at += 4
        if not 0 <= axes <= (stop - at) // 8:
            raise damaged(f"the variable {name!r} cannot have {axes} axes")
        sizes = Struct(f">{axes}i").unpack_from(content, at)
        at += 4 * axes
    if at + 4 * axes > stop:
        raise damaged(f"the variable {name!r} does not say how it varies")
    varies = Struct(f">{axes}i").unpack_from(content, at)
    if any(size < 0 for size in sizes):
        raise damaged(f"the variable {name!r} has an axis of negative length")
    return math.prod(size for size, is_varying in zip(sizes, varies, strict=True) if is_varying)


def _method(records: Records, offset: int) -> int:
    return int(records.read_shared(offset, (CPR,), records.layout.compression).fields[0])


def _blocks(records: Records, offset: int, depth: int = 0) -> Iterator[Block]:
    """The blocks of values under an index record and those that follow it."""
    layout, content = records.layout, records.content
    while offset:
        record = records.read(offset, (VXR,), layout.index)
        following, entries, used = record.fields
        at = record.offset + layout.index.size
        if not 0 <= used <= entries <= (record.size - layout.index.size) // (8 + layout.offset.size):
            raise damaged(f"the index record at byte {offset} cannot have {used} of {entries} entries")
        firsts = Struct(f">{entries}i").unpack_from(content, at)
        lasts = Struct(f">{entries}i").unpack_from(content, at + 4 * entries)
        for place in range(used):
            (below,) = layout.offset.unpack_from(content, at + 8 * entries + layout.offset.size * place)
            if records.read_shared(below, (VXR, VVR, CVVR)).type != VXR:
                yield _block(records, below, firsts[place], lasts[place])
            elif depth == _DEEPEST:
                raise damaged(f"its index is more than {_DEEPEST} levels deep")
            else:
                yield from _blocks(records, below, depth + 1)
        offset = following


def _block(records: Records, offset: int, first: int, last: int) -> Block:
    layout = records.layout
    record = records.read(offset, (VVR, CVVR))
    if not 0 <= first <= last:
        raise damaged(f"the block of values at byte {offset} cannot hold the records {first} to {last}")
    if record.type == VVR:
        return Block(first, last, offset + layout.header.size, record.size - layout.header.size, is_compressed=False)
    fields = layout.compressed_values
    _, size = fields.unpack_from(records.content, offset)[2:] if record.size >= fields.size else (0, -1)
    if not 0 < size <= record.size - fields.size:
        raise damaged(f"the compressed block at byte {offset} cannot be {size} bytes long")
    return Block(first, last, offset + fields.size, size, is_compressed=True)


def _check_blocks(content: Content, variable: StoredVariable, *, is_sparse: bool, value_bytes: int) -> None:
    """Refuse a variable whose blocks are not as long as their records, or do not hold all of them."""
    due = 0
    for block in variable.blocks:
        if block.first < due or (block.first > due and not is_sparse):
            raise damaged(f"the index of {variable.name!r} jumps from record {due} to {block.first}")
        due = block.last + 1
        needed = (due - block.first) * variable.record_bytes
        if block.is_compressed:
            if due > variable.records or variable.method == NO_COMPRESSION:
                raise damaged(f"{variable.name!r} has {variable.records} records but a compressed block up to {due}")
            if needed > _MOST_EXPANSION * (block.size + 1):
                raise damaged(f"a block of {variable.name!r} cannot hold {needed} bytes in {block.size}")
        elif not 0 <= block.size - needed < _PADDING:
            raise damaged(f"a block of {variable.name!r} has {block.size} bytes for records of {needed}")
        elif not variable.records and not _is_blank(content, block, value_bytes):
            raise damaged(f"{variable.name!r} says that it has no records, but holds {due}")
    if due < variable.records and not is_sparse:
        raise damaged(f"{variable.name!r} has {variable.records} records, but its index leads to {due}")


def _is_blank(content: Content, block: Block, value_bytes: int) -> bool:
    """Whether a block that was set aside for records holds one value all over, so that none was ever written."""
    stored = content[block.start : block.start + block.size]
    return stored == stored[:value_bytes] * (len(stored) // value_bytes)
