"""Panels with a map: values over two axes of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from tests.unit.figures.test_curve_panels import drawn, texts

COUNT = np.array([[4, 0], [100, 1], [0, 7]])


def make_map(count: Any = COUNT, *, scale: str = "linear", has_edges: bool = True, at: str = "2023-01-02") -> Table:
    """Counts over |B| (rows, with a hole between the second and the third bin) and speed, with their share beside them."""
    x_edges, y_edges = np.array([[1.0, 2.0], [2.0, 4.0], [6.0, 10.0]]), np.array([[300.0, 400.0], [400.0, 500.0]])
    columns: dict[str, Any] = {}
    named: list[ColumnMeta] = []
    for name, unit, edges, spread in (("b", "nT", x_edges, np.repeat), ("v", "km/s", y_edges, np.tile)):
        places = {"": ("axis", edges.mean(axis=1)), "_lower": ("lower", edges[:, 0]), "_upper": ("upper", edges[:, 1])}
        for end, (role, values) in places.items() if has_edges else [("", places[""])]:
            columns[f"{name}{end}"] = spread(values, 2 if name == "b" else 3)
            named.append(ColumnMeta.model_validate({"name": f"{name}{end}", "unit": unit, "role": role}))
    count = np.asarray(count)
    columns |= {"share": count.ravel() / 112, "count": count.ravel().astype(np.int64)}
    named += [ColumnMeta(name="share", label="share of the samples"), ColumnMeta(name="count", role="count")]
    axes = [
        BinAxis.model_validate({"label": label, "unit": unit, "scale": scale}) for label, unit in (("|B|", "nT"), ("V", "km/s"))
    ]
    meta = TableMeta(kind="map", columns=tuple(named), bins=axes[1], first_axis=axes[0])
    return Table(np.full(count.size, np.datetime64(at, "ns")), columns, meta)


def cells(figure: go.Figure) -> go.Heatmap:
    """The one image of a figure."""
    (found,) = [trace for trace in figure.data if trace.type == "heatmap"]
    return found


def test_cells_are_drawn_over_their_bins_and_empty_ones_are_blank(day: TimeRange) -> None:
    """Titles and units from the data, the hole between bins and a count of zero without colour, colours from zero."""
    figure = drawn({"m": make_map()}, day)
    image = cells(figure)
    assert image.x.tolist() == [1, 2, 4, 6, 10]
    assert image.y.tolist() == [300, 400, 500]
    expected = np.array([[4, 100, np.nan, np.nan], [np.nan, 1, np.nan, 7]]) / 112
    np.testing.assert_allclose(image.z, expected, rtol=1e-6)
    assert (image.zmin, image.zmax) == pytest.approx((0, 100 / 112))
    assert {"|B| [nT]", "V [km s<sup>−1</sup>]"} <= set(texts(figure))
    assert image.colorbar.title.text == "Share of the samples"
    assert (figure.layout.xaxis2.range, figure.layout.yaxis.range) == ((1, 10), (300, 500))
    assert "UTC" not in texts(figure)


def test_the_panel_says_scale_title_and_range_of_each_axis(day: TimeRange) -> None:
    """Also of the colours; the log of a count of one is drawn, and another column by its name."""
    ask = {
        "x": {"scale": "log"},
        "y": {"range": [350, 450], "title": "Speed"},
        "z": {"scale": "log", "title": "N", "range": [1, 1000]},
    }
    figure = drawn({"m": make_map()}, day, {"data": "m", "component": "count"}, **ask)
    image = cells(figure)
    assert (figure.layout.xaxis2.type, figure.layout.xaxis2.range) == ("log", pytest.approx((0, 1)))
    assert figure.layout.yaxis.range == (350, 450)
    np.testing.assert_allclose(image.z[0][:2], np.log10([4, 100]), rtol=1e-6)
    assert (image.zmin, image.zmax, image.colorbar.title.text) == (0, 3, "N")
    assert "Speed [km s<sup>−1</sup>]" in texts(figure)


def test_without_edges_bins_reach_half_way(day: TimeRange) -> None:
    """Halfway by ratio on a log axis."""
    plain, by_ratio = (cells(drawn({"m": make_map(has_edges=False, scale=scale)}, day)) for scale in ("linear", "log"))
    np.testing.assert_allclose(plain.y, [300, 400, 500])
    np.testing.assert_allclose(by_ratio.x[1:3], [np.sqrt(1.5 * 3), np.sqrt(3 * 8)])


def test_of_several_intervals_the_last_is_drawn_and_that_is_said(day: TimeRange) -> None:
    """And a map without a sample says so."""
    first, second = make_map(), make_map(2 * COUNT, at="2023-01-02T12:00")
    columns = {name: np.concatenate([first.columns[name], second.columns[name]]) for name in first.columns}
    figure = drawn({"m": Table(np.concatenate([first.time, second.time]), columns, first.meta)}, day)
    assert "1 of 2 intervals drawn: the one from 2023-01-02 12:00 UTC" in texts(figure)
    assert cells(figure).z[0][0] == pytest.approx(8 / 112)
    assert "no data" in texts(drawn({"m": make_map(0 * COUNT)}, day))
    assert "no data" in texts(drawn({"m": Table.empty(first.meta, first.meta.dtypes)}, day))


@pytest.mark.parametrize(
    ("panel", "said"),
    [
        ({"traces": [{"data": "m"}, {"data": "m"}]}, "shows nothing else"),
        ({"traces": [{"data": "m"}, {"data": "s"}]}, "over two axes of its own"),
        ({"traces": [{"data": "m", "draw": "line"}]}, "drawn as cells"),
        ({"traces": [{"data": "m", "component": "b"}]}, "b"),
        ({"traces": [{"data": "m"}], "z": {"scale": "log", "range": [0, 5]}}, "cannot begin at 0"),
        ({"traces": [{"data": "m"}], "x": {"range": [0, 5]}}, "cannot begin at 0"),
    ],
)
def test_what_cannot_be_drawn_is_found_before_and_when_it_is_drawn(
    make_series: Any, day: TimeRange, panel: Any, said: str
) -> None:
    """By the same rules."""
    tables = {"m": make_map(scale="log"), "s": make_series([1, 2])}
    figure = Figure.model_validate({"panels": [panel]})
    with pytest.raises(FigureError, match=said) as caught:
        draw(figure, tables, day, title="t")
    assert caught.value.hint
    if panel.get("z") is None:  # a range that contradicts its own scale is found by check_figure
        faults = list(find_figure_faults(figure, {name: table.meta for name, table in tables.items()}))
        assert [fault.problem for fault in faults] == [caught.value.problem]
