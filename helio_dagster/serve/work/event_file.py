"""Events at rest: one JSON object a line, numbered, so that a reader who was cut off goes on where they were.

One process writes at a time, that which holds the lock beside the file; any number read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST = 8 << 20
"""Bytes above which the older half is dropped when a turn begins."""
_SHORT_TAIL, _TAIL = 1 << 14, LARGEST
_MOST_READ = 1 << 20
"""Bytes that are read at a time."""


@dataclass(frozen=True)
class Position:
    """How far a reader is: the number of the last event, and where the next line begins in which file."""

    number: int = 0
    inode: int = 0
    offset: int = 0


@dataclass(frozen=True)
class EventFile:
    """The numbered events of a conversation or a run."""

    path: Path

    def last(self) -> dict[str, Any]:
        """The last event with its number `n`; empty if there is none."""
        for tail in (_SHORT_TAIL, _TAIL):
            try:
                with self.path.open("rb") as file:
                    size = file.seek(0, os.SEEK_END)
                    file.seek(max(0, size - tail))
                    lines = file.read().split(b"\n")[:-1]
            except FileNotFoundError:
                return {}
            if found := next((found for line in reversed(lines) if (found := _parsed(line))), {}):
                return found
        return {}

    def is_over(self) -> bool:
        """Whether the last job has said that it is over; also where there was none."""
        return bool(self.last().get("stage", "done") == "done")

    def last_number(self) -> int:
        """The number of the last event; 0 if there is none."""
        return int(self.last().get("n", 0))

    def prepare(self, largest: int = LARGEST) -> None:
        """Make a file that was cut off in the middle of a line, or has grown large, ready to be appended to."""
        try:
            size = self.path.stat().st_size
        except FileNotFoundError:
            return
        with self.path.open("rb+") as file:
            file.seek(max(0, size - _TAIL))
            tail = file.read()
            if tail and not tail.endswith(b"\n"):
                size -= len(tail) - (tail.rfind(b"\n") + 1)
                file.truncate(size)
        if size > largest:
            with self.path.open("rb") as file:
                file.seek(size // 2)
                file.readline()
                kept = file.read()
            part = self.path.with_suffix(".shorter")
            part.write_bytes(kept)
            part.replace(self.path)

    def read(self, position: Position) -> tuple[list[tuple[int, bytes]], Position]:
        """The events after a position, each with its number and its line, and the position behind them."""
        try:
            with self.path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                offset = position.offset if inode == position.inode else 0
                file.seek(offset)
                content = file.read(_MOST_READ)
                whole = content.rfind(b"\n") + 1
                if not whole and len(content) == _MOST_READ:  # a line longer than what is read at a time
                    content += file.readline()
                    whole = len(content) if content.endswith(b"\n") else 0
        except FileNotFoundError:
            return [], position
        number, found = position.number, []
        for each, line in _numbered(content[:whole]):
            if each > number:
                found.append((each, line))
                number = each
        return found, Position(number, inode, offset + whole)


class EventWriter:
    """Appends events while the lock is held.

    Parameters
    ----------
    file
        The file, which `prepare` has made ready.
    """

    def __init__(self, file: EventFile) -> None:
        self._number = file.last_number()
        file.path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(file.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __call__(self, document: Mapping[str, Any]) -> None:
        """Append one event under the next number."""
        self._number += 1
        numbered = {"n": self._number, **{name: value for name, value in document.items() if name != "n"}}
        data = as_json(numbered) + b"\n"
        while data:
            data = data[os.write(self._handle, data) :]

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)


def as_json(document: object) -> bytes:
    """A document as JSON in ASCII, in which nothing that a terminal or an editor would obey stands as it is."""
    return json.dumps(document, separators=(",", ":"), default=str).replace("\x7f", "\\u007f").encode()


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    for line in content.split(b"\n"):
        found = _parsed(line)
        if found:
            yield int(found["n"]), line


def _parsed(line: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        found = json.loads(line)
        if isinstance(found, dict) and isinstance(found.get("n"), int):
            return found
    return {}
