"""A record in PostgreSQL beside one in SQLite: `python -m benchmarks.shared_record`.

Three steps over daily files, downloads from loopback included, as `helio run` makes them; then a run with nothing to do, and
`helio status` of all partitions. Each contender has a home of its own, and each repetition a database of its own.
"""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import psycopg2

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.tables import print_table, ratio, seconds
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.time_range import format_time
from helio_dagster.storage.settings import Settings

SCENES = ("run", "nothing to do", "status")
Figures = dict[str, list[tuple[float, float]]]
"""Scene to the wall and processor seconds of each repetition."""


def main() -> None:
    """Measure and print a table per number of partitions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", nargs="+", type=int, default=[365, 3650])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="who may create databases")
    given = parser.parse_args()
    for partitions in given.partitions:
        sqlite, postgres = _measured(partitions, given.repetitions if partitions < 1000 else 1, given.postgres)
        rows = [
            [
                scene,
                *(seconds(median(each)) for each in zip(*sqlite[scene], strict=True)),
                *(seconds(median(each)) for each in zip(*postgres[scene], strict=True)),
                *(
                    ratio(median(ours), median(base))
                    for ours, base in zip(zip(*postgres[scene], strict=True), zip(*sqlite[scene], strict=True), strict=True)
                ),
            ]
            for scene in SCENES
        ]
        header = ["scene", "SQLite s", "CPU s", "PostgreSQL s", "CPU s", "ratio", "ratio of CPU"]
        print_table(f"{partitions} daily partitions of three steps", header, rows)


def _measured(partitions: int, repetitions: int, server: str) -> tuple[Figures, Figures]:
    """What SQLite and PostgreSQL took, in turn."""
    sqlite: Figures = {scene: [] for scene in SCENES}
    postgres: Figures = {scene: [] for scene in SCENES}
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        write_days(PRODUCT, Path(folder, "files"), needed_days(partitions))
        with CdasServer(FileIndex(Path(folder, "files"))) as archive:
            for number in range(repetitions):
                _live(_home(folder, f"sqlite{number}", archive.url, None), partitions, sqlite)
                with new_database(server) as address:
                    _live(_home(folder, f"postgres{number}", archive.url, address), partitions, postgres)
    return sqlite, postgres


def _home(folder: str, name: str, url: str, record: str | None) -> Settings:
    home = Path(folder, name)
    (home / "pipelines").mkdir(parents=True)
    (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
    return Settings(home, home / "pipelines", url, postgres=record)


def _live(settings: Settings, partitions: int, figures: Figures) -> None:
    span = span_of(partitions)
    asked = ["bench", format_time(span.start), format_time(span.stop)]
    for scene in SCENES:
        command = ["status", *asked, "--json"] if scene == "status" else ["run", *asked, "--yes", "--json"]
        answer, _ = run_command(["helio_dagster", *command], settings.to_environment())
        figures[scene].append((float(answer["wall_s"]), float(answer["cpu_s"])))


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """The address of a database of its own, dropped afterwards."""
    name = f"helio_bench_{secrets.token_hex(6)}"
    _do(server, f"CREATE DATABASE {name}")
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        _do(server, f"DROP DATABASE {name} WITH (FORCE)")


def _do(server: str, statement: str) -> None:
    with closing(psycopg2.connect(server)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)


if __name__ == "__main__":
    main()
