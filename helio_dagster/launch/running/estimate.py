"""Estimate what a run will download, store and compute. Asks the archive for its listing; makes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.own_files import OWN_ARCHIVE
from helio_dagster.domain.report import Estimate
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run_plan import RunPlan
from helio_dagster.resources.workbench import Workbench

_SAMPLE = 20
"""Number of an asset's stored partitions from which the mean size is estimated."""


def estimate(request: RunRequest, workbench: Workbench, plan: RunPlan) -> Estimate:
    """What a run would do now.

    Parameters
    ----------
    request
        The run.
    workbench
        The home's parts; stays open.
    plan
        The work that `plan_run` found.
    """
    forced = {name: set(keys) for name, keys in request.targets.items()} if request.force else {}
    todo = {
        name: [key for key, state in states.items() if not state.is_current or key in forced.get(name, ())]
        for name, states in plan.states.items()
    }
    problem: str | None = None
    try:
        files = _files(request.graph, todo, workbench)
    except HelioError as error:
        files, problem = {}, error.problem
    to_download = {
        name: [file for file in listed if not workbench.archive(name).is_at_hand(file)]
        for name, listed in files.items()
        if name != OWN_ARCHIVE
    }
    synthetic = sum(len(wanted) for name, wanted in to_download.items() if workbench.archive(name).is_synthetic)
    lengths = [
        file.length for name, wanted in to_download.items() if not workbench.archive(name).is_synthetic for file in wanted
    ]
    download = None if problem else _sum(lengths)
    tables = _tables(request.graph, todo, workbench, None if synthetic else download)
    own = request.graph.of_pipeline(request.pipeline)
    return Estimate(
        partitions=sum(len(keys) for keys in todo.values()),
        files=sum(len(listed) for listed in files.values()),
        at_hand=sum(len(listed) for listed in files.values()) - sum(len(wanted) for wanted in to_download.values()),
        download_bytes=download,
        disk_bytes=None if tables is None or download is None or synthetic else tables + download,
        free_bytes=shutil.disk_usage(_existing(workbench.settings.instance)).free,
        problem=problem,
        synthetic=synthetic,
        steps={step: count for step, node in own.items() if (count := len(todo.get(node.name, ())))},
    )


def _files(graph: AssetGraph, todo: Mapping[str, Sequence[str | None]], workbench: Workbench) -> dict[str, list[ListedFile]]:
    """Archive to the files needed by the fetches to be made, each file once."""
    found: dict[str, dict[ListedFile, None]] = {}
    asked: dict[tuple[str, str, str], None] = {}
    for name, keys in todo.items():
        fetch, grain = graph[name].fetch, graph[name].grain
        if fetch is None or grain is None or not keys:
            continue
        windows = [grain.window(key) for key in sorted(key for key in keys if key is not None)]
        question = (fetch.archive, fetch.dataset, repr(windows))
        if question in asked:
            continue
        asked[question] = None
        for listed in workbench.archive_of(fetch).listed(fetch.dataset, windows):
            if listed.error is not None:
                raise listed.error
            found.setdefault(fetch.archive, {}).update(dict.fromkeys(listed.files))
    return {archive: list(files) for archive, files in found.items()}


def _tables(
    graph: AssetGraph, todo: Mapping[str, Sequence[str | None]], workbench: Workbench, download: int | None
) -> int | None:
    """Bytes of the tables to be made, estimated from the asset's stored tables, else from its largest input.

    Fetches with nothing stored are assumed to be as large, together, as their downloads.
    """
    fetched = sum(len(keys) for name, keys in todo.items() if graph[name].kind == "fetch")
    sizes: dict[str, float | None] = {}
    for name in todo:
        node = graph[name]
        mean = _mean_size(node, workbench)
        if mean is None and node.kind == "fetch" and download is not None:
            mean = download / max(1, fetched)
        if mean is None:
            known = [size for asset in node.inputs.values() if (size := sizes.get(asset)) is not None]
            mean = max(known) if known else None
        sizes[name] = 0.0 if node.is_over_range or node.kind == "table" else mean
    wanted = [sizes[name] for name, keys in todo.items() if keys]
    if any(size is None for size in wanted):
        return None
    return round(sum((sizes[name] or 0.0) * len(keys) for name, keys in todo.items()))


def _mean_size(node: AssetNode, workbench: Workbench) -> float | None:
    """Mean bytes of some of an asset's stored partitions; None if there are none."""
    stored = workbench.store.partitions(node.name)
    sample = stored[:: max(1, len(stored) // _SAMPLE)]
    return fmean(workbench.store.size(node.name, key) for key in sample) if sample else None


def _sum(lengths: Iterable[int | None]) -> int | None:
    total = 0
    for length in lengths:
        if length is None:
            return None
        total += length
    return total


def _existing(folder: Path) -> Path:
    """The folder, or its nearest existing parent."""
    return next(path for path in (folder, *folder.parents) if path.exists())
