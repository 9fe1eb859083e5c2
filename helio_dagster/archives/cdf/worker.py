"""A worker process that decodes CDF files and may die of it. Started by `process`; knows nothing of pools and retries.

Run as `python -m helio_dagster.archives.cdf.worker MEMORY_BYTES TIMEOUT_S`: requests come on stdin, replies leave on stdout. It
ends when stdin does, also when its parent was killed; a decoder that hangs in native code is ended by the kernel's alarm clock.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from helio_dagster.archives.cdf.answering import answer_lines, open_reply_pipe, restart_clock
from helio_dagster.archives.cdf.checked import CheckedFile, Open, open_checked
from helio_dagster.archives.cdf.coverage import describe_file
from helio_dagster.archives.cdf.credit import read_credit
from helio_dagster.archives.cdf.decode import Decoded, decode_in_pieces
from helio_dagster.archives.cdf.description import describe_cdf
from helio_dagster.archives.cdf.header import check_header
from helio_dagster.archives.cdf.master import describe_master
from helio_dagster.archives.cdf.memory_bound import MemoryBound
from helio_dagster.archives.cdf.messages import (
    CoverageReply,
    CreditReply,
    DescriptionReply,
    ErrorReply,
    MasterReply,
    Reply,
    Request,
    write_reply,
    write_table,
)
from helio_dagster.archives.cdf.with_master import WithMaster
from helio_dagster.domain.errors import CorruptFile, InputError, UnknownDataset

_Found = TypeVar("_Found")


def serve(open_file: Open) -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    write = open_reply_pipe()
    bound = MemoryBound(memory_bytes)

    def answer(line: bytes) -> None:
        found = _answer(lambda: _perform(Request.model_validate_json(line), open_file, bound))
        if not isinstance(found, Decoded):
            bound.lift()
            write_reply(write, found)
        elif found.values is None:
            bound.lift()
            write_table(write, found.table)
        else:
            table, pieces = found.table, _ticking(found.values, timeout_s)
            failed = _answer(lambda: write_table(write, table, pieces))
            bound.lift()
            if failed is not None:
                write_reply(write, failed)

    answer_lines(write, timeout_s, answer)


def _ticking(pieces: Iterable[NDArray[Any]], timeout_s: float) -> Iterator[NDArray[Any]]:
    """The pieces, each of which may take the time of a whole answer."""
    for piece in pieces:
        restart_clock(timeout_s)
        yield piece


def _answer(work: Callable[[], _Found]) -> _Found | ErrorReply:
    """What comes of some work, or why nothing does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries warn about odd attributes, which are of no use here
            return work()
    except CorruptFile as error:
        return ErrorReply(cause="corrupt", problem=error.problem)
    except InputError as error:
        cause = "unknown" if isinstance(error, UnknownDataset) else "unfit"
        return ErrorReply(cause=cause, problem=error.problem, hint=error.hint)
    except MemoryError:
        return ErrorReply(cause="damaged", problem="its values take more memory than it can honestly need, or than there is")
    except Exception as error:  # noqa: BLE001 - the edge of the process: what libraries raise on damaged bytes is anyone's guess
        text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        return ErrorReply(cause="damaged", problem=text)


def _perform(request: Request, open_file: Open, bound: MemoryBound) -> Decoded | Reply:
    master = _open_master(Path(request.master), open_file, bound) if request.master else None
    file = open_checked(Path(request.path), open_file, bound.allow)
    match request.task:
        case "read":
            whole = WithMaster(file, master) if master is not None else file
            return decode_in_pieces(whole, request.parameter, synthetic=request.synthetic)
        case "coverage":
            return CoverageReply(coverage=describe_file(file))
        case "master":
            return MasterReply(master=describe_master(file))
        case "description":
            return DescriptionReply(description=describe_cdf(file))
        case "credit":
            return CreditReply(credit=read_credit(file))


def _open_master(path: Path, open_file: Open, bound: MemoryBound) -> CheckedFile:
    """A dataset's master; one that is damaged is no fault of the file that is read with it."""
    try:
        check_header(path)
        return open_checked(path, open_file, bound.allow)
    except (CorruptFile, ValueError) as error:
        problem = error.problem if isinstance(error, CorruptFile) else str(error)
        raise InputError(
            f"the dataset's master, which defines the parameter, cannot be read: {problem}",
            hint="Run the same command again later, or fetch what the parameter is computed from.",
        ) from error


if __name__ == "__main__":
    from helio_dagster.archives.cdf.fast_file import PycdfppFile

    serve(PycdfppFile)
