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
    """What was killed: at which share of the work, and how."""

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
            answer, _ = run_command(command, undisturbed)
            wanted = table_files(Path(undisturbed["HELIO_HOME"]))
            for number in range(given.runs):
                environment = make_home(Path(folder, f"home{number}"), server.url)
                for _ in range(chance.randint(2, given.most_kills)):
                    kill_once(command, environment, chance, float(answer["wall_s"]), len(wanted), kills)
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
            [
                "before its first table / in between / not in time",
                " / ".join(str(number) for number in _moments(shares, kills)),
            ],
            *([f"runs with {finding}", str(count)] for finding, count in found.items()),
        ],
    )
    sys.exit(any(found.values()))


def _moments(shares: list[float], kills: Kills) -> tuple[int, int, int]:
    late = kills.kinds["not in time"]
    early = sum(share == 0 for share in shares)
    return early, len(shares) - early - late, late


def make_home(home: Path, url: str) -> dict[str, str]:
    """An empty home with the pipeline, and the environment that names it."""
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return {"HELIO_HOME": str(home), "HELIO_PIPELINES": str(home / "pipelines"), "HELIO_CDAWEB_URL": url}


def kill_once(
    command: list[str], environment: Mapping[str, str], chance: random.Random, usual_s: float, tables: int, kills: Kills
) -> None:
    """Start the command and kill it at a random moment of its usual time."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(chance.uniform(0.2, 1.0) * usual_s)
    is_alone = chance.random() < 0.5
    kills.kinds["not in time" if process.poll() is not None else "alone" if is_alone else "with workers"] += 1
    if is_alone or process.poll() is not None:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kills.shares.append(len(table_files(Path(environment["HELIO_HOME"]))) / tables)


if __name__ == "__main__":
    main()
