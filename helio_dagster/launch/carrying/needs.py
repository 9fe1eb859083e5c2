"""What of each asset a range of a pipeline needs, back to the archive's files that it was made from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from helio_dagster.archives.archive import SourceFile
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.result_spans import asked_span
from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore

__all__ = ["Needs", "SourceFile", "cached_copy", "find_needs"]


@dataclass(frozen=True)
class Needs:
    """Assets with their inputs first, asset to the time that is needed of it, and fetch to the files that hold that.

    An asset that is made window by window is needed in whole windows. The names of files are unlike each other. `asked` is
    the range of results over a range, and `shown` that of all results.

    Of a pipeline over events, `events` are the keys of those that are asked for, `keys` the partitions of each asset that they
    need, and `pieces` the times of those of a fetch, where they lie apart.
    """

    nodes: Sequence[AssetNode]
    spans: dict[str, TimeRange]
    files: dict[str, list[SourceFile]]
    asked: TimeRange
    shown: TimeRange
    events: Sequence[str] = ()
    keys: dict[str, list[str | None]] = field(default_factory=dict)
    pieces: dict[str, list[TimeRange]] = field(default_factory=dict)

    def edges(self, node: AssetNode) -> list[datetime]:
        """The edges of the windows that an asset is made in, in order."""
        grain = node.time_grain
        if node.is_over_range or grain is None:
            return [self.asked.start, self.asked.stop]
        starts = list(grain.starts(self.spans[node.name]))
        return [*starts, grain.following(starts[-1])]


def find_needs(graph: AssetGraph, nodes: Sequence[AssetNode], asked: TimeRange, store: TableStore) -> Needs:
    """What a range of these assets, inputs first, needs.

    Raises
    ------
    InputError
        A fetch is not stored for the range.
    """
    spans: dict[str, TimeRange] = {}
    for node in reversed(nodes):
        span = spans.get(node.name, asked)
        span = asked if node.is_over_range else TimeRange(min(span.start, asked.start), max(span.stop, asked.stop))
        if node.time_grain is not None and not node.is_over_range and _is_by_window(graph, node):
            span = node.time_grain.cover(span)
        spans[node.name] = span
        for name in node.inputs.values():
            read = span.widened(node.reach_back(name), node.lookahead)
            grain = graph[name].time_grain
            start = graph.starts.get(grain) if grain is not None else None
            read = TimeRange(max(read.start, start), read.stop) if start is not None and start < read.stop else read
            known = spans.get(name, read)
            spans[name] = TimeRange(min(known.start, read.start), max(known.stop, read.stop))
    files = {node.name: _files(node, spans[node.name], asked, store) for node in nodes if node.fetch is not None}
    return Needs(nodes, spans, _unlike(files), asked, asked)


def find_needs_of_events(
    graph: AssetGraph, nodes: Sequence[AssetNode], events: EventPartitions, asked: TimeRange, store: TableStore
) -> Needs:
    """What the events that start in a range need of these assets.

    Raises
    ------
    InputError
        No event starts in it, or a fetch is not stored for one.
    """
    own = events.keys(asked)
    if not own:
        raise InputError(f"no event of {events.name} starts in {asked}", hint="Give another range.")
    windows = [events.window(key) for key in own]
    whole = _hull([events.window(key) for key in own])
    keys: dict[str, dict[str | None, TimeRange]] = {node.name: {} for node in nodes if node.fetch is not None}
    for node in (each for each in nodes if each.events is not None):
        for name in set(node.inputs.values()) & keys.keys():
            grain = graph[name].time_grain
            if grain is None:
                continue
            for window in windows:
                read = window.widened(node.reach_back(name), node.lookahead)
                start = max(read.start, graph.starts.get(grain, read.start))
                found = grain.keys(TimeRange(start, read.stop)) if start < read.stop else []
                keys[name].update(
                    {key: grain.window(key) for key in found if _is_there(store, name, key, grain.window(key), window)}
                )
    pieces = {name: _merged(found.values()) for name, found in keys.items()}
    files = {name: _sources(store, name, found) for name, found in keys.items()}
    spans = {name: _hull(found) for name, found in pieces.items() if found}
    read_keys: dict[str, list[str | None]] = {name: sorted(found, key=str) for name, found in keys.items()}
    read_keys |= {node.name: list(own) for node in nodes if node.events is not None and not node.is_over_range}
    over = [node for node in nodes if node.events is not None and node.is_over_range]
    asked = asked_span(over[0], asked) if over else whole
    return Needs(nodes, spans, _unlike(files), asked, _hull([asked, whole, *spans.values()]), own, read_keys, pieces)


def _hull(spans: Iterable[TimeRange]) -> TimeRange:
    listed = list(spans)
    return TimeRange(min(each.start for each in listed), max(each.stop for each in listed))


def _merged(spans: Iterable[TimeRange]) -> list[TimeRange]:
    """Ranges in order, those that touch as one."""
    found: list[TimeRange] = []
    for each in sorted(spans):
        if found and each.start <= found[-1].stop:
            found[-1] = TimeRange(found[-1].start, max(found[-1].stop, each.stop))
        else:
            found.append(each)
    return found


def _is_there(store: TableStore, asset: str, key: str, partition: TimeRange, wanted: TimeRange) -> bool:
    """Whether a partition is stored; one that an event's own window needs must be."""
    if store.peek(asset, key) is not None:
        return True
    if partition.overlaps(wanted):
        raise InputError(f"{asset} is not stored for {key}", hint="Run the pipeline for the range first: helio run.")
    return False


def _sources(store: TableStore, asset: str, keys: Iterable[str | None]) -> list[SourceFile]:
    found: dict[SourceFile, None] = {}
    for key in sorted(keys, key=str):
        stored = store.peek(asset, key)
        if stored is not None:
            found |= dict.fromkeys(SourceFile(**each) for each in stored.provenance.get("sources", ()))
    return list(found)


def cached_copy(settings: Settings, archive: str, file: SourceFile) -> bytes:
    """The bytes of a file that was used, from the cache.

    Raises
    ------
    InputError
        They are not there any more.
    """
    path = FileCache(archive_folder(Path(settings.cache), archive)).path(file.url, file.last_modified)
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise InputError(f"{file.name} is no longer in the cache", hint="Download it again: helio run --force.")
    return content


def _is_by_window(graph: AssetGraph, node: AssetNode) -> bool:
    """Whether one result belongs to each partition as a whole: of code, of saved operations, and of operations of a window."""
    compute = node.step.compute
    if compute is None:
        return False
    operation = graph.operation(compute.operation) if compute.operation is not None else None
    return operation is None or operation.is_of_window or isinstance(operation, CodeOperation)


def _files(node: AssetNode, span: TimeRange, asked: TimeRange, store: TableStore) -> list[SourceFile]:
    grain = node.time_grain
    if grain is None:
        return []
    found: dict[SourceFile, None] = {}
    for key in grain.keys(span):
        stored = store.peek(node.name, key)
        if stored is None:
            if grain.window(key).overlaps(asked):
                raise InputError(
                    f"{node.name} is not stored for {key}", hint="Run the pipeline for the range first: helio run."
                )
            continue  # it does not exist: before the first partition, or not over yet
        found |= dict.fromkeys(SourceFile(**each) for each in stored.provenance.get("sources", ()))
    return list(found)


def _unlike(files: dict[str, list[SourceFile]]) -> dict[str, list[SourceFile]]:
    """The files under names that a folder can hold, other ones for two of different content, as answers may be named alike."""
    hashes: dict[str, set[str]] = {}
    for each in (file for listed in files.values() for file in listed):
        hashes.setdefault(_name(each), set()).add(each.sha256)

    def named(file: SourceFile) -> SourceFile:
        name = _name(file)
        return replace(file, name=f"{file.sha256[:8]}-{name}" if len(hashes[name]) > 1 else name)

    return {asset: [named(file) for file in listed] for asset, listed in files.items()}


def _name(file: SourceFile) -> str:
    """The archive's name of a file, made safe as a file name; that of a HAPI answer ends in its format, `.csv` or `.binary`."""
    name = re.sub(r"[^A-Za-z0-9.@+-]", "_", file.name).lstrip(".") or "file"
    if not name.endswith(".hapi"):
        return name
    form = parse_qs(urlsplit(file.url).query).get("format", ["csv"])[0]
    return f"{name.removesuffix('.hapi')}.{'binary' if form == 'binary' else 'csv'}"
