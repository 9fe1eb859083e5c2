"""Our own way from an archive to Parquet files, all its promises included. Run by `benchmarks.fetch`, a process a trial."""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np

from benchmarks.replay_trial import MemoryLedger
from benchmarks.trial import Answer, reply, timed
from helio_dagster.assets.run_scope import build_materializer
from helio_dagster.domain.grain import Grain
from helio_dagster.launch.home import Home
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings

_PIPELINE = """version: 1
name: bench
title: Benchmark
partitions: daily
start: 2020-01-01
steps:
  - id: b
    fetch: {{archive: cdaweb, dataset: {dataset}, parameter: {parameter}}}
"""


def main() -> None:
    """Warm up on two days (which starts the workers), fetch and store the others, say what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("job", help="what to fetch, as JSON")
    job = json.loads(parser.parse_args().job)
    answer: Answer = {}
    with tempfile.TemporaryDirectory(prefix="helio-bench-") as scratch:
        home = Path(scratch)
        (home / "pipelines").mkdir()
        (home / "pipelines" / "bench.yaml").write_text(_PIPELINE.format(**job))
        settings = Settings(home, home / "pipelines", job["service"])
        workbench, graph = Workbench(settings), Home(settings).open("bench")[1]
        name = next(iter(graph.nodes))
        for phase, wanted in (("first", job["warm"]), ("all", job["days"])):
            keys: list[str | None] = [Grain.DAILY.key(datetime.fromisoformat(day)) for day in wanted]
            with timed(answer, phase):
                made = build_materializer(graph, workbench, MemoryLedger()).materialize(name, keys)
        if any(outcome.state != "computed" for outcome in made.values()):
            raise RuntimeError(f"not all was fetched: {made}")
        tables = [workbench.store.read(name, key) for key in made]
        workbench.close()
        values = np.concatenate([np.concatenate([*table.columns.values()]) for table in tables])
        valid = ~np.isnan(values)
        answer |= {
            "records": sum(map(len, tables)),
            "valid": int(valid.sum()),
            "sum": float(values[valid].astype("float64").sum()),
        }
        reply(answer)


if __name__ == "__main__":
    main()
