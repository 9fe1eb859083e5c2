"""One replay in this process: through Dagster, without it, or as a bare loop. Started by `benchmarks.replay`."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import mkdtemp

from benchmarks.replay_pipeline import FIGURE, HALO, PIPELINE, PRODUCT, span_of, warm_span
from benchmarks.trial import Answer, reply, timed
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.cache import FileCache
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.assets.outcomes import Materialization, Observation, Record
from helio_dagster.assets.run_scope import build_materializer
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore


def main() -> None:
    """Run what the arguments name and print the answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("contender", choices=["loop", "work", "run", "run_figure"])
    parser.add_argument("partitions", type=int)
    parser.add_argument("--url", required=True)
    parser.add_argument("--cache", required=True, type=Path)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    scratch = Path(mkdtemp(prefix="helio-bench-"))
    try:
        answer = _CONTENDERS[given.contender](given, scratch)
    finally:
        shutil.rmtree(scratch)
    reply(answer)


class MemoryLedger:
    """A ledger that keeps nothing: the work of a run without Dagster."""

    def latest(self, asset: str, partitions: Sequence[str | None]) -> Mapping[str | None, Record]:  # noqa: ARG002
        """Nothing was ever recorded."""
        return {}

    def observed(self, files: str, partitions: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Nor observed."""
        return {}

    def partitions(self, asset: str) -> set[str]:  # noqa: ARG002
        """None was ever recorded."""
        return set()

    def has_any(self, asset: str) -> bool:  # noqa: ARG002
        """Nothing was ever recorded."""
        return False

    def observe(self, files: str, observations: Mapping[str, Observation]) -> None:
        """Forget it."""

    def confirm(self, asset: str, files: str, partitions: Sequence[str]) -> None:
        """Forget it."""

    def record(self, materialization: Materialization) -> None:
        """Forget it."""

    def flush(self) -> None:
        """Nothing is kept back."""


def replay_in_a_loop(given: argparse.Namespace, scratch: Path) -> Answer:
    """The same reading, computing and writing, day by day, one after the other."""
    answer: Answer = {}
    paths = _cached_paths(given)
    with CdfReader(workers=1) as reader:
        _loop(reader, TableStore(scratch / "warm"), paths, 2)
        with timed(answer, "all"):
            _loop(reader, TableStore(scratch / "data"), paths, given.partitions)
    return answer


def _loop(reader: CdfReader, store: TableStore, paths: Mapping[str, Path], partitions: int) -> None:
    span, mags = span_of(partitions), dict[str, Table]()
    magnitude, mean = get_operation("magnitude"), get_operation("rolling_mean")
    window_option, none = mean.read_options({"window": "PT10M"}), magnitude.read_options({})
    for key in Grain.DAILY.keys(span.widened(HALO, HALO)):
        window = Grain.DAILY.window(key)
        table = reader.read(paths[PRODUCT.file_name(window.start)], PRODUCT.parameter).clip(window)
        store.write("cdaweb/BENCH_MAG_16SEC/B_GSE", key, table, {})
        mags[key] = magnitude.apply({"vector": table}, none, window, "b_mag")
        store.write("bench/b_mag", key, mags[key], {})
    for key in Grain.DAILY.keys(span):
        window = Grain.DAILY.window(key)
        read = window.widened(HALO, HALO)
        series = concatenate([mags[each] for each in Grain.DAILY.keys(read)]).clip(read)
        store.write("bench/b_mean", key, mean.apply({"series": series}, window_option, window, "b_mean"), {})


def _cached_paths(given: argparse.Namespace) -> dict[str, Path]:
    span, cache = span_of(given.partitions), FileCache(given.cache / "cdaweb")
    client = CdasClient(given.url, archive="cdaweb", settings=TransferSettings())
    files = client.files(PRODUCT.id, span.start - timedelta(days=1), span.stop + timedelta(days=1))
    client.close()
    return {file.name: cache.path(file.url, file.last_modified) for file in files}


def _workbench(given: argparse.Namespace, home: Path, *, figure: bool = False) -> tuple[Workbench, Home]:
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE + (FIGURE if figure else ""))
    (home / "cache").symlink_to(given.cache)
    settings = Settings(home, home / "pipelines", given.url)
    return Workbench(settings), Home(settings)


def replay_without_dagster(given: argparse.Namespace, scratch: Path) -> Answer:
    """The materializer with its makers and threads, and a ledger that keeps nothing."""
    answer: Answer = {}
    workbench, home = _workbench(given, scratch / "home")
    pipeline, graph = home.open("bench")
    for phase, partitions in (("warm", 2), ("all", given.partitions)):
        with timed(answer, phase):
            materializer = build_materializer(graph, workbench, MemoryLedger())
            request = RunRequest(graph, pipeline, span_of(partitions))
            for name, keys in request.targets.items():
                materializer.materialize(name, keys)
        shutil.rmtree(workbench.settings.data)
    workbench.close()
    return answer


def replay_with_dagster(given: argparse.Namespace, scratch: Path) -> Answer:
    """`launch.run` on a persistent instance that was used before."""
    answer: Answer = {}
    workbench, home = _workbench(given, scratch / "home", figure=given.contender == "run_figure")
    pipeline, graph = home.open("bench")
    with timed(answer, "warm"):
        run(RunRequest(graph, pipeline, warm_span(given.partitions)), workbench)
    request = RunRequest(graph, pipeline, span_of(given.partitions))
    profile = cProfile.Profile()
    with timed(answer, "all"):
        if given.profile:
            profile.enable()
        report = run(request, workbench)
        profile.disable()
    if report.status != "success" or any(step.computed != given.partitions for step in report.steps.values()):
        raise RuntimeError(f"the replay did not do its work: {report}")
    if given.profile:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(70)
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(45)
    workbench.close()
    return answer


_CONTENDERS = {
    "loop": replay_in_a_loop,
    "work": replay_without_dagster,
    "run": replay_with_dagster,
    "run_figure": replay_with_dagster,
}

if __name__ == "__main__":
    main()
