"""Messages between the sandbox and its worker, and the layout of what they share. Standard library only: both sides load it.

A call hands over four descriptors: what to do and with what (`WORK`), room for the result, the writing end of what is printed,
and a socket on which the worker reports how the call's process ended.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

Rows = Literal["samples", "events", "numbered"]
"""What the rows of a result are: samples at times; events at times, which may hold further times; or numbered, one ns each."""
REPORT_BYTES = 1 << 16
"""Room at the beginning of the result for the report: its length, then JSON. The result follows."""
DESCRIPTORS_OF_A_CALL = 4
CODE_FILE = "<code>"
"""The file name under which a step's code is compiled."""
_LENGTH = struct.Struct("<I")
_MOST_MESSAGE = 1 << 20


@dataclass(frozen=True)
class _Message:
    def to_json(self) -> bytes:
        """The message as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """The message that `to_json` wrote; for what the other side of our own wrote, not for what code wrote."""
        found = json.loads(text)
        return cls(**{field.name: found[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class Ready(_Message):
    """The worker's first words: which layers are in force, and why others are not."""

    layers: list[str]
    missing: dict[str, str]
    threads: int


@dataclass(frozen=True)
class Order(_Message):
    """One call's limits, and where its work is in the shared memory."""

    work_bytes: int
    head_offset: int
    room_bytes: int
    cpu_s: float
    wall_s: float
    memory_bytes: int
    seed: int
    is_reversed: bool | None


@dataclass(frozen=True)
class Work(_Message):
    """What a call's process is to do: the head of the shared memory. `inputs` hold name, offset, size and attrs.

    `rows` are those of the one result; where the code returns several, `results` names them and says what the rows of each are.
    """

    name: str
    body: str
    inputs: list[dict[str, Any]]
    options: dict[str, Any]
    result_bytes: int
    result_columns: int
    rows: Rows
    results: dict[str, Rows]


@dataclass(frozen=True)
class Ending(_Message):
    """How a call's process ended: exit code, or minus the signal's number."""

    exit_code: int
    is_timed_out: bool
    cpu_s: float


def whole_bytes(shapes: Sequence[tuple[int, int]]) -> int:
    """Bytes of results, given (records, columns) of each, side by side with their times: each as long as the longest."""
    return 8 * max(records for records, _ in shapes) * sum(1 + columns for _, columns in shapes)


def send_message(channel: socket.socket, message: _Message, descriptors: Sequence[int] = ()) -> None:
    """Send a message, with descriptors."""
    text = message.to_json()
    length = _LENGTH.pack(len(text))
    if descriptors:
        socket.send_fds(channel, [length], descriptors)
        channel.sendall(text)
    else:
        channel.sendall(length + text)


def receive_message(channel: socket.socket) -> tuple[bytes, list[int]]:
    """The next message and its descriptors; empty where the other side is gone, or sends what is too long to be a message.

    Raises
    ------
    OSError
        This process may not open as many files as it was handed descriptors.
    """
    length, descriptors, flags, _ = socket.recv_fds(channel, _LENGTH.size, DESCRIPTORS_OF_A_CALL)
    if flags & socket.MSG_CTRUNC:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    text = bytearray()
    if len(length) == _LENGTH.size:
        wanted = _LENGTH.unpack(length)[0]
        if wanted > _MOST_MESSAGE:
            return b"", descriptors
        while len(text) < wanted:
            piece = channel.recv(wanted - len(text))
            if not piece:
                return b"", descriptors
            text += piece
    return bytes(text), descriptors
