"""The CPU seconds of each test with all processes that it starts: `pytest -p tests.cpu_times --cpu-times FILE ...`.

Wall-clock times depend on whatever else the machine does, and do not show how many cores a test keeps busy. FILE gets a
line for each phase of each test: seconds, phase, the test's id. `python -m tests.cpu_times FILE... [--depth N]
[--longest N]` adds them up per folder and lists the longest. What is set up once for several tests counts for the first
of them. Do not run it with `-n`: the workers of pytest-xdist share one process that forks `helio`, and its work would
count for none of them. Processes that a test leaves behind, or starts through another program's server (PostgreSQL,
Redis, RabbitMQ), are not counted.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from pathlib import Path

import pytest

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_TIMES = slice(11, 15)
"""User, system, and both of the children that were waited for; fields of `/proc/<pid>/stat` after the command's name."""
_PARENT = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the seconds are written to."""
    parser.addoption("--cpu-times", type=Path, metavar="FILE", help="write the CPU seconds of each phase of each test")


def pytest_configure(config: pytest.Config) -> None:
    """Begin a new file."""
    if (file := config.getoption("--cpu-times")) is not None:
        config.pluginmanager.register(_Writer(file))


class _Writer:
    """Writes what was used since the last phase ended: between two phases nothing else is done."""

    def __init__(self, file: Path) -> None:
        self._file, self._before = file, cpu_s()
        file.write_text("")

    def pytest_collection_finish(self) -> None:
        self._write("collect", "collection")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(str(report.when), report.nodeid)

    def _write(self, phase: str, of: str) -> None:
        began = time.process_time()
        now = cpu_s()
        with self._file.open("a") as lines:
            lines.write(f"{now - self._before:.2f}\t{phase}\t{of}\n")
        self._before = now + time.process_time() - began  # reading /proc takes longer than many a test


def cpu_s() -> float:
    """Seconds of CPU time that this process, those below it and those that they waited for have used."""
    stats: dict[int, list[str]] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                stats[int(each.name)] = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
    ours, ticks = {os.getpid()}, 0
    while True:
        below = {pid for pid, stat in stats.items() if int(stat[_PARENT]) in ours} - ours
        if not below:
            break
        ours |= below
    for pid in ours & stats.keys():
        ticks += sum(map(int, stats[pid][_TIMES]))
    return ticks / _TICKS_PER_S


def main() -> None:
    """Print the sums per folder and the longest tests."""
    parser = argparse.ArgumentParser(description="Add up what `--cpu-times` wrote.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--depth", type=int, default=3, help="parts of the path that a sum is for")
    parser.add_argument("--longest", type=int, default=20, help="how many tests are listed")
    given = parser.parse_args()
    tests: Counter[str] = Counter()
    for file in given.files:
        for line in file.read_text().splitlines():
            seconds, _, test = line.split("\t", 2)
            tests[test] += float(seconds)  # type: ignore[assignment]  # a Counter adds up fractions, too
    folders: Counter[str] = Counter()
    for test, seconds in tests.items():
        folders["/".join(test.partition("::")[0].split("/")[: given.depth])] += seconds
    for title, sums, most in (("CPU s, per folder", folders, len(folders)), ("CPU s, longest tests", tests, given.longest)):
        print(title)
        for name, seconds in sums.most_common(most):
            print(f"{seconds:9.1f}  {name}")
    print(f"{sum(tests.values()):9.1f}  in all, {len(tests)} tests")


if __name__ == "__main__":
    main()
