"""A figure of the graph as drawn from its stored tables, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from helio_dagster import __version__
from helio_dagster.assets.figure_tables import FigureTables, references_over_time
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.exclusions import Intervals, intervals_of, union_of
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline_text import dump_pipeline, pipeline_sha
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.table_cache import TableCache

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from helio_dagster.figures.origin import DatasetOrigin, FigureOrigin
    from helio_dagster.figures.sheet import Sheet

Upstream = Mapping[str | None, Mapping[str, Iterable[tuple[str | None, str | None]]]]
"""Partition of a figure to its input assets, and of each the (partition, data version) that it is drawn from."""


class FigureDescription:
    """Draws figures from the stored tables that they refer to.

    Parameters
    ----------
    graph, tables
        All assets and their tables.
    """

    def __init__(self, graph: AssetGraph, tables: TableCache) -> None:
        self._graph, self._tables = graph, FigureTables(tables)

    def draw(self, node: AssetNode, span: TimeRange, upstream: Upstream, *, sheet: Sheet | None = None) -> go.Figure:
        """The figure over a range, in plotly's description.

        Parameters
        ----------
        upstream
            What it is drawn from, by its partitions in the range, in order.
        sheet
            What it is laid out on; the page of a screen where not given.

        Raises
        ------
        FigureError
            It cannot be drawn from these tables.
        """
        from helio_dagster.figures.drawing import draw  # loads plotly, which takes half a second
        from helio_dagster.figures.sheet import SCREEN

        spec = figure_of(node)
        over_time = references_over_time(spec)
        tables = {
            reference: self._read(node, asset, span, upstream, is_over_time=reference in over_time)
            for reference, asset in node.data_inputs.items()
        }
        needed = traced(spec) | {reference for _, reference in spec.listed}
        events = tables.pop(spec.events) if spec.events and spec.events not in needed else None
        excluded = self._excluded(node, span, upstream)
        title = title_of(node, next(iter(upstream), None))
        return draw(
            spec,
            tables,
            span,
            title=title,
            events=events,
            excluded=excluded,
            spacecraft=node.spacecraft,
            sheet=sheet or SCREEN,
        )

    def origin(
        self, node: AssetNode, span: TimeRange, event: str | None, datasets: Iterable[DatasetOrigin] | None = None
    ) -> FigureOrigin:
        """Where the figure comes from; `datasets` are the graph's own, without versions and DOIs, where not given."""
        from helio_dagster.figures.origin import FigureOrigin

        pipeline = self._graph.pipelines[node.pipeline]
        return FigureOrigin(
            made_by=f"helio_dagster {__version__}",
            pipeline=pipeline.name,
            pipeline_sha=pipeline_sha(pipeline),
            step=node.step.id,
            start=span.start.strftime("%Y-%m-%dT%H:%M:%S"),
            stop=span.stop.strftime("%Y-%m-%dT%H:%M:%S"),
            event=event or "",
            datasets=list(datasets) if datasets is not None else self._datasets(node),
            pipeline_file=dump_pipeline(pipeline.model_copy(update={"approved": None})),
        )

    def _datasets(self, node: AssetNode) -> list[DatasetOrigin]:
        from helio_dagster.figures.origin import DatasetOrigin

        parameters: dict[tuple[str, str], list[str]] = {}
        for name in self._graph.with_ancestors([node.name]):
            fetch = self._graph[name].fetch
            if fetch is not None:
                parameters.setdefault((fetch.archive, fetch.dataset), []).append(fetch.parameter)
        return [
            DatasetOrigin(archive=archive, dataset=dataset, parameters=sorted(set(used)))
            for (archive, dataset), used in sorted(parameters.items())
        ]

    def _excluded(self, node: AssetNode, span: TimeRange, upstream: Upstream) -> dict[str, Intervals]:
        """Reference to the intervals that its data leave out."""
        lists = {}
        for asset, exclusion in node.excluded.items():
            is_given = exclusion.packed is not None
            lists[asset] = exclusion.intervals if is_given else intervals_of(self._read(node, asset, span, upstream), asset)
        return {reference: union_of([lists[asset] for asset in of]) for reference, of in node.excluded_of.items() if of}

    def _read(self, node: AssetNode, asset: str, span: TimeRange, upstream: Upstream, *, is_over_time: bool = False) -> Table:
        if node.events is not None and asset == node.events.list_asset and self._graph[asset].grain is not None:
            return node.events.rows_of([key or "" for key in upstream])
        keys = dict.fromkeys(pair for inputs in upstream.values() for pair in inputs[asset])
        if self._graph[asset].is_over_range:
            keys = dict.fromkeys((span_key(span), version) for _, version in keys)
        versions = [(key, version) for key, version in keys if version is not None]
        try:
            of_events = self._graph[asset].events is not None
            return self._tables.read(asset, versions, of_events=of_events, is_over_time=is_over_time)
        except ValueError as error:
            if self._graph[asset].events is not None:
                hint = "Draw each event by itself, or a step with a row for each event."
                raise FigureError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error
            hint = "Draw the ranges before and after the change separately."
            raise FigureError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error


def figure_of(node: AssetNode) -> Figure:
    """The figure that a node draws."""
    if node.step.figure is None:
        raise TypeError(f"{node.name} is not a figure")
    return node.step.figure


def title_of(node: AssetNode, partition: str | None) -> str:
    """Title of a figure; of one event of a list, with its key."""
    title = figure_of(node).title or node.title
    return f"{title}: {partition}" if node.events is not None and node.over != "range" else title


def traced(spec: Figure) -> set[str]:
    """The references that a figure shows values of, in its panels or below them."""
    return {reference for _, reference in spec.traced} | {row.data for row in spec.below}
