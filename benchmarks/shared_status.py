"""`helio status` of many partitions through PostgreSQL and an object store: `python -m benchmarks.shared_status`.

Three steps over daily files are made once, with the record in PostgreSQL and tables in a folder. The tables are then put into
the memory of a server in this process that answers S3's listings and reads, since moto's takes minutes for thousands of them,
which is not what is measured. The same record is asked with either.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command import run_command
from benchmarks.plain_store import PlainStore, served
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import TrialFailed
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.time_range import format_time
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.object_listing import table_name
from helio_dagster.storage.object_tables import FOLDER
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_format import stamp_of

_BUCKET = "lab"
POSTGRES = "postgresql://postgres@127.0.0.1:5432/postgres"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=365)
    parser.add_argument("--repeats", type=int, default=3, help="how often each is asked; the least processor time counts")
    parser.add_argument("--postgres", default=POSTGRES, help="who may create databases")
    given = parser.parse_args()
    partitions = given.partitions
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        write_days(PRODUCT, Path(folder, "files"), needed_days(partitions))
        with CdasServer(FileIndex(Path(folder, "files"))) as archive, new_database(given.postgres) as record:
            home = Path(folder, "home")
            (home / "pipelines").mkdir(parents=True)
            (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
            base = replace(Settings(home, home / "pipelines", archive.url), postgres=record)
            _run("run", partitions, base, {})
            ours = replace(base, tables=f"s3://{_BUCKET}/home")
            store = PlainStore(_BUCKET, _objects(ours))
            rows, first = [], 0.0
            with served(store) as keys:
                for name, settings in (("folder", base), ("object store", ours)):
                    wall_s, cpu_s, fresh, requests = _status(partitions, settings, store, keys, given.repeats)
                    first = first or cpu_s
                    rows.append([name, seconds(wall_s), seconds(cpu_s), ratio(cpu_s, first), str(fresh), str(requests)])
    header = ["tables in", "s", "CPU s", "ratio", "fresh partitions", "requests"]
    print_table(
        f"helio status of 3 x {partitions} partitions ({len(store.objects) - 1} tables), record in PostgreSQL", header, rows
    )


def _status(
    partitions: int, settings: Settings, store: PlainStore, keys: Mapping[str, str], repeats: int
) -> tuple[float, float, int, int]:
    """Least seconds that passed and that a core worked, how many partitions were fresh, and requests of one call."""
    found = []
    for _ in range(repeats):
        store.requests.clear()
        wall_s, cpu_s, report = _run("status", partitions, settings, keys)
        states = [each["state"] for asset in report["assets"] for each in asset["partitions"]]
        found.append((wall_s, cpu_s, states.count("fresh"), len(store.requests)))
    return min(each[0] for each in found), min(each[1] for each in found), found[-1][2], found[-1][3]


def _run(command: str, partitions: int, settings: Settings, keys: Mapping[str, str]) -> tuple[float, float, Any]:
    span = span_of(partitions)
    words = [command, "bench", format_time(span.start), format_time(span.stop), *(["--yes"] if command == "run" else [])]
    answer, report = run_command(["helio_dagster", *words, "--json"], {**settings.to_environment(), **keys})
    return float(answer["wall_s"]), float(answer["cpu_s"]), report


def _objects(settings: Settings) -> dict[str, bytes]:
    """The tables of a home's folder where `helio run` would have put them in the store, by key, and the mark of the home."""
    found = {"home/home": home_identity(settings.home).encode()}
    for path in sorted(settings.data.rglob("*.parquet")):
        content = path.read_bytes()
        stamp = stamp_of(content, str(path))
        if stamp is None:
            raise TrialFailed(f"{path} has no data version")
        folder = path.parent.relative_to(settings.data).as_posix()
        found[f"home/{FOLDER}/{folder}/{table_name(path.stem, *stamp)}"] = content
    return found


if __name__ == "__main__":
    main()
