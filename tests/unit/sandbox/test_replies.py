"""What a call's process leaves, read as coming from a stranger."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.replies import Forged, plain_text, read_report, read_tables, room_bytes
from helio_dagster.sandbox.results import Result
from helio_dagster.sandbox.shared_memory import create_file
from helio_dagster.sandbox.wire import REPORT_BYTES
from helio_dagster.sandbox.writing import write_result

LIMITS = SandboxLimits(result_bytes=1 << 20, result_columns=4)
TIME = np.arange(5, dtype="int64") * 10**9
VALUES = np.array([1.0, np.nan, -0.0, np.inf, 5.0])


def room(content: bytes = b"", head: bytes = b"") -> int:
    """Shared memory with a head and a result in it."""
    descriptor = create_file(room_bytes(LIMITS))
    os.pwrite(descriptor, head, 0)
    os.pwrite(descriptor, content, REPORT_BYTES)
    return descriptor


def stream(batch: pa.RecordBatch, **options: object) -> bytes:
    """A batch as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def honest() -> bytes:
    """What our own side writes."""
    space = bytearray(1 << 16)
    size = write_result(memoryview(space), Result(TIME, ["x"], [VALUES]))
    return bytes(space[:size])


def read(content: bytes) -> pd.DataFrame:
    """Read a result."""
    descriptor = room(content)
    try:
        return read_tables(descriptor, len(content), LIMITS)[0]
    finally:
        os.close(descriptor)


def test_a_result_comes_back_bit_for_bit() -> None:
    """NaN, minus zero and infinity too."""
    table = read(honest())
    assert table.index.equals(pd.DatetimeIndex(TIME, tz="UTC"))
    np.testing.assert_array_equal(table["x"].to_numpy().view("int64"), VALUES.view("int64"))


def test_a_result_can_be_changed_by_who_gets_it() -> None:
    """It is not a view of shared memory."""
    table = read(honest())
    table.loc[table.index[0], "x"] = 7.0
    assert table["x"].iloc[0] == 7.0


def laid_out(names: object, records: object, numbers: bytes, **more: object) -> bytes:
    """A result in our own layout, with whatever head."""
    head = json.dumps({"names": names, "records": records, **more}).encode()
    return struct.pack("<Q", len(head)) + head + numbers


def compressed_as_arrow_once_did(size: int) -> bytes:
    """An Arrow stream whose old metadata say of its body what pyarrow believes: that each buffer becomes `size` bytes."""
    body = b"-"
    while len(body) % 8:
        size += 8
        body = struct.pack("<q", size) + pa.Codec("lz4").compress(bytes(size), asbytes=True)
    columns = [pa.Array.from_buffers(kind, len(body) // 8, [None, pa.py_buffer(body)]) for kind in (pa.int64(), pa.float64())]
    batch = pa.RecordBatch.from_arrays(columns, names=["time", "x"])
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V4)
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch, custom_metadata={"ARROW:experimental_compression": "lz4"})
    return bytes(sink.getvalue())


BYTES = TIME.tobytes() + VALUES.tobytes()
FORGERIES = {
    "an Arrow stream": stream(pa.RecordBatch.from_arrays([pa.array(TIME), pa.array(VALUES)], names=["time", "x"])),
    "an Arrow stream that grows": compressed_as_arrow_once_did(1 << 22),
    "fewer records than numbers": laid_out(["x"], 4, BYTES),
    "more records than numbers": laid_out(["x"], 6, BYTES),
    "records without end": laid_out(["x"], 1 << 61, BYTES),
    "records beyond 64 bits": laid_out(["x"], 1 << 200, BYTES),
    "fewer than no records": laid_out(["x"], -5, BYTES),
    "half a record": laid_out(["x"], 5.0, BYTES),
    "no names": laid_out([], 10, BYTES),
    "a name that is not text": laid_out([1], 5, BYTES),
    "half a character in a name": laid_out(["\ud800"], 5, BYTES),
    "a long name": laid_out(["x" * 201], 5, BYTES),
    "a line in a name": laid_out(["x\nFORGED"], 5, BYTES),
    "one name twice": laid_out(["x", "x"], 5, BYTES + VALUES.tobytes()),
    "too many columns": laid_out(list("abcde"), 5, TIME.tobytes() + 5 * VALUES.tobytes()),
    "more than was asked for": laid_out(["x"], 5, BYTES, path="../../x"),
    "missing time": laid_out(["x"], 1, struct.pack("<qd", -(2**63), 1.0)),
    "an endless head": struct.pack("<Q", 1 << 62) + BYTES,
    "a nested head": struct.pack("<Q", 60_000) + b"[" * 60_000,
    "nothing but zeros": bytes(64),
    "text instead": b"Traceback (most recent call last)",
    "a head without numbers": laid_out(["x"], 5, b""),
    "cut": honest()[:-1],
    "too long": honest() + b"\0",
    "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
}


@pytest.mark.parametrize("content", FORGERIES.values(), ids=FORGERIES)
def test_forged_results_are_refused(content: bytes) -> None:
    """Only what is laid out as our own side does it, to the byte, is read: no format in which bytes can grow."""
    with pytest.raises(Forged):
        read(content)


@pytest.mark.parametrize("size", [0, room_bytes(LIMITS) - REPORT_BYTES + 1, 1 << 62])
def test_a_size_outside_the_room_is_refused(size: int) -> None:
    """Before memory is taken for it."""
    descriptor = room(honest())
    with pytest.raises(Forged):
        read_tables(descriptor, size, LIMITS)
    os.close(descriptor)


def test_several_results_are_read_only_if_they_are_just_as_many() -> None:
    """One after the other, to the byte; together they keep to the limits of one."""
    content = honest() + laid_out(["y", "z"], 1, TIME[:1].tobytes() + VALUES[:2].tobytes())
    descriptor = room(content)
    first, second = read_tables(descriptor, len(content), LIMITS, 2)
    assert (list(first), list(second), second["y"].tolist()) == (["x"], ["y", "z"], [1.0])
    narrow = LIMITS.model_copy(update={"result_columns": 2})
    for count, limits in (
        (1, LIMITS),
        (3, LIMITS),
        (2, narrow),
        (2, LIMITS.model_copy(update={"result_bytes": 5 * 5 * 8 - 1})),
    ):
        with pytest.raises(Forged):
            read_tables(descriptor, len(content), limits, count)
    os.close(descriptor)


@given(place=st.integers(0, len(honest()) - 1), value=st.integers(0, 255))
def test_a_changed_byte_gives_a_table_or_a_refusal(place: int, value: int) -> None:
    """Never anything else: no crash, no other exception, no other shape."""
    content = bytearray(honest())
    content[place] = value
    try:
        table = read(bytes(content))
    except Forged:
        return
    assert len(table) == len(TIME)
    assert [str(dtype) for dtype in table.dtypes] == ["float64"]


def report_of(text: bytes, length: int | None = None) -> object:
    """Read a report."""
    descriptor = room(head=struct.pack("<Q", len(text) if length is None else length) + text)
    try:
        return read_report(descriptor)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        (b"", 0),
        (b"{}", 2),
        (b'{"outcome": "result"}', 1 << 60),
        (b'{"outcome": "result"}', REPORT_BYTES),
        (b'{"outcome": "fine"}', None),
        (b'{"outcome": "result", "size": -1}', None),
        (b'{"outcome": "result", "size": "many"}', None),
        (b'{"outcome": "result", "path": "../../x"}', None),
        (b'{"outcome": "raised", "text": "\\ud800"}', None),
        (b"[" * 60_000, None),
        (json.dumps({"outcome": "raised", "text": "x" * 5000}).encode(), None),
        (b"\xff\xfe", None),
    ],
)
def test_forged_reports_are_refused(text: bytes, length: int | None) -> None:
    """Whatever stands there."""
    with pytest.raises(Forged):
        report_of(text, length)


def test_text_of_a_stranger_cannot_steer_a_terminal() -> None:
    """Escapes, bells and marks that turn the writing around are shown as what they are: no text."""
    assert plain_text("a\x1b[31m\x07\u202eb\n\tc") == "a�[31m��b\n\tc"
