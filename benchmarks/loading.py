"""Loading many pipelines from their files: `python -m benchmarks.loading`.

What a code server does before the web UI shows anything, in a fresh process per trial, imports done: `library_definitions`
reads the files, checks them, builds the graph and the assets; Dagster makes a repository of them, and packs what is sent to
the web server. Reading and checking are measured once more by themselves.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.tables import middle, print_table, seconds
from benchmarks.trial import Answer, reply, run_trial, timed

PIPELINE = """version: 1
name: p{number:04d}
title: Magnetic field overview {number}
description: The magnetic field vector, its magnitude, and the ten-minute running mean of the magnitude.
partitions: daily
start: 1997-09-02
steps:
  - id: b_gse
    intent: Fetch the magnetic field vector in GSE
    fetch: {{archive: cdaweb, dataset: BENCH_H{dataset}_MFI, parameter: BGSEc}}
  - id: b_mag
    intent: Magnitude of the field
    compute: {{operation: magnitude, inputs: {{vector: b_gse}}}}
  - id: b_mean
    intent: Running mean of the magnitude
    compute: {{operation: rolling_mean, inputs: {{series: b_mag}}, options: {{window: PT{minutes}M}}}}
  - id: overview
    intent: Vector on top, magnitude and its mean below
    figure:
      panels:
        - traces: [{{data: b_gse}}]
          y: {{title: B GSE}}
        - traces: [{{data: b_mag, color: silver}}, {{data: b_mean, color: firebrick}}]
          y: {{title: "|B|"}}
"""
PHASES = {
    "all": "all",
    "definitions": "definitions",
    "read": "of which files",
    "graph": "of which check, graph",
    "repository": "repository",
    "pack": "pack",
}
_DATASETS = 50
"""Fetches are shared, as in a home that watches a few dozen products."""


def main() -> None:
    """Print one row per number of pipelines; with `--home`, load that one home and print the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pipelines", nargs="+", type=int, default=[1, 100, 1000])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.home:
        reply(load(given.home))
        return
    rows = []
    for count in given.pipelines:
        with TemporaryDirectory(prefix="helio-bench-") as folder:
            write_pipelines(Path(folder), count)
            found = [run_trial(sys.executable, "benchmarks.loading", ["--home", folder]) for _ in range(given.repetitions)]
        steps = [seconds(middle(found, f"{phase}_cpu_s")) for phase in PHASES]
        rows.append([str(count), *steps, seconds(middle(found, "all_wall_s")), f"{middle(found, 'peak_mib'):.0f}"])
    header = ["pipelines", *(f"{title}: CPU s" for title in PHASES.values()), "wall s", "peak MiB"]
    print_table(f"Loading definitions from files, median of {given.repetitions}", header, rows)


def write_pipelines(home: Path, count: int) -> None:
    """Write so many pipelines into a home."""
    (home / "pipelines").mkdir()
    for number in range(count):
        text = PIPELINE.format(number=number, dataset=number % _DATASETS, minutes=2 + number % 58)
        (home / "pipelines" / f"p{number:04d}.yaml").write_text(text)


def load(home: Path) -> Answer:
    """Load a home as `definitions.library_definitions` and the code server after it do, phase by phase."""
    from dagster._core.remote_representation.external_data import RepositorySnap
    from dagster._serdes import serialize_value

    from helio_dagster.assets.library import graph_of
    from helio_dagster.definitions import library_definitions
    from helio_dagster.storage.pipeline_library import PipelineLibrary
    from helio_dagster.storage.settings import Settings

    answer: Answer = {}
    settings = Settings(home, home / "pipelines")
    with timed(answer, "read"):
        files = {found.pipeline.name: found for found in PipelineLibrary(settings.pipelines).load_all()}
    with timed(answer, "graph"):
        graph_of(files)
    with timed(answer, "all"):
        with timed(answer, "definitions"):
            definitions = library_definitions(settings)
        with timed(answer, "repository"):
            repository = definitions.get_repository_def()
        with timed(answer, "pack"):
            repository.load_all_definitions()
            serialize_value(RepositorySnap.from_def(repository))
    return answer


if __name__ == "__main__":
    main()
