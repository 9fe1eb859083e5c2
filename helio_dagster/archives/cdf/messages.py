"""What the reader and its worker processes say to each other, and how tables cross the pipe. Decides nothing.

A request is one line of JSON. A reply is a big-endian 32-bit length, that many bytes of JSON, then the bytes of the arrays that
the JSON announces: times first, then the columns in the order of the metadata. A day of 16 Hz vectors (28 MB) crosses in 15 ms.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from helio_dagster.archives.cdf.coverage import FileCoverage
from helio_dagster.archives.cdf.credit import Credit
from helio_dagster.archives.cdf.description import CdfDescription
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.archives.files.record_order import in_order_of_time
from helio_dagster.domain.large_arrays import new_array, record_blocks, release
from helio_dagster.domain.table import Table, TableMeta

_PIECE_HEAD = struct.Struct(">I")
READY = b"ready\n"
"""What a worker writes once it can take requests."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Request(_Message):
    """Decode a parameter of a file, or report what the file says: coverage, as a master, for an index, whom to credit.

    `master` is the path of the dataset's master, where a parameter may be defined that the file lacks.
    """

    task: Literal["read", "coverage", "master", "description", "credit"]
    path: str
    parameter: str = ""
    master: str = ""
    synthetic: bool = False


class TableReply(_Message):
    """A table's metadata; the arrays follow on the pipe, the first column of one `in_pieces` after all others."""

    answer: Literal["table"] = "table"
    meta: TableMeta
    records: int
    dtypes: tuple[str, ...]
    in_pieces: bool = False


class CoverageReply(_Message):
    """What a file covers."""

    answer: Literal["coverage"] = "coverage"
    coverage: FileCoverage


class MasterReply(_Message):
    """What a master file says of its dataset."""

    answer: Literal["master"] = "master"
    master: MasterDescription


class DescriptionReply(_Message):
    """What an index of files keeps of a file."""

    answer: Literal["description"] = "description"
    description: CdfDescription


class CreditReply(_Message):
    """Whom a file names."""

    answer: Literal["credit"] = "credit"
    credit: Credit


class ErrorReply(_Message):
    """Why there is no answer.

    The parameter is unknown; it cannot be fetched; the library could not read the file, so that another may try; or the file
    contradicts itself or its checksums (`corrupt`), so that none should.
    """

    answer: Literal["error"] = "error"
    cause: Literal["unknown", "unfit", "damaged", "corrupt"]
    problem: str
    hint: str = ""


Reply = TableReply | CoverageReply | MasterReply | DescriptionReply | CreditReply | ErrorReply
Answer = Table | FileCoverage | MasterDescription | CdfDescription | Credit | ErrorReply
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="answer")])

Write = Callable[[bytes | memoryview], None]
"""Writes all of the bytes."""

ReadInto = Callable[[memoryview], None]
"""Fills all of the buffer."""


def write_table(write: Write, table: Table, pieces: Iterator[NDArray[Any]] | None = None) -> None:
    """Send a table as a `TableReply` and its arrays.

    Parameters
    ----------
    write
        Where to.
    table
        The table.
    pieces
        The values of its first column, some records at a time, shape (some records, *shape of a record), where the table
        itself does not have them. What they raise is raised once the pipe is ready for an `ErrorReply`.
    """
    dtypes = tuple(values.dtype.str for values in table.columns.values())
    reply = TableReply(meta=table.meta, records=len(table), dtypes=dtypes, in_pieces=pieces is not None)
    write_reply(write, reply)
    arrays = [table.time.view("int64"), *table.columns.values()]
    for place, values in enumerate(arrays):
        if pieces is None or place != 1:
            write(np.ascontiguousarray(values).data.cast("B"))
    is_whole = False
    try:
        for piece in pieces or ():
            write(_PIECE_HEAD.pack(piece.nbytes))
            write(np.ascontiguousarray(piece).data.cast("B"))
        is_whole = True
    finally:
        if not is_whole:
            write(_PIECE_HEAD.pack(0))


def write_reply(write: Write, reply: BaseModel) -> None:
    """Send the JSON part of a reply."""
    text = reply.model_dump_json().encode()
    write(struct.pack(">I", len(text)) + text)


def read_answer(read_into: ReadInto) -> Answer:
    """Receive one reply with its arrays."""
    reply = _REPLIES.validate_json(read_text(read_into))
    if isinstance(reply, ErrorReply):
        return reply
    if isinstance(reply, CoverageReply):
        return reply.coverage
    if isinstance(reply, MasterReply):
        return reply.master
    if isinstance(reply, DescriptionReply):
        return reply.description
    if isinstance(reply, CreditReply):
        return reply.credit
    return read_long_table(reply, read_into) if reply.in_pieces else read_arrays(reply, read_into)


def read_text(read_into: ReadInto) -> bytes:
    """Receive the JSON part of a reply."""
    head = bytearray(4)
    read_into(memoryview(head))
    text = bytearray(struct.unpack(">I", head)[0])
    read_into(memoryview(text))
    return bytes(text)


def read_arrays(reply: TableReply, read_into: ReadInto) -> Table:
    """Receive the arrays that a reply announces."""
    arrays = _new_arrays(reply)
    for array in arrays:
        _fill(array, read_into)
    return _table_of(reply, arrays)


def read_long_table(reply: TableReply, read_into: ReadInto) -> Table | ErrorReply:
    """Receive the arrays of a table whose first column comes in pieces; the error if they break off."""
    time, values, *others = arrays = _new_arrays(reply)
    for array in (time, *others):
        _fill(array, read_into)
    failed = _read_pieces(values, read_into)
    return failed if failed is not None else in_order_of_time(_table_of(reply, arrays))


def _new_arrays(reply: TableReply) -> list[NDArray[Any]]:
    """Arrays for times and columns."""
    shapes = [(), *(reply.meta.shape_of(column.name) for column in reply.meta.columns)]
    kinds = zip(shapes, ("int64", *reply.dtypes), strict=True)
    return [new_array((reply.records, *shape), dtype) for shape, dtype in kinds]


def _fill(array: NDArray[Any], read_into: ReadInto) -> None:
    for block in record_blocks(array):
        read_into(array[block].data.cast("B"))


def _table_of(reply: TableReply, arrays: list[NDArray[Any]]) -> Table:
    names = [column.name for column in reply.meta.columns]
    return Table(arrays[0].view("datetime64[ns]"), dict(zip(names, arrays[1:], strict=True)), reply.meta)


def _read_pieces(values: NDArray[Any], read_into: ReadInto) -> ErrorReply | None:
    """Fill an array with the pieces on the pipe; the error that follows where they break off."""
    flat, place = values.reshape(-1).view(np.uint8), 0
    head = bytearray(_PIECE_HEAD.size)
    while place < len(flat):
        read_into(memoryview(head))
        (size,) = _PIECE_HEAD.unpack(head)
        if not size or size > len(flat) - place:
            reply = _REPLIES.validate_json(read_text(read_into))
            return reply if isinstance(reply, ErrorReply) else ErrorReply(cause="damaged", problem="its records are too many")
        piece = flat[place : place + size]
        read_into(piece.data)
        release(piece)
        place += size
    return None
