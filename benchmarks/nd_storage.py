"""How records with several axes are stored best: lists of one size, one column per value, bytes, or Zarr where it is installed.

An hour of a made-up MMS FPI distribution (800 records of 32 x 16 x 32 single reals, Poisson counts), written, read whole,
and read for five minutes. Run as `python -m benchmarks.nd_storage`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.tables import print_table
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.storage.tables import TableStore

_SHAPE = (32, 16, 32)
_RECORDS = 800
_GROUP = 256
_PART = slice(400, 467)
_REPEATS = 3
_How = tuple[Callable[[Path], object], Callable[[Path], object], Callable[[Path], object]]
"""Write, read all, read five minutes."""


def main() -> None:
    """Measure and print."""
    values = _values()
    ways: dict[str, _How] = {
        "lists, as helio stores them": _stored(values),
        "lists of one size": _parquet(pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values[0].size)),
        "bytes of a record": _parquet(_bytes(values)),
        "one column per value": _flat(values),
    }
    if find_spec("zarr"):
        ways["Zarr"] = _zarr(values)
    rows = []
    for name, (write, read, part) in ways.items():
        with TemporaryDirectory() as folder:
            place = Path(folder, "table")
            took = [min(_seconds(step, place) for _ in range(_REPEATS)) for step in (write, read, part)]
            size = (
                place.stat().st_size
                if place.is_file()
                else sum(each.stat().st_size for each in place.rglob("*") if each.is_file())
            )
        rows.append((name, f"{size / 2**20:.1f}", *(f"{each:.3f}" for each in took)))
    print_table(f"{values.nbytes / 2**20:.0f} MiB", ("how", "MiB", "write s", "read s", "five minutes s"), rows)


def _values() -> NDArray[np.float32]:
    mean = 3 * np.exp(-np.arange(_SHAPE[2]) / 4)
    counts = np.random.default_rng(1).poisson(mean, (_RECORDS, *_SHAPE))
    return (counts * np.geomspace(1e-26, 1e-30, _SHAPE[2])).astype(np.float32)


def _seconds(step: Callable[[Path], object], place: Path) -> float:
    start = time.perf_counter()
    step(place)
    return time.perf_counter() - start


def _stored(values: NDArray[np.float32]) -> _How:
    axes = tuple(
        RecordAxis(name=f"a{size}{place}", size=size, values=tuple(map(float, range(size))))
        for place, size in enumerate(_SHAPE)
    )
    times = np.datetime64("2023-01-01", "ns") + np.arange(_RECORDS) * np.timedelta64(4500, "ms")
    table = Table(times, {"f": values}, TableMeta(kind="nd", columns=(ColumnMeta(name="f"),), axes=axes))

    def part(place: Path) -> object:
        with pq.ParquetFile(place) as file:
            return file.read_row_groups([1], use_threads=False)

    return lambda place: TableStore.write_file(place, table, {}), lambda place: TableStore.read_file(place), part


def _parquet(array: pa.Array) -> _How:
    def write(place: Path) -> None:
        table = pa.table({"f": array})
        pq.write_table(table, place, compression="zstd", compression_level=3, use_dictionary=False, row_group_size=_GROUP)

    def part(place: Path) -> object:
        with pq.ParquetFile(place) as file:
            return file.read_row_groups([1], use_threads=False)

    return write, lambda place: pq.read_table(place, use_threads=False), part


def _bytes(values: NDArray[np.float32]) -> pa.Array:
    return pa.Array.from_buffers(pa.binary(values[0].nbytes), len(values), [None, pa.py_buffer(values)])


def _flat(values: NDArray[np.float32]) -> _How:
    columns = {f"f_{place}": column for place, column in enumerate(values.reshape(len(values), -1).T)}

    def write(place: Path) -> None:
        pq.write_table(pa.table(columns), place, compression="zstd", compression_level=3, row_group_size=_GROUP)

    def part(place: Path) -> object:
        with pq.ParquetFile(place) as file:
            return file.read_row_groups([1], use_threads=False)

    return write, lambda place: pq.read_table(place, use_threads=False), part


def _zarr(values: NDArray[np.float32]) -> _How:
    zarr = import_module("zarr")

    def write(place: Path) -> None:
        made: Any = zarr.create_array(str(place), shape=values.shape, chunks=(_GROUP, *_SHAPE), dtype="f4", overwrite=True)
        made[:] = values

    def opened(place: Path) -> Any:
        return zarr.open_array(str(place), mode="r")

    return write, lambda place: opened(place)[:], lambda place: opened(place)[_PART]


if __name__ == "__main__":
    main()
