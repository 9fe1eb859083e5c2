"""Append records to the variables of a CDF file, a block at a time, so that no variable need fit into memory.

A CDF keeps a variable's records in value records (VVR, compressed: CVVR), found through index records (VXR); all may stand
anywhere in the file. What a file says of its variables is written by cdflib beforehand; only the places of the values are
entered there. Source: NASA SPDF, CDF Internal Format Description, version 3.9, sections 2.3 (GDR), 2.6 (VDR), 2.7 (VXR), 2.8
(VVR) and 2.15 (CVVR).
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 20
"""About as many bytes as one block of values takes before it is compressed, in a file of a few variables."""
_FEW = 8
_GDR_AT, _FIRST_VDR_AT, _END_AT = 20, 20, 36
_NEXT_AT, _MOST_RECORD_AT, _INDEX_AT, _NAME_AT, _NAME_SIZE = 12, 24, 28, 84, 256
_VXR, _VVR, _CVVR = 6, 7, 13
_ENTRIES = 7
"""Blocks that one index record lists, as NASA's library does."""
_LEVEL = 6


def records_per_block(record_bytes: int, variables: int) -> int:
    """How many records of a variable one block holds; the fewer, the more variables wait to fill their blocks."""
    return max(1, BLOCK_BYTES * _FEW // max(_FEW, variables) // record_bytes)


@dataclass
class _Appended:
    """What was written of a variable: the place of its description, its blocks (first, last, offset), and what waits."""

    described_at: int
    size: int
    blocks: list[tuple[int, int, int]] = field(default_factory=list)
    waiting: list[NDArray[Any]] = field(default_factory=list)
    held: int = 0
    records: int = 0


class CdfRecords:
    """Appends records to the variables of a file.

    Parameters
    ----------
    file
        A CDF file of version 3 without checksum, open for reading and writing.
    blocks
        Name of each variable to the records of a block, as its description says.
    """

    def __init__(self, file: BinaryIO, blocks: dict[str, int]) -> None:
        self._file = file
        self._variables = {name: _Appended(at, blocks[name]) for name, at in self._described() if name in blocks}

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Append records, shape (record, ...), in the bytes that the file shall hold."""
        variable = self._variables[name]
        variable.waiting.append(values)
        variable.held += len(values)
        if variable.held < variable.size:
            return
        joined = np.concatenate(variable.waiting)
        whole = len(joined) // variable.size * variable.size
        for start in range(0, whole, variable.size):
            self._write(variable, joined[start : start + variable.size])
        variable.waiting, variable.held = [joined[whole:].copy()], len(joined) - whole

    def close(self) -> None:
        """Write what waits, and where everything is."""
        for variable in self._variables.values():
            if variable.held:
                self._write(variable, np.concatenate(variable.waiting))
            if variable.blocks:
                self._index(variable)
        self._put(self._number(_GDR_AT) + _END_AT, self._file.seek(0, 2))

    def _described(self) -> Iterator[tuple[str, int]]:
        """Name and place of each variable's description (VDR)."""
        at = self._number(self._number(_GDR_AT) + _FIRST_VDR_AT)
        while at:
            self._file.seek(at + _NAME_AT)
            yield self._file.read(_NAME_SIZE).split(b"\0", 1)[0].decode(), at
            at = self._number(at + _NEXT_AT)

    def _write(self, variable: _Appended, values: NDArray[Any]) -> None:
        plain = np.ascontiguousarray(values).tobytes()
        packed = gzip.compress(plain, _LEVEL, mtime=0)
        offset = self._file.seek(0, 2)
        if len(packed) < len(plain):
            self._file.write(struct.pack(">qiiq", 24 + len(packed), _CVVR, 0, len(packed)) + packed)
        else:
            self._file.write(struct.pack(">qi", 12 + len(plain), _VVR) + plain)
        variable.blocks.append((variable.records, variable.records + len(values) - 1, offset))
        variable.records += len(values)

    def _index(self, variable: _Appended) -> None:
        """Write the chain of index records, and enter it in the variable's description."""
        starts = range(0, len(variable.blocks), _ENTRIES)
        size = 28 + 16 * _ENTRIES
        first = self._file.seek(0, 2)
        for place, start in enumerate(starts):
            listed = variable.blocks[start : start + _ENTRIES]
            following = first + (place + 1) * size if place + 1 < len(starts) else 0
            unused = _ENTRIES - len(listed)
            firsts = [each[0] for each in listed] + [-1] * unused
            lasts = [each[1] for each in listed] + [-1] * unused
            offsets = [each[2] for each in listed] + [-1] * unused
            self._file.write(struct.pack(">qiqii", size, _VXR, following, _ENTRIES, len(listed)))
            self._file.write(struct.pack(f">{_ENTRIES}i{_ENTRIES}i{_ENTRIES}q", *firsts, *lasts, *offsets))
        self._put(variable.described_at + _INDEX_AT, first)
        self._put(variable.described_at + _INDEX_AT + 8, first + (len(starts) - 1) * size)
        self._file.seek(variable.described_at + _MOST_RECORD_AT)
        self._file.write(struct.pack(">i", variable.records - 1))

    def _number(self, at: int) -> int:
        self._file.seek(at)
        (value,) = struct.unpack(">q", self._file.read(8))
        return int(value)

    def _put(self, at: int, value: int) -> None:
        self._file.seek(at)
        self._file.write(struct.pack(">q", value))
