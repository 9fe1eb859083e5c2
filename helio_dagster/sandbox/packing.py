"""A call's work into shared memory: code, options, and DataFrames as Arrow streams."""

from __future__ import annotations

import json
import keyword
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from helio_dagster.domain.errors import CodeRefused, ComputeError
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.shared_memory import create_file, seal_file
from helio_dagster.sandbox.wire import Rows, Work

_ALIGNMENT = 64
_MOST_INPUTS = 200
_MOST_ATTRS = 1 << 24


@dataclass(frozen=True)
class Packed:
    """A descriptor to close, the size of what it holds, and where the head begins."""

    descriptor: int
    size: int
    head_offset: int


def check_source(body: str, limits: SandboxLimits, *, name: str) -> None:
    """Refuse code that is too long, or no text, before anything reads it.

    Raises
    ------
    CodeRefused
        It is.
    """
    if len(body) > limits.source_bytes or len(body.encode("utf-8", "replace")) > limits.source_bytes:
        problem = f"the code has {len(body)} characters; {limits.source_bytes} bytes are allowed"
        raise CodeRefused(
            problem, where=f"step {name}", hint="Shorten it, and pass data as an input instead of writing it down."
        )
    for number, line in enumerate(body.split("\n"), start=1):
        if "\0" in line or any("\ud800" <= letter <= "\udfff" for letter in line):
            raise CodeRefused(
                "the code holds bytes that are not text", where=f"step {name}, line {number}", hint="Save it as UTF-8."
            )


def pack_work(
    body: str,
    inputs: Mapping[str, pd.DataFrame],
    options: Mapping[str, Any],
    *,
    name: str,
    limits: SandboxLimits,
    rows: Rows = "samples",
    results: Mapping[str, Rows] | None = None,
) -> Packed:
    """Write a call's work into a new sealed file.

    Raises
    ------
    ComputeError
        Inputs or options cannot be handed over.
    """
    where = f"step {name}"
    _check_names([*inputs, *options], where)
    descriptor = create_file()
    try:
        with open(descriptor, "wb", buffering=0, closefd=False) as file:
            entries = [_write_input(file, given, frame, where) for given, frame in inputs.items()]
            _check_plain(options, "the options", where)
            room = (limits.result_bytes, limits.result_columns)
            head = Work(name, body, entries, dict(options), *room, rows, dict(results or {})).to_json()
            offset = file.tell()
            _write_all(file.fileno(), head)
        seal_file(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return Packed(descriptor, offset + len(head), offset)


def _write_input(file: Any, name: str, frame: pd.DataFrame, where: str) -> dict[str, Any]:
    attrs = {str(key): value for key, value in frame.attrs.items()}
    _check_plain(attrs, f"the attrs of {name!r}", where)
    labels = [str(label) for label in frame.columns]
    if len({*labels, "time"}) <= len(labels):
        raise ComputeError(f"the input {name!r} has two columns of one name", where=where, hint="Rename one of them.")
    try:
        arrays = [pa.array(_time_ns(frame.index)), *(_to_arrow(frame.iloc[:, place]) for place in range(len(labels)))]
        batch = pa.RecordBatch.from_arrays(arrays, names=["time", *labels])
    except (pa.ArrowException, UnicodeEncodeError, TypeError) as error:
        raise ComputeError(f"the input {name!r} cannot be handed to code: {error}", where=where) from None
    offset = _pad(file)
    sink = pa.PythonFile(file, mode="w")
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(use_threads=False)) as stream:
        stream.write_batch(batch)
    return {"name": name, "offset": offset, "size": file.tell() - offset, "attrs": attrs}


def _to_arrow(column: pd.Series[Any]) -> pa.Array:
    if isinstance(column.dtype, pd.ArrowDtype):  # records of several values: lists of one size
        chunks = pa.chunked_array(column.array.__arrow_array__()).combine_chunks()
        return chunks.chunk(0) if isinstance(chunks, pa.ChunkedArray) else chunks
    values = column.to_numpy()
    if values.dtype.kind == "f":
        return pa.array(np.ascontiguousarray(values), from_pandas=False)  # NaN stays a number: no copy, no mask
    return pa.array(column, from_pandas=True)


def _time_ns(index: pd.Index[Any]) -> Any:
    if not isinstance(index, pd.DatetimeIndex):
        raise TypeError("its index is not a time")
    naive = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    return naive.as_unit("ns").to_numpy().view("int64")


def _check_names(names: list[str], where: str) -> None:
    if len(names) > _MOST_INPUTS:
        raise ComputeError(f"{len(names)} inputs and options are too many", where=where, hint=f"{_MOST_INPUTS} are allowed.")
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or names.count(name) > 1:
            hint = "Names of inputs and options are those of Python variables, each given once."
            raise ComputeError(f"{name!r} cannot name an input or option", where=where, hint=hint)


def _check_plain(given: Mapping[str, Any], what: str, where: str) -> None:
    hint = "Only text, numbers, true and false, lists and mappings of them cross into the sandbox."
    try:
        size = len(json.dumps(dict(given)))
    except (TypeError, ValueError, RecursionError) as error:
        reason = "they are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ComputeError(f"{what} cannot be handed to code: {reason}", where=where, hint=hint) from None
    if size > _MOST_ATTRS:
        raise ComputeError(f"{what} are too large: {size} bytes", where=where, hint="Make them an input.")


def _pad(file: Any) -> int:
    position = int(file.tell())
    missing = -position % _ALIGNMENT
    if missing:
        file.write(bytes(missing))
    return position + missing


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
