"""What a run leaves in PostgreSQL and an object store, counted: `python -m benchmarks.counts`.

Nothing is timed. Two ranges of different length are run, each with a database, a bucket and a home of its own, so that what a
table adds is told from what a run does. docs/scale.md calculates with the figures.
"""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg2

from benchmarks.command import run_command
from benchmarks.products import write_days
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, needed_days, span_of
from benchmarks.shared_record import new_database
from benchmarks.tables import print_table
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.time_range import format_time
from helio_dagster.storage.settings import Settings
from tests.object_store import ObjectService, object_service

_TABLES = "SELECT relname FROM pg_stat_user_tables ORDER BY relname"
_BYTES = "SELECT pg_total_relation_size(%s::regclass)"
_STEPS = 3


@dataclass(frozen=True)
class Counts:
    """Rows and bytes by table of the record, requests at the store by kind, and what was stored."""

    rows: dict[str, int]
    bytes: dict[str, int]
    requests: Counter[str]
    tables: int
    table_bytes: int
    downloads: int


def main() -> None:
    """Count, and print what a partition of a step adds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", nargs=2, type=int, default=[30, 130])
    parser.add_argument("--postgres", default="postgresql://postgres@127.0.0.1:5432/postgres", help="who may create databases")
    given = parser.parse_args()
    fewer, more = given.partitions
    with object_service() as service:
        few, many = (_counted(number, given.postgres, service) for number in (fewer, more))
    made = many.tables - few.tables
    names = [name for name in many.rows if many.rows[name] > few.rows.get(name, 0)]
    rows = [
        [f"rows of {name}", _per(many.rows[name] - few.rows.get(name, 0), made), str(many.rows[name])] for name in sorted(names)
    ]
    rows += [
        [f"bytes of {name}", _per(many.bytes[name] - few.bytes.get(name, 0), made), str(many.bytes[name])]
        for name in sorted(names)
    ]
    rows += [
        [f"{kind} at the store", _per(many.requests[kind] - few.requests[kind], made), str(many.requests[kind])]
        for kind in sorted(many.requests)
    ]
    rows.append(["bytes of tables", _per(many.table_bytes - few.table_bytes, made), str(many.table_bytes)])
    rows.append(["downloads", _per(many.downloads - few.downloads, made), str(many.downloads)])
    print_table(
        f"{fewer} and {more} daily partitions of {_STEPS} steps, {few.tables} and {many.tables} tables",
        ["count", "for each table more", f"of the run of {more}"],
        rows,
    )


def _per(difference: int, made: int) -> str:
    return f"{difference / made:.3g}"


def _counted(partitions: int, server: str, service: ObjectService) -> Counts:
    with TemporaryDirectory(prefix="helio-bench-") as folder, new_database(server) as record:
        write_days(PRODUCT, Path(folder, "files"), needed_days(partitions))
        home = Path(folder, "home")
        (home / "pipelines").mkdir(parents=True)
        (home / "pipelines" / "bench.yaml").write_text(PIPELINE)
        bucket = service.new_bucket()
        span = span_of(partitions)
        with CdasServer(FileIndex(Path(folder, "files"))) as archive:
            settings = Settings(home, home / "pipelines", archive.url, postgres=record, tables=bucket)
            service.gate.requests.clear()
            asked = ["run", "bench", format_time(span.start), format_time(span.stop), "--yes", "--json"]
            run_command(["helio_dagster", *asked], {**settings.to_environment(), **service.environment()})
            downloads = archive.count(".cdf")
        requests = Counter(_kind(method, path) for method, path in service.gate.requests)
        sizes = _sizes(bucket, service)
        with closing(psycopg2.connect(record)) as connection, connection.cursor() as cursor:
            cursor.execute(_TABLES)
            rows, weights = dict[str, int](), dict[str, int]()
            for (name,) in cursor.fetchall():
                cursor.execute(f'SELECT count(*) FROM "{name}"')  # noqa: S608 - a name that the server gave
                rows[name] = cursor.fetchall()[0][0]
                cursor.execute(_BYTES, (name,))
                weights[name] = cursor.fetchall()[0][0]
        return Counts(rows, weights, requests, len(sizes), sum(sizes), downloads)


def _kind(method: str, path: str) -> str:
    return "listings" if method == "GET" and "list-type" in path else method


def _sizes(bucket: str, service: ObjectService) -> list[int]:
    """The bytes of each table that is stored."""
    import boto3

    name, _, folder = bucket.removeprefix("s3://").partition("/")
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=service.endpoint, **keys)
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=name, Prefix=f"{folder}/data/")
    return [each["Size"] for page in pages for each in page.get("Contents", [])]


if __name__ == "__main__":
    main()
