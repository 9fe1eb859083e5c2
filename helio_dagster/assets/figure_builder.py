"""Make figures: one for each contiguous range that was requested, recorded on the partitions it covers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.materialize import Batch, Made, Pending, made_from
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.range_results import RangeResults, range_stamp
from helio_dagster.domain.errors import FigureError, HelioError
from helio_dagster.domain.exclusions import Intervals, intervals_of, union_of
from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_cache import TableCache

if TYPE_CHECKING:
    from helio_dagster.figures.rendering import PngRenderer

_log = logging.getLogger(__name__)


class FigureMaker:
    """Draw figures from the stored tables they refer to.

    Parameters
    ----------
    graph, tables, files
        All assets, their tables, and the figure files.
    renderer
        Makes the PNG images; without it, only HTML pages are written.
    ranges
        Says over which ranges to draw.
    """

    def __init__(
        self,
        graph: AssetGraph,
        tables: TableCache,
        files: FigureFiles,
        renderer: PngRenderer | None,
        ranges: RangeResults,
    ) -> None:
        self._graph, self._tables, self._files, self._renderer, self._ranges = graph, tables, files, renderer, ranges

    def __call__(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        """Draw the figures; a figure that cannot be drawn fails the partitions it covers."""
        by_key = {item.partition: item for item in batch.pending}
        for span, keys in self._ranges.spans(node, list(by_key)):
            items = [by_key[key] for key in keys]
            try:
                metadata = self._draw(node, span, items)
            except HelioError as error:
                for item in items:
                    yield Made(item, Outcome("failed", error=error), {})
                continue
            for item in items:
                version = range_stamp(node, [(item.partition, item.inputs)])
                shown = metadata if item is items[-1] else {key: value for key, value in metadata.items() if key != "preview"}
                yield Made(item, Outcome("computed", "data", version), shown)

    def _draw(self, node: AssetNode, span: TimeRange, items: Sequence[Pending]) -> dict[str, object]:
        from helio_dagster.figures.drawing import draw  # loads plotly, which takes half a second
        from helio_dagster.figures.preview import small_copy
        from helio_dagster.figures.rendering import figure_to_html

        spec = node.step.figure
        if spec is None:
            raise TypeError(f"{node.name} is not a figure")
        tables = {reference: self._read(node, asset, span, items) for reference, asset in node.data_inputs.items()}
        events = tables.pop(spec.events) if spec.events and spec.events not in _traced(spec) else None
        title = spec.title or node.title
        if node.events is not None and node.over != "range":
            title = f"{title}: {items[0].partition}"
        figure = draw(spec, tables, span, title=title, events=events, excluded=self._excluded(node, span, items))
        html, png = self._files.html(node.name, span), self._files.png(node.name, span)
        stamp = range_stamp(node, [(item.partition, item.inputs) for item in items])
        figure_to_html(figure, html, stamp=stamp)
        metadata: dict[str, object] = {"figure": f"/figures/{html.name}", "html": str(html), "range": str(span)}
        try:
            if self._renderer is not None:
                picture = self._renderer.render(figure, png)
                metadata |= {"png": str(png), "preview": small_copy(picture)}
        except FigureError as error:
            png.unlink(missing_ok=True)
            metadata["no_picture"] = f"{error.problem}. {error.hint}"
            _log.warning("%s: no PNG: %s", node.name, error.problem)
        parts = {item.partition: made_from(item) for item in items}
        self._files.mark(
            node.name, span, stamp, {"code": node.code_version, "partitions": parts, "drawn": self._drawn(node, spec)}
        )
        return metadata

    def _drawn(self, node: AssetNode, spec: Figure) -> dict[str, object]:
        """What it takes to draw a part of the figure again: the step, reference to asset, and the length of its partitions."""
        assets = {reference: node.data_inputs[reference] for reference in sorted(_traced(spec))}
        assets = {reference: asset for reference, asset in assets.items() if not self._graph[asset].is_over_range}
        grains = {asset: self._graph[asset].time_grain for asset in assets.values()}
        return {"figure": spec.model_dump(mode="json", exclude_none=True), "inputs": assets, "grains": grains}

    def _excluded(self, node: AssetNode, span: TimeRange, items: Sequence[Pending]) -> dict[str, Intervals]:
        """Reference to the intervals that its data leave out."""
        lists = {}
        for asset, exclusion in node.excluded.items():
            is_given = exclusion.packed is not None
            lists[asset] = exclusion.intervals if is_given else intervals_of(self._read(node, asset, span, items), asset)
        return {reference: union_of([lists[asset] for asset in of]) for reference, of in node.excluded_of.items() if of}

    def _read(self, node: AssetNode, asset: str, span: TimeRange, items: Sequence[Pending]) -> Table:
        if node.events is not None and asset == node.events.list_asset and self._graph[asset].grain is not None:
            return node.events.rows_of([item.partition or "" for item in items])
        keys = dict.fromkeys(pair for item in items for pair in item.upstream[asset])
        if self._graph[asset].is_over_range:
            keys = dict.fromkeys((span_key(span), version) for _, version in keys)
        found = [self._tables.read(asset, key, version) for key, version in keys if version is not None]
        try:
            return concatenate(found, of_events=self._graph[asset].events is not None)
        except ValueError as error:
            if self._graph[asset].events is not None:
                hint = "Draw each event by itself, or a step with a row for each event."
                raise FigureError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error
            hint = "Draw the ranges before and after the change separately."
            raise FigureError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error


def _traced(spec: Figure) -> set[str]:
    return {trace.data for panel in spec.panels for trace in panel.traces}
