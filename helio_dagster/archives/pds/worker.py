"""A worker process that reads labels and decodes tables: a stranger's text decides where it looks.

Run as `python -m helio_dagster.archives.pds.worker MEMORY_BYTES TIMEOUT_S`; requests and replies as in `messages`.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from pathlib import Path

from helio_dagster.archives.cdf.answering import answer_lines, open_reply_pipe
from helio_dagster.archives.cdf.memory_bound import MemoryBound
from helio_dagster.archives.cdf.messages import write_reply, write_table
from helio_dagster.archives.pds.decode import decode
from helio_dagster.archives.pds.layout import LabelFault, Product
from helio_dagster.archives.pds.messages import REQUESTS, ErrorReply, ProductReply, ReadLabel, ReadTable
from helio_dagster.archives.pds.odl_label import read_odl_label
from helio_dagster.archives.pds.xml_label import read_xml_label
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.table import Table


def serve() -> None:
    """Answer requests until stdin ends."""
    memory_bytes, timeout_s = int(sys.argv[1]), float(sys.argv[2])
    write = open_reply_pipe()
    bound = MemoryBound(memory_bytes)

    def answer(line: bytes) -> None:
        found = answered(REQUESTS.validate_json(line), bound)
        bound.lift()
        if isinstance(found, Table):
            write_table(write, found)
        else:
            write_reply(write, found)

    answer_lines(write, timeout_s, answer)


def answered(request: ReadLabel | ReadTable, bound: MemoryBound) -> Table | ProductReply | ErrorReply:
    """The answer to one request."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if isinstance(request, ReadLabel):
                bound.allow(Path(request.path).stat().st_size)
                return ProductReply(product=read_label(Path(request.path), request.name))
            bound.allow(Path(request.path).stat().st_size)
            return _table(request)
    except LabelFault as fault:
        return ErrorReply(cause="corrupt", problem=str(fault))
    except InputError as error:
        cause = "unknown" if isinstance(error, UnknownDataset) else "unfit"
        return ErrorReply(cause=cause, problem=error.problem, hint=error.hint)
    except MemoryError:
        return ErrorReply(cause="corrupt", problem="it takes more memory than it can honestly need, or than there is")
    except Exception as error:  # noqa: BLE001 - the edge of the process: what libraries raise on damaged bytes is anyone's guess
        return ErrorReply(cause="corrupt", problem=f"{type(error).__name__}: {str(error)[:300]}")


def read_label(path: Path, name: str) -> Product:
    """The product of a label, in XML or in ODL by how it begins.

    Raises
    ------
    LabelFault
        It cannot be read.
    """
    raw = path.read_bytes()
    start = raw[:512].removeprefix(b"\xef\xbb\xbf").lstrip()
    return read_xml_label(raw) if start.startswith(b"<") or b"\x00<" in start else read_odl_label(raw, name)


def _table(request: ReadTable) -> Table:
    product = read_label(Path(request.label), request.name)
    of_file = [table for table in product.tables if table.file.casefold() == request.file.casefold()]
    said = {file.casefold(): checksum for file, checksum in product.md5.items()}.get(request.file.casefold())
    if said:
        with Path(request.path).open("rb") as file:
            found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        if found != said:
            raise LabelFault(f"its MD5 checksum is {found}, and the label says {said[:40]}")
    return decode(Path(request.path), product.model_copy(update={"tables": tuple(of_file)}), request.parameter)


if __name__ == "__main__":
    serve()
