"""Replaying daily partitions beside a bare loop: `python -m benchmarks.replay`.

Three steps (fetch, magnitude, ten-minute mean) over 16 s vectors whose files are in the cache. `loop` does the same reading,
computing and writing without Dagster, threads, checks or provenance; `work` is our materializer without Dagster; `run` is all
of it, and `run_figure` draws the vectors and both series over the whole range besides.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.products import days, write_days
from benchmarks.replay_trial import PRODUCT
from benchmarks.tables import middle, print_table, ratio, seconds
from benchmarks.trial import Answer, run_trial
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex

_MARGIN = 9
"""Days beyond the partitions: their halos and the warm-up."""


def main() -> None:
    """Measure and print one table per number of partitions, and one for status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", nargs="+", type=int, default=[30, 365])
    parser.add_argument("--contenders", nargs="+", default=["loop", "work", "run", "run_figure"])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--status", type=int, default=3650, help="partitions of the status table; 0 leaves it out")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        files, cache = Path(folder, "files"), Path(folder, "cache")
        cache.mkdir()
        write_days(PRODUCT, files, days(max(given.partitions) + _MARGIN))
        with CdasServer(FileIndex(files)) as server:
            for partitions in given.partitions:
                _measure(partitions, given.contenders, given.repetitions, ["--url", server.url, "--cache", str(cache)])
            if given.status:
                _measure_status(given.status, given.repetitions, ["--url", server.url, "--cache", str(cache)])


def _measure(partitions: int, contenders: list[str], repetitions: int, common: list[str]) -> None:
    run_trial(sys.executable, "benchmarks.replay_trial", ["work", str(partitions), *common])  # fills the cache
    answers: dict[str, list[Answer]] = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name in contenders:
            answers[name].append(run_trial(sys.executable, "benchmarks.replay_trial", [name, str(partitions), *common]))
    base = answers[contenders[0]]
    rows = [
        [
            name,
            seconds(middle(found, "all_wall_s")),
            ratio(middle(found, "all_wall_s"), middle(base, "all_wall_s")),
            seconds(middle(found, "all_cpu_s")),
            ratio(middle(found, "all_cpu_s"), middle(base, "all_cpu_s")),
            seconds(middle(found, "nothing_wall_s")) if "nothing_wall_s" in found[0] else "–",
            seconds(middle(found, "status_wall_s")) if "status_wall_s" in found[0] else "–",
            f"{middle(found, 'peak_mib'):.0f} + {middle(found, 'children_peak_mib'):.0f}",
        ]
        for name, found in answers.items()
    ]
    header = ["contender", "wall s", "ratio", "CPU s", "ratio", "run again s", "status s", "peak MiB + worker"]
    print_table(f"{partitions} daily partitions of three steps, median of {repetitions}", header, rows)


def _measure_status(partitions: int, repetitions: int, common: list[str]) -> None:
    found = [
        run_trial(sys.executable, "benchmarks.replay_trial", ["status", str(partitions), *common]) for _ in range(repetitions)
    ]
    rows = [[str(partitions), seconds(middle(found, "all_wall_s")), f"{middle(found, 'peak_mib'):.0f}"]]
    print_table("State of three assets, all fresh", ["partitions each", "wall s", "peak MiB"], rows)


if __name__ == "__main__":
    main()
