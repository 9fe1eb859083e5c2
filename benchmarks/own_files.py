"""One large CSV file to daily partitions: by helio's index, by pandas and by polars, each in a process of its own.

    python -m benchmarks.own_files [--gigabytes 1]

Every way reads the same columns and writes the same kind of Parquet file for each day. CPU seconds and peak memory are those of
its process; ratios are to pandas. `one day` is what a single partition costs once helio has its index.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

START = datetime(2020, 1, 1, tzinfo=UTC)
_LINE_BYTES = 53
_COLUMNS = ("X", "Y", "Z")


def write_file(path: Path, gigabytes: float) -> int:
    """A CSV file of a record each second with three columns; returns its number of days."""
    days = max(2, round(gigabytes * 1e9 / _LINE_BYTES / 86_400))
    random = np.random.default_rng(0)
    with path.open("w") as file:
        file.write("time,X,Y,Z\n")
        for day in range(days):
            time = pd.date_range(START + timedelta(days=day), periods=86_400, freq="s")
            frame = pd.DataFrame(random.normal(20_000, 50, (86_400, 3)).round(3), columns=list(_COLUMNS))
            frame.insert(0, "time", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
            frame.to_csv(file, index=False, header=False)
    return days


def by_helio(path: Path, days: int, into: Path, *, first: int = 0) -> None:
    """Through the archive of own files, as a run does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from helio_dagster.archives.own.archive import OwnArchive
    from helio_dagster.archives.own.places import Places
    from helio_dagster.domain.pipeline import Fetch
    from helio_dagster.domain.time_range import TimeRange
    from helio_dagster.resources.workers import Workers
    from helio_dagster.storage.settings import Settings

    described = {"file": path.name, "time": {"columns": "time"}, "columns": {name: {"unit": "nT"} for name in _COLUMNS}}
    workers = Workers(Settings.from_environment({}, path.parent))
    archive = OwnArchive(Fetch.model_validate(described), Places(path.parent), path.parent / "cache", workers)
    starts = [START + timedelta(days=day) for day in range(first, days)]
    for number, found in enumerate(archive.fetch("", "", [TimeRange(start, start + timedelta(days=1)) for start in starts])):
        if found.table is None:
            raise SystemExit(str(found.error))
        table = pa.table({"time": found.table.time, **found.table.columns})
        pq.write_table(table, into / f"{first + number}.parquet", compression="zstd")


def by_pandas(path: Path, days: int, into: Path) -> None:
    """The whole file in memory, cut by day."""
    frame = pd.read_csv(path, parse_dates=["time"])
    for number, (_, part) in enumerate(frame.groupby(frame.time.dt.floor("D"))):
        part.to_parquet(into / f"{number}.parquet", compression="zstd", index=False)
    if number + 1 != days:
        raise SystemExit("days are missing")


def by_polars(path: Path, days: int, into: Path) -> None:
    """The whole file in memory, cut by day."""
    import polars as pl

    frame = pl.read_csv(path, try_parse_dates=True)
    parts = frame.with_columns(day=pl.col("time").dt.truncate("1d")).partition_by("day", include_key=False)
    for number, part in enumerate(parts):
        part.write_parquet(into / f"{number}.parquet", compression="zstd")
    if len(parts) != days:
        raise SystemExit("days are missing")


def one_day(path: Path, days: int, into: Path) -> None:
    """The last day alone, with the index in place."""
    by_helio(path, days, into, first=days - 1)


WAYS: dict[str, Callable[[Path, int, Path], None]] = {
    "helio, first time": by_helio,
    "helio, one day": one_day,
    "pandas": by_pandas,
    "polars": by_polars,
}


def _child(way: str, path: Path, days: int) -> None:
    import resource

    with tempfile.TemporaryDirectory(dir=path.parent) as into:
        WAYS[way](path, days, Path(into))
    used = resource.getrusage(resource.RUSAGE_SELF)
    sys.stdout.write(json.dumps({"cpu_s": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}))


def main() -> None:
    """Write the file, try each way, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--child", nargs=3)
    given = parser.parse_args()
    if given.child:
        way, path, days = given.child
        _child(way, Path(path), int(days))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        days = write_file(path, given.gigabytes)
        found = {}
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.own_files", "--child", way, str(path), str(days)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            found[way] = json.loads(done.stdout) if done.returncode == 0 else None
        size = path.stat().st_size / 1e9
    sys.stdout.write(f"{size:.2f} GB of CSV, {days} days\n{'':20}{'CPU s':>9}{'ratio':>8}{'peak MB':>10}\n")
    base = found["pandas"]
    for way, each in found.items():
        if each is None:
            sys.stdout.write(f"{way:20} did not finish (not installed, or out of memory)\n")
            continue
        ratio = f"{each['cpu_s'] / base['cpu_s']:.2f}" if base else "-"
        sys.stdout.write(f"{way:20}{each['cpu_s']:9.1f}{ratio:>8}{each['peak_mb']:10.0f}\n")


if __name__ == "__main__":
    main()
