"""A worker process that decodes CDF files and may die of it. Started by `process`; knows nothing of pools and retries.

Run as `python -m helio_dagster.archives.cdf.worker MEMORY_BYTES TIMEOUT_S`: requests come on stdin, replies leave on stdout. It
ends when stdin does, also when its parent was killed; a decoder that hangs in native code is ended by the kernel's alarm clock.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from helio_dagster.archives.cdf.answering import answer_lines, open_reply_pipe
from helio_dagster.archives.cdf.checked import CheckedFile, Open, open_checked
from helio_dagster.archives.cdf.coverage import describe_file
from helio_dagster.archives.cdf.credit import read_credit
from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.description import describe_cdf
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
from helio_dagster.domain.errors import CorruptFile, InputError, UnknownDataset
from helio_dagster.domain.table import Table


def serve(open_file: Open) -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    write = open_reply_pipe()
    bound = MemoryBound(memory_bytes)

    def answer(line: bytes) -> None:
        found = _answer(Request.model_validate_json(line), open_file, bound)
        bound.lift()
        if isinstance(found, Table):
            write_table(write, found)
        else:
            write_reply(write, found)

    answer_lines(write, timeout_s, answer)


def _answer(request: Request, open_file: Open, bound: MemoryBound) -> Table | Reply:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries warn about odd attributes, which are of no use here
            return _perform(request, open_checked(Path(request.path), open_file, bound.allow))
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


def _perform(request: Request, file: CheckedFile) -> Table | Reply:
    match request.task:
        case "read":
            return decode(file, request.parameter, synthetic=request.synthetic)
        case "coverage":
            return CoverageReply(coverage=describe_file(file))
        case "master":
            return MasterReply(master=describe_master(file))
        case "description":
            return DescriptionReply(description=describe_cdf(file))
        case "credit":
            return CreditReply(credit=read_credit(file))


if __name__ == "__main__":
    from helio_dagster.archives.cdf.fast_file import PycdfppFile

    serve(PycdfppFile)
