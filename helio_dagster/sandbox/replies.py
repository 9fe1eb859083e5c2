"""Read a call's report and result as untrusted input: every size is checked before memory is taken for it."""

from __future__ import annotations

import os
import struct
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.wire import REPORT_BYTES

_BYTES_A_NAME = 1024
_LENGTH = struct.Struct("<Q")


class Forged(Exception):
    """What is in the shared memory is nothing that our own side of it writes."""


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


class Head(BaseModel):
    """What comes before the numbers of a result."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1)]
    records: Annotated[int, Field(ge=0)]


def room_bytes(limits: SandboxLimits) -> int:
    """Length of the shared memory in which a call reports and leaves its result."""
    return REPORT_BYTES + limits.result_bytes + _head_bytes(limits)


def has_report(descriptor: int) -> bool:
    """Whether a report is there, or something in its place."""
    return any(os.pread(descriptor, _LENGTH.size, 0))


def read_report(descriptor: int) -> Report:
    """The report.

    Raises
    ------
    Forged
        There is none, or it is not a report.
    """
    head = os.pread(descriptor, REPORT_BYTES, 0)
    length = _LENGTH.unpack_from(head)[0]
    if not 0 < length <= REPORT_BYTES - _LENGTH.size:
        raise Forged("no report")
    try:
        return Report.model_validate_json(head[_LENGTH.size :][:length])
    except ValidationError as error:
        raise Forged(_reason(error)) from None


def read_table(descriptor: int, size: int, limits: SandboxLimits) -> pd.DataFrame:
    """The result.

    Returns
    -------
    pandas.DataFrame
        Index `time`: `datetime64[ns, UTC]` in any order; float64 columns, names unique and printable.

    Raises
    ------
    Forged
        It is not laid out as `writing` does it, to the byte, or it is larger than the limits.
    """
    if not 0 < size <= room_bytes(limits) - REPORT_BYTES:
        raise Forged("the result does not fit into its room")
    head_bytes = _LENGTH.unpack(os.pread(descriptor, _LENGTH.size, REPORT_BYTES))[0]
    if head_bytes > _head_bytes(limits):
        raise Forged("the result's head is too large")
    head = _read_head(os.pread(descriptor, head_bytes, REPORT_BYTES + _LENGTH.size), limits)
    numbers = head.records * (1 + len(head.names))
    if numbers * 8 > limits.result_bytes or size != _LENGTH.size + head_bytes + numbers * 8:
        raise Forged("the result's size is not that of its records")
    values = _read_numbers(descriptor, numbers, REPORT_BYTES + _LENGTH.size + head_bytes)
    time, *columns = values.reshape(1 + len(head.names), head.records)
    index = pd.DatetimeIndex(time.view("datetime64[ns]"), name="time").tz_localize("UTC")
    if index.hasnans:
        raise Forged("times are missing")
    return pd.DataFrame(dict(zip(head.names, columns, strict=True)), index=index, copy=False)


def plain_text(text: str) -> str:
    """A text without what would steer a terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _head_bytes(limits: SandboxLimits) -> int:
    return (1 << 16) + _BYTES_A_NAME * limits.result_columns


def _read_head(text: bytes, limits: SandboxLimits) -> Head:
    try:
        head = Head.model_validate_json(text)
    except ValidationError as error:
        raise Forged(_reason(error)) from None
    names = head.names
    if len(names) > limits.result_columns or len(set(names)) < len(names) or not all(map(str.isprintable, names)):
        raise Forged("wrong columns")
    return head


def _read_numbers(descriptor: int, count: int, offset: int) -> NDArray[np.float64]:
    """A copy of the numbers, which nobody else can change; one read gives at most 2 GiB."""
    values = np.empty(count, dtype="float64")
    rest = values.view("uint8").data
    while rest:
        got = os.preadv(descriptor, [rest], offset)
        if not got:
            raise Forged("the result is cut")
        rest, offset = rest[got:], offset + got
    return values


def _reason(error: ValidationError) -> str:
    return str(error.errors(include_url=False, include_input=False)[0]["msg"])
