"""Make figures: one for each contiguous range that was requested, recorded on the partitions it covers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from helio_dagster.assets.figure_spans import figure_stamp, spans
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.materialize import Batch, Made, Pending
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import FigureError, HelioError
from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.preview import small_copy
from helio_dagster.figures.rendering import PngRenderer, figure_to_html
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_cache import TableCache

_log = logging.getLogger(__name__)


class FigureMaker:
    """Draw figures from the stored tables they refer to.

    Parameters
    ----------
    graph, tables, files
        All assets, their tables, and the figure files.
    renderer
        Makes the PNG images; without it, only HTML pages are written.
    shown
        The range to show if it is shorter than the partitions that cover it.
    """

    def __init__(
        self,
        graph: AssetGraph,
        tables: TableCache,
        files: FigureFiles,
        renderer: PngRenderer | None,
        *,
        shown: TimeRange | None = None,
    ) -> None:
        self._graph, self._tables, self._files, self._renderer, self._shown = graph, tables, files, renderer, shown

    def is_drawn(self, node: AssetNode, asked: Sequence[Pending]) -> bool:
        """Whether the figures over the requested ranges are on disk and drawn from exactly these inputs."""
        return all(
            self._files.drawn_from(node.name, span) == figure_stamp(node, [(item.partition, item.inputs) for item in items])
            for span, items in self._ranges(node, asked)
        )

    def __call__(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        """Draw the figures; a figure that cannot be drawn fails the partitions it covers."""
        for span, items in self._ranges(node, batch.asked):
            try:
                metadata = self._draw(node, span, items)
            except HelioError as error:
                for item in items:
                    yield Made(item, Outcome("failed", error=error), {})
                continue
            for item in items:
                version = figure_stamp(node, [(item.partition, item.inputs)])
                shown = metadata if item is items[-1] else {key: value for key, value in metadata.items() if key != "preview"}
                yield Made(item, Outcome("computed", "data", version), shown)

    def _draw(self, node: AssetNode, span: TimeRange, items: Sequence[Pending]) -> dict[str, object]:
        spec = node.step.figure
        if spec is None:
            raise TypeError(f"{node.name} is not a figure")
        tables = {reference: self._read(asset, items) for reference, asset in node.inputs.items()}
        events = tables.pop(spec.events) if spec.events and spec.events not in _traced(spec) else None
        figure = draw(spec, tables, span, title=spec.title or node.title, events=events)
        html, png = self._files.html(node.name, span), self._files.png(node.name, span)
        figure_to_html(figure, html)
        metadata: dict[str, object] = {"figure": f"/figures/{html.name}", "html": str(html), "range": str(span)}
        try:
            if self._renderer is not None:
                picture = self._renderer.render(figure, png)
                metadata |= {"png": str(png), "preview": small_copy(picture)}
        except FigureError as error:
            png.unlink(missing_ok=True)
            metadata["no_picture"] = f"{error.problem}. {error.hint}"
            _log.warning("%s: no PNG: %s", node.name, error.problem)
        stamp = figure_stamp(node, [(item.partition, item.inputs) for item in items])
        made_from = {item.partition: {asset: dict(versions) for asset, versions in item.upstream.items()} for item in items}
        self._files.mark(node.name, span, stamp, {"code": node.code_version, "partitions": made_from})
        return metadata

    def _ranges(self, node: AssetNode, asked: Sequence[Pending]) -> list[tuple[TimeRange, list[Pending]]]:
        by_key = {item.partition: item for item in asked}
        return [(span, [by_key[key] for key in keys]) for span, keys in spans(node, list(by_key), shown=self._shown)]

    def _read(self, asset: str, items: Sequence[Pending]) -> Table:
        keys = dict.fromkeys(pair for item in items for pair in item.upstream[asset])
        found = [self._tables.read(asset, key, version) for key, version in keys if version is not None]
        try:
            return concatenate(found)
        except ValueError as error:
            hint = "Draw the ranges before and after the change separately."
            raise FigureError(f"partitions of {asset} do not fit together: {error}", hint=hint) from error


def _traced(spec: Figure) -> set[str]:
    return {trace.data for panel in spec.panels for trace in panel.traces}
