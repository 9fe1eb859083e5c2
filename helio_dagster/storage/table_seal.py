"""The checksum of a whole Parquet file, kept in its footer: a changed byte is found without decoding a value.

Parquet's own checksums are of single pages, and are looked at only where a page is decoded.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAME = "crc32"
_TAIL = 8
"""Bytes at the end of a Parquet file: the length of its footer, and a magic word."""


class SummedFile(io.BufferedWriter):
    """A file for writing that knows the CRC-32 of what was written so far."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path, "wb"))
        self.crc32 = 0

    def write(self, data: Any, /) -> int:
        """Write bytes."""
        self.crc32 = zlib.crc32(data, self.crc32)
        return super().write(data)


def seal(record: Mapping[str, Any], body_crc32: int) -> str:
    """The record as the footer holds it: JSON with the checksum over the file's pages and the record itself."""
    return json.dumps({**record, _NAME: _checksum(record, body_crc32)}, sort_keys=True)


def has_seal(record: Mapping[str, Any]) -> bool:
    """Whether the file was written with a checksum, as those of earlier releases were not."""
    return _NAME in record


def is_sealed(path: Path, record: Mapping[str, Any]) -> bool:
    """Whether a file's pages and record are what was written; OSError where it cannot be read."""
    content = memoryview(path.read_bytes())
    footer = int.from_bytes(content[-_TAIL:-4], "little")
    body = zlib.crc32(content[: max(len(content) - _TAIL - footer, 0)])
    return bool(record[_NAME] == _checksum({name: value for name, value in record.items() if name != _NAME}, body))


def _checksum(record: Mapping[str, Any], body_crc32: int) -> int:
    return zlib.crc32(json.dumps(record, sort_keys=True).encode(), body_crc32)
