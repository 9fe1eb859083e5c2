"""What the reader of binary files and its worker process say to each other. Decides nothing."""

from __future__ import annotations

import struct
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from helio_dagster.archives.cdf.messages import ReadInto, Write, read_text
from helio_dagster.archives.own.binary.seen import Seen
from helio_dagster.archives.own.index import FileIndex, Run
from helio_dagster.archives.own.text_files import Records
from helio_dagster.domain.own_files import Format, OwnFileFields


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Describe(_Message):
    """Say which columns a file has."""

    task: Literal["describe"] = "describe"
    path: str
    name: str
    format: Format
    table: str | None = None


class Scan(_Message):
    """Read a file through by its description."""

    task: Literal["scan"] = "scan"
    path: str
    name: str
    described: OwnFileFields


class Read(_Message):
    """Read the records of some runs."""

    task: Literal["read"] = "read"
    path: str
    name: str
    described: OwnFileFields
    runs: tuple[Run, ...]


REQUESTS: TypeAdapter[Describe | Scan | Read] = TypeAdapter(Annotated[Describe | Scan | Read, Field(discriminator="task")])


class DescribeReply(_Message):
    """The columns of a file, and the names of its tables where it may have several."""

    answer: Literal["describe"] = "describe"
    columns: tuple[Seen, ...]


class ScanReply(_Message):
    """The index of a file."""

    answer: Literal["scan"] = "scan"
    index: FileIndex


class RecordsReply(_Message):
    """How many records of which columns follow on the pipe."""

    answer: Literal["records"] = "records"
    records: int
    columns: tuple[str, ...]


class ErrorReply(_Message):
    """Why there is no answer."""

    answer: Literal["error"] = "error"
    problem: str
    hint: str = ""


Reply = DescribeReply | ScanReply | RecordsReply | ErrorReply
Answer = DescribeReply | ScanReply | Records | ErrorReply
_REPLIES: TypeAdapter[Reply] = TypeAdapter(Annotated[Reply, Field(discriminator="answer")])


def write_records(write: Write, found: Records) -> None:
    """Send records: a `RecordsReply`, the times, and the columns one after the other."""
    text = RecordsReply(records=len(found.time), columns=tuple(found.values)).model_dump_json().encode()
    write(struct.pack(">I", len(text)) + text)
    for array in (found.time, *found.values.values()):
        write(np.ascontiguousarray(array).data.cast("B"))


def read_answer(read_into: ReadInto) -> Answer:
    """Receive one reply, with its records."""
    reply = _REPLIES.validate_json(read_text(read_into))
    if not isinstance(reply, RecordsReply):
        return reply
    time: NDArray[np.int64] = np.empty(reply.records, dtype=np.int64)
    values = {name: np.empty(reply.records, dtype=np.float64) for name in reply.columns}
    for array in (time, *values.values()):
        if len(array):
            read_into(array.data.cast("B"))
    return Records(time, values, np.zeros(reply.records, dtype=np.int64))
