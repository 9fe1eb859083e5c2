"""What serving stored results by HAPI costs: `python -m benchmarks.hapi_out [--days N]`.

Magnitudes of a made-up magnetic field every 16 s, run over some days, then asked for whole, as lines and in binary. Ours is the
body of an answer as `helio archive serve` makes it, without the network. Beside it stands the least that any server over these
files must do: pyarrow reads them, pandas writes lines, numpy writes records. No reference server could be installed: none is in
the registries of Python or Node. CPU seconds, the least of three, in one process in turn.
"""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import helio_dagster
from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import least_cpu_s
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.hapi_results import ServedResults
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.storage.settings import Settings

_PIPELINE = """\
version: 1
name: bench
partitions: daily
start: 2003-01-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""
_FIRST = datetime(2003, 1, 1, tzinfo=UTC)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=60)
    days = parser.parse_args().days
    with TemporaryDirectory(prefix="helio-bench-") as made:
        folder = Path(made)
        settings = Settings(folder / "home", folder / "pipelines")
        settings.pipelines.mkdir()
        (settings.pipelines / "bench.yaml").write_text(_PIPELINE)
        span = TimeRange(_FIRST, _FIRST + timedelta(days=days))
        os.chdir(folder)
        helio_dagster.run("bench", f"{span.start:%Y-%m-%d}", f"{span.stop:%Y-%m-%d}", home=settings.home)
        source = ServedResults(ServedHome(settings, {**os.environ, **settings.to_environment()}, folder, "demo"))
        dataset = source.dataset("bench/mag")
        if dataset is None:
            raise SystemExit("bench/mag is not served")
        names = [str(each["name"]) for each in dataset.parameters[1:]]
        files = sorted((settings.home / "data" / "bench" / "mag").rglob("*.parquet"))
        rows = []
        for form, is_binary in (("lines", False), ("binary", True)):
            ours = least_cpu_s(lambda is_binary=is_binary: source.records(dataset, names, span, is_binary=is_binary))  # type: ignore[misc]
            plain = least_cpu_s(lambda is_binary=is_binary: _plain(files, is_binary=is_binary))  # type: ignore[misc]
            size = len(source.records(dataset, names, span, is_binary=is_binary)) / 1e6
            rows.append((form, f"{size:.1f}", seconds(ours), seconds(plain), ratio(ours, plain)))
    print_table(f"{days} days every 16 s", ("form", "MB", "helio, CPU s", "plain, CPU s", "ratio"), rows)


def _plain(files: list[Path], *, is_binary: bool) -> bytes:
    frame = pd.concat([pq.read_table(path).to_pandas() for path in files])
    times = np.datetime_as_string(frame.iloc[:, 0].to_numpy().astype("datetime64[ns]"), unit="ns")
    if not is_binary:
        text = pd.DataFrame({"time": times, "value": frame.iloc[:, 1].to_numpy()})
        return text.to_csv(header=False, index=False, na_rep="-1e31").encode()
    records = np.empty(len(frame), dtype=[("time", "S30"), ("value", "<f8")])
    records["time"], records["value"] = times, frame.iloc[:, 1]
    return records.tobytes()


if __name__ == "__main__":
    main()
