"""What a call's process leaves in the memory it shares: any bytes there are tables of just their numbers, or refused."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from helio_dagster.sandbox.endings import Called, error_of
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.replies import Forged, has_report, read_report, read_tables, room_bytes
from helio_dagster.sandbox.results import Result
from helio_dagster.sandbox.shared_memory import create_file
from helio_dagster.sandbox.wire import REPORT_BYTES, Ending
from helio_dagster.sandbox.writing import write_result
from tests.fuzz.target import Defect, Target

LIMITS = SandboxLimits(result_bytes=1 << 20, result_columns=6)
_ROOM = room_bytes(LIMITS)
_NUMBERS: tuple[object, ...] = (
    0,
    1,
    -1,
    5,
    255,
    1 << 16,
    1 << 31,
    1 << 32,
    (1 << 62) + 1,
    (1 << 63) - 1,
    1 << 64,
    1 << 200,
    0.5,
    True,
    None,
    "5",
    [],
)
_NAMES = ("x", "time", "", "x\n", "\x1b[2J", "\ud800", "ü", "x" * 200, "x" * 201, "x" * 70_000, 7, None, ["x"], {"x": 1})
_OUTCOMES = ("result", "unfit", "raised", "unseeded", "unreadable", "memory", "result_bytes", "result_columns", "fine", "", 3)


def case(random: Random, folder: Path) -> str:
    """Forge a report and one result or several, and have them read as `Sandbox.call` does."""
    count = random.choice((1, 1, 2, 3))
    content = b"".join(_result(random) for _ in range(count))
    size = random.choice([len(content)] * 6 + [len(content) + random.randint(-9, 9), random.getrandbits(64), -1])
    report = _report(random, size)
    descriptor = create_file(_ROOM)
    try:
        os.pwrite(descriptor, report[:REPORT_BYTES], 0)
        os.pwrite(descriptor, content[: _ROOM - REPORT_BYTES], REPORT_BYTES)
        return _read(descriptor, content, count)
    finally:
        os.close(descriptor)


def _read(descriptor: int, content: bytes, count: int) -> str:
    has_report(descriptor)
    try:
        said = read_report(descriptor)
        if said.outcome == "result":
            tables = read_tables(descriptor, said.size, LIMITS, count)
            _require_same(tables, content, said.size)
            return "table" if count == 1 else "tables"
    except Forged as forged:
        return _worded(None, forged, "refused")
    return _worded(said, None, "failed")


def _worded(said: Any, forged: Forged | None, verdict: str) -> str:
    call = Called(body="return b", inputs={}, name="forged", limits=LIMITS, printed="")
    text = str(error_of(said, Ending(0, False, 0.0), forged, call))
    if len(text) > 5000 or not all(letter.isprintable() or letter == "\n" for letter in text):
        raise Defect(f"a message of {len(text)} characters: {text[:200]!r}")
    return verdict


def _require_same(tables: list[pd.DataFrame], content: bytes, size: int) -> None:
    """Hold tables to what an independent reader of the layout makes of the same bytes."""
    content = content.ljust(size, b"\0")[:size]  # of what is not written, zeros are read
    for table in tables:
        (length,) = struct.unpack_from("<Q", content)
        head = json.loads(content[8 : 8 + length])
        names, records = head["names"], head["records"]
        stop = 8 + length + 8 * records * (1 + len(names))
        numbers, content = content[8 + length : stop], content[stop:]
        if 8 * records * (1 + len(names)) != len(numbers) or list(table.columns) != names or len(table) != records:
            raise Defect(f"a table of {table.shape} from {len(numbers)} bytes under the head {head!r:.200}")
        expected = np.frombuffer(numbers, dtype="int64").reshape(1 + len(names), records)
        found = [pd.DatetimeIndex(table.index).asi8, *(table[name].to_numpy().view("int64") for name in names)]
        if not all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True)):
            raise Defect("the table's numbers are not those of the bytes")
    if content:
        raise Defect(f"{len(content)} bytes after the last table were not read")


def _honest(random: Random) -> bytes:
    records, width = random.randint(0, 40), random.randint(1, 5)
    time = np.arange(records, dtype="int64") * random.randint(1, 10**12)
    values = [np.array([random.uniform(-9, 9) for _ in range(records)]) for _ in range(width)]
    room = bytearray(1 << 16)
    return bytes(room[: write_result(memoryview(room), Result(time, [f"c{place}" for place in range(width)], values))])


def _result(random: Random) -> bytes:
    way = random.randrange(9)
    if way == 0:
        return _arrow(random)
    if way == 1:
        return random.randbytes(random.choice((0, 1, 8, 64, 5000)))
    if way == 2:
        names = [random.choice(_NAMES) for _ in range(random.choice((0, 1, 2, 3, 7)))]
        head = {"names": names, "records": random.choice(_NUMBERS), **({"more": 1} if random.random() < 0.2 else {})}
        text = json.dumps(head, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
        return struct.pack("<Q", random.choice((len(text), len(text), random.getrandbits(20)))) + text + bytes(80)
    return _mutated(random, _honest(random))


def _arrow(random: Random) -> bytes:
    """An Arrow stream: new or old metadata, compressed or said to be, with a dictionary, changed here and there."""
    time = pa.array(range(64))
    column = random.choice((pa.array([0.0] * 64), pa.array(["a"] * 64).dictionary_encode(), pa.array([[1.0]] * 64)))
    batch = pa.RecordBatch.from_arrays([time, column], names=["time", "x"])
    version = random.choice((pa.ipc.MetadataVersion.V4, pa.ipc.MetadataVersion.V5))
    compression = random.choice((None, "lz4", "zstd")) if version == pa.ipc.MetadataVersion.V5 else None
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(
        sink, batch.schema, options=pa.ipc.IpcWriteOptions(metadata_version=version, compression=compression)
    ) as writer:
        writer.write_batch(batch, custom_metadata={"ARROW:experimental_compression": random.choice(("lz4", "zstd"))})
    stream = sink.getvalue().to_pybytes()
    return _mutated(random, stream) if random.random() < 0.5 else stream


def _mutated(random: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((0, 0, 1, 1, 2, 8))):
        place = random.randrange(len(changed) + 1)
        match random.randrange(5):
            case 0:
                changed[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del changed[place : place + random.choice((1, 8, 64))]
            case 2:
                changed[place:place] = random.randbytes(random.choice((1, 8, 64)))
            case 3:
                changed[place : place + 8] = struct.pack("<Q", random.getrandbits(random.choice((3, 16, 33, 64))))
            case _:
                changed[place : place + 8] = changed[: random.choice((8, 100))]
    return bytes(changed)


def _report(random: Random, size: int) -> bytes:
    way = random.randrange(12)
    if way == 0:
        text = random.choice(
            (b"", b"{}", b"[" * 60_000, b"\xff\xfe", random.randbytes(50), b'{"outcome": "result", "size": 1e400}')
        )
    else:
        said: dict[str, Any] = {"outcome": "result" if way > 1 else random.choice(_OUTCOMES), "size": size, "cpu_s": 0.1}
        if random.random() < 0.3:
            key = random.choice(("line", "kind", "text", "hint", "size", "cpu_s", "path"))
            said[key] = random.choice((*_NUMBERS, *_NAMES))
        text = json.dumps(said).encode()
    if random.random() < 0.2:
        text = _mutated(random, text)
    length = random.choice([len(text)] * 8 + [0, 1, REPORT_BYTES, random.getrandbits(64)])
    return struct.pack("<Q", length) + text


TARGET = Target("sandbox_answer", case, limit_mib=260, limit_s=5)
