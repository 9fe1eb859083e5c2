"""Write a call's report and result into shared memory; `replies` reads them and trusts nothing of it.

A result has the plainest layout that there is, so that reading it can take no more memory than it has bytes: the length of a
head (8 bytes), the head as JSON with the names of the columns, the count of records and the axes, then the times as int64 and
each column as float64, one after the other; of data over axes a column has several numbers for each record.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.sandbox.results import Result
from helio_dagster.sandbox.wire import REPORT_BYTES


def write_result(room: memoryview, result: Result) -> int:
    """Write a result; return its size in bytes."""
    about = {"names": result.names, "records": len(result.time), "axes": result.axes}
    head = json.dumps(about, ensure_ascii=False, allow_nan=False).encode()
    pieces: list[bytes | memoryview] = [struct.pack("<Q", len(head)), head, *map(_bytes_of, (result.time, *result.values))]
    size = 0
    for piece in pieces:
        room[size : size + len(piece)] = piece
        size += len(piece)
    return size


def _bytes_of(values: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view("uint8").data


def write_report(room: mmap.mmap, report: Mapping[str, Any]) -> None:
    """Write the report; its length last, so that a report is whole or none."""
    text = json.dumps(report, ensure_ascii=False).encode()[: REPORT_BYTES - 8]
    room[8 : 8 + len(text)] = text
    room[:8] = struct.pack("<Q", len(text))
