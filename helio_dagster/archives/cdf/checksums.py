"""Check a CDF file against its own checksums: MD5 of the file, CRC32 and length of each gzip stream.

The fast reader looks at none of them. A run-length code has no checksum, only a length. Undoes a
compression of the whole file on the way.
"""

from __future__ import annotations

import hashlib
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.layout import (
    ADAPTIVE_HUFFMAN,
    CPR,
    GZIP,
    HAS_CHECKSUM,
    HUFFMAN,
    IS_MD5,
    MAGIC_BYTES,
    MAGIC_V3,
    MD5_BYTES,
    PLAIN,
    RLE,
    V2,
    V3,
)
from helio_dagster.archives.cdf.records import Content, Records, damaged
from helio_dagster.archives.cdf.structure import StoredVariable, Structure
from helio_dagster.domain.errors import InputError

Decoded = Callable[[], NDArray[Any] | None]
"""Gives a variable's values as decoded, None where they are not to be had."""

_PIECE_BYTES = 1 << 16
_SANE_EXPANSION = 64
_ALWAYS_EXPANDED = 1 << 28
_AS_GZIP = 31
_RUNS = re.compile(rb"([^\0]+)|\0(.)", re.DOTALL)  # a zero byte and a number mean so many zeros and one


def check_md5(stored: Content, flags: int) -> None:
    """Compare a file with the MD5 at its end, where its flags say that it has one.

    Raises
    ------
    CorruptFile
        They differ.
    """
    if not flags & HAS_CHECKSUM or not flags & IS_MD5:
        return
    with memoryview(stored) as view, view[:-MD5_BYTES] as body:
        digest = hashlib.md5(body, usedforsecurity=False).digest()
    if digest != stored[-MD5_BYTES:]:
        raise damaged("its content differs from its own MD5 checksum")


def check_values(structure: Structure, variable: StoredVariable, decoded: Decoded) -> None:
    """Compare each compressed block of a variable with its checksum and with the length of its records.

    Parameters
    ----------
    structure
        The file.
    variable
        One of its variables.
    decoded
        Gives the values as a library has decoded them. The CRC32 of these is taken where it can be, a tenth of the time that
        inflating takes; where it differs, or the library has other bytes than the file, the block itself is inflated.

    Raises
    ------
    CorruptFile
        They differ.
    InputError
        The compression cannot be read here.
    """
    blocks = [block for block in variable.blocks if block.is_compressed]
    if not blocks:
        return
    values = _as_stored(decoded(), variable, structure.is_big_endian) if variable.method == GZIP else None
    for block in blocks:
        stored = memoryview(structure.content)[block.start : block.start + block.size]
        start, needed = block.first * variable.record_bytes, (block.last - block.first + 1) * variable.record_bytes
        if values is not None and len(values) >= start + needed:
            trailer = struct.pack("<II", zlib.crc32(values[start : start + needed].data), needed & 0xFFFFFFFF)
            if stored[-len(trailer) :] == trailer:
                continue
        for _ in expand(stored, variable.method, needed, f"a block of {variable.name!r}"):
            pass


def _as_stored(values: NDArray[Any] | None, variable: StoredVariable, is_big_endian: bool) -> NDArray[np.uint8] | None:
    """The bytes of decoded values in the file's order, unless the file runs through their axes in another order."""
    if values is None:
        return None
    flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    if is_big_endian == (sys.byteorder == "big") or variable.number_bytes == 1:
        return flat
    return flat.view(f"u{variable.number_bytes}").byteswap().view(np.uint8)


def expand_file(stored: Content) -> bytes:
    """A file that is compressed as a whole, as it was before.

    Raises
    ------
    CorruptFile
        It is damaged.
    InputError
        The compression cannot be read here.
    """
    layout = V3 if int.from_bytes(stored[:4], "big") == MAGIC_V3 else V2
    fields = layout.compressed_file
    size, _, parameters, expanded, _ = fields.unpack_from(stored, MAGIC_BYTES)
    start, stop = MAGIC_BYTES + fields.size, MAGIC_BYTES + size
    if not start < stop <= len(stored) or not 0 < expanded <= max(_ALWAYS_EXPANDED, _SANE_EXPANSION * len(stored)):
        raise damaged(f"it claims to hold {expanded} bytes, far more than its {len(stored)} can")
    method = Records(stored, layout, len(stored)).read_shared(parameters, (CPR,), layout.compression).fields[0]
    content = bytearray(stored[:4] + struct.pack(">I", PLAIN))
    for piece in expand(stored[start:stop], method, expanded, "the file"):
        content += piece
    return bytes(content)


def is_whole_compressed(stored: Content) -> bool:
    """Whether a file is compressed as a whole."""
    return int.from_bytes(stored[4:8], "big") != PLAIN


def expand(stored: Content | memoryview, method: int, size: int, what: str) -> Iterator[bytes]:
    """Undo a compression piece by piece, so that a bomb takes no memory; the pieces are `size` bytes together."""
    if method == GZIP:
        pieces = _gunzip(stored, what)
    elif method == RLE:
        pieces = (run[1] or bytes(run[2][0] + 1) for run in _RUNS.finditer(stored))
    elif method in (HUFFMAN, ADAPTIVE_HUFFMAN):
        raise InputError(f"{what} is compressed by a Huffman code, which cannot be read", hint="Choose another dataset.")
    else:
        raise damaged(f"{what} is compressed by an unknown method {method}")
    left = size
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            break
        yield piece
    if left:
        raise damaged(f"the compressed content of {what} is not {size} bytes long")


def _gunzip(stored: Content | memoryview, what: str) -> Iterator[bytes]:
    """A gzip stream's content; zlib compares CRC32 and length at its end."""
    stream = zlib.decompressobj(_AS_GZIP)
    try:
        for start in range(0, len(stored), _PIECE_BYTES):
            yield stream.decompress(stored[start : start + _PIECE_BYTES])
            if stream.eof:
                return
    except zlib.error as error:
        raise damaged(f"{what} fails its own checksum or cannot be inflated ({error})") from error
    raise damaged(f"the compressed content of {what} breaks off")
