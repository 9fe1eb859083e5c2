"""Killing replays at random moments: `python -m benchmarks.kills`.

A run of 60 daily partitions, downloads included, gets SIGKILL several times, alone or with its workers, until the same command
may complete. Then everything is held against a run that nobody disturbed. Ends with 1 on any difference.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import run_command
from benchmarks.leftovers import FINDINGS, examine, table_files
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.tables import print_table
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.time_range import format_time


@dataclass
class Kills:
    """What was killed: at which share of the files, and how."""

    shares: list[float] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Kill, complete, compare; print a table; end with 1 on a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--partitions", type=int, default=60)
    parser.add_argument("--most-kills", type=int, default=5, help="of one run, before it may complete")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, kills, found = random.Random(given.seed), Kills(), dict.fromkeys(FINDINGS, 0)
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        files = Path(folder, "files")
        write_days(PRODUCT, files, needed_days(given.partitions))
        with CdasServer(FileIndex(files)) as server:
            span = span_of(given.partitions)
            command = ["helio_dagster", "run", "bench", format_time(span.start), format_time(span.stop), "--json"]
            undisturbed = make_home(Path(folder, "undisturbed"), server.url)
            run_command(command, undisturbed)
            wanted, files_made = table_files(Path(undisturbed["HELIO_HOME"])), count_files(Path(undisturbed["HELIO_HOME"]))
            for number in range(given.runs):
                environment = make_home(Path(folder, f"home{number}"), server.url)
                for _ in range(chance.randint(2, given.most_kills)):
                    kill_once(command, environment, chance, files_made, kills)
                run_command(command, environment)
                for finding, places in examine(Path(environment["HELIO_HOME"]), wanted).items():
                    found[finding] += bool(places)
                    for place in places[:5]:
                        print(f"run {number}: {finding}: {place}", flush=True)
                shutil.rmtree(environment["HELIO_HOME"])
                print(f"{number + 1} of {given.runs} runs completed", file=sys.stderr, flush=True)
    shares = sorted(kills.shares)
    print_table(
        f"{given.runs} runs of {given.partitions} partitions of three steps, {len(shares)} times killed",
        ["", ""],
        [
            ["alone / with its workers", f"{kills.kinds['alone']} / {kills.kinds['with workers']}"],
            ["not in time", str(kills.kinds["not in time"])],
            [
                "files there when killed: lowest, quartiles, highest",
                ", ".join(f"{_at(shares, part / 4):.0%}" for part in range(5)),
            ],
            *([f"runs with {finding}", str(count)] for finding, count in found.items()),
        ],
    )
    sys.exit(any(found.values()))


def _at(ordered: list[float], share: float) -> float:
    return ordered[round(share * (len(ordered) - 1))]


def make_home(home: Path, url: str) -> dict[str, str]:
    """An empty home with the pipeline, and the environment that names it."""
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return {"HELIO_HOME": str(home), "HELIO_PIPELINES": str(home / "pipelines"), "HELIO_CDAWEB_URL": url}


def kill_once(command: list[str], environment: Mapping[str, str], chance: random.Random, files: int, kills: Kills) -> None:
    """Start the command and kill it at a random moment of its work, told by the files that it has brought about."""
    home = Path(environment["HELIO_HOME"])
    here = count_files(home)
    wanted = here + chance.random() * (files - here)
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    while count_files(home) < wanted and process.poll() is None:
        time.sleep(0.005)
    time.sleep(chance.random() * 0.1)
    is_alone, is_late = chance.random() < 0.5, process.poll() is not None
    kills.kinds["not in time" if is_late else "alone" if is_alone else "with workers"] += 1
    if is_alone or is_late:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kills.shares.append(count_files(home) / files)


def count_files(home: Path) -> int:
    """How many tables and archive files a home holds."""
    return sum(len(files) for part in ("data", "cache") for _, _, files in os.walk(home / part))


if __name__ == "__main__":
    main()
