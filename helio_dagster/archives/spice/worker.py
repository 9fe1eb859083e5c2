"""A worker process that evaluates SPICE kernels with CSPICE, which has global state and may crash on a damaged file.

Run as `python -m helio_dagster.archives.spice.worker MEMORY_BYTES TIMEOUT_S`; requests and replies as in `messages`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from helio_dagster.archives.cdf.answering import answer_lines, open_reply_pipe
from helio_dagster.archives.cdf.memory_bound import MemoryBound
from helio_dagster.archives.cdf.messages import write_reply, write_table
from helio_dagster.archives.spice.messages import REQUESTS, Answer, Cover, ErrorReply, Evaluate
from helio_dagster.domain.table import Table

_Answer = Callable[[Evaluate | Cover], Answer]
ABSENT = ErrorReply(
    cause="absent",
    problem="ephemerides need the package spiceypy, which is not installed",
    hint="It reads SPICE kernels, the files that hold where spacecraft are. Install it: pip install 'helio-dagster[spice]'",
)


def serve() -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    write = open_reply_pipe()
    MemoryBound(memory_bytes)
    evaluated = _answering()

    def answer(line: bytes) -> None:
        found = evaluated(REQUESTS.validate_json(line))
        if isinstance(found, Table):
            write_table(write, found)
        else:
            write_reply(write, found)

    answer_lines(write, timeout_s, answer)


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


if __name__ == "__main__":
    serve()
