"""Slices of a year of distributions from our store, beside xarray on netCDF: `python -m benchmarks.nd_slices [--days N]`.

Each day has 288 records of 16 pitch angles by 32 energies, single reals with noise. Our store has a Parquet file a day; xarray
has the same days as netCDF-4 files (zlib 4, shuffle, a day split into eight chunks), and all of them as one file, once in these
chunks, which are cut along energy, and once in chunks of whole records. Read are one energy of all days, and all values of one
day. CPU seconds, the least of three, in one process in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import least_cpu_s
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.records import record_values
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from helio_dagster.storage.tables import TableStore

_RECORDS, _ANGLES, _ENERGIES, _CHOSEN = 288, 16, 32, 12
_PITCH = tuple(float(each) for each in np.arange(_ANGLES) * 180 / _ANGLES + 90 / _ANGLES)
_ENERGY = tuple(float(each) for each in np.geomspace(10, 20_000, _ENERGIES))
_META = TableMeta(
    kind="nd",
    columns=(ColumnMeta(name="flux", unit="cm^-2 s^-1 sr^-1 eV^-1"),),
    axes=(
        RecordAxis(name="pitch_angle", unit="deg", size=_ANGLES, values=_PITCH),
        RecordAxis(name="energy", unit="eV", scale="log", size=_ENERGIES, values=_ENERGY),
    ),
)
_ASSET = "bench/flux"
_CHUNKS = (_RECORDS, _ANGLES // 2, _ENERGIES // 4)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    days = parser.parse_args().days
    with TemporaryDirectory(prefix="helio-bench-") as made:
        folder = Path(made)
        store, keys = _stored(folder / "store", days)
        nightly, whole, uncut = _netcdf(folder, store, keys)
        middle = keys[len(keys) // 2]
        ways: dict[str, tuple[Callable[[], NDArray[np.float32]], Callable[[], NDArray[np.float32]], int]] = {
            "helio, a Parquet file a day": (
                lambda: np.concatenate([_at_energy(store.read(_ASSET, key)) for key in keys]),
                lambda: record_values(store.read(_ASSET, middle)),
                _bytes(folder / "store"),
            ),
            "xarray, a netCDF file a day": (
                lambda: np.concatenate([_of_file(path, is_slice=True) for path in nightly]),
                lambda: _of_file(nightly[len(nightly) // 2], is_slice=False),
                sum(map(_bytes, nightly)),
            ),
            "xarray, one netCDF file, chunks cut along energy": (
                lambda: _of_file(whole, is_slice=True),
                lambda: _of_file(whole, is_slice=False, day=len(keys) // 2),
                _bytes(whole),
            ),
            "xarray, one netCDF file, chunks of whole records": (
                lambda: _of_file(uncut, is_slice=True),
                lambda: _of_file(uncut, is_slice=False, day=len(keys) // 2),
                _bytes(uncut),
            ),
        }
        results = {name: (least_cpu_s(one), least_cpu_s(day), size) for name, (one, day, size) in ways.items()}
        first = next(iter(ways.values()))
        for one, day, _ in ways.values():
            np.testing.assert_array_equal(one(), first[0]())
            np.testing.assert_array_equal(day(), first[1]())
    base = next(iter(results.values()))
    rows = [
        (name, f"{size / 2**20:.0f}", seconds(one), ratio(one, base[0]), f"{1000 * day:.1f}", ratio(day, base[1]))
        for name, (one, day, size) in results.items()
    ]
    header = ("how", "MiB", "one energy, CPU s", "ratio", "one day, CPU ms", "ratio")
    print_table(f"{days} days, {days * _RECORDS * _ANGLES * _ENERGIES * 4 / 2**20:.0f} MiB of values", header, rows)


def _stored(folder: Path, days: int) -> tuple[TableStore, list[str]]:
    store, keys = TableStore(folder), []
    draw, first = np.random.default_rng(3), np.datetime64("2023-01-01", "D")
    for day in range(days):
        start = first + np.timedelta64(day, "D")
        counts = draw.poisson(20, (_RECORDS, _ANGLES, _ENERGIES))
        values = (counts * np.geomspace(1e6, 1e2, _ENERGIES)).astype(np.float32)
        times = start.astype("datetime64[ns]") + np.arange(_RECORDS) * np.timedelta64(300, "s")
        store.write(_ASSET, str(start), Table(times, {"flux": values}, _META), {})
        keys.append(str(start))
    return store, keys


def _netcdf(folder: Path, store: TableStore, keys: list[str]) -> tuple[list[Path], Path, Path]:
    """The same days as files of their own, and in one file, in chunks that are cut along energy and in chunks of records."""
    paths, parts = [], []
    for key in keys:
        table = store.read(_ASSET, key)
        values = (("time", "pitch_angle", "energy"), record_values(table))
        part = xr.Dataset({"flux": values}, {"time": table.time, "pitch_angle": list(_PITCH), "energy": list(_ENERGY)})
        paths.append(folder / f"{key}.nc")
        _write(part, paths[-1])
        parts.append(part)
    year = xr.concat(parts, "time")
    _write(year, folder / "all.nc")
    _write(year, folder / "records.nc", chunks=(_RECORDS, _ANGLES, _ENERGIES))
    return paths, folder / "all.nc", folder / "records.nc"


def _write(dataset: xr.Dataset, path: Path, chunks: tuple[int, ...] = _CHUNKS) -> None:
    dataset.to_netcdf(path, encoding={"flux": {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": chunks}})


def _at_energy(table: Table) -> NDArray[np.float32]:
    operation = get_operation("slice")
    options = operation.read_options({"axis": "energy", "value": _ENERGY[_CHOSEN]})
    found = operation.apply({"distribution": table}, options, TimeRange(EARLIEST, LATEST), "result")
    return np.stack([found.columns[name] for name in found.meta.data_names], axis=1)


def _of_file(path: Path, *, is_slice: bool, day: int = 0) -> NDArray[np.float32]:
    with xr.open_dataset(path) as dataset:
        if is_slice:
            return dataset["flux"].sel(energy=_ENERGY[_CHOSEN], method="nearest").to_numpy()
        return dataset["flux"].isel(time=slice(day * _RECORDS, (day + 1) * _RECORDS)).to_numpy()


def _bytes(path: Path) -> int:
    return path.stat().st_size if path.is_file() else sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


if __name__ == "__main__":
    main()
