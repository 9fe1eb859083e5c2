"""A pipeline over events beside a bare loop over the same windows: `python -m benchmarks.events`.

Three steps (fetch, magnitude, ten-minute mean) over windows around made-up events, whose files are in the cache. `loop` does
the same reading, computing and writing without Dagster, records, checks or provenance. Then a home lives through the command
line: the first run, one with nothing to do, one after an event was added, and a list of ten thousand that is judged.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import FIRST_DAY, PRODUCT, needed_days
from benchmarks.tables import print_table, ratio, seconds
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.table import concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore

_APART = timedelta(hours=18)
_AROUND = timedelta(hours=6)
_HALO = timedelta(minutes=5)
PIPELINE = """version: 1
name: bench
title: Benchmark
partitions: {events: list, before: PT6H, after: PT6H}
start: 2000-01-01
steps:
  - id: list
    events: {file: lists/events.csv, source: made up}
  - id: b
    fetch: {archive: cdaweb, dataset: BENCH_MAG_16SEC, parameter: B_GSE}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: b_mean
    compute: {operation: rolling_mean, inputs: {series: b_mag}, options: {window: PT10M}}
"""


def main() -> None:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", nargs="+", type=int, default=[100, 1000])
    parser.add_argument("--judged", type=int, default=10_000)
    given = parser.parse_args()
    rows: list[list[str]] = []
    memory: list[list[str]] = []
    for count in given.events:
        with TemporaryDirectory(prefix="helio-bench-") as folder:
            rows.append(_measure(Path(folder), count, memory))
    header = ["events", "loop s", "first run s", "ratio", "start-up s", "nothing changed: beyond it", "one added: beyond it"]
    print_table("Events of three steps", header, rows)
    print_table("Peak MiB of `helio run`", ["events", "first run", "nothing changed"], memory)
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        home = _home(Path(folder), "http://127.0.0.1:9/")
        _write_list(home, _starts(given.judged))
        start_up_s = _command(home, ["pipelines", "ls", "--json"])[0]
        judged_s = _command(home, ["status", "bench", "2012-01-01", "2040-01-01", "--json"])[0]
        row = [str(given.judged), seconds(start_up_s), seconds(judged_s), seconds(judged_s - start_up_s)]
        print_table("A list that is loaded and judged", ["events", "`pipelines ls` s", "`status` s", "beyond it s"], [row])


def _measure(folder: Path, count: int, memory: list[list[str]]) -> list[str]:
    starts = _starts(count + 1)
    last = starts[-1] + _AROUND
    write_days(PRODUCT, folder / "files", needed_days((last - FIRST_DAY).days + 3))
    with CdasServer(FileIndex(folder / "files")) as server:
        home = _home(folder, server.url)
        _fill_cache(home, starts)
        loop_s = _loop(home, starts[:-1], folder / "loop")
        _write_list(home, starts[:-1])
        first_s, first_mib = _command(home, ["run", "bench", "--all", "--yes", "--json"])
        start_up_s = min(_command(home, ["pipelines", "ls", "--json"])[0] for _ in range(3))
        again = [_command(home, ["run", "bench", "--all", "--yes", "--json"]) for _ in range(3)]
        _write_list(home, starts)
        added_s, _ = _command(home, ["run", "bench", "--all", "--yes", "--json"])
    again_s = min(wall_s for wall_s, _ in again)
    memory.append([str(count), f"{first_mib:.0f}", f"{again[0][1]:.0f}"])
    return [
        str(count),
        seconds(loop_s),
        seconds(first_s),
        ratio(first_s, loop_s),
        seconds(start_up_s),
        seconds(again_s - start_up_s),
        seconds(added_s - start_up_s),
    ]


def _starts(count: int) -> list[datetime]:
    """When the events start: windows that touch every second time."""
    return [FIRST_DAY + timedelta(days=1, hours=7) + place * _APART for place in range(count)]


def _home(folder: Path, url: str) -> Settings:
    home = folder / "home"
    (home / "pipelines" / "lists").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return Settings(home, home / "pipelines", url)


def _write_list(settings: Settings, starts: Sequence[datetime]) -> None:
    lines = ["start,name", *(f"{start:%Y-%m-%dT%H:%M}Z,event {place}" for place, start in enumerate(starts))]
    (settings.pipelines / "lists" / "events.csv").write_text("\n".join(lines) + "\n")


def _days(starts: Sequence[datetime]) -> list[TimeRange]:
    first = starts[0].replace(hour=0, minute=0) - timedelta(days=1)
    length = (starts[-1] + timedelta(days=1) - first).days + 1
    return [TimeRange(first + timedelta(days=day), first + timedelta(days=day + 1)) for day in range(length)]


def _fill_cache(settings: Settings, starts: Sequence[datetime]) -> None:
    with Workbench(settings) as workbench:
        for _ in workbench.archive("cdaweb").fetch("BENCH_MAG_16SEC", "B_GSE", _days(starts), verify=False):
            pass


def _loop(settings: Settings, starts: Sequence[datetime], folder: Path) -> float:
    """Seconds of reading each day once, and computing and writing each window."""
    store = TableStore(folder)
    magnitude, mean = get_operation("magnitude"), get_operation("rolling_mean")
    options = mean.read_options({"window": "PT10M"})
    with Workbench(settings) as workbench:
        workbench.workers.reader.start()
        began = time.perf_counter()
        days = _days(starts)
        tables = {}
        for window, fetched in zip(
            days, workbench.archive("cdaweb").fetch("BENCH_MAG_16SEC", "B_GSE", days, verify=False), strict=True
        ):
            if fetched.table is None:
                raise RuntimeError(str(fetched.error))
            store.write("b", f"{window.start:%Y-%m-%d}", fetched.table, {})
            tables[window] = fetched.table
        for place, start in enumerate(starts):
            around = TimeRange(start - _AROUND, start + _AROUND)
            wide = around.widened(_HALO, _HALO)
            near = concatenate([table for day, table in tables.items() if day.overlaps(wide)]).clip(wide)
            strength: Any = magnitude.apply({"vector": near}, magnitude.read_options({}), wide, "b_mag")
            store.write("b_mag", str(place), strength.clip(around), {})
            store.write("b_mean", str(place), mean.apply({"series": strength}, options, around, "b_mean"), {})
        return time.perf_counter() - began


def _command(settings: Settings, arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds and peak MiB of one command."""
    environment = {
        "HELIO_HOME": str(settings.home),
        "HELIO_PIPELINES": str(settings.pipelines),
        "HELIO_CDAWEB_URL": settings.cdaweb_url,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    answer, _ = run_command(["helio_dagster", *arguments], environment)
    return float(answer["wall_s"]), float(answer["peak_mib"])


if __name__ == "__main__":
    main()
