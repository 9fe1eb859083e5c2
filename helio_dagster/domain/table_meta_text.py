"""The metadata of a table as a short text, for the header of an answer: those of wide spectrograms are long."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

from helio_dagster.domain.table import TableMeta

_LARGEST = 8_000_000


def pack_meta(meta: TableMeta) -> str:
    """The metadata as text in ASCII."""
    return b64encode(zlib.compress(meta.model_dump_json().encode(), 9)).decode()


def unpack_meta(text: str) -> TableMeta:
    """The metadata of such a text; ValueError where it is none."""
    try:
        content = zlib.decompressobj().decompress(b64decode(text, validate=True), _LARGEST)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return TableMeta.model_validate_json(content)
