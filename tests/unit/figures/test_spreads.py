"""Errors and spreads of lines and points over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.refining import refined

Maker = Callable[..., Table]


def spec_of(trace: dict[str, Any], **panel: Any) -> Figure:
    """A figure of one trace of `b`."""
    return Figure.model_validate({"panels": [{"traces": [{"data": "b", **trace}], **panel}]})


def drawn(tables: dict[str, Table], day: TimeRange, trace: dict[str, Any], **panel: Any) -> go.Figure:
    """That figure, drawn."""
    return draw(spec_of(trace, **panel), tables, day, title="t")


def band(figure: go.Figure) -> go.Scatter:
    """The one band of a figure."""
    (found,) = [trace for trace in figure.data if trace.fill == "toself"]
    return found


def two_columns(count: int = 10) -> Table:
    """A speed with its deviation beside it, one minute a record."""
    columns = (ColumnMeta(name="v", unit="km/s"), ColumnMeta(name="sigma", unit="km/s", role="uncertainty"))
    time = np.datetime64("2023-01-02", "ns") + np.arange(count) * np.timedelta64(60, "s")
    values = {"v": np.arange(float(count)) + 400, "sigma": np.full(count, 2.0)}
    return Table(time, values, TableMeta(kind="series", columns=columns, unit="km/s"))


def test_a_line_has_a_band_of_one_deviation_to_both_sides(day: TimeRange) -> None:
    """From another column of its step; the axis has room for it."""
    figure = drawn({"b": two_columns()}, day, {"error": {"component": "sigma"}})
    shape = band(figure)
    np.testing.assert_allclose(shape.y[:10], np.arange(10) + 402)
    np.testing.assert_allclose(shape.y[10:], np.arange(10)[::-1] + 398)
    low, high = figure.layout.yaxis.range
    assert low < 398
    assert high > 411


def test_points_have_bars(day: TimeRange) -> None:
    """Up and down from each value."""
    (points,) = drawn({"b": two_columns()}, day, {"error": {"component": "sigma"}, "draw": "points"}).data
    np.testing.assert_allclose(points.error_y.array, 2)
    np.testing.assert_allclose(points.error_y.arrayminus, 2)


@pytest.mark.parametrize(
    ("trace", "labels", "said"),
    [
        ({"error": {"component": "sigma"}}, {}, "shade: ± uncertainty"),
        ({"error": {"component": "sigma"}, "draw": "points"}, {}, "bars: ± uncertainty"),
        ({"spread": [{"component": "low"}, {"component": "high"}]}, {"low": "25 %", "high": "75 %"}, "shade: quartiles"),
        (
            {"spread": [{"component": "low"}, {"component": "high"}]},
            {"low": "lowest", "high": "highest"},
            "shade: lowest to highest",
        ),
        ({"spread": [{"component": "low"}, {"component": "high"}]}, {}, ""),
    ],
)
def test_a_spread_over_time_is_named_beside_its_panel(
    trace: dict[str, Any], labels: dict[str, str], said: str, day: TimeRange
) -> None:
    """By what is known of it; where nothing is, by nothing. The line alone needs no label: the title says what it is."""
    names = ["v", "sigma", "low", "high"]
    columns = tuple(ColumnMeta(name=name, unit="km/s", label=labels.get(name, "")) for name in names)
    time = np.datetime64("2023-01-02", "ns") + np.arange(10) * np.timedelta64(60, "s")
    values = {name: np.arange(10.0) + place for place, name in enumerate(names)}
    table = Table(time, values, TableMeta(kind="series", columns=columns, unit="km/s"))
    notes = [str(note.text) for note in drawn({"b": table}, day, {"component": "v", **trace}).layout.annotations]
    assert [note for note in notes if "shade" in note or "bars" in note] == ([said] if said else [])


def test_a_spread_of_other_steps_is_that_of_the_nearest_record(make_series: Maker, day: TimeRange) -> None:
    """Two steps of another cadence and unit: metres a second become kilometres a second."""
    value = make_series(np.full(60, 400.0), unit="km/s")
    every = slice(None, None, 10)
    low = make_series(np.full(60, 390e3), unit="m/s")
    high = make_series(np.arange(60.0) * 100 + 410e3, unit="m/s")
    low, high = (Table(each.time[every], {"b": each.columns["b"][every]}, each.meta) for each in (low, high))
    figure = drawn({"b": value, "low": low, "high": high}, day, {"spread": [{"data": "low"}, {"data": "high"}]})
    shape = band(figure)
    assert shape.y[-1] == pytest.approx(390)
    assert [shape.y[minute] for minute in (0, 4, 6, 20)] == pytest.approx([410, 410, 411, 412])


def test_a_band_is_broken_where_a_value_or_an_end_is_missing(day: TimeRange) -> None:
    """No band across either; what is alone has none."""
    table = two_columns()
    table.columns["v"][4] = np.nan
    table.columns["sigma"][7] = np.nan
    shape = band(drawn({"b": table}, day, {"error": {"component": "sigma"}}))
    pieces = np.split(np.asarray(shape.x, dtype=float), np.flatnonzero(np.isnan(np.asarray(shape.y, dtype=float))))
    assert [np.isfinite(piece).sum() for piece in pieces] == [8, 4, 4]


def test_a_long_band_is_thinned_to_its_extremes(day: TimeRange) -> None:
    """A single wide deviation of 20,000 records is still seen."""
    count = 20_000
    columns = (ColumnMeta(name="v", unit="nT"), ColumnMeta(name="s", unit="nT", role="uncertainty"))
    time = np.datetime64("2023-01-02", "ns") + np.arange(count) * np.timedelta64(4, "s")
    deviation = np.ones(count)
    deviation[12_345] = 50
    meta = TableMeta(kind="series", columns=columns, unit="nT")
    shape = band(drawn({"b": Table(time, {"v": np.zeros(count), "s": deviation}, meta)}, day, {"error": {"component": "s"}}))
    assert len(shape.y) < 5000
    assert (np.nanmin(shape.y), np.nanmax(shape.y)) == (-50, 50)


def test_on_a_log_axis_a_spread_below_zero_goes_down_to_the_edge(make_series: Maker, day: TimeRange) -> None:
    """The band is drawn, and does not stretch the axis over decades."""
    tables = {"b": make_series([1.0, 2, 3], unit="cm^-3"), "s": make_series([5.0, 5, 5], unit="cm^-3")}
    figure = drawn(tables, day, {"error": {"data": "s"}}, y={"scale": "log"})
    assert band(figure).y.min() > 0
    assert figure.layout.yaxis.range[0] > -2


def test_no_data_has_no_band(make_series: Maker, day: TimeRange) -> None:
    """Nothing to draw is a note; an unknown or empty step of errors leaves the line alone."""
    empty = make_series([])
    unknown = Table.empty(TableMeta(kind="series", columns=()))
    for tables in ({"b": empty, "s": make_series([1.0])}, {"b": make_series([1.0, 2]), "s": empty}):
        assert not [trace for trace in drawn(tables, day, {"error": {"data": "s"}}).data if trace.fill]
    assert not [
        trace for trace in drawn({"b": make_series([1.0, 2]), "s": unknown}, day, {"error": {"data": "s"}}).data if trace.fill
    ]
    one = drawn({"b": make_series([1.0]), "s": make_series([1.0])}, day, {"error": {"data": "s"}, "draw": "points"})
    assert one.data[0].error_y.array.tolist() == [1]


@pytest.mark.parametrize(
    ("trace", "problem", "end"),
    [
        ({"error": {"component": "q"}}, "has no column q", "error.component"),
        ({"error": {"data": "field"}}, "is in nT, and its line v in km/s", "error"),
        ({"error": {"data": "vector"}}, "vector has 3 columns", "error"),
        ({"data": "vector", "error": {"data": "field"}}, "belongs to one line", "component"),
        ({"data": "hodogram", "error": {"data": "field"}}, "belongs to a line over time", "error"),
    ],
)
def test_what_does_not_fit_is_refused_by_drawing_and_by_the_check(
    trace: dict[str, Any], problem: str, end: str, make_series: Maker, make_vector: Maker, make_points: Maker, day: TimeRange
) -> None:
    """With its place in the pipeline, in the same words before anything runs."""
    tables = {
        "b": two_columns(),
        "field": make_series([1.0], unit="nT"),
        "vector": make_vector(["x", "y", "z"]),
        "hodogram": make_points({"Bx": [1.0], "By": [1.0]}),
    }
    with pytest.raises(FigureError, match=problem) as caught:
        drawn(tables, day, trace)
    assert caught.value.where == f"figure.panels[0].traces[0].{end}"
    metas = {name: table.meta for name, table in tables.items()}
    assert caught.value.problem in [fault.problem for fault in find_figure_faults(spec_of(trace), metas)]


def test_steps_of_errors_are_references_of_the_figure() -> None:
    """They are brought up to date with it; a figure without any says nothing of them."""
    figure = {"panels": [{"traces": [{"data": "b", "spread": [{"data": "low"}, {"component": "p75"}]}]}]}
    step = Step.model_validate({"id": "fig", "intent": "x", "figure": figure})
    assert ("figure.panels[0].traces[0].spread[0].data", "low") in step.references
    assert len(step.references) == 2
    assert {"error", "spread"}.isdisjoint(spec_of({}).model_dump(mode="json")["panels"][0]["traces"][0])
    with pytest.raises(ValueError, match="not both"):
        spec_of({"error": {"component": "s"}, "spread": [{"component": "a"}, {"component": "b"}]})
    with pytest.raises(ValueError, match="give `data`"):
        spec_of({"error": {}})


def test_zooming_in_draws_the_band_anew(day: TimeRange) -> None:
    """Under the name of the whole figure's band, so that the page finds it."""
    answer = refined(spec_of({"error": {"component": "sigma"}}), {"b": two_columns(60)}, day)
    assert [trace["name"] for trace in answer["traces"]] == ["v, spread", "v"]
    tables = {"b": two_columns(60), "s": two_columns(60)}
    other = refined(spec_of({"error": {"data": "s", "component": "v"}}), tables, day)
    assert [trace["name"] for trace in other["traces"]] == ["v, spread", "v"]
