"""Read a person's small file whole, and nothing that only looks like one: a device, a pipe, a folder, a huge file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from helio_dagster.domain.errors import InputError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)

LARGEST_TEXT_FILE = 4_000_000
"""Bytes that a text file may have which a person writes: a million characters of up to four bytes."""


def read_small_file(path: Path, most_bytes: int = LARGEST_TEXT_FILE) -> bytes:
    """The content of a regular file; never waits, and never reads more than `most_bytes` and one byte.

    Raises
    ------
    InputError
        It is not a regular file, or larger.
    OSError
        It cannot be opened or read.
    """
    _require_regular(path, path.stat().st_mode)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        _require_regular(path, os.fstat(descriptor).st_mode)  # it may have been replaced meanwhile
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise InputError(f"the file is larger than {most_bytes / 1e6:g} MB", where=str(path), hint="Keep data out of it.")
    return content


def has_content(path: Path, content: bytes) -> bool:
    """Whether a path leads to a regular file with just this content."""
    state = path.stat()
    return stat.S_ISREG(state.st_mode) and state.st_size == len(content) and path.read_bytes() == content


def _require_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
        raise InputError(f"not a regular file but {kind}", where=str(path), hint="Put the file itself there.")
