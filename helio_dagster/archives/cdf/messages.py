"""What the reader and its worker processes say to each other, and how tables cross the pipe. Decides nothing.

A request is one line of JSON. A reply is a big-endian 32-bit length, that many bytes of JSON, then the bytes of the arrays that
the JSON announces: times first, then the columns in the order of the metadata. A day of 16 Hz vectors (28 MB) crosses in 15 ms.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from helio_dagster.archives.cdf.coverage import FileCoverage
from helio_dagster.archives.cdf.credit import Credit
from helio_dagster.archives.cdf.description import CdfDescription
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.domain.table import Table, TableMeta

READY = b"ready\n"
"""What a worker writes once it can take requests."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Request(_Message):
    """Decode a parameter of a file, or report what the file says: coverage, as a master, for an index, whom to credit."""

    task: Literal["read", "coverage", "master", "description", "credit"]
    path: str
    parameter: str = ""
    synthetic: bool = False


class TableReply(_Message):
    """A table's metadata; the arrays follow on the pipe."""

    answer: Literal["table"] = "table"
    meta: TableMeta
    records: int
    dtypes: tuple[str, ...]


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


def write_table(write: Write, table: Table) -> None:
    """Send a table as a `TableReply` and its arrays."""
    dtypes = tuple(values.dtype.str for values in table.columns.values())
    write_reply(write, TableReply(meta=table.meta, records=len(table), dtypes=dtypes))
    for values in (table.time.view("int64"), *table.columns.values()):
        write(np.ascontiguousarray(values).data.cast("B"))


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
    return read_arrays(reply, read_into)


def read_text(read_into: ReadInto) -> bytes:
    """Receive the JSON part of a reply."""
    head = bytearray(4)
    read_into(memoryview(head))
    text = bytearray(struct.unpack(">I", head)[0])
    read_into(memoryview(text))
    return bytes(text)


def read_arrays(reply: TableReply, read_into: ReadInto) -> Table:
    """Receive the arrays that a reply announces."""
    names = [column.name for column in reply.meta.columns]
    shapes = [(), *map(reply.meta.shape_of, names)]
    kinds = zip(shapes, ("int64", *reply.dtypes), strict=True)
    arrays: list[NDArray[Any]] = [np.empty((reply.records, *shape), dtype=dtype) for shape, dtype in kinds]
    for array in arrays:
        if len(array):
            read_into(array.data.cast("B"))
    return Table(arrays[0].view("datetime64[ns]"), dict(zip(names, arrays[1:], strict=True)), reply.meta)
