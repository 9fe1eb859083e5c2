"""Runs on one, two and four workers that wait for a slow archive: `python -m benchmarks.workers`.

The archive on loopback lets each file wait, so that cores matter little. Each contender has a home, a database and a queue of
its own; the tables of all of them are compared, byte by byte, with those of a run in one process.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import TrialFailed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.web.daemon import running_daemon
from helio_dagster.storage.settings import Settings
from tests.brokers import BROKER, started_workers

_POOL = "archive_cdaweb"


class SlowFiles(FileIndex):
    """A folder of files, each of which is a while in coming."""

    def __init__(self, folder: Path, pause_s: float) -> None:
        super().__init__(folder)
        self._pause_s = pause_s

    def read(self, name: str) -> bytes:
        """A file's bytes, after the pause."""
        time.sleep(self._pause_s)
        return super().read(name)


@dataclass(frozen=True)
class Contender:
    """How many workers there are, none for a run in its own process, and how many runs may fetch at a time."""

    workers: int
    fetching: int

    @property
    def name(self) -> str:
        """What the table calls it."""
        if not self.workers:
            return "no workers"
        return f"{self.workers} worker{'s' if self.workers > 1 else ''}, {self.fetching} fetching"


CONTENDERS = [Contender(0, 1), Contender(1, 1), Contender(2, 1), Contender(4, 1), Contender(4, 4)]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=60)
    parser.add_argument("--piece", type=int, default=10, help="partitions of one run on a worker")
    parser.add_argument("--pause", type=float, default=2.0, help="how long each file takes, in s")
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="who may create databases")
    given = parser.parse_args()
    rows, base, first = [], 0.0, ""
    with TemporaryDirectory(prefix="helio-bench-") as folder, ExitStack() as archives:
        write_days(PRODUCT, Path(folder, "files"), needed_days(given.partitions))
        archive = archives.enter_context(
            CdasServer(SlowFiles(Path(folder, "files"), given.pause))
        )  # its address is in the tables
        for number, contender in enumerate(CONTENDERS):
            before, archive.most_at_once = archive.count(".cdf"), 0
            with ExitStack() as stack:
                record = stack.enter_context(new_database(given.postgres)) if contender.workers else None
                settings = _home(Path(folder, f"home{number}"), archive.url, record, contender, given.piece)
                wall_s = stack.enter_context(_working(settings, contender))(given.partitions)
                files, most = archive.count(".cdf") - before, archive.most_at_once
            sha, tables = _sha(settings.data)
            base, first = base or wall_s, first or sha
            print(
                f"{contender.name}: {wall_s:.1f} s, {files} files, {most} at once, {tables} tables, {sha[:12]}", file=sys.stderr
            )
            rows.append(
                [
                    contender.name,
                    seconds(wall_s),
                    ratio(wall_s, base),
                    str(files),
                    str(most),
                    str(tables),
                    "same" if sha == first else "DIFFER",
                ]
            )
    header = ["contender", "s", "ratio", "files asked for", "at once, most", "tables", "bytes"]
    least = given.partitions * given.pause / 5
    print_table(
        f"{given.partitions} daily partitions of three steps, {given.pause:g} s for each file, {least:.0f} s at five at a time",
        header,
        rows,
    )


def _home(folder: Path, url: str, record: str | None, contender: Contender, piece: int) -> Settings:
    (folder / "pipelines").mkdir(parents=True)
    (folder / "pipelines" / "bench.yaml").write_text(PIPELINE)
    dispatch = Dispatch(BROKER, partitions=piece, at_once=contender.workers) if contender.workers else None
    return Settings(folder, folder / "pipelines", url, postgres=record, dispatch=dispatch)


@contextmanager
def _working(settings: Settings, contender: Contender) -> Iterator[Callable[[int], float]]:
    """What runs so many partitions and gives the seconds that it took, with workers and a daemon that are up already."""

    def run(partitions: int) -> float:
        span = span_of(partitions)
        command = ["helio_dagster", "run", "bench", format_time(span.start), format_time(span.stop), "--yes", "--json"]
        answer, report = run_command(command, settings.to_environment())
        if report["status"] != "success":
            raise TrialFailed(str(report["failures"]))
        return float(answer["wall_s"])

    with ExitStack() as stack:
        if contender.workers:
            stack.enter_context(running_daemon(settings))
            stack.enter_context(started_workers(settings, contender.workers, settings.home / "workers.log"))
            if contender.fetching > 1:
                _limit_pool(settings, contender.fetching)
        yield run


def _limit_pool(settings: Settings, number: int) -> None:
    """Let so many runs fetch from the archive at a time, by Dagster's own command."""
    command = [str(Path(sys.executable).parent / "dagster"), "instance", "concurrency", "set", _POOL, str(number)]
    environment = {**os.environ, **settings.to_environment(), "DAGSTER_HOME": str(settings.instance)}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _sha(folder: Path) -> tuple[str, int]:
    """One hash over all tables and their names, and how many there are."""
    found = sorted(folder.rglob("*.parquet"))
    whole = hashlib.sha256()
    for path in found:
        whole.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return whole.hexdigest(), len(found)


if __name__ == "__main__":
    main()
