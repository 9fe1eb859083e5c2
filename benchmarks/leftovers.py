"""What a home holds after its runs, held against what it should: files, cache, records. Killing is `kills`'."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import dagster as dg

from benchmarks.command import run_command
from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.home_lock import LOCK_NAME, occupied
from helio_dagster.storage.tables import TableStore

ASSETS = ("cdaweb/BENCH_MAG_16SEC/B_GSE", "bench/b_mag", "bench/b_mean")


def table_files(home: Path) -> dict[str, str]:
    """Path below `data/` to the hash of every table there."""
    folder = home / "data"
    return {str(path.relative_to(folder)): _sha256(path) for path in folder.rglob("*.parquet")}


def examine(home: Path, wanted: Mapping[str, str]) -> dict[str, list[str]]:
    """Finding to the places where it was made; none where all is well."""
    return {finding: list(look(home, wanted)) for finding, look in FINDINGS.items()}


def _other_tables(home: Path, wanted: Mapping[str, str]) -> Iterator[str]:
    """Tables missing, differing or too many."""
    here = table_files(home)
    for path in sorted(wanted.keys() | here.keys()):
        if wanted.get(path) != here.get(path):
            yield f"{path}: {'missing' if path not in here else 'not asked for' if path not in wanted else 'other bytes'}"


def _unfinished(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """Parts of files."""
    for path in home.rglob("*.part"):
        yield str(path.relative_to(home))


def _locks(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """Lock files of downloads, which go with the download; and the home's own, which stays, if it is still held."""
    for path in home.rglob("*.lock"):
        if path != home / LOCK_NAME:
            yield str(path.relative_to(home))
    try:
        with occupied(home, alone=True):
            return
    except StorageError as error:
        yield error.problem


def _wrong_cache(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """Cached files that are not as recorded, or records without file."""
    cache = home / "cache"
    for path in sorted(cache.rglob("*.cdf")):
        beside = path.with_name(f"{path.name}.json")
        if not beside.exists():
            yield f"{path.name}: not recorded"
            continue
        record = json.loads(beside.read_bytes())
        if (record["size"], record["sha256"]) != (path.stat().st_size, _sha256(path)):
            yield f"{path.name}: not as recorded"
    for beside in sorted(cache.rglob("*.cdf.json")):
        if not beside.with_name(beside.name.removesuffix(".json")).exists():
            yield f"{beside.name}: a record without file"


def _wrong_records(home: Path, wanted: Mapping[str, str]) -> Iterator[str]:
    """Partitions whose newest event in Dagster is not of the table at rest; read with Dagster's own means."""
    store = TableStore(home / "data")
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        for asset in ASSETS:
            newest: dict[str | None, str | None] = {}
            records = instance.fetch_materializations(dg.AssetKey(asset.split("/")), limit=10_000).records
            for record in records:  # newest first
                event = record.asset_materialization
                if event is not None:
                    newest.setdefault(record.partition_key, (event.tags or {}).get("dagster/data_version"))
            for path in sorted(wanted):
                name, _, key = path.removesuffix(".parquet").rpartition("/")
                stamp = store.stamp(name, key)
                if name == asset and (stamp is None or newest.get(key) != stamp[0]):
                    yield f"{asset} {key}: {newest.get(key)} recorded, {stamp[0] if stamp else None} at rest"


def _unfinished_runs(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """Runs that stand as running though nothing runs: they would hold up automation."""
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        for run in instance.get_runs():
            if not run.is_finished:
                yield f"{run.run_id}: {run.status.value}"


def _not_fresh(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """What `helio status` does not call fresh."""
    environment = {"HELIO_HOME": str(home), "HELIO_PIPELINES": str(home / "pipelines")}
    _, said = run_command(["helio_dagster", "status", "bench", "--json"], environment)
    for asset in said["assets"]:
        if not asset["partitions"]:
            yield f"{asset['asset']}: no partitions"
        for partition in asset["partitions"]:
            if partition["state"] != "fresh":
                yield f"{asset['asset']} {partition['key']}: {partition['state']}"


def _living(home: Path, _wanted: Mapping[str, str]) -> Iterator[str]:
    """Processes that still work for this home, a little while after its last run."""
    for _ in range(50):
        found = [process for process in Path("/proc").glob("[0-9]*") if _works_for(process, home)]
        if not found:
            return
        time.sleep(0.1)
    for process in found:
        yield f"process {process.name}"


def _works_for(process: Path, home: Path) -> bool:
    try:
        return f"HELIO_HOME={home}\0".encode() in (process / "environ").read_bytes() and process.name != str(os.getpid())
    except OSError:
        return False


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


FINDINGS: dict[str, Callable[[Path, Mapping[str, str]], Iterator[str]]] = {
    "tables not those of the undisturbed run": _other_tables,
    "unfinished files": _unfinished,
    "leftover locks": _locks,
    "a cache not as recorded": _wrong_cache,
    "records not those of the tables": _wrong_records,
    "partitions that are not fresh": _not_fresh,
    "runs that seem to go on": _unfinished_runs,
    "living processes": _living,
}
