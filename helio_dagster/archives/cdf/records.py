"""The internal records of a CDF file, each read once and checked: inside the file, of the expected type, long enough.

A file whose pointers form a loop, or whose records overlap, ends the walk: so no walk takes longer than reading the file once.
"""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from helio_dagster.archives.cdf.layout import CDR, GDR, MAGIC_BYTES, MAGIC_V3, V2, V3, Layout
from helio_dagster.domain.errors import CorruptFile

Content = bytes | mmap.mmap
"""The bytes of a file that is not compressed as a whole."""

_NAMES = dict(enumerate(("CDR", "GDR", "rVDR", "ADR", "AgrEDR", "VXR", "VVR", "zVDR", "AzEDR", "CCR", "CPR", "SPR", "CVVR"), 1))


def damaged(problem: str) -> CorruptFile:
    """The error for a file that contradicts itself."""
    return CorruptFile(f"is a damaged CDF file: {problem}")


@dataclass(frozen=True)
class Record:
    """A record: where it starts, its size in bytes, its type, and the fields after these two."""

    offset: int
    size: int
    type: int
    fields: tuple[Any, ...]


@dataclass
class Records:
    """The records of a file, read by offset.

    `end` is the offset after the last record. Reading a record twice is an error, but for `read_shared`.
    """

    content: Content
    layout: Layout
    end: int
    _spans: dict[int, int] = field(default_factory=dict)
    _total: int = 0

    def read(self, offset: int, types: tuple[int, ...], fields: Struct | None = None) -> Record:
        """The record of one of these types at an offset, that no other pointer has led to.

        Raises
        ------
        CorruptFile
            There is none.
        """
        record = self.read_shared(offset, types, fields)
        if offset in self._spans:
            raise damaged(f"two pointers lead to the record at byte {offset}")
        self._spans[offset] = record.size
        self._total += record.size
        if self._total > self.end:
            raise damaged("its records overlap")
        return record

    def read_shared(self, offset: int, types: tuple[int, ...], fields: Struct | None = None) -> Record:
        """As `read`, for a record to which several pointers may lead."""
        header = self.layout.header
        if not MAGIC_BYTES <= offset <= self.end - header.size:
            raise damaged(f"a pointer leads to byte {offset}, outside its {self.end} bytes")
        size, kind = header.unpack_from(self.content, offset)
        if kind not in types:
            raise damaged(f"there is no {'/'.join(_NAMES[each] for each in types)} record at byte {offset}")
        if not (fields or header).size <= size <= self.end - offset:
            raise damaged(f"the {_NAMES[kind]} record at byte {offset} cannot be {size} bytes long")
        return Record(offset, size, kind, fields.unpack_from(self.content, offset)[2:] if fields else ())

    def chain(self, offset: int, kind: int, fields: Struct, count: int, what: str) -> Iterator[Record]:
        """The records of a linked list, whose first field after the header is the next one's offset.

        Raises
        ------
        CorruptFile
            It has not `count` of them.
        """
        for number in range(count):
            if offset == 0:
                raise damaged(f"it has {number} of {count} {what}")
            record = self.read(offset, (kind,), fields)
            yield record
            offset = record.fields[0]
        if offset != 0 and count:
            raise damaged(f"it has more than {count} {what}")

    def check_apart(self) -> None:
        """Refuse records that overlap."""
        for (offset, size), (following, _) in itertools.pairwise(sorted(self._spans.items())):
            if offset + size > following:
                raise damaged(f"the records at bytes {offset} and {following} overlap")


@dataclass(frozen=True)
class Descriptors:
    """What the first two records say, as far as it is needed."""

    version: tuple[int, int]
    encoding: int
    flags: int
    r_variables: int
    z_variables: int
    attributes: int
    r_variable_count: int
    z_variable_count: int
    attribute_count: int
    r_sizes: tuple[int, ...]


def open_records(content: Content) -> tuple[Records, Descriptors]:
    """The records of a file, and its descriptors; `check_header` has passed it, or it was compressed as a whole.

    Raises
    ------
    CorruptFile
        The first records are damaged.
    """
    layout = V3 if int.from_bytes(content[:4], "big") == MAGIC_V3 else V2
    records = Records(content, layout, len(content))
    first = records.read(MAGIC_BYTES, (CDR,), layout.descriptor)
    global_offset, version, release, encoding, flags = first.fields
    second = records.read(global_offset, (GDR,), layout.global_descriptor)
    r_head, z_head, attribute_head, end, r_count, attribute_count, _, axes, z_count, *_ = second.fields
    records.end = end
    if not max(MAGIC_BYTES + first.size, global_offset + second.size) <= end <= len(content):
        raise damaged(f"it says that it ends at byte {end}")
    if min(r_count, z_count, attribute_count) < 0 or not 0 <= axes <= (second.size - layout.global_descriptor.size) // 4:
        raise damaged("its global descriptor counts what cannot be")
    sizes = Struct(f">{axes}i").unpack_from(content, second.offset + layout.global_descriptor.size)
    return records, Descriptors(
        version=(version, release),
        encoding=encoding,
        flags=flags,
        r_variables=r_head,
        z_variables=z_head,
        attributes=attribute_head,
        r_variable_count=r_count,
        z_variable_count=z_count,
        attribute_count=attribute_count,
        r_sizes=sizes,
    )
