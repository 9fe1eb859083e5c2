"""Structural check of a CDF file before a native reader may touch it. Reads under a kilobyte; decodes nothing.

Layout after the CDF Internal Format Description (NASA/GSFC, versions 2.7 and 3.9): magic numbers, then the CDF descriptor
record (or, for a file compressed as a whole, the compressed CDF record), then the global descriptor record with the file's
length.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from helio_dagster.domain.errors import CorruptFile

REFETCH_HINT = "Run the same command again: it is downloaded afresh. If it stays so, the archive's own copy is damaged."

_MAGIC_V3 = 0xCDF30001
_MAGICS = (_MAGIC_V3, 0xCDF26002, 0x0000FFFF)
_PLAIN = 0x0000FFFF
_COMPRESSED = 0xCCCC0001
_CDR, _GDR, _CCR = 1, 2, 10
_SINGLE_FILE, _HAS_CHECKSUM = 0x2, 0x4
_CHECKSUM_BYTES = 16
_PROLOGUE_BYTES = 48


@dataclass(frozen=True)
class _Layout:
    """Fields of the records of one format generation, big-endian, as `struct` formats from the record's first byte."""

    descriptor: str  # record size, type, GDR offset, version, release, encoding, flags
    global_descriptor: str  # record size, type, three list heads, length of the file
    compressed: str  # record size, type, offset of the compression parameters


_V2 = _Layout(descriptor=">iiiiiii", global_descriptor=">iiiiii", compressed=">iii")
_V3 = _Layout(descriptor=">qiqiiii", global_descriptor=">qiqqqq", compressed=">qiq")


def check_header(path: Path) -> None:
    """Refuse a file that is no CDF, or whose own records say that it is cut short.

    Parameters
    ----------
    path
        A local file.

    Raises
    ------
    CorruptFile
        The file cannot be a whole CDF; the message says why.
    """
    try:
        with path.open("rb") as stream:
            fault = _find_fault(stream, path.stat().st_size)
    except OSError as error:
        raise CorruptFile(
            f"cannot be read: {error.strerror}", where=str(path), hint="Check the path and its permissions."
        ) from error
    if fault:
        raise CorruptFile(fault, where=str(path), hint=REFETCH_HINT)


def _find_fault(stream: BinaryIO, size: int) -> str:
    """What is wrong with the file's first records; empty when nothing is."""
    prologue = stream.read(_PROLOGUE_BYTES)
    if len(prologue) < _PROLOGUE_BYTES:
        return f"is no CDF file: it has only {size} bytes"
    first, second = struct.unpack_from(">II", prologue)
    if first not in _MAGICS or second not in (_PLAIN, _COMPRESSED):
        return "is no CDF file" + (" but HTML or XML" if prologue.lstrip().startswith(b"<") else "")
    layout = _V3 if first == _MAGIC_V3 else _V2
    return _compressed_fault(prologue, size, layout) if second == _COMPRESSED else _plain_fault(stream, prologue, size, layout)


def _compressed_fault(prologue: bytes, size: int, layout: _Layout) -> str:
    length, record_type, parameters = struct.unpack_from(layout.compressed, prologue, 8)
    if record_type != _CCR:
        return "is a damaged CDF file: its compressed record is missing"
    if length <= 0 or 8 + length > size or not 0 < parameters <= size - 20:
        return f"is a truncated CDF file: its compressed record does not fit into its {size} bytes"
    return ""


def _plain_fault(stream: BinaryIO, prologue: bytes, size: int, layout: _Layout) -> str:
    _, record_type, gdr, _, _, _, flags = struct.unpack_from(layout.descriptor, prologue, 8)
    if record_type != _CDR:
        return "is a damaged CDF file: its descriptor record is missing"
    if not flags & _SINGLE_FILE:
        return "is one part of a CDF in several files, which cannot be read by itself"
    needed = struct.calcsize(layout.global_descriptor)
    if not 0 < gdr <= size - needed:
        return f"is a truncated CDF file: its global descriptor lies outside its {size} bytes"
    stream.seek(gdr)
    _, record_type, r_head, z_head, attribute_head, stop = struct.unpack(layout.global_descriptor, stream.read(needed))
    if record_type != _GDR:
        return "is a damaged CDF file: its global descriptor record is missing"
    stop += _CHECKSUM_BYTES if flags & _HAS_CHECKSUM else 0
    if stop > size:
        return f"is a truncated CDF file: it has {size} of {stop} bytes"
    if not all(0 <= head < size for head in (r_head, z_head, attribute_head)):
        return "is a damaged CDF file: its global descriptor points outside the file"
    return ""
