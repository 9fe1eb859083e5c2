"""A worker process that evaluates SPICE kernels with CSPICE, which has global state and may crash on a damaged file.

Run as `python -m helio_dagster.archives.spice.worker MEMORY_BYTES TIMEOUT_S`; requests and replies as in `messages`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from helio_dagster.archives.cdf.memory_bound import MemoryBound
from helio_dagster.archives.cdf.messages import READY, write_reply, write_table
from helio_dagster.archives.spice.messages import REQUESTS, Answer, Cover, ErrorReply, Evaluate
from helio_dagster.domain.table import Table

_GRACE_S = 5
_Answer = Callable[[Evaluate | Cover], Answer]
ABSENT = ErrorReply(
    cause="absent",
    problem="ephemerides need the package spiceypy, which is not installed",
    hint="It reads SPICE kernels, the files that hold where spacecraft are. Install it: pip install 'helio-dagster[spice]'",
)


def serve() -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    reply_stream = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # CSPICE must not garble a reply
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes stdin
    MemoryBound(memory_bytes)
    answer = _answering()
    write = _writer(reply_stream)
    write(READY)
    for line in sys.stdin.buffer:
        signal.alarm(int(timeout_s) + _GRACE_S)
        found = answer(REQUESTS.validate_json(line))
        if isinstance(found, Table):
            write_table(write, found)
        else:
            write_reply(write, found)
        signal.alarm(0)


def _answering() -> _Answer:
    try:
        from helio_dagster.archives.spice.evaluation import cover, evaluate
        from helio_dagster.archives.spice.kernel_set import BadKernel, KernelSet
    except ImportError as error:
        if (error.name or "").split(".")[0] != "spiceypy":
            raise
        return lambda _: ABSENT
    loaded = KernelSet()

    def answer(asked: Evaluate | Cover) -> Answer:
        try:
            return evaluate(asked, loaded) if isinstance(asked, Evaluate) else cover(asked, loaded)
        except BadKernel as bad:
            return ErrorReply(cause="corrupt", problem=f"{bad.kernel.name} cannot be read: {bad.problem}", path=bad.kernel.path)

    return answer


def _writer(descriptor: int) -> Callable[[bytes | memoryview], None]:
    def write(data: bytes | memoryview) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    return write


if __name__ == "__main__":
    serve()
