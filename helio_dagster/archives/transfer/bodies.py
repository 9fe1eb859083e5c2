"""The content of an HTTP body, decompressed piece by piece, so that neither memory nor time is the sender's to choose."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from helio_dagster.archives.transfer.settings import TransferTrouble

_PIECE_BYTES = 2**20
_ANY_GZIP_HEADER = 31


class TooLong(Exception):
    """A body is longer than allowed; becomes an ArchiveAnswerError where its URL is known."""


def read_body(chunks: Iterable[bytes], coding: str, limit_bytes: int) -> Iterator[bytes]:
    """The content of a body.

    Parameters
    ----------
    chunks
        The body as received.
    coding
        Its Content-Encoding: nothing, `identity` or `gzip`; nothing else is asked for.
    limit_bytes
        How long the content may be, and what was received of it.

    Raises
    ------
    TooLong
        It is longer.
    TransferTrouble
        It is compressed otherwise, damaged or cut off.
    """
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise TransferTrouble(f"sent the coding {coding[:40]!r}, which was not asked for")
    pieces = chunks if coding in ("", "identity") else _unpacked(_counted(chunks, limit_bytes))
    yield from _counted(pieces, limit_bytes)


def _counted(chunks: Iterable[bytes], limit_bytes: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit_bytes:
            raise TooLong
        yield chunk


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The content of gzip members one after another; zlib compares the CRC and length of each."""
    member, is_begun = zlib.decompressobj(_ANY_GZIP_HEADER), False
    for chunk in chunks:
        rest, is_full = chunk, False
        while rest or is_full:
            if member.eof:
                member = zlib.decompressobj(_ANY_GZIP_HEADER)
            try:
                piece = member.decompress(rest, _PIECE_BYTES)
            except zlib.error as error:
                raise TransferTrouble(f"sent damaged gzip: {error}") from None
            is_begun = True
            is_full = len(piece) == _PIECE_BYTES
            rest = member.unused_data if member.eof else member.unconsumed_tail
            is_full = is_full and not member.eof
            if piece:
                yield piece
    if is_begun and not member.eof:
        raise TransferTrouble("sent gzip that is cut off")
