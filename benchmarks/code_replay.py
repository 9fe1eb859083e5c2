"""How much of a replay the confinement of its code takes: `python -m benchmarks.code_replay`.

Daily partitions of fetch, magnitude and a step of code (the fluctuation of the design), 16 s vectors, files in the cache;
beside it the same pipeline whose last step is a registered operation. The sandbox's share is the time inside its calls.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import pandas as pd

from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of, warm_span
from benchmarks.tables import middle, print_table, ratio, seconds
from benchmarks.trial import Answer, reply, run_trial, timed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.resources.workbench import Workbench
from helio_dagster.sandbox import Answer as CodeAnswer
from helio_dagster.sandbox import Sandbox
from helio_dagster.sandbox.wire import Rows
from helio_dagster.storage.settings import Settings

CODED = PIPELINE.split("  - id: b_mean")[0] + (
    "  - id: b_rms\n    compute:\n      inputs: {b: b_mag}\n      lookback: PT10M\n      lookahead: PT10M\n"
    "      unit: nT\n      code: |\n"
    '        d = b - b.rolling("10min", center=True).mean()\n'
    '        return (d ** 2).rolling("10min", center=True).mean() ** 0.5\n'
)


class TimedSandbox(Sandbox):
    """Adds up what its calls take."""

    taken_s = 0.0

    def call(
        self,
        body: str,
        inputs: Mapping[str, pd.DataFrame],
        *,
        name: str = "code",
        options: Mapping[str, Any] | None = None,
        rows: Rows = "samples",
        results: Mapping[str, Rows] | None = None,
    ) -> CodeAnswer:
        """As `Sandbox.call`."""
        began = time.perf_counter()
        try:
            return super().call(body, inputs, name=name, options=options, rows=rows, results=results)
        finally:
            self.taken_s += time.perf_counter() - began


def main() -> None:
    """Measure, or be one measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=365)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--trial", choices=["operation", "code"])
    parser.add_argument("--url")
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    if given.trial:
        reply(_replay(given))
        return
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        files, cache = Path(folder, "files"), Path(folder, "cache")
        cache.mkdir()
        write_days(PRODUCT, files, needed_days(given.partitions))
        found: dict[str, list[Answer]] = {"operation": [], "code": []}
        with CdasServer(FileIndex(files)) as server:
            for _ in range(given.repetitions + 1):
                for name, answers in found.items():
                    common = [
                        "--partitions",
                        str(given.partitions),
                        "--trial",
                        name,
                        "--url",
                        server.url,
                        "--cache",
                        str(cache),
                    ]
                    answers.append(run_trial(sys.executable, "benchmarks.code_replay", common))
    counted = {name: each[1:] for name, each in found.items()}  # the first one downloads
    base = middle(counted["operation"], "all_wall_s")
    rows = [
        [name, seconds(middle(each, "all_wall_s")), ratio(middle(each, "all_wall_s"), base), seconds(middle(each, "sandbox_s"))]
        for name, each in counted.items()
    ]
    print_table(
        f"{given.partitions} daily partitions of three steps, the last one", ["", "wall s", "ratio", "in the sandbox s"], rows
    )


def _replay(given: argparse.Namespace) -> Answer:
    scratch, answer = Path(mkdtemp(prefix="helio-bench-")), Answer()
    try:
        home = scratch / "home"
        (home / "pipelines").mkdir(parents=True)
        (home / "pipelines" / "bench.yaml").write_text(CODED if given.trial == "code" else PIPELINE)
        (home / "cache").symlink_to(given.cache)
        settings = Settings(home, home / "pipelines", given.url)
        workbench = Workbench(settings)
        sandbox = TimedSandbox()
        workbench.workers.__dict__["sandbox"] = sandbox
        pipeline, graph = Home(settings).open("bench")
        run(RunRequest(graph, pipeline, warm_span(given.partitions)), workbench)
        sandbox.taken_s = 0.0
        with timed(answer, "all"):
            report = run(RunRequest(graph, pipeline, span_of(given.partitions)), workbench)
        if report.status != "success":
            raise RuntimeError(f"the replay did not do its work: {report}")
        if (given.trial == "code") != (sandbox.taken_s > 0):
            raise RuntimeError(
                f"the sandbox that is watched took {sandbox.taken_s:g} s of the {given.trial}: it is not the one used"
            )
        answer["sandbox_s"] = sandbox.taken_s
        workbench.close()
    finally:
        shutil.rmtree(scratch)
    return answer


if __name__ == "__main__":
    main()
