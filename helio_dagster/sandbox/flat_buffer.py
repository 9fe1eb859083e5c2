"""The one fact of an Arrow message that pyarrow does not tell: whether its batch is compressed. Reading batches is pyarrow's.

A compressed batch may claim to become any size. Layout: https://flatbuffers.dev/internals and Arrow's format/Message.fbs.
"""

from __future__ import annotations

import struct

_HEADER_SLOT = 2  # of Message: version, type of the header, header, …
_COMPRESSION_SLOT = 3  # of RecordBatch: length, nodes, buffers, compression, …


def is_plain_batch(metadata: bytes) -> bool:
    """Whether the metadata of a record batch's message say that its buffers are not compressed.

    Raises
    ------
    struct.error
        The metadata point outside themselves.
    """
    message = struct.unpack_from("<I", metadata)[0]
    header_at = _field(metadata, message, _HEADER_SLOT)
    if header_at is None:
        return False
    header = header_at + struct.unpack_from("<I", metadata, header_at)[0]
    return _field(metadata, header, _COMPRESSION_SLOT) is None


def _field(metadata: bytes, table: int, slot: int) -> int | None:
    vtable = table - struct.unpack_from("<i", metadata, table)[0]
    if vtable < 0:
        raise struct.error("a table before the beginning")
    offset_at = 4 + 2 * slot
    if offset_at >= struct.unpack_from("<H", metadata, vtable)[0]:
        return None
    offset = struct.unpack_from("<H", metadata, vtable + offset_at)[0]
    return table + offset if offset else None
