"""Structural check of a CDF file before a native reader may touch it. Reads under a kilobyte; decodes nothing.

Magic numbers come first, then the CDF descriptor record (or, for a file compressed as a whole, the compressed CDF record), then
the global descriptor record with the file's length. The rest of a file is walked by `structure`, in the worker.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from helio_dagster.archives.cdf.layout import (
    CCR,
    CDR,
    COMPRESSED,
    GDR,
    HAS_CHECKSUM,
    MAGIC_BYTES,
    MAGIC_V3,
    MAGICS,
    MD5_BYTES,
    PLAIN,
    SINGLE_FILE,
    V2,
    V3,
    Layout,
)
from helio_dagster.domain.errors import CorruptFile

REFETCH_HINT = "Run the same command again: it is downloaded afresh. If it stays so, the archive's own copy is damaged."

_PROLOGUE_BYTES = 48


def check_header(path: Path) -> None:
    """Refuse a file that is not a CDF, or whose own records say that it is cut short.

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
        return f"is not a CDF file: it has only {size} bytes"
    first, second = struct.unpack_from(">II", prologue)
    if first not in MAGICS or second not in (PLAIN, COMPRESSED):
        return "is not a CDF file" + (" but HTML or XML" if prologue.lstrip().startswith(b"<") else "")
    layout = V3 if first == MAGIC_V3 else V2
    return _compressed_fault(prologue, size, layout) if second == COMPRESSED else _plain_fault(stream, prologue, size, layout)


def _compressed_fault(prologue: bytes, size: int, layout: Layout) -> str:
    length, record_type, parameters, _, _ = layout.compressed_file.unpack_from(prologue, MAGIC_BYTES)
    if record_type != CCR:
        return "is a damaged CDF file: its compressed record is missing"
    if length <= 0 or 8 + length > size or not 0 < parameters <= size - 20:
        return f"is a truncated CDF file: its compressed record does not fit into its {size} bytes"
    return ""


def _plain_fault(stream: BinaryIO, prologue: bytes, size: int, layout: Layout) -> str:
    _, record_type, gdr, _, _, _, flags = layout.descriptor.unpack_from(prologue, MAGIC_BYTES)
    if record_type != CDR:
        return "is a damaged CDF file: its descriptor record is missing"
    if not flags & SINGLE_FILE:
        return "is one part of a CDF in several files, which cannot be read by itself"
    needed = layout.global_descriptor.size
    if not 0 < gdr <= size - needed:
        return f"is a truncated CDF file: its global descriptor is outside its {size} bytes"
    stream.seek(gdr)
    _, record_type, r_head, z_head, attribute_head, stop, *_ = layout.global_descriptor.unpack(stream.read(needed))
    if record_type != GDR:
        return "is a damaged CDF file: its global descriptor record is missing"
    stop += MD5_BYTES if flags & HAS_CHECKSUM else 0
    if stop > size:
        return f"is a truncated CDF file: it has {size} of {stop} bytes"
    if not all(0 <= head < size for head in (r_head, z_head, attribute_head)):
        return "is a damaged CDF file: its global descriptor points outside the file"
    return ""
