"""What confining a step's code costs, beside the same code in this process; and whether many calls leave anything behind.

`python -m benchmarks.sandbox` measures calls; `python -m benchmarks.sandbox --soak 20000` makes that many, good and bad.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from benchmarks.tables import print_table, ratio
from helio_dagster.domain.errors import ComputeError
from helio_dagster.sandbox import Sandbox, SandboxLimits
from helio_dagster.sandbox.function import body_to_function
from helio_dagster.sandbox.libraries import NAMES, load_scipy

BODIES = {
    "b * 2": "return b * 2.0",
    "fluctuation": "d = b - b.rolling('10min').mean()\nreturn (d ** 2).rolling('10min').mean() ** 0.5",
}
"""The least there is to compute, and the example of the design."""
SIZES = {"no rows": 0, "86,400 x 4": 86_400, "1,400,000 x 4": 1_400_000}
PAUSE_S = 0.03
SOAK_BODIES = (
    "return b * 2",
    "1/0",
    "return",
    "import os\nos._exit(3)",
    "print('x' * 200_000)\nreturn b",
    "return np.ones(10**12)",
)
_COLUMNS = 4


@dataclass(frozen=True)
class Held:
    """What this process and the worker hold."""

    own_mib: float
    own_descriptors: int
    worker_mib: float
    worker_descriptors: int
    processes: int


def make_frame(rows: int) -> pd.DataFrame:
    """Second data of four columns."""
    index = pd.date_range("2024-01-01", periods=rows, freq="s", tz="UTC", name="time")
    values = np.random.default_rng(0).normal(size=(_COLUMNS, rows))
    frame = pd.DataFrame({f"b{k}": values[k] for k in range(_COLUMNS)}, index=index, copy=False)
    frame.attrs = {"unit": "nT", "units": {f"b{k}": "nT" for k in range(_COLUMNS)}, "frame": "GSE"}
    return frame


def time_calls(calls: dict[str, Callable[[], object]], repetitions: int, pause_s: float) -> dict[str, list[float]]:
    """Seconds of each call, taken in turns, after one that does not count; with a pause before each, in which data are read."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repetitions + 1):
        for name, call in calls.items():
            time.sleep(pause_s)
            began = time.perf_counter()
            call()
            if turn:
                taken[name].append(time.perf_counter() - began)
    return taken


def measure_cost(repetitions: int) -> None:
    """Print what a call costs, by size and body."""
    rows = []
    began = time.perf_counter()
    with Sandbox() as sandbox:
        sandbox.start(needs_scipy=True)
        load_scipy()
        start_s = time.perf_counter() - began
        for size, count in SIZES.items():
            frame = make_frame(count)
            for label, body in BODIES.items():
                function = body_to_function(body, ["b"], NAMES)
                calls: dict[str, Callable[[], object]] = {
                    "inside": partial(function, b=frame),
                    "confined": partial(sandbox.call, body, {"b": frame}),
                }
                turns = max(5, repetitions // (1 + count // 20_000))
                at_once, apart = (time_calls(calls, turns, pause_s) for pause_s in (0.0, PAUSE_S))
                inside, confined = median(apart["inside"]), median(apart["confined"])
                numbers = (inside, confined, min(apart["confined"]), median(at_once["confined"]), confined - inside)
                rows.append([size, label, *(f"{1000 * each:.1f}" for each in numbers), ratio(confined, inside)])
        rates = [["one thread", f"{_rate(sandbox, 1):.0f}"], ["two threads", f"{_rate(sandbox, 2):.0f}"]]
    header = ["input", "code", "in process ms", "confined ms", "least ms", "without pauses ms", "difference ms", "ratio"]
    print_table(
        f"A call, confined and in process: medians, {1000 * PAUSE_S:.0f} ms between calls; a worker starts in {start_s:.1f} s",
        header,
        rows,
    )
    print_table("Calls without rows, a second", ["called from", "calls"], rates)


def soak(calls: int) -> None:
    """Make many calls from two threads, one in five of them bad; print what is held before, amid and after."""
    frame = make_frame(100)
    limits = SandboxLimits(cpu_s=5, wall_s=10)
    with Sandbox(limits) as sandbox:
        _call_many(sandbox, frame, 200)
        rows = [["after 200 calls", *_cells(_settled(sandbox))]]
        began = time.perf_counter()
        for part in range(1, 5):
            _call_many(sandbox, frame, calls // 4)
            rows.append([f"after {part * (calls // 4)} more", *_cells(_settled(sandbox))])
        seconds = time.perf_counter() - began
    header = ["", "own MiB", "own descriptors", "worker MiB", "worker descriptors", "its processes"]
    print_table(f"{calls} calls in {seconds:.0f} s", header, rows)


def _call_many(sandbox: Sandbox, frame: pd.DataFrame, count: int) -> None:
    def call(number: int) -> None:
        bad = SOAK_BODIES[1 + number // 5 % (len(SOAK_BODIES) - 1)]
        body = SOAK_BODIES[0] if number % 5 else bad
        try:
            sandbox.call(body, {"b": frame})
        except ComputeError:
            if body == SOAK_BODIES[0]:
                raise

    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(call, range(count)):
            pass


def _rate(sandbox: Sandbox, threads: int, calls: int = 100) -> float:
    frame = make_frame(0)
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda _: sandbox.call("return b", {"b": frame}), range(calls)):
            pass
    return calls / (time.perf_counter() - began)


def _settled(sandbox: Sandbox) -> Held:
    """What is held when the last call's process is gone."""
    worker = sandbox.start().worker.pid
    time.sleep(0.5)
    children = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
    return Held(_mib(os.getpid()), _descriptors(os.getpid()), _mib(worker), _descriptors(worker), len(children))


def _cells(held: Held) -> list[str]:
    numbers = (held.own_descriptors, held.worker_mib, held.worker_descriptors, held.processes)
    return [f"{held.own_mib:.1f}", *(f"{number:.1f}" if isinstance(number, float) else str(number) for number in numbers)]


def _mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _descriptors(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def main() -> None:
    """Measure the cost, or soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=int, metavar="CALLS", help="make so many calls and watch what is held")
    parser.add_argument("--repetitions", type=int, default=100, help="calls of each kind without rows; fewer of large ones")
    given = parser.parse_args()
    if given.soak:
        soak(given.soak)
    else:
        measure_cost(given.repetitions)


if __name__ == "__main__":
    main()
