"""Streams of events: what was written, then what comes, until nothing can come; and not too many at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.serve.http.sse import RETRY, Readers, position_of, stream
from helio_dagster.serve.work.event_file import EventFile, EventWriter, Position
from helio_dagster.serve.work.pool import AllAtWork


def test_what_comes_later_is_sent_too(tmp_path: Path) -> None:
    """An event written while a reader waits reaches it; the stream ends when nothing more can come and all is told."""
    file = EventFile(tmp_path / "e")
    writer = EventWriter(file)
    writer({"stage": "note", "text": "first"})
    sent: list[bytes] = []

    async def read() -> None:
        async for part in stream(file, Position(), lambda: None, is_last=lambda: any(b"first" in each for each in sent)):
            sent.append(part)
            if b"first" in part:
                writer({"stage": "done", "text": "last"})

    anyio.run(read)
    assert sent[0] == RETRY
    assert [part.split(b"\n")[0] for part in sent[1:]] == [b"id: 1", b"id: 2"]
    assert all(part.endswith(b"\n\n") and part.count(b"\n") == 3 for part in sent[1:])


def test_where_a_reader_goes_on() -> None:
    """Behind the event that it names, else behind what it asks for; anything but a number is refused."""
    assert position_of(3, None) == position_of(0, "3") == position_of(1, " 3 ") == Position(3)
    for wrong in ("x", "-1", "1; 2", "9" * 40):
        with pytest.raises(InputError, match="Last-Event-ID"):
            position_of(0, wrong)


def test_readers_are_not_too_many() -> None:
    """The next is refused as long as the others read, and let in when one has left."""
    readers = Readers(most=1)

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"."

    async def read() -> None:
        first = readers.counted(endless())
        await anext(first)
        with pytest.raises(AllAtWork):
            readers.require_place()
        await first.aclose()  # type: ignore[attr-defined]
        readers.require_place()

    anyio.run(read)
