"""A call's report and result into shared memory. Reading them, as coming from a stranger, is `replies`'."""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from helio_dagster.sandbox.results import Result
from helio_dagster.sandbox.wire import REPORT_BYTES


def write_result(room: memoryview, result: Result) -> int:
    """Write a result as an Arrow stream of one batch; give its size."""
    fields = [pa.field("time", pa.int64()), *(pa.field(name, pa.float64()) for name in result.names)]
    arrays = [pa.array(values, from_pandas=False) for values in (result.time, *result.values)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
    writer = pa.FixedSizeBufferWriter(pa.py_buffer(room))
    with pa.ipc.new_stream(writer, batch.schema, options=pa.ipc.IpcWriteOptions(use_threads=False)) as stream:
        stream.write_batch(batch)
    size = writer.tell()
    writer.close()
    return int(size)


def write_report(room: mmap.mmap, report: Mapping[str, Any]) -> None:
    """Write the report; its length last, so that a report is whole or none."""
    text = json.dumps(report, ensure_ascii=False).encode()[: REPORT_BYTES - 8]
    room[8 : 8 + len(text)] = text
    room[:8] = struct.pack("<Q", len(text))
