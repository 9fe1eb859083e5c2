"""A call's report and result, read as coming from a stranger: sizes are held to limits, nothing is executed, all is checked."""

from __future__ import annotations

import os
import struct
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.sandbox.flat_buffer import is_plain_batch
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.wire import REPORT_BYTES

_BYTES_A_NAME = 512
_LENGTH = struct.Struct("<Q")
_CONTINUED = 0xFFFFFFFF
_UNREADABLE = (pa.ArrowException, OSError, EOFError, ValueError, OverflowError, struct.error)
"""What pyarrow raises on bytes that are no Arrow; names that are no text are a ValueError."""


class Forged(Exception):
    """What stands in the shared memory is nothing that our own side of it writes."""


class Report(BaseModel):
    """What a call's process says of it; believed only so far as it can do no harm."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    outcome: Literal["result", "unfit", "raised", "unseeded", "unreadable", "memory", "result_bytes", "result_columns"]
    size: Annotated[int, Field(ge=0)] = 0
    line: Annotated[int, Field(ge=0)] = 0
    kind: Annotated[str, Field(max_length=4000)] = ""
    text: Annotated[str, Field(max_length=4000)] = ""
    hint: Annotated[str, Field(max_length=4000)] = ""
    cpu_s: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] = 0.0


def room_bytes(limits: SandboxLimits) -> int:
    """Length of the shared memory in which a call reports and leaves its result."""
    return REPORT_BYTES + limits.result_bytes + _schema_bytes(limits)


def has_report(descriptor: int) -> bool:
    """Whether a report is there, or something in its place."""
    return any(os.pread(descriptor, _LENGTH.size, 0))


def read_report(descriptor: int) -> Report:
    """The report.

    Raises
    ------
    Forged
        There is none, or it is no report.
    """
    head = os.pread(descriptor, REPORT_BYTES, 0)
    length = _LENGTH.unpack_from(head)[0]
    if not 0 < length <= REPORT_BYTES - _LENGTH.size:
        raise Forged("no report")
    try:
        return Report.model_validate_json(head[_LENGTH.size :][:length])
    except ValidationError as error:
        raise Forged(str(error.errors(include_url=False, include_input=False)[0]["msg"])) from None


def read_table(descriptor: int, size: int, limits: SandboxLimits) -> pd.DataFrame:
    """The result.

    Returns
    -------
    pandas.DataFrame
        Index `time`: `datetime64[ns, UTC]` in any order; float64 columns, names unique and printable.

    Raises
    ------
    Forged
        It is not one plain Arrow batch of int64 times and float64 columns, or larger than the limits.
    """
    if not 0 < size <= room_bytes(limits) - REPORT_BYTES:
        raise Forged("the result does not fit into its room")
    content = np.empty(size, dtype="uint8")
    if os.preadv(descriptor, [content.data], REPORT_BYTES) != size:
        raise Forged("the result is cut")
    try:
        batch = _read_batch(content, limits)
        batch.validate(full=True)
        names = batch.schema.names
    except _UNREADABLE as error:
        raise Forged(str(error)[:200]) from None
    is_named = names[0] == "time" and len(set(names)) == len(names) and all(name.isprintable() for name in names)
    if not is_named or len(names) - 1 > limits.result_columns:
        raise Forged("wrong columns")
    columns = {name: _values(batch.column(place), content) for place, name in enumerate(names)}
    index = pd.DatetimeIndex(columns.pop("time").view("datetime64[ns]"), name="time").tz_localize("UTC")
    if index.hasnans:
        raise Forged("times are missing")
    return pd.DataFrame(columns, index=index, copy=False)


def plain_text(text: str) -> str:
    """A text without what would steer a terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _schema_bytes(limits: SandboxLimits) -> int:
    return (1 << 16) + _BYTES_A_NAME * limits.result_columns


def _read_batch(content: NDArray[np.uint8], limits: SandboxLimits) -> pa.RecordBatch:
    marker, metadata_bytes = struct.unpack_from("<II", content.data)
    if marker != _CONTINUED or metadata_bytes > _schema_bytes(limits):
        raise Forged("the result's schema is too large")
    stream = pa.BufferReader(pa.py_buffer(content))
    head, body = pa.ipc.read_message(stream), pa.ipc.read_message(stream)
    if head.type != "schema" or body.type != "record batch" or not is_plain_batch(body.metadata.to_pybytes()):
        raise Forged("the result is no plain batch")
    schema = pa.ipc.read_schema(head)
    if len(schema) < 2 or [field.type for field in schema] != [pa.int64(), *[pa.float64()] * (len(schema) - 1)]:
        raise Forged("the result holds other types than times and numbers")
    return pa.ipc.read_record_batch(body, schema)


def _values(column: pa.Array, content: NDArray[np.uint8]) -> NDArray[Any]:
    """The column's values where they stand: writable, and kept alive by the array."""
    if column.null_count:
        raise Forged("the result holds nulls")
    dtype = column.type.to_pandas_dtype()
    if not len(column):
        return np.empty(0, dtype=dtype)
    first = column.buffers()[1].address - content.ctypes.data + 8 * column.offset
    return content[first : first + 8 * len(column)].view(dtype)
