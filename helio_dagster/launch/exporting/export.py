"""What `helio export` does: find the stored records of an asset over a range, and write them in a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.staleness import demand
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.exporting.arrays import Arrays, filled_tables, look_through
from helio_dagster.launch.exporting.csv_file import comment_lines, refuse_axes, write_csv
from helio_dagster.launch.exporting.header import Header, read_header
from helio_dagster.launch.exporting.records import Block, Survey
from helio_dagster.launch.exporting.targets import SUFFIXES, Format, Target, find_target
from helio_dagster.launch.exporting.variable import Variable
from helio_dagster.launch.exporting.variables import lay_out
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.reading import find_parts, join_tables
from helio_dagster.launch.running.request import OpenPipeline, RunRequest
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.atomic import atomic_files
from helio_dagster.storage.tables import TableStore

WriteArrays = Callable[[Path, Header, Survey, Sequence[Variable], Iterable[Block]], None]


@dataclass(frozen=True)
class Exported:
    """What was written."""

    asset: str
    path: Path
    format: Format
    rows: int
    meta: TableMeta
    span: TimeRange | None


def export(
    graph: AssetGraph,
    node: AssetNode,
    span: TimeRange | None,
    target: Target,
    workbench: Workbench,
    *,
    has_comments: bool = True,
    keys: Sequence[str | None] | None = None,
) -> Exported:
    """Write the stored records of an asset inside a range.

    Parameters
    ----------
    graph
        All assets of the home.
    node
        The asset.
    span
        The range; None for a table, which has no partitions.
    target
        The file, which appears whole or not at all, and its format.
    workbench
        The home's parts; only read.
    has_comments
        Whether a CSV file says above its header what it holds.
    keys
        The partitions to write instead of all that the range covers; events whole.

    Raises
    ------
    InputError
        The asset is a figure, a partition was never materialized, or the format needs a library that is not installed.
    ComputeError
        The partitions differ in their columns, units or bins.
    StorageError
        A stored file is damaged, or the file cannot be written.
    """
    write_arrays = _array_writer(target.format)
    parts = find_parts(workbench.store, node, span, keys)
    if target.format == "parquet":
        table = join_tables(node, parts.tables())
        header = read_header(graph, parts, span, table.meta, workbench)
        TableStore.write_file(target.path, table, _provenance(header))
        return Exported(node.name, target.path, target.format, len(table), table.meta, span)
    meta, rows = look_through(parts)
    header = read_header(graph, parts, span, meta, workbench)
    if write_arrays is None:
        comments = list(comment_lines(header)) if has_comments else []
        write_csv(target.path, filled_tables(parts, meta), comments)
    else:
        arrays = Arrays(parts, meta)
        write_arrays(target.path, header, arrays.survey, lay_out(arrays.survey, header.name), arrays.blocks())
    return Exported(node.name, target.path, target.format, rows, meta, span)


def export_all(
    request: RunRequest | None,
    opened: OpenPipeline,
    folder: Path | None,
    wanted: str | None,
    workbench: Workbench,
    *,
    has_comments: bool = True,
    leaves_out_axes: bool = False,
) -> list[Exported]:
    """Write all results of a pipeline that have a table, fetched parameters included, to a folder; a file for each.

    Parameters
    ----------
    request
        The partitions; of a pipeline over events, of a fetch only those that the windows of the events need. None for a
        pipeline without partitions.
    opened
        The pipeline.
    folder
        The folder, which is made where it does not exist; by default the working directory.
    wanted
        The format.
    workbench, has_comments
        As in `export`.
    leaves_out_axes
        Leave out of CSV what it cannot hold, results with several axes.

    Raises
    ------
    InputError
        No format is given, the folder is a file, a partition was never materialized, or a result has several axes, which
        CSV cannot hold; then nothing is written.
    """
    pipeline = opened.pipeline
    if folder is not None and (folder.is_file() or (not folder.is_dir() and folder.suffix.lower() in SUFFIXES)):
        hint = "Give a folder and --format, or name one step: helio export PIPELINE/STEP."
        raise InputError(f"{pipeline.name} has several results, and {folder.name} is one file", hint=hint)
    chosen = results_of(request, opened, workbench.clock())
    if leaves_out_axes and wanted == "csv":
        chosen = [each for each in chosen if not list(_with_axes(each, pipeline.name, workbench.store))]
    targets = [find_target(node.name, part, folder, wanted, is_folder=True) for node, part, _ in chosen]
    for each, target in zip(chosen, targets, strict=True):
        for meta in _with_axes(each, pipeline.name, workbench.store):
            if target.format == "csv":
                refuse_axes(meta)
    place = folder if folder is not None else Path()
    with atomic_files(place) as parts_of_it:
        written = [
            export(
                opened.graph,
                node,
                part,
                replace(target, path=parts_of_it / target.path.name),
                workbench,
                has_comments=has_comments,
                keys=some,
            )
            for (node, part, some), target in zip(chosen, targets, strict=True)
        ]
    return [replace(each, path=target.path) for each, target in zip(written, targets, strict=True)]


class Part(NamedTuple):
    """What of an asset is written: the range of its file, and the partitions, if not all that the range covers."""

    node: AssetNode
    span: TimeRange | None
    keys: Sequence[str | None] | None


def _with_axes(part: Part, pipeline: str, store: TableStore) -> Iterator[TableMeta]:
    """What is known of those partitions of a result that have several axes; InputError where one was never materialized."""
    for key in find_parts(store, replace(part.node, pipeline=pipeline), part.span, part.keys).keys:
        stored = store.peek(part.node.name, key)
        if stored is not None and stored.meta.axes:
            yield stored.meta


def results_of(request: RunRequest | None, opened: OpenPipeline, now: datetime) -> list[Part]:
    """All results of a pipeline that have a table, fetched parameters included; see `export_all`."""
    graph, span = opened.graph, exported_span(request)
    needed = demand(graph, request.targets, now) if request is not None and request.events is not None else None
    found = []
    for node in graph.of_pipeline(opened.pipeline).values():
        if node.kind == "figure" or single_result_fault(node.step, node.pipeline) is not None:
            continue
        if request is not None and request.only is not None and node.over == "range":
            continue
        keys = needed.get(node.name, []) if needed is not None and node.over != "range" else None
        if keys is not None and not keys:
            continue  # fetched only for a result of all events
        part = _around(request, span) if request is not None and node.time_grain is not None else span
        found.append(Part(node, part if node.grain is not None else None, keys))
    return found


def events_of(home: Home, node: AssetNode, event: str | None, now: datetime) -> Part:
    """One event of an asset whose partitions are events, or all that are over.

    Raises
    ------
    InputError
        Its partitions are not events, or there is no such event.
    """
    if node.events is None:
        raise InputError(f"the partitions of {node.name} are not events", hint="Give START and STOP.")
    request = home.open(node.pipeline).event_request(event, now)
    return Part(node, exported_span(request), request.keys)


def asked_of(
    opened: OpenPipeline, asked: TimeRange | None, now: datetime, *, event: str | None = None, every: bool = False
) -> RunRequest | None:
    """What of a whole pipeline is written: a range, one event, or every one; None where it has no partitions."""
    if event is not None or every:
        return opened.event_request(event, now)
    if all(node.grain is None for node in opened.graph.of_pipeline(opened.pipeline).values()):
        return None
    return opened.request(opened.asked_range(asked, now), now)


def _around(request: RunRequest, span: TimeRange | None) -> TimeRange | None:
    """The range of a fetch: of a pipeline over events, from where the first window begins to where the last one ends."""
    if request.events is None or request.only is not None:
        return span
    windows = [request.events.window(key) for key in request.keys]
    return TimeRange(min(each.start for each in windows), max(each.stop for each in windows))


def exported_span(request: RunRequest | None) -> TimeRange | None:
    """The range that files of a request are named after: that which was asked for, or the window of its one event."""
    if request is None:
        return None
    if request.only is not None and request.events is not None:
        return request.events.window(request.only)
    return request.asked or request.span


def _array_writer(wanted: Format) -> WriteArrays | None:
    """Writes a file of arrays; None for other formats. Its library is loaded before anything is read."""
    if wanted == "cdf":
        from helio_dagster.launch.exporting.cdf_file import write_cdf

        return write_cdf
    if wanted == "netcdf":
        try:
            from helio_dagster.launch.exporting.netcdf_file import write_netcdf
        except ModuleNotFoundError as error:
            problem = f"netCDF files need the Python package {error.name}, which is not installed"
            raise InputError(problem, hint="Install it with: pip install 'helio-dagster[netcdf]'") from error

        return write_netcdf
    return None


def _provenance(header: Header) -> dict[str, object]:
    return {
        "asset": header.asset,
        "partitions": header.partitions,
        "made_by": header.made_by,
        "parents": list(header.parents),
        "references": list(header.references),
        "formula": header.formula,
    }
