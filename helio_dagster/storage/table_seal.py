"""The checksum of a whole Parquet file, kept in its footer: a changed byte is found without decoding a value.

Parquet's own checksums are of single pages, and are looked at only where a page is decoded.
"""

from __future__ import annotations

import io
import json
import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from helio_dagster.domain.large_arrays import MOST_HELD_BYTES, record_blocks

_NAME = "crc32"
_TAIL = 8
"""Bytes at the end of a Parquet file: the length of its footer, and a magic word."""
_FIRST = f'{{"{_NAME}": '


class SummedFile(io.BufferedWriter):
    """A file for writing that knows the CRC-32 of what was written so far."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path, "wb"))
        self.crc32 = 0

    def write(self, data: Any, /) -> int:
        """Write bytes."""
        self.crc32 = zlib.crc32(data, self.crc32)
        return super().write(data)


class SummedBytes(io.BytesIO):
    """The same in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.crc32 = 0

    def write(self, data: Any, /) -> int:
        """Write bytes."""
        self.crc32 = zlib.crc32(data, self.crc32)
        return super().write(data)


def seal(record: Mapping[str, Any], body_crc32: int) -> str:
    """The record as the footer holds it: JSON with the checksum over the file's pages and the record itself, which comes first.

    Raises
    ------
    ValueError
        The record has nothing, or a name that sorts before the checksum's.
    """
    text = json.dumps(record, sort_keys=True)
    if not record or min(record) <= _NAME:
        raise ValueError("the checksum must be the first of the names of a record that is not empty")
    return f"{_FIRST}{zlib.crc32(text.encode(), body_crc32)}, {text[1:]}"


def has_seal(record: Mapping[str, Any]) -> bool:
    """Whether the file was written with a checksum, as those of earlier releases were not."""
    return _NAME in record


def is_sealed_text(content: bytes | memoryview, text: bytes) -> bool:
    """Whether a file's pages and record, given as its content and its record's text, are what was written."""
    number, comma, rest = text.removeprefix(_FIRST.encode()).partition(b", ")
    if not text.startswith(_FIRST.encode()) or not comma or not number.isdigit():
        return False
    return int(number) == zlib.crc32(b"{" + rest, _body_crc32(content))


def content_of(path: Path) -> bytes | memoryview:
    """The bytes of a file as it is now; of a large one the system pages them in and out.

    Raises
    ------
    OSError
        It cannot be read.
    """
    with path.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size <= MOST_HELD_BYTES:
            return stream.read()
        return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


def _body_crc32(content: bytes | memoryview) -> int:
    footer = int.from_bytes(content[-_TAIL:-4], "little")
    if isinstance(content, bytes):
        return zlib.crc32(memoryview(content)[: max(len(content) - _TAIL - footer, 0)])
    body = np.frombuffer(content, np.uint8, count=max(len(content) - _TAIL - footer, 0))
    found = 0
    for block in record_blocks(body):
        found = zlib.crc32(body[block].data, found)
    return found
