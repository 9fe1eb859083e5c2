"""The values of a variable some records at a time, out of the file's own blocks: for those that are too large to be held whole.

A block's length and checksum are compared where it ends, before the last of its records is handed out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.checksums import expand
from helio_dagster.archives.cdf.layout import IS_ROW_MAJOR, NUMBER_KINDS
from helio_dagster.archives.cdf.raw import Pieces
from helio_dagster.archives.cdf.structure import Block, StoredVariable, Structure
from helio_dagster.domain.large_arrays import release

PIECE_BYTES = 4 * 2**20
"""Bytes of values that are handed out at once."""


def read_pieces(
    structure: Structure, variable: StoredVariable, shape: tuple[int, ...], *, piece_bytes: int = PIECE_BYTES
) -> Pieces | None:
    """The values of a number variable, piece by piece; None where the file leaves some of its records out.

    Parameters
    ----------
    structure, variable
        The file, and one of its variables.
    shape
        That of a record, without axes of length one.
    piece_bytes
        About how many bytes a piece has, and at least one record.

    Raises
    ------
    CorruptFile
        While the pieces are read: a block differs from its checksum, or has another length.
    InputError
        Likewise: the compression cannot be read here.
    """
    ends = [-1, *(block.last for block in variable.blocks)]
    has_all = all(block.first == end + 1 for block, end in zip(variable.blocks, ends, strict=False))
    if not has_all or ends[-1] + 1 < variable.records or variable.type not in NUMBER_KINDS:
        return None
    stored = np.dtype(NUMBER_KINDS[variable.type]).newbyteorder(">" if structure.is_big_endian else "<")
    step = max(1, piece_bytes // variable.record_bytes)

    def shaped(content: memoryview | bytes | bytearray) -> NDArray[Any]:
        flat = np.frombuffer(content, stored)
        native = flat.astype(stored.newbyteorder("="), copy=False)
        if structure.flags & IS_ROW_MAJOR:
            return native.reshape(-1, *shape)
        axes = range(1, len(shape) + 1)
        return np.ascontiguousarray(native.reshape(-1, *reversed(shape)).transpose(0, *reversed(axes)))

    def values() -> Iterator[NDArray[Any]]:
        left = variable.records
        for block in variable.blocks:
            for content in _records_of(structure, variable, block, step):
                piece = shaped(content)[:left]  # blocks that are not compressed may be longer than what was written
                left -= len(piece)
                if len(piece):
                    yield piece

    return Pieces(stored.newbyteorder("="), values())


def _records_of(
    structure: Structure, variable: StoredVariable, block: Block, step: int
) -> Iterator[memoryview | bytes | bytearray]:
    """The bytes of a block, `step` whole records at a time."""
    size = step * variable.record_bytes
    needed = (block.last - block.first + 1) * variable.record_bytes
    if not block.is_compressed:
        content = memoryview(structure.content)[block.start : block.start + needed]
        for start in range(0, needed, size):
            part = content[start : start + size]
            yield part
            release(np.frombuffer(part, np.uint8))
        return
    held = bytearray()
    stored = memoryview(structure.content)[block.start : block.start + block.size]
    for more in itertools.chain(expand(stored, variable.method, needed, f"a block of {variable.name!r}"), (b"",)):
        while len(held) > size:  # the last records leave once the checksum behind them is compared
            yield bytes(held[:size])
            del held[:size]
        held += more
    if held:
        yield held
    release(np.frombuffer(stored, np.uint8))
