"""One call, in its own process that never returns: confine, run the body, report. The caller trusts nothing of it."""

from __future__ import annotations

import gc
import io
import mmap
import os
import random
import socket
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from helio_dagster.sandbox.confining import Confinement, confine_call, die_with_worker
from helio_dagster.sandbox.free_blocks import arrange_free_blocks
from helio_dagster.sandbox.function import body_to_function
from helio_dagster.sandbox.libraries import NAMES
from helio_dagster.sandbox.results import UnfitResult, check_size, read_named, read_result
from helio_dagster.sandbox.unpacking import unpack_inputs
from helio_dagster.sandbox.wire import CODE_FILE, REPORT_BYTES, Order, Work, receive_message
from helio_dagster.sandbox.writing import write_report, write_result

_RESERVE_BYTES = 8 << 20
_MOST_TEXT = 4000
_SEED = random.Random.seed
_KEPT: list[object] = []
"""Mappings whose descriptors are closed under them: they must not be collected."""


class UnseededRandomness(Exception):
    """Code drew random numbers that differ each time."""


def await_call(channel: socket.socket, worker: int, confinement: Confinement) -> NoReturn:
    """Be a fresh child of the worker: get ready, wait for an order, run it, and end with 0 when a report is written.

    Parameters
    ----------
    channel
        From which the order comes, with its descriptors; closed without one, there is nothing to do.
    worker
        The worker's process id.
    confinement
        What the worker has in force.
    """
    try:
        os.setsid()
        die_with_worker(worker)
        _rehearse()
        text, descriptors = receive_message(channel)
        if text:
            _run_order(Order.from_json(text), descriptors, confinement)
    except BaseException:  # noqa: BLE001 - the edge of the process: what happened here goes into the exit code and on stderr
        traceback.print_exc()
        os._exit(70)
    os._exit(0)


def _rehearse() -> None:
    """Go through a small call once: the pages it needs are this process's own before anybody waits for it."""
    room = mmap.mmap(-1, 4 * REPORT_BYTES)
    batch = pa.RecordBatch.from_arrays([pa.array(np.arange(8)), pa.array(np.arange(8.0))], names=["time", "x"])
    writer = pa.FixedSizeBufferWriter(pa.py_buffer(memoryview(room)))
    with pa.ipc.new_stream(writer, batch.schema, options=pa.ipc.IpcWriteOptions(use_threads=False)) as stream:
        stream.write_batch(batch)
    frames = unpack_inputs(room, [{"name": "b", "offset": 0, "size": writer.tell(), "attrs": {}}])
    returned = body_to_function("return (b * 2.0)['x']", ["b"], NAMES)(**frames)
    write_result(memoryview(room)[REPORT_BYTES:], read_result(returned, name="x", most_columns=1))
    _KEPT.append(room)


def _run_order(order: Order, descriptors: Sequence[int], confinement: Confinement) -> None:
    began_s = time.process_time()
    work_at, room_at, printed_to, _ = descriptors
    for stream, target in ((0, confinement.null), (1, printed_to), (2, printed_to)):
        os.dup2(target, stream)
    work = mmap.mmap(work_at, order.work_bytes, access=mmap.ACCESS_COPY)
    room = mmap.mmap(room_at, order.room_bytes)
    _KEPT.extend((work, room))
    shared_bytes = order.work_bytes + order.room_bytes
    confine_call(confinement, cpu_s=order.cpu_s, memory_bytes=order.memory_bytes, shared_bytes=shared_bytes)
    _prepare_process(order.seed)
    report = _run(Work.from_json(work[order.head_offset :]), work, room, is_reversed=order.is_reversed)
    sys.stdout.flush()
    write_report(room, {**report, "cpu_s": time.process_time() - began_s})
    for stream in (1, 2):
        os.close(stream)  # the caller reads the report now, while this process is taken down


def _prepare_process(seed: int) -> None:
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - the empty stream that the descriptor is now
    out = io.TextIOWrapper(
        io.FileIO(1, "w", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=False
    )
    sys.stdout = sys.stderr = out
    gc.enable()
    random.seed(seed)
    np.random.seed(seed)  # the global state is what code uses that does not ask for a generator
    # The kernel refuses as well. This says why; and Python's generator, refused, would quietly take the clock instead.
    os.urandom = random._urandom = _refuse_randomness  # type: ignore[attr-defined]
    random.Random.seed = _seed  # type: ignore[assignment, method-assign]
    random.seed = random._inst.seed


def _refuse_randomness(_size: int) -> bytes:
    raise UnseededRandomness("random numbers without a seed differ each time")


def _seed(generator: random.Random, a: Any = None, version: int = 2) -> None:
    if a is None:
        _refuse_randomness(0)
    _SEED(generator, a, version)


def _run(work: Work, mapping: mmap.mmap, room: mmap.mmap, *, is_reversed: bool | None) -> Mapping[str, Any]:
    """Run the body and write its result.

    Returns
    -------
    Mapping
        The report.
    """
    reserve = [mmap.mmap(-1, _RESERVE_BYTES)]  # untouched: it takes address space, which is what is limited, and no memory
    try:
        function = body_to_function(work.body, [*(each["name"] for each in work.inputs), *work.options], NAMES)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        text = error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deeply"
        return {"outcome": "unreadable", "line": line, "text": _bounded(text)}
    try:
        frames = unpack_inputs(mapping, work.inputs)
        if is_reversed is not None:
            _KEPT.append(arrange_free_blocks(is_reversed=is_reversed))
        returned = function(**frames, **work.options)
        if work.results:
            found = read_named(returned, work.results, most_columns=work.result_columns)
        else:
            found = [read_result(returned, name=work.name, most_columns=work.result_columns, rows=work.rows)]
        check_size(found, work.result_bytes)
        size = 0
        for each in found:
            size += write_result(memoryview(room)[REPORT_BYTES + size :], each)
        return {"outcome": "result", "size": size}
    except UnfitResult as unfit:
        return {"outcome": unfit.cause, "text": _bounded(unfit.problem), "hint": _bounded(unfit.hint)}
    except MemoryError as error:
        reserve.clear()
        return {"outcome": "memory", "line": _line_of(error.__traceback__), "text": _bounded(_text_of(error))}
    except BaseException as error:  # noqa: BLE001 - whatever the code raised goes to the caller
        reserve.clear()
        return {
            "outcome": "unseeded" if isinstance(error, UnseededRandomness) else "raised",
            "line": _line_of(error.__traceback__),
            "kind": _bounded(type(error).__name__),
            "text": _bounded(_text_of(error)),
        }


def _line_of(trace: TracebackType | None) -> int:
    """The innermost line of the code itself, not of a library it called."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == CODE_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - an exception of the code's own may raise here again
        return ""


def _bounded(text: object) -> str:
    """A text that fits into the report and can be written as JSON."""
    return str(text)[:_MOST_TEXT].encode("utf-8", "replace").decode()
