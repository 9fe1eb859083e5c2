"""A worker process that decodes CDF files and may die of it. Started by `process`; knows nothing of pools and retries.

Run as `python -m helio_dagster.archives.cdf.worker MEMORY_BYTES TIMEOUT_S`: requests come on stdin, replies leave on stdout. It
ends when stdin does, also when its parent was killed; a decoder that hangs in native code is ended by the kernel's alarm clock.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from helio_dagster.archives.cdf.coverage import describe_file
from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.master import describe_master
from helio_dagster.archives.cdf.messages import (
    READY,
    CoverageReply,
    ErrorReply,
    MasterReply,
    Request,
    Write,
    write_reply,
    write_table,
)
from helio_dagster.archives.cdf.raw import PycdfppFile, RawFile
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.table import Table

_GRACE_S = 5


def serve(open_file: Callable[[Path], RawFile]) -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    reply_stream = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints must not garble a reply
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes stdin
    _limit_memory(memory_bytes)
    write = _writer(reply_stream)
    write(READY)
    for line in sys.stdin.buffer:
        signal.alarm(int(timeout_s) + _GRACE_S)
        answer = _answer(Request.model_validate_json(line), open_file)
        if isinstance(answer, Table):
            write_table(write, answer)
        else:
            write_reply(write, answer)
        signal.alarm(0)


def _answer(request: Request, open_file: Callable[[Path], RawFile]) -> Table | CoverageReply | MasterReply | ErrorReply:
    try:
        file = open_file(Path(request.path))
        if request.task == "coverage":
            return CoverageReply(coverage=describe_file(file))
        if request.task == "master":
            return MasterReply(master=describe_master(file))
        return decode(file, request.parameter, synthetic=request.synthetic)
    except InputError as error:
        cause = "unknown" if isinstance(error, UnknownDataset) else "unfit"
        return ErrorReply(cause=cause, problem=error.problem, hint=error.hint)
    except Exception as error:  # noqa: BLE001 - the edge of the process: what libraries raise on damaged bytes is anyone's guess
        text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        return ErrorReply(cause="damaged", problem=text)


def _writer(descriptor: int) -> Write:
    def write(data: bytes | memoryview) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    return write


def _limit_memory(memory_bytes: int) -> None:
    """A damaged length field may ask for terabytes: let the allocation fail instead of the machine."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    except (ValueError, OSError):  # macOS refuses; the time limit remains
        return


if __name__ == "__main__":
    serve(PycdfppFile)
