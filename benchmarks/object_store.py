"""Tables in an object store beside a folder: `python -m benchmarks.object_store`.

Three steps over daily files, downloads from loopback included, as `helio run` makes them; then a run with nothing to do, and
`helio status` of all partitions. The store is a server for S3 on this machine, so the figures are processor time of `helio` and
numbers of requests; how long they take is up to a network. With `--postgres` the record of the home with the store is in
PostgreSQL, as it is beyond one machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table, ratio, seconds
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.time_range import format_time
from helio_dagster.storage.settings import Settings
from tests.object_store import ObjectService, object_service

SCENES = ("run", "nothing to do", "status")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=90)
    parser.add_argument("--postgres", help="who may create databases, such as postgresql://postgres@127.0.0.1:5432/postgres")
    given = parser.parse_args()
    partitions = given.partitions
    with TemporaryDirectory(prefix="helio-bench-") as folder, object_service() as service:
        write_days(PRODUCT, Path(folder, "files"), needed_days(partitions))
        record = new_database(given.postgres) if given.postgres else nullcontext()
        with CdasServer(FileIndex(Path(folder, "files"))) as archive, record as address:
            base = _home(folder, "folder", archive.url)
            ours = replace(_home(folder, "store", archive.url), tables=service.new_bucket(), postgres=address)
            rows = [_row(scene, partitions, base, ours, service) for scene in SCENES]
    header = ["scene", "folder s", "CPU s", "store s", "CPU s", "ratio of CPU", "written", "read", "listings", "deleted"]
    what = ", the store's home with its record in PostgreSQL" if given.postgres else ""
    print_table(f"{partitions} daily partitions of three steps{what}", header, rows)


def _home(folder: str, name: str, url: str) -> Settings:
    home = Path(folder, name)
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return Settings(home, home / "pipelines", url)


def _row(scene: str, partitions: int, base: Settings, ours: Settings, service: ObjectService) -> list[str]:
    """Seconds of both, and the requests of ours."""
    base_s, base_cpu_s = _taken(scene, partitions, base, {})
    service.gate.requests.clear()
    wall_s, cpu_s = _taken(scene, partitions, ours, service.environment())
    count = service.gate.count
    counts = [count("PUT"), count("GET"), count("GET", listing=True), count("POST") + count("DELETE")]
    taken = [seconds(each) for each in (base_s, base_cpu_s, wall_s, cpu_s)]
    return [scene, *taken, ratio(cpu_s, base_cpu_s), *map(str, counts)]


def _taken(scene: str, partitions: int, settings: Settings, keys: Mapping[str, str]) -> tuple[float, float]:
    """Seconds that passed, and those of a core."""
    span = span_of(partitions)
    asked = ["bench", format_time(span.start), format_time(span.stop)]
    command = ["status", *asked, "--json"] if scene == "status" else ["run", *asked, "--yes", "--json"]
    answer, _ = run_command(["helio_dagster", *command], {**settings.to_environment(), **keys})
    return float(answer["wall_s"]), float(answer["cpu_s"])


if __name__ == "__main__":
    main()
