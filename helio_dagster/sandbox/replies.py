"""Read a call's report and result as untrusted input: every size is checked before memory is taken for it."""

from __future__ import annotations

import math
import os
import struct
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.wire import REPORT_BYTES, whole_bytes

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


_Numbers = Annotated[list[Annotated[float, Field(allow_inf_nan=False)] | None], Field(max_length=1 << 20)]
_Text = Annotated[str, Field(max_length=200)]


class AxisHead(BaseModel):
    """An axis of a result over several; None where a bin has no place or width. What varies is among the columns."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(min_length=1, max_length=64)]
    label: _Text
    unit: _Text
    scale: Literal["linear", "log"]
    size: Annotated[int, Field(ge=1, le=1 << 20)]
    centers: _Numbers
    centers_vary: bool
    widths: _Numbers
    widths_vary: bool
    labels: Annotated[list[_Text], Field(max_length=1 << 20)]

    @property
    def is_whole(self) -> bool:
        """Whether there is something for each of its bins."""
        is_centered = len(self.centers) == (0 if self.centers_vary else self.size)
        return (
            is_centered and len(self.widths) in (0, 0 if self.widths_vary else self.size) and len(self.labels) in (0, self.size)
        )


class Head(BaseModel):
    """What comes before the numbers of a result."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1)]
    records: Annotated[int, Field(ge=0)]
    axes: Annotated[list[AxisHead], Field(max_length=8)] = []

    @property
    def sizes(self) -> list[int]:
        """How many numbers each column has for a record: one, or all places of the axes, and the bins that vary."""
        if not self.axes:
            return [1] * len(self.names)
        varying = [axis.size for axis in self.axes for varies in (axis.centers_vary, axis.widths_vary) if varies]
        return [math.prod(axis.size for axis in self.axes), *varying]

    @property
    def width(self) -> int:
        """How many numbers a record has beside its time."""
        return sum(self.sizes)

    @property
    def numbers(self) -> int:
        """How many numbers follow it: the times, and the values of each column."""
        return self.records * (1 + self.width)


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


def read_tables(descriptor: int, size: int, limits: SandboxLimits, count: int = 1) -> list[pd.DataFrame]:
    """The results, one after the other.

    Parameters
    ----------
    descriptor
        The shared memory.
    size
        Bytes of all results, as the report says.
    limits
        What they may take together.
    count
        How many results there must be.

    Returns
    -------
    list of pandas.DataFrame
        Index `time`: `datetime64[ns, UTC]` in any order; float64 columns, names unique and printable. Of data over axes the
        columns are numbered: each place of a record, then the bins that vary; `attrs` has what `AxisHead` says as `axes`.

    Raises
    ------
    Forged
        They are not laid out as `writing` does it, to the byte, or they are larger than the limits.
    """
    if not 0 < size <= room_bytes(limits) - REPORT_BYTES:
        raise Forged("the result does not fit into its room")
    heads: list[tuple[Head, int]] = []
    place = 0
    for _ in range(count):
        head, head_bytes = _head_at(descriptor, place, limits)
        heads.append((head, place + head_bytes))
        place += head_bytes + head.numbers * 8
        if place > size:
            break
    if whole_bytes([(head.records, head.width) for head, _ in heads]) > limits.result_bytes or size != place:
        raise Forged("the result's size is not that of its records")
    if sum(len(head.names) for head, _ in heads) > limits.result_columns:
        raise Forged("too many columns")
    return [_read_table(descriptor, head, REPORT_BYTES + at) for head, at in heads]


def _read_table(descriptor: int, head: Head, offset: int) -> pd.DataFrame:
    values = _read_numbers(descriptor, head.numbers, offset)
    time = values[: head.records]
    index = pd.DatetimeIndex(time.view("datetime64[ns]"), name="time").tz_localize("UTC")
    if index.hasnans:
        raise Forged("times are missing")
    if head.axes:
        parts, at = [], head.records
        for size in head.sizes:
            parts.append(values[at : at + head.records * size].reshape(head.records, size))
            at += head.records * size
        frame = pd.DataFrame(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), index=index, copy=False)
        frame.attrs["axes"] = [axis.model_dump() for axis in head.axes]
        return frame
    columns = values[head.records :].reshape(len(head.names), head.records)
    return pd.DataFrame(dict(zip(head.names, columns, strict=True)), index=index, copy=False)


def plain_text(text: str) -> str:
    """A text without what would steer a terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _head_bytes(limits: SandboxLimits) -> int:
    return (1 << 16) + _BYTES_A_NAME * limits.result_columns


def _head_at(descriptor: int, place: int, limits: SandboxLimits) -> tuple[Head, int]:
    """The head of the result that begins at a place after the report, and its bytes with those of its length."""
    length = os.pread(descriptor, _LENGTH.size, REPORT_BYTES + place)
    head_bytes = _LENGTH.unpack(length)[0] if len(length) == _LENGTH.size else 0
    if head_bytes > _head_bytes(limits):
        raise Forged("the result's head is too large")
    return _read_head(os.pread(descriptor, head_bytes, REPORT_BYTES + place + _LENGTH.size), limits), _LENGTH.size + head_bytes


def _read_head(text: bytes, limits: SandboxLimits) -> Head:
    try:
        head = Head.model_validate_json(text)
    except ValidationError as error:
        raise Forged(_reason(error)) from None
    names = head.names
    if len(names) > limits.result_columns or len(set(names)) < len(names) or not all(map(str.isprintable, names)):
        raise Forged("wrong columns")
    texts = [text for axis in head.axes for text in (axis.name, axis.label, axis.unit, *axis.labels)]
    if len(head.sizes) != len(names) or not all(axis.is_whole for axis in head.axes) or not all(map(str.isprintable, texts)):
        raise Forged("wrong axes")
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
