"""What goes between a run and the process that writes its tables: pickled values, each after its length.

Both ends are this program, under one interpreter. Nothing that came from an archive is unpickled: tables were checked before.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

READY = b"ready"
"""What the process says once it can be asked."""
_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Writing:
    """A table to write to a path, and what its description needs; see `describe_table`."""

    path: str
    table: Table
    provenance: Mapping[str, Any]
    window: TimeRange | None
    excluded_s: float


def send(descriptor: int, value: object) -> None:
    """Write a value to a pipe.

    Raises
    ------
    OSError
        Nobody reads it any more.
    """
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    rest = memoryview(len(content).to_bytes(_LENGTH_BYTES, "little") + content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(descriptor: int) -> Any:
    """The next value of a pipe.

    Raises
    ------
    EOFError
        Nobody writes to it any more.
    """
    length = int.from_bytes(_read(descriptor, _LENGTH_BYTES), "little")
    return pickle.loads(_read(descriptor, length))  # noqa: S301 - of this program, see above


def _read(descriptor: int, count: int) -> bytearray:
    found = bytearray(count)
    rest = memoryview(found)
    while rest:
        read = os.readv(descriptor, [rest])
        if not read:
            raise EOFError("the other process has ended")
        rest = rest[read:]
    return found
