"""Figures that mix panels over time with panels of their own axes, and events as traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw

Maker = Callable[..., Table]


def figure_of(*panels: str | list[dict[str, object]], **rest: object) -> Figure:
    """A figure step; a panel is one reference or a list of traces."""
    given = [{"traces": [{"data": panel}] if isinstance(panel, str) else panel} for panel in panels]
    return Figure.model_validate({"panels": given, **rest})


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


@pytest.fixture
def storms() -> Table:
    """Two computed events of the day: an interval and an instant."""
    columns = (ColumnMeta(name="depth", unit="nT"), ColumnMeta(name="stop", role="stop"), ColumnMeta(name="id", role="id"))
    values = {
        "depth": np.array([-5.0, -9.0]),
        "stop": np.array(["2023-01-02T06:00", "NaT"], dtype="datetime64[ns]"),
        "id": np.array(["first", "second"], dtype=object),
    }
    time = np.array(["2023-01-02T03:00", "2023-01-02T12:00"], dtype="datetime64[ns]")
    return Table(time, values, TableMeta(kind="events", columns=columns, label="Bz < -5 nT"))


@pytest.fixture
def tables(make_series: Maker, make_curve: Maker, make_points: Maker, make_facts: Maker, storms: Table) -> dict[str, Table]:
    """One of each kind."""
    return {
        "b": make_series(np.sin(np.arange(1440.0) / 50)),
        "psd": make_curve(np.geomspace(1e-4, 1, 50), {"power": np.geomspace(100, 1, 50)}),
        "hodogram": make_points({"Bx": np.arange(9.0), "By": np.arange(9.0) ** 2}),
        "fit": make_facts(slope=(1.0, "", 0.1), intercept=(2.0, "nT"), r=(0.9,)),
        "storms": storms,
    }


def test_time_panels_share_an_axis_at_the_lowest_of_them(tables: dict[str, Table], day: TimeRange) -> None:
    """Below it there is room for the time labels, below the others for titles of their own."""
    figure = draw(figure_of("b", "psd", "b", "hodogram"), tables, day, title="t")
    layout = figure.layout
    assert (layout.xaxis.anchor, layout.xaxis3.anchor, layout.xaxis5.anchor) == ("y3", "y2", "y4")
    assert (layout.yaxis.anchor, layout.yaxis3.anchor) == ("x", "x")
    stack_px = layout.height - layout.margin.t - layout.margin.b
    axes = [layout.yaxis, layout.yaxis2, layout.yaxis3, layout.yaxis4]
    gaps = [(upper.domain[0] - lower.domain[1]) * stack_px for upper, lower in pairwise(axes)]
    assert gaps == pytest.approx([10, 52, 52], abs=0.5)
    (utc,) = [text for text in layout.annotations if text.text == "UTC"]
    assert utc.y == pytest.approx(layout.yaxis3.domain[0])


def test_events_are_marked_in_panels_over_time_alone(tables: dict[str, Table], day: TimeRange) -> None:
    """Not across a spectrum between them; their labels stand above the first panel over time."""
    figure = draw(figure_of("psd", "b", "b", "psd", "b"), tables, day, title="t", events=tables["storms"])
    layout = figure.layout
    ends = sorted({(shape.y0, shape.y1) for shape in layout.shapes if shape.yref == "paper"})
    assert ends[0] == pytest.approx(layout.yaxis5.domain)
    assert ends[1] == pytest.approx((layout.yaxis3.domain[0], layout.yaxis2.domain[1]))
    assert len(ends) == 2
    (label,) = [text for text in layout.annotations if text.text == "first"]
    assert label.y == pytest.approx(layout.yaxis2.domain[1])


def test_a_figure_without_a_panel_over_time_says_that_events_are_not_marked(tables: dict[str, Table], day: TimeRange) -> None:
    """In its header, beside the range."""
    figure = draw(figure_of("psd"), tables, day, title="t", events=tables["storms"])
    assert any(text.endswith("UTC · 2 events not marked") for text in texts(figure))
    assert not figure.layout.shapes


def test_computed_events_mark_a_figure_by_their_stop(tables: dict[str, Table], day: TimeRange) -> None:
    """The column of role `stop` makes an interval, NaT an instant; the id is the name where there is no other."""
    figure = draw(figure_of("b", events="storms"), tables, day, title="t")
    (fill,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert fill.x1 == np.datetime64("2023-01-02T06:00", "ms").astype(int)
    assert {"first", "second"} <= set(texts(figure))


def test_events_as_a_trace_shade_their_panel_alone(tables: dict[str, Table], day: TimeRange) -> None:
    """Behind the lines, with a label of their own; the panel below is not shaded."""
    figure = draw(figure_of([{"data": "b"}, {"data": "storms"}], "b"), tables, day, title="t")
    shapes = [shape for shape in figure.layout.shapes if shape.yref == "y domain"]
    assert [shape.type for shape in shapes] == ["rect", "line"]
    assert (shapes[0].x0, shapes[0].layer) == (np.datetime64("2023-01-02T03:00", "ms").astype(int), "below")
    assert "Bz &lt; -5 nT" in " ".join(texts(figure)).replace("B<sub>z</sub>", "Bz")
    assert len(figure.data) == 2


def test_a_column_of_events_is_still_drawn_over_time(tables: dict[str, Table], day: TimeRange) -> None:
    """Where a component or a way to draw is asked for."""
    (dots,) = draw(figure_of([{"data": "storms", "component": "depth"}]), tables, day, title="t").data
    assert (dots.mode, dots.y.tolist()) == ("markers", [-5.0, -9.0])


def test_events_alone_have_a_low_panel_that_says_when_there_are_none(
    tables: dict[str, Table], storms: Table, day: TimeRange
) -> None:
    """No value axis, no failure."""
    figure = draw(figure_of("storms", "b"), tables, day, title="t")
    low = figure.layout.yaxis.domain
    assert (low[1] - low[0]) < (figure.layout.yaxis2.domain[1] - figure.layout.yaxis2.domain[0]) / 2
    none = replace(storms, time=storms.time[:0], columns={name: values[:0] for name, values in storms.columns.items()})
    assert "no events" in texts(draw(figure_of("storms"), {"storms": none}, day, title="t"))


@pytest.mark.parametrize("reference", ["psd", "b", "hodogram"])
def test_rows_that_are_no_events_are_not_marked(reference: str, tables: dict[str, Table], day: TimeRange) -> None:
    """A figure's events must be events."""
    with pytest.raises(FigureError, match="its rows are not events") as caught:
        draw(figure_of("b", events=reference), tables, day, title="t")
    assert caught.value.where == "figure.events"


@pytest.mark.parametrize("kind", ["b", "psd", "hodogram", "fit", "storms"])
def test_a_step_of_which_nothing_is_known_is_no_data_beside_any_kind(
    kind: str, tables: dict[str, Table], day: TimeRange
) -> None:
    """A window without a file has a table without columns: alone and beside each kind, the figure is drawn."""
    unknown = Table(np.empty(0, "datetime64[ns]"), {}, TableMeta(kind="series", columns=()))
    figure = draw(figure_of("gone", [{"data": kind}, {"data": "gone"}]), {**tables, "gone": unknown}, day, title="t")
    assert "no data" in texts(figure)


def test_the_same_inputs_draw_the_same_mixed_figure(tables: dict[str, Table], day: TimeRange) -> None:
    """Byte for byte, as JSON."""
    spec = figure_of("b", [{"data": "psd"}, {"data": "fit"}], [{"data": "hodogram"}, {"data": "fit"}], "fit", "storms")
    first, second = (draw(spec, tables, day, title="t").to_json() for _ in range(2))
    assert first == second


def test_text_of_strangers_is_shown_not_interpreted(
    make_curve: Maker, make_points: Maker, make_facts: Maker, day: TimeRange
) -> None:
    """Links and tags in names, units, labels and values of the new kinds come out as letters."""
    bad = '<a href="http://x">click</a>%{y}'
    curve = make_curve([1, 2], {bad: [1, 2], "low": [1, 2]}, units={bad: bad}, unit=bad, roles={"low": "lower"})
    facts = make_facts(label=bad, **{bad: (1.0, bad, 0.1), "word": (bad, bad)})
    tables = {"c": curve, "p": make_points({bad: [1, 2], "y": [1, 2], "z": [1, 2]}, unit=[bad, "nT", bad]), "f": facts}
    spec = figure_of([{"data": "c", "label": bad}, {"data": "f"}], [{"data": "p", "label": bad}, {"data": "f"}], "f")
    figure = draw(spec, tables, day, title=bad)
    shown = [*texts(figure), *(trace.name for trace in figure.data)]
    shown += [str(trace.marker.colorbar.title.text) for trace in figure.data if trace.marker.showscale]
    assert not any("<a" in text or "%{" in text for text in shown)
