"""Runs on one, two and four workers that wait for slow archives: `python -m benchmarks.workers`.

The archives on loopback let each file wait, so that cores matter little; each is asked five things at a time. Each contender
has a home, a database and a queue of its own; the tables of all of them are compared, byte by byte, with those of a run in one
process.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import TrialFailed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.archives.hapi.source import ServedDataset
from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.web.daemon import running_daemon
from helio_dagster.storage.settings import Settings
from tests.brokers import BROKER, started_workers


class SlowFiles(FileIndex):
    """A folder of files, each of which is a while in coming."""

    def __init__(self, folder: Path, pause_s: float) -> None:
        super().__init__(folder)
        self._pause_s = pause_s

    def read(self, name: str) -> bytes:
        """A file's bytes, after the pause."""
        time.sleep(self._pause_s)
        return super().read(name)


class SlowRecords(ServedFiles):
    """The same files by HAPI, each request of records a while in coming."""

    pause_s = 0.0

    def records(self, dataset: ServedDataset, names: Sequence[str], span: TimeRange, *, is_binary: bool) -> bytes:
        """The records, after the pause."""
        time.sleep(self.pause_s)
        return super().records(dataset, names, span, is_binary=is_binary)


SECOND = """  - id: c
    fetch: {{archive: "hapi:{url}", dataset: BENCH_MAG_16SEC, parameter: B_GSE}}
  - id: c_mag
    compute: {{operation: magnitude, inputs: {{vector: c}}}}
"""
"""The same from another archive, by HAPI."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=60)
    parser.add_argument(
        "--archives", nargs="+", type=int, default=[1, 2], choices=(1, 2), help="how many a pipeline reads from"
    )
    parser.add_argument("--workers", nargs="+", type=int, default=[0, 1, 2, 4], help="how many; the first is compared with")
    parser.add_argument("--piece", type=int, default=10, help="partitions of one run on a worker")
    parser.add_argument("--pause", type=float, default=2.0, help="how long each file takes, in s")
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="who may create databases")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="helio-bench-") as folder, ExitStack() as stack:
        write_days(PRODUCT, Path(folder, "files"), needed_days(given.partitions))
        archive = stack.enter_context(CdasServer(SlowFiles(Path(folder, "files"), given.pause)))
        files, reader = FileIndex(Path(folder, "files")), stack.enter_context(CdfReader())
        records = SlowRecords(files, reader)
        records.pause_s = given.pause
        other = stack.enter_context(CdasServer(files, extra=[HapiAnswers(records)]))
        for archives in given.archives:
            pipeline = PIPELINE + (SECOND.format(url=f"http://{other.address}/hapi") if archives == 2 else "")
            _compare(Path(folder, str(archives)), archive, other, pipeline, archives, given)


def _compare(
    folder: Path, archive: CdasServer, other: CdasServer, pipeline: str, archives: int, given: argparse.Namespace
) -> None:
    """Run a pipeline with each number of workers, and print a table."""
    rows, base, first = [], 0.0, ""
    for count in given.workers:
        before = archive.count(".cdf") + other.count("/data")
        archive.most_at_once = other.most_at_once = 0
        name = f"{count} worker{'s' if count > 1 else ''}" if count else "no workers"
        with ExitStack() as stack:
            record = stack.enter_context(new_database(given.postgres)) if count else None
            settings = _home(folder / name, archive.url, record, count, given.piece, pipeline)
            wall_s, cpu_s = stack.enter_context(_working(settings, count))(given.partitions)
        files, most = archive.count(".cdf") + other.count("/data") - before, max(archive.most_at_once, other.most_at_once)
        sha, tables = _sha(settings.data)
        base, first = base or wall_s, first or sha
        same, load = "same" if sha == first else "DIFFER", f"{os.getloadavg()[0]:.1f}"
        print(f"{name}: {wall_s:.1f} s, {cpu_s:.1f} s of a core, {files} files, {most} at once, {same}", file=sys.stderr)
        rows.append(
            [name, seconds(wall_s), ratio(wall_s, base), seconds(cpu_s), str(files), str(most), str(tables), same, load]
        )
    header = ["contender", "s", "ratio", "CPU s", "files asked for", "at once, most", "tables", "bytes", "load"]
    least = given.partitions * given.pause / 5
    what = "of three steps" if archives == 1 else "of five steps, from two archives"
    title = f"{given.partitions} daily partitions {what}, {given.pause:g} s for each file, {least:.0f} s at five at a time"
    print_table(title, header, rows)


def _home(folder: Path, url: str, record: str | None, workers: int, piece: int, pipeline: str) -> Settings:
    (folder / "pipelines").mkdir(parents=True)
    (folder / "pipelines" / "bench.yaml").write_text(pipeline)
    dispatch = Dispatch(BROKER, partitions=piece, at_once=workers) if workers else None
    return Settings(folder, folder / "pipelines", url, postgres=record, dispatch=dispatch)


@contextmanager
def _working(settings: Settings, count: int) -> Iterator[Callable[[int], tuple[float, float]]]:
    """What runs so many partitions and gives the seconds that it took, and those of a core by everything that takes part.

    Workers and daemon are up before.
    """

    def run(partitions: int) -> tuple[float, float]:
        span = span_of(partitions)
        command = ["helio_dagster", "run", "bench", format_time(span.start), format_time(span.stop), "--yes", "--json"]
        before = _cpu_s(helpers)
        answer, report = run_command(command, settings.to_environment())
        if report["status"] != "success":
            raise TrialFailed(str(report["failures"]))
        return float(answer["wall_s"]), float(answer["cpu_s"]) + _cpu_s(helpers) - before

    with ExitStack() as stack:
        helpers = set[int]()
        if count:
            daemon = stack.enter_context(running_daemon(settings))
            workers = stack.enter_context(started_workers(settings, count, settings.home / "workers.log"))
            helpers = {*daemon.pids, *(each.pid for each in workers)}
        yield run


def _cpu_s(leaders: set[int]) -> float:
    """Seconds of a core that the living processes of some sessions have used, with those of their children that have ended."""
    used, tick = 0, os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) in leaders:
            used += sum(int(each) for each in fields[11:15])
    return used / tick


def _sha(folder: Path) -> tuple[str, int]:
    """One hash over all tables and their names, and how many there are."""
    found = sorted(folder.rglob("*.parquet"))
    whole = hashlib.sha256()
    for path in found:
        whole.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return whole.hexdigest(), len(found)


if __name__ == "__main__":
    main()
