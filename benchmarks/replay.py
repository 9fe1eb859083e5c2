"""Replaying daily partitions beside a bare loop: `python -m benchmarks.replay`.

Three steps (fetch, magnitude, ten-minute mean) over 16 s vectors whose files are in the cache. `loop` does the same reading,
computing and writing without Dagster, threads, checks or provenance; `work` is our materializer without Dagster; `run` is all
of it, and `run_figure` draws the vectors and both series over the whole range besides. Then a home lives through the command
line, every scene a fresh process beside one that only starts up.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.products import write_days
from benchmarks.replay_life import SCENES, Life
from benchmarks.replay_pipeline import PRODUCT, needed_days
from benchmarks.tables import middle, print_table, ratio, seconds
from benchmarks.trial import Answer, run_trial
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex

Answers = dict[str, list[Answer]]


def main() -> None:
    """Measure and print two tables per number of partitions, and one of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", nargs="+", type=int, default=[30, 365, 3650])
    parser.add_argument("--contenders", nargs="+", default=["loop", "work", "run", "run_figure"], help="the loop first")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument(
        "--large", type=int, default=1000, help="from so many partitions on, all is measured once, without figure"
    )
    parser.add_argument("--files", type=Path, help="a folder that keeps the made-up files from one time to the next")
    given = parser.parse_args()
    peaks: dict[int, dict[str, float]] = {}
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        for partitions in given.partitions:
            files, cache = (given.files or Path(folder, "files")) / str(partitions), Path(folder, "cache", str(partitions))
            cache.mkdir(parents=True)
            write_days(PRODUCT, files, needed_days(partitions))
            is_large = partitions >= given.large
            contenders = [name for name in given.contenders if not (is_large and name == "run_figure")]
            repetitions = 1 if is_large else given.repetitions
            with CdasServer(FileIndex(files)) as server:
                work = _measure_work(partitions, contenders, repetitions, ["--url", server.url, "--cache", str(cache)])
                lives = [Life(files, cache, server.url, partitions, seed).measure() for seed in range(repetitions)]
            scenes = {name: [life[name] for life in lives] for name in SCENES}
            _print_work(partitions, work)
            _print_life(partitions, scenes, work["loop"])
            peaks[partitions] = {"loop": middle(work["loop"], "peak_mib")} | {
                name: middle(found, "peak_mib") for name, found in scenes.items()
            }
    print_table(
        "Peak MiB of the largest process",
        ["partitions", *peaks[given.partitions[0]]],
        [_memory(*each) for each in peaks.items()],
    )


def _measure_work(partitions: int, contenders: list[str], repetitions: int, common: list[str]) -> Answers:
    run_trial(sys.executable, "benchmarks.replay_trial", ["work", str(partitions), *common])  # fills the cache
    answers: Answers = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name in contenders:
            answers[name].append(run_trial(sys.executable, "benchmarks.replay_trial", [name, str(partitions), *common]))
    return answers


def _print_work(partitions: int, answers: Answers) -> None:
    base = answers["loop"]
    rows = [
        [
            name,
            seconds(middle(found, "all_wall_s")),
            ratio(middle(found, "all_wall_s"), middle(base, "all_wall_s")),
            seconds(middle(found, "all_cpu_s")),
            ratio(middle(found, "all_cpu_s"), middle(base, "all_cpu_s")),
            f"{middle(found, 'peak_mib'):.0f} + {middle(found, 'children_peak_mib'):.0f}",
        ]
        for name, found in answers.items()
    ]
    header = ["contender", "wall s", "ratio", "CPU s", "ratio", "peak MiB + worker"]
    print_table(f"{partitions} daily partitions of three steps, first time, median of {len(base)}", header, rows)


def _print_life(partitions: int, scenes: Answers, loop: list[Answer]) -> None:
    every = [answer for found in scenes.values() for answer in found]
    startup_s, startup_cpu_s = middle(every, "startup_wall_s"), middle(every, "startup_cpu_s")
    rows = [["start-up alone", "–", seconds(startup_s), "–", "–", "–"]]
    for name, found in scenes.items():
        beyond_s = middle(found, "wall_s") - startup_s
        beyond_cpu_s = middle(found, "cpu_s") - startup_cpu_s
        rows.append(
            [
                SCENES[name],
                str(found[0]["made"]),
                seconds(middle(found, "wall_s")),
                seconds(beyond_s),
                seconds(beyond_cpu_s),
                ratio(beyond_cpu_s, middle(loop, "all_cpu_s")),
            ]
        )
    header = ["command", "made", "wall s", "beyond start-up: wall s", "CPU s", "CPU of the loop"]
    print_table(f"{partitions} daily partitions from the command line, median of {len(loop)}", header, rows)


def _memory(partitions: int, peaks: dict[str, float]) -> list[str]:
    return [str(partitions), *(f"{value:.0f}" for value in peaks.values())]


if __name__ == "__main__":
    main()
