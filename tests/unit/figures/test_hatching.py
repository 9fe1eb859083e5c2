"""What was excluded from a panel's data is hatched there, and the figure says what the hatching means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go

from helio_dagster.domain.exclusions import Intervals
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw

TWO = Figure.model_validate({"panels": [{"traces": [{"data": "a"}]}, {"traces": [{"data": "b"}]}]})


def intervals(*moments: str) -> Intervals:
    """Start and stop of one interval."""
    return np.array([moments], dtype="datetime64[ns]").astype(np.int64)


def drawn(day: TimeRange, table: Table, excluded: dict[str, Intervals]) -> tuple[list[go.layout.Shape], str]:
    """The areas and paths in a figure of two panels, which without hatching has only lines, and all of its texts."""
    figure = draw(TWO, {"a": table, "b": table}, day, title="t", excluded=excluded)
    return [each for each in figure.layout.shapes if each.type != "line"], " ".join(
        each.text for each in figure.layout.annotations
    )


def test_only_the_panel_that_lost_samples_is_hatched(day: TimeRange, make_series: Callable[..., Table]) -> None:
    """Over exactly the interval, as far as it is inside the figure."""
    lost = intervals("2023-01-01T22:00", "2023-01-02T06:00")
    shapes, texts = drawn(day, make_series(np.arange(1440.0)), {"b": lost})
    shade, lines = shapes
    assert {shade.yref, lines.yref} == {"y2 domain"}
    assert [np.datetime64(round(edge), "ms") for edge in (shade.x0, shade.x1)] == [
        np.datetime64("2023-01-02T00:00"),
        np.datetime64("2023-01-02T06:00"),
    ]
    assert lines.path.count("M ") > 10
    assert "hatched: excluded" in texts


def test_nothing_is_hatched_without_exclusions_in_the_range(day: TimeRange, make_series: Callable[..., Table]) -> None:
    """Neither without a list, nor where its intervals are elsewhere."""
    for excluded in ({}, {"b": intervals("2023-02-01", "2023-02-02")}):
        shapes, texts = drawn(day, make_series(np.arange(1440.0)), excluded)
        assert shapes == []
        assert "hatched" not in texts
