"""Find files in a home that belong to none of its pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helio_dagster.archives.files.cache import cached_files
from helio_dagster.assets.asset_names import asset_name, fetch_name
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.span_key import span_of
from helio_dagster.launch.home import Home
from helio_dagster.storage.bucket import StoredObject
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_stores import open_figures, open_tables
from helio_dagster.storage.tables import TableStore

Kind = Literal["asset", "partitions", "figures", "downloads"]


@dataclass(frozen=True)
class Orphan:
    """Files that belong to no pipeline of the home.

    `asset`: no pipeline has it; `partitions`: their grain is not the pipeline's current one; `figures`: their step no longer
    exists; `downloads`: no stored partition was made from them. What is in an object store are `objects`.
    """

    kind: Kind
    name: str
    paths: tuple[Path, ...] = ()
    objects: tuple[StoredObject, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its files."""
        in_folders = sum(path.stat().st_size for path in self.paths if path.is_file())
        return in_folders + sum(each.size for each in self.objects)


@dataclass(frozen=True)
class Owned:
    """What belongs to the pipelines of a home.

    `assets` maps every asset of a pipeline, even an invalid one, to its partitions; those in `over_range` have a table for each
    range that was asked for, and of those in `unknown` the list of events cannot be read, so that all is kept. For `unreadable`
    pipelines only the names are known: everything that may be theirs is kept, including every fetch.
    """

    assets: Mapping[str, Grain | EventPartitions | None]
    unreadable: tuple[str, ...]
    over_range: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()

    def has(self, asset: str) -> bool:
        """Whether an asset belongs, or may belong, to a pipeline."""
        pipeline, _, step = asset.partition("/")
        is_fetch = "/" in step
        return asset in self.assets or (is_fetch and bool(self.unreadable)) or pipeline in self.unreadable

    def has_figure(self, stem: str) -> bool:
        """Whether figure files whose names begin like this belong, or may belong, to a pipeline."""
        return stem in {FigureFiles.stem(asset) for asset in self.assets} or any(
            stem.startswith(FigureFiles.stem(f"{name}/")) for name in self.unreadable
        )


def owned(home: Home, *others: Pipeline) -> Owned:
    """What belongs to the pipelines of a home, and to others given as files."""
    pipelines = [*(file.pipeline for file in home.files.values()), *others]
    assets: dict[str, Grain | EventPartitions | None] = {}
    for pipeline in pipelines:
        assets |= {asset_name(pipeline, step): _partitions(home, pipeline, step) for step in pipeline.nodes}
        assets |= {fetch_name(step.fetch, pipeline.grain): pipeline.grain for step in pipeline.steps if step.fetch}
    readable = {Path(file.file).stem for file in home.files.values()}
    over_range = frozenset(
        asset_name(pipeline, step) for pipeline in pipelines for step in pipeline.nodes if step.over == "range"
    )
    lists = home.graph.events
    unlisted = {
        each.name
        for each in pipelines
        if each.is_over_events and (each.name not in lists or lists[each.name].trouble is not None)
    }
    unknown = frozenset(asset for asset in assets if asset.partition("/")[0] in unlisted)
    return Owned(assets, tuple(name for name in home.library.names() if name not in readable), over_range, unknown)


def _partitions(home: Home, pipeline: Pipeline, step: Step) -> Grain | EventPartitions | None:
    if step.kind == "table":
        return None
    return pipeline.grain if step.fetch and not step.exclude else home.graph.events.get(pipeline.name) or pipeline.grain


def find_orphans(home: Home, own: Owned, *, with_downloads: bool = False) -> list[Orphan]:
    """All orphans of a home; downloads only if requested, because that means reading every stored table.

    Tables and figures that it shares with other homes are none: they may belong to pipelines of those.
    """
    store = open_tables(home.settings)
    found = [] if store.shared_by() else [*_tables(store, own), *_figures(open_figures(home.settings), own)]
    if with_downloads:
        left = {str(path) for orphan in found for path in orphan.paths}
        left |= {store.address(each) for orphan in found for each in orphan.objects}
        found += _downloads(home.settings.cache, _named_sources(store, left))
    return found


def _tables(store: TableStore, own: Owned) -> Iterator[Orphan]:
    for asset in store.assets():
        keys = store.all_keys(asset)
        if asset in own.assets:
            grain, is_over_range = own.assets[asset], asset in own.over_range
            strays = [
                key
                for key in keys
                if asset not in own.unknown and not (_is_of(key, grain) or (is_over_range and span_of(key or "")))
            ]
            if strays:
                yield _orphan("partitions", store, asset, strays)
        elif not own.has(asset) and _is_ours(store, asset):
            yield _orphan("asset", store, asset, keys)


def _orphan(kind: Kind, store: TableStore, asset: str, keys: Sequence[str | None]) -> Orphan:
    """All that is stored of partitions of an asset."""
    paths = tuple(path for key in keys for path in store.files(asset, key))
    return Orphan(kind, asset, paths, tuple(each for key in keys for each in store.objects(asset, key)))


def _is_of(key: str | None, grain: Grain | EventPartitions | None) -> bool:
    return (key is None and grain is None) if key is None or grain is None else grain.has_key(key)


def _is_ours(store: TableStore, asset: str) -> bool:
    """Whether helio wrote it: a table stored through the IO manager for a user's own asset has no code version."""
    keys = store.keys(asset)
    if not keys:
        return True
    for key in keys:
        stored = store.peek(asset, key)
        if stored is not None:
            return "code" in stored.provenance
    return False


def _figures(files: FigureFiles, own: Owned) -> Iterator[Orphan]:
    for stem, paths in files.by_stem().items():
        if not own.has_figure(stem):
            yield Orphan("figures", stem.replace("__", "/", 1), tuple(paths), files.objects_of(stem))


def _named_sources(store: TableStore, left: Iterable[str]) -> set[tuple[str, str]]:
    """URL and LastModified of the files that stored tables were made from, other than those in `left`."""
    without = set(left)
    named: set[tuple[str, str]] = set()
    for asset in store.assets():
        for key in store.keys(asset):
            stored = None if store.place(asset, key) in without else store.peek(asset, key)
            made_from = stored.provenance if stored else {}
            for source in [*made_from.get("sources", []), *made_from.get("masters", [])]:
                named.add((source["url"], source["last_modified"]))
    return named


def _downloads(folder: Path, named: set[tuple[str, str]]) -> Iterator[Orphan]:
    paths = [path for url, date, paths in cached_files(folder) if (url, date) not in named for path in paths]
    if paths:
        yield Orphan("downloads", str(folder), tuple(paths))
