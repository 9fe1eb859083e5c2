"""Numbered events as a stream of server-sent events, from files that other processes append to."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

import anyio
from anyio import to_thread

from helio_dagster.domain.errors import InputError
from helio_dagster.serve.work.event_file import EventFile, Position
from helio_dagster.serve.work.pool import AllAtWork

_LOOK_S, _LOOK_IDLE_S = 0.05, 0.2
_IDLE_LOOKS = 40
_KEEP_ALIVE_S = 15.0
MOST_READERS = 200
_NUMBER = re.compile(r"[0-9]{1,12}")
RETRY = b"retry: 1000\n\n"


class Readers:
    """Counts who reads streams, so that they are not too many: each looks for events many times a second."""

    def __init__(self, most: int = MOST_READERS) -> None:
        self._most, self._now = most, 0

    async def counted(self, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """A stream that counts as long as it is read."""
        self._now += 1
        try:
            async for part in content:
                yield part
        finally:
            self._now -= 1

    def require_place(self) -> None:
        """Refuse with AllAtWork where there are as many as there may be."""
        if self._now >= self._most:
            raise AllAtWork(f"all {self._most} streams of events are in use", hint="Close one and try again.")


def position_of(after: int, last_event_id: str | None) -> Position:
    """Where a reader goes on: behind the event that it names in `Last-Event-ID`, else behind `after`."""
    if last_event_id is None or not last_event_id.strip():
        return Position(after)
    if not _NUMBER.fullmatch(last_event_id.strip()):
        raise InputError(
            f"Last-Event-ID is not the number of an event: {last_event_id!r:.40}",
            hint="Send the id of the last event received.",
        )
    return Position(int(last_event_id))


async def stream(
    file: EventFile, position: Position, mend: Callable[[], None], *, is_last: Callable[[], bool] | None = None
) -> AsyncIterator[bytes]:
    """The events behind a position, and those that come, until the reader leaves.

    Parameters
    ----------
    file
        Where the events are.
    position
        Where the reader goes on.
    mend
        Is called when nothing has come for a while: it ends the events of a job whose process is gone.
    is_last
        Whether no more events can come once all are read; by default the stream goes on for ever.
    """
    yield RETRY
    idle, silent_s = 0, 0.0
    limiter = to_thread.current_default_thread_limiter()
    while True:
        over = await to_thread.run_sync(is_last, limiter=limiter) if is_last is not None else False
        found, position = await to_thread.run_sync(file.read, position, limiter=limiter)
        if found:
            idle, silent_s = 0, 0.0
            for number, line in found:
                yield b"id: %d\ndata: %s\n\n" % (number, line)
            continue
        if over:
            return
        idle += 1
        if idle % _IDLE_LOOKS == 0:
            await to_thread.run_sync(mend, limiter=limiter)
        pause = _LOOK_S if idle < _IDLE_LOOKS else _LOOK_IDLE_S
        await anyio.sleep(pause)
        silent_s += pause
        if silent_s >= _KEEP_ALIVE_S:
            silent_s = 0.0
            yield b": still here\n\n"
