"""What a bundle's results were made from at archives: the fetched partitions as stored, and the masters that define them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.transfer.settings import Received
from helio_dagster.assets.staleness import demand
from helio_dagster.domain.errors import InputError
from helio_dagster.launch.bundling.manifest import FileKind, Manifest, sha256_of
from helio_dagster.launch.running.request import OpenPipeline, RunRequest
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_names import name_of_key, name_parts
from helio_dagster.storage.tables import TableStore

INPUTS = "inputs"
Write = Callable[[str, bytes, FileKind, str], None]
"""Writes a file of the bundle: its path, content and kind, and what it is."""


def write_inputs(request: RunRequest, workbench: Workbench, write: Write) -> None:
    """Write the partitions of fetches that a request needs, those around its range too, and the masters they were made with.

    Files of one's own are not among them: they are in the bundle themselves.

    Raises
    ------
    InputError
        A master is not kept any more.
    """
    masters: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
    for name, keys in demand(request.graph, request.targets, workbench.clock()).items():
        fetch = request.graph[name].fetch
        if fetch is None or fetch.is_own:
            continue
        for key in keys:
            stored = workbench.store.peek(name, key)
            if stored is None:
                continue
            path = "/".join([INPUTS, *name_parts(name), f"{name_of_key(key)}.parquet"])
            write(path, workbench.store.content(name, key), "input", f"{name} {key or ''}".strip())
            for master in stored.provenance.get("masters", []):
                masters[master["name"], master["sha256"]] = fetch.archive, master
    names = [name for name, _ in masters]
    for (name, sha256), (archive, master) in sorted(masters.items()):
        kept = FileCache(archive_folder(workbench.settings.cache, archive)).path(master["url"], master["last_modified"])
        if not kept.is_file() or sha256_of(kept) != sha256:
            hint = "Make the results again with the archive's present one: helio run --force."
            raise InputError(f"the master {name}, which defines some of the data, is not in the cache any more", hint=hint)
        of_several = f"{sha256[:8]}/" if names.count(name) > 1 else ""
        write(f"masters/{of_several}{name}", kept.read_bytes(), "master", "Defines what no data file of its dataset holds")


def bring_inputs(folder: Path, manifest: Manifest, settings: Settings) -> None:
    """Put the fetched partitions and masters of a bundle where a home stores them.

    Raises
    ------
    InputError
        One would be outside the home.
    """
    for path in (each.path for each in manifest.files if each.kind == "input"):
        target = settings.data.joinpath(*path.split("/")[1:])
        if not path.startswith(f"{INPUTS}/") or not target.resolve().is_relative_to(settings.data.resolve()):
            raise InputError(f"the bundle has a file outside itself, {path!r:.120}", hint="Nothing was run.")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, target)
    by_hash = {each.sha256: folder / each.path for each in manifest.files if each.kind == "master"}
    store = TableStore(settings.data)
    for name in store.assets():
        for key in store.keys(name):
            stored = store.peek(name, key)
            for master in stored.provenance.get("masters", []) if stored else []:
                _keep(master, by_hash, FileCache(archive_folder(settings.cache, name.partition("/")[0])))


def require_inputs(opened: OpenPipeline, manifest: Manifest) -> None:
    """InputError for a bundle of an earlier release, which has results from archives and no fetched partitions."""
    graph = opened.graph
    names = graph.with_ancestors([node.name for node in graph.of_pipeline(opened.pipeline).values()])
    fetches = [fetch for name in names if (fetch := graph[name].fetch) is not None and not fetch.is_own]
    if fetches and not any(each.kind == "input" for each in manifest.files):
        raise InputError("the bundle holds no fetched partitions", hint="Leave --without-archives out, or bundle it again.")


def _keep(master: Mapping[str, Any], by_hash: Mapping[str, Path], cache: FileCache) -> None:
    if (path := by_hash.get(master["sha256"])) is not None:

        def copy(into: Path) -> Received:
            shutil.copyfile(path, into)
            return Received(path.stat().st_size, master["sha256"])

        cache.get(master["url"], master["last_modified"], None, copy)
