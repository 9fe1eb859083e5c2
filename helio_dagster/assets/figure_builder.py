"""Make figures: one for each contiguous range that was requested, recorded on the partitions it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.assets.batches import Batch, Made, Pending, made_from
from helio_dagster.assets.description import describe_figure
from helio_dagster.assets.figure_description import FigureDescription, figure_of, traced
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.range_results import RangeResults, range_stamp
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_cache import TableCache


class FigureMaker:
    """Draw figures from the stored tables they refer to.

    Parameters
    ----------
    graph, tables, files
        All assets, their tables, and the figure files.
    has_pictures
        Whether PNG pictures are made beside the HTML pages.
    ranges
        Says over which ranges to draw.
    """

    def __init__(
        self,
        graph: AssetGraph,
        tables: TableCache,
        files: FigureFiles,
        ranges: RangeResults,
        *,
        has_pictures: bool = True,
    ) -> None:
        self._graph, self._files, self._ranges = graph, files, ranges
        self._description = FigureDescription(graph, tables)
        self._has_pictures = has_pictures

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
                yield Made(item, Outcome("computed", "data", version), metadata)

    def _draw(self, node: AssetNode, span: TimeRange, items: Sequence[Pending]) -> dict[str, object]:
        from helio_dagster.figures.rendering import figure_to_html, figure_to_png

        upstream = {item.partition: item.upstream for item in items}
        figure = self._description.draw(node, span, upstream)
        html, png = self._files.html(node.name, span), self._files.png(node.name, span)
        stamp = range_stamp(node, [(item.partition, item.inputs) for item in items])
        figure_to_html(figure, html, stamp=stamp)
        if self._has_pictures:
            event = items[0].partition if node.events is not None and node.over != "range" else None
            origin = self._description.origin(node, span, event)
            figure_to_png(figure, png, origin)
        else:
            png.unlink(missing_ok=True)  # of what was drawn before
        parts = {item.partition: made_from(item) for item in items}
        self._files.mark(
            node.name,
            span,
            stamp,
            {"code": node.code_version, "partitions": parts, "drawn": self._drawn(node, figure_of(node))},
        )
        return describe_figure(html, png, span)

    def _drawn(self, node: AssetNode, spec: Figure) -> dict[str, object]:
        """What it takes to draw a part of the figure again: the step, reference to asset, and the length of its partitions."""
        assets = {reference: node.data_inputs[reference] for reference in sorted(traced(spec))}
        assets = {reference: asset for reference, asset in assets.items() if not self._graph[asset].is_over_range}
        grains = {asset: self._graph[asset].time_grain for asset in assets.values()}
        figure = spec.model_dump(mode="json", exclude_none=True)
        return {"figure": figure, "inputs": assets, "grains": grains, "spacecraft": dict(node.spacecraft)}
