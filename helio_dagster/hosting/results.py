"""What was made of a pipeline over a range, as every server shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.result_spans import spans
from helio_dagster.domain.inquiry import ColumnStatistics, Reading, StepStatistics
from helio_dagster.domain.records import in_words
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.running.reading import find_asset, find_parts
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.resources.workbench import Workbench

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Asked:
    """What a result is asked of: a pipeline, and a range that was run."""

    opened: OpenPipeline
    span: TimeRange

    @property
    def name(self) -> str:
        """The pipeline's name."""
        return self.opened.pipeline.name

    @property
    def graph(self) -> AssetGraph:
        """All assets of the home."""
        return self.opened.graph

    def node(self, step: str) -> AssetNode:
        """The asset of a step; InputError if there is none."""
        return find_asset(self.graph, step, self.opened.pipeline)


def figures_of(asked: Asked, site: ServedHome) -> Iterator[tuple[str, TimeRange]]:
    """Each figure that was drawn over the range: its step, and the range it shows."""
    request = asked.opened.request(asked.span, site.clock())
    for node in asked.graph.of_pipeline(asked.opened.pipeline).values():
        if node.kind == "figure":
            for span, _ in spans(node, request.targets.get(node.name, []), shown=request.shown):
                yield node.step.id, span


def frames(asked: Asked, node: AssetNode, bench: Workbench) -> Iterator[pd.DataFrame]:
    """The records of a step over the range, a partition at a time; raises as `find_parts`.

    A record that has axes is a text in its cell: its shape, and the extremes of its values.
    """
    from helio_dagster.compute.dataframes import table_to_dataframe

    span = None if node.grain is None and node.over != "range" else asked.span
    yield from (table_to_dataframe(in_words(table)) for table in find_parts(bench.store, node, span).tables())


def statistics_document(found: StepStatistics) -> dict[str, Any]:
    """The statistics of a step: extremes with their times, means, medians and deviations of its first columns."""
    columns = [_column(each) for each in found.columns[:8]]
    more = {"more_columns": len(found.columns) - 8} if len(found.columns) > 8 else {}
    synthetic = {"synthetic": True} if found.is_synthetic else {}
    frame = {"frame": found.frame} if found.frame else {}
    return {
        "step": found.step,
        "kind": found.kind,
        **({"axes": [dict(each) for each in found.axes]} if found.axes else {}),
        **frame,
        **synthetic,
        "partitions": found.states,
        "columns": columns,
        **more,
    }


def _column(each: ColumnStatistics) -> dict[str, Any]:
    numbers = {name: _rounded(getattr(each, name)) for name in ("mean", "median", "std")}
    ends = {name: _reading(value) for name in ("minimum", "maximum") if (value := getattr(each, name)) is not None}
    known = {name: value for name, value in numbers.items() if value is not None}
    return {"column": each.column, "unit": each.unit, "valid": each.valid, "fill": each.fill, **ends, **known}


def _reading(value: Reading) -> str:
    return f"{_rounded(value.value)} at {value.time}" + (f" and {value.count - 1} more times" if value.count > 1 else "")


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
