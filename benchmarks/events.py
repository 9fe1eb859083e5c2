"""A pipeline over events beside a bare loop over the same windows: `python -m benchmarks.events`.

Three steps (fetch, magnitude, ten-minute mean) over windows around made-up events, whose files are in the cache. `loop` does
the same reading, computing and writing without Dagster, records, checks or provenance. Then a home lives through the command
line: the first run, one with nothing to do, one after an event was added, and a list of ten thousand that is judged.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import FIRST_DAY, PRODUCT, needed_days
from benchmarks.tables import middle, print_table, ratio, seconds
from benchmarks.trial import Answer, timed
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
_RUN = ["run", "bench", "--all", "--yes", "--json"]
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
    parser.add_argument("--rounds", type=int, default=3, help="of loop and first run, in turn")
    given = parser.parse_args()
    rows: list[list[str]] = []
    memory: list[list[str]] = []
    for count in given.events:
        with TemporaryDirectory(prefix="helio-bench-") as folder:
            rows.append(_measure(Path(folder), count, memory, given.rounds))
    header = ["events", "loop s", "first run s", "ratio", "loop CPU s", "first run CPU s", "ratio"]
    header += ["start-up s", "nothing changed: beyond it", "one added: beyond it"]
    print_table(f"Events of three steps, first run as median of {given.rounds}", header, rows)
    least = memory[0]
    for row in memory:
        row += [ratio(float(row[1]), float(least[1])), ratio(float(row[2]), float(least[2]))]
    header = ["events", "first run", "nothing changed", "first run, ratio", "nothing changed, ratio"]
    print_table("Peak MiB of `helio run`", header, memory)
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        home = _home(Path(folder), "http://127.0.0.1:9/")
        _write_list(home, _starts(given.judged))
        start_up_s = _wall_s(home, ["pipelines", "ls", "--json"])
        judged_s = _wall_s(home, ["status", "bench", "2012-01-01", "2040-01-01", "--json"])
        row = [str(given.judged), seconds(start_up_s), seconds(judged_s), seconds(judged_s - start_up_s)]
        print_table("A list that is loaded and judged", ["events", "`pipelines ls` s", "`status` s", "beyond it s"], [row])


def _measure(folder: Path, count: int, memory: list[list[str]], rounds: int) -> list[str]:
    starts = _starts(count + 1)
    last = starts[-1] + _AROUND
    write_days(PRODUCT, folder / "files", needed_days((last - FIRST_DAY).days + 3))
    with CdasServer(FileIndex(folder / "files")) as server:
        home = _home(folder, server.url)
        _fill_cache(home, starts)
        _write_list(home, starts[:-1])
        loops, firsts = [], []
        for place in range(rounds):
            _empty(home, folder / f"gone{place}")
            loops.append(_loop(home, starts[:-1], folder / f"loop{place}"))
            firsts.append(_command(home, _RUN))
        start_up_s = min(_wall_s(home, ["pipelines", "ls", "--json"]) for _ in range(3))
        again = [_command(home, _RUN) for _ in range(3)]
        _write_list(home, starts)
        added_s = _wall_s(home, _RUN)
    memory.append([str(count), f"{middle(firsts, 'peak_mib'):.0f}", f"{middle(again, 'peak_mib'):.0f}"])
    row = [str(count)]
    for figure in ("wall_s", "cpu_s"):
        loop_s, first_s = middle(loops, f"all_{figure}"), middle(firsts, figure)
        row += [seconds(loop_s), seconds(first_s), ratio(first_s, loop_s)]
    again_s = min(float(answer["wall_s"]) for answer in again)
    return [*row, seconds(start_up_s), seconds(again_s - start_up_s), seconds(added_s - start_up_s)]


def _empty(settings: Settings, aside: Path) -> None:
    """Move away what an earlier round has left in a home, except the archive's files.

    It is not deleted yet: for some seconds after thousands of files were deleted, ext4 takes up to a millisecond to make one.
    """
    aside.mkdir()
    for path in settings.home.iterdir():
        if path.name not in ("pipelines", "cache"):
            path.rename(aside / path.name)


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


def _loop(settings: Settings, starts: Sequence[datetime], folder: Path) -> Answer:
    """Wall and CPU seconds of reading each day once, and computing and writing each window."""
    store, answer = TableStore(folder), Answer()
    magnitude, mean = get_operation("magnitude"), get_operation("rolling_mean")
    options = mean.read_options({"window": "PT10M"})
    with Workbench(settings) as workbench:
        workbench.workers.reader.start()
        with timed(answer, "all"):
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
    return answer


def _command(settings: Settings, arguments: Sequence[str]) -> Answer:
    """Wall seconds, CPU seconds and peak MiB of one command."""
    environment = {
        "HELIO_HOME": str(settings.home),
        "HELIO_PIPELINES": str(settings.pipelines),
        "HELIO_CDAWEB_URL": settings.cdaweb_url,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    return run_command(["helio_dagster", *arguments], environment)[0]


def _wall_s(settings: Settings, arguments: Sequence[str]) -> float:
    return float(_command(settings, arguments)["wall_s"])


if __name__ == "__main__":
    main()
