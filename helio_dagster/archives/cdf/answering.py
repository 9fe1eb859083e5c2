"""What worker processes that decode files have in common: requests as lines on stdin, replies on the pipe that was stdout."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from helio_dagster.archives.cdf.messages import READY, Write

_GRACE_S = 5


def open_reply_pipe() -> Write:
    """Take stdout for replies alone, so that a library that prints cannot garble one, and leave Ctrl-C to the parent."""
    descriptor = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent closes stdin

    def write(data: bytes | memoryview) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    return write


def answer_lines(write: Write, timeout_s: float, answer: Callable[[bytes], None]) -> None:
    """Say that the worker is ready, and answer each line until stdin ends; the kernel's alarm clock ends one that hangs."""
    write(READY)
    for line in sys.stdin.buffer:
        restart_clock(timeout_s)
        answer(line)
        signal.alarm(0)


def restart_clock(timeout_s: float) -> None:
    """Let the kernel's alarm clock ring so many seconds from now, and a few later than the parent has lost its patience."""
    signal.alarm(int(timeout_s) + _GRACE_S)
