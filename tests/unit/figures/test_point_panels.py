"""Panels of points: scatter and hodogram."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.colors import channel_colors
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.pages import html_page
from helio_dagster.figures.printing.axes import ticks_of
from helio_dagster.figures.printing.frame import Frame
from helio_dagster.figures.printing.paper import sheet_of
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.text_width import width_px as width_px_of

Maker = Callable[..., Table]


def drawn(tables: dict[str, Table], day: TimeRange, *traces: object, **panel: object) -> go.Figure:
    """A figure of one panel; traces by reference or as mappings."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    return draw(Figure.model_validate({"panels": [{"traces": given, **panel}]}), tables, day, title="t")


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def test_a_hodogram_is_a_line_in_time_on_equal_axes(make_points: Maker, day: TimeRange) -> None:
    """A rotation: both axes as long in nT as in pixels, start and stop marked, the line broken at a missing value."""
    angle = np.linspace(0, np.pi, 181)
    components = {"B_L": 10 * np.cos(angle), "B_M": 10 * np.sin(angle)}
    components["B_M"][90] = np.nan
    figure = drawn({"b": make_points(components)}, day, {"data": "b", "color": "black"})
    line, start, stop = figure.data
    x_axis, y_axis = figure.layout.xaxis2, figure.layout.yaxis
    assert line.mode == "lines"
    assert np.isnan(line.y).sum() == 1
    assert len(line.x) == 181
    assert [(end.x.tolist(), end.marker.symbol) for end in (start, stop)] == [
        (pytest.approx([10]), "circle"),
        (pytest.approx([-10]), "square"),
    ]
    assert (x_axis.scaleanchor, x_axis.scaleratio, x_axis.constrain, y_axis.constrain) == ("y", 1, "domain", "domain")
    assert np.ptp(x_axis.range) == pytest.approx(np.ptp(y_axis.range))
    assert {"B<sub>L</sub> [nT]", "B<sub>M</sub> [nT]"} <= set(texts(figure))
    assert {"● start 2023-01-02 00:00", "■ stop 2023-01-02 00:03"} <= set(texts(figure))


def test_a_gap_in_time_breaks_a_hodogram(make_points: Maker, day: TimeRange) -> None:
    """Records that are missing are not bridged either."""
    whole = make_points({"Bx": np.arange(40.0), "By": np.arange(40.0)})
    keep = np.r_[0:20, 35:40]
    holed = Table(whole.time[keep], {name: values[keep] for name, values in whole.columns.items()}, whole.meta)
    line = drawn({"b": holed}, day, {"data": "b", "color": "black"}).data[0]
    assert np.flatnonzero(np.isnan(line.x)).tolist() == [20]
    assert not any(left < 20 <= right for trace in drawn({"b": holed}, day).data for left, right in pairwise(trace.x))


def test_the_colour_of_a_lone_hodogram_goes_with_time(make_points: Maker, day: TimeRange) -> None:
    """Of equal lengths of time, however dense the points are; pieces join, and start and stop have the end colours."""
    seconds = np.r_[np.arange(0, 1200, 2), np.arange(1200, 2400)]
    whole = make_points({"Bx": seconds.astype(float), "By": np.sqrt(seconds)})
    time = np.datetime64("2023-01-02", "ns") + seconds * np.timedelta64(1, "s")
    figure = drawn({"b": Table(time, whole.columns, whole.meta)}, day)
    *pieces, start, stop = figure.data
    assert [piece.line.color for piece in pieces] == channel_colors(24)
    assert [piece.x[0] for piece in pieces] == pytest.approx(np.arange(24) * 2399 / 24, abs=2)
    assert all(piece.x[-1] == after.x[0] for piece, after in pairwise(pieces))
    assert (start.marker.color, stop.marker.color) == (pieces[0].line.color, pieces[-1].line.color)


@pytest.mark.parametrize(
    ("names", "unit", "frame", "is_path"),
    [
        (("Bx", "By"), "nT", None, True),
        (("b1", "b2"), "nT", "LMN", True),
        (("t1", "t2"), "nT", None, False),
        (("Bx", "By"), ("nT", "km/s"), None, False),
        (("va", "dv"), "km/s", None, False),
    ],
)
def test_only_two_components_of_one_vector_make_a_hodogram(
    names: tuple[str, str], unit: object, frame: str | None, is_path: bool, make_points: Maker, day: TimeRange
) -> None:
    """One unit, and names that differ by the component's letter."""
    figure = drawn({"p": make_points({name: [1.0, 2, 3] for name in names}, unit=unit, frame=frame)}, day)
    assert (figure.data[0].mode == "lines") is is_path


def test_labels_go_before_the_names_of_columns(make_points: Maker, day: TimeRange) -> None:
    """A scatter's columns may be called x and y, whatever they hold."""
    table = make_points({"x": [1.0, 2, 3], "y": [1.0, 2, 3]}, unit="km/s")
    named = [
        column.model_copy(update={"label": label}) for column, label in zip(table.meta.columns, ("Va", "V HT"), strict=True)
    ]
    scatter = Table(table.time, table.columns, table.meta.model_copy(update={"columns": tuple(named)}))
    assert drawn({"p": scatter}, day).data[0].mode == "markers"


def test_a_scatter_has_its_fit_with_slope_intercept_and_r(make_points: Maker, make_facts: Maker, day: TimeRange) -> None:
    """The line y = slope x + intercept from edge to edge, its numbers in its colour."""
    x = np.linspace(-100, 100, 201)
    tables = {
        "walen": make_points({"va": x, "dv": 0.9 * x + 5}, unit="km/s"),
        "fit": make_facts(slope=(0.9, "", 0.01), intercept=(5.0, "km/s", 0.5), r=(0.98,), count=(201,)),
    }
    figure = drawn(tables, day)
    dots, fit = figure.data
    np.testing.assert_allclose(fit.y, 0.9 * fit.x + 5)
    assert fit.x[[0, -1]].tolist() == pytest.approx(figure.layout.xaxis2.range)
    assert dots.mode == "markers"
    labels = {text.text: text.font.color for text in figure.layout.annotations}
    assert labels["slope = 0.900 ± 0.010"] == fit.line.color
    assert "intercept = (5.00 ± 0.50) km s<sup>−1</sup>" in labels
    assert "r = 0.98" in labels
    assert not any(text.startswith("count") for text in labels)


def test_a_third_value_colours_the_points_with_a_bar(make_points: Maker, day: TimeRange) -> None:
    """Title and unit of the bar; the panel may ask for logarithmic colours."""
    table = make_points({"v": [300, 400, 500], "t": [1, 2, 3], "n": [1, 10, 100]}, unit=["km/s", "eV", "cm^-3"])
    (dots,) = drawn({"p": table}, day, z={"scale": "log"}).data
    assert dots.marker.color.tolist() == pytest.approx([0, 1, 2])
    assert dots.marker.showscale
    assert dots.marker.colorbar.title.text == "n [cm<sup>−3</sup>]"


def test_several_sets_are_told_apart_and_share_one_colour_bar(make_points: Maker, day: TimeRange) -> None:
    """Two steps in one panel, named by what they hold and their step, never by the step alone."""
    table = make_points({"v": [1, 2], "t": [1, 2], "n": [1, 2]}, unit=["km/s", "eV", "cm^-3"])
    figure = drawn({"ace": table, "wind": table}, day)
    assert [dots.marker.showscale for dots in figure.data] == [True, False]
    assert {"t over v (ace)", "t over v (wind)"} <= set(texts(figure))
    assert not {"ace", "wind"} & set(texts(figure))


def test_points_of_several_spacecraft_are_named_after_them(make_points: Maker, day: TimeRange) -> None:
    """With what they hold; a given label stays as it is."""
    table = make_points({"v": [1, 2], "t": [1, 2]}, unit=["km/s", "eV"])
    given = [{"data": "a"}, {"data": "b"}, {"data": "c", "label": "model"}]
    spec = Figure.model_validate({"panels": [{"traces": given}]})
    figure = draw(spec, dict.fromkeys("abc", table), day, title="t", spacecraft={"a": "ACE", "b": "Wind", "c": "ACE"})
    assert {"ACE t over v", "Wind t over v", "model"} <= set(texts(figure))


def test_points_alike_but_for_their_unit_say_it(make_points: Maker, day: TimeRange) -> None:
    """No step is named then."""
    tables = {name: make_points({"x": [1, 2], "y": [1, 2]}, unit=unit) for name, unit in (("first", "nT"), ("other", "km/s"))}
    shown = texts(drawn(tables, day))
    assert {"y over x [nT]", "y over x [km/s]"} <= set(shown)
    assert not any("first" in text for text in shown)


def test_points_that_a_log_axis_cannot_show_are_counted(make_points: Maker, day: TimeRange) -> None:
    """Not drawn, and said in the panel."""
    table = make_points({"n": [1, 0, -1, 10], "t": [1, 2, 3, 4]}, unit=["cm^-3", "eV"])
    figure = drawn({"p": table}, day, x={"scale": "log"})
    assert figure.data[0].x.tolist() == [1, 10]
    assert "2 points at or below zero not drawn" in texts(figure)


def test_points_beyond_what_can_be_seen_are_thinned_and_said_to_be(make_points: Maker, day: TimeRange) -> None:
    """In the panel, and on the page."""
    values = np.random.default_rng(0).normal(size=25_000)
    figure = drawn({"p": make_points({"n": values, "t": values}, unit=["cm^-3", "eV"])}, day)
    assert "1 in 3 of 25,000 points drawn" in texts(figure)
    assert len(figure.data[0].x) == 8334
    assert "thinned: 8,334 of 25,000" in html_page(figure)


@pytest.mark.parametrize(("values", "note"), [([], "no data"), ([np.nan, np.nan], "all fill values")])
def test_no_point_is_a_note(values: list[float], note: str, make_points: Maker, day: TimeRange) -> None:
    """The figure does not fail; its axes keep their titles."""
    figure = drawn({"p": make_points({"Bx": values, "By": values})}, day)
    assert {note, "B<sub>x</sub> [nT]"} <= set(texts(figure))


@pytest.mark.parametrize(
    ("columns", "trace", "problem", "end"),
    [
        (("a",), {}, "has 1 columns of values", "data"),
        (("a", "b", "c", "d"), {}, "has 4 columns of values", "data"),
        (("a", "b"), {"component": "a"}, "are drawn whole", "component"),
        (("a", "b"), {"draw": "spectrogram"}, "is not a spectrogram", "draw"),
    ],
)
def test_what_is_no_pair_or_triple_is_refused(
    columns: tuple[str, ...], trace: dict[str, str], problem: str, end: str, make_points: Maker, day: TimeRange
) -> None:
    """With its place in the pipeline."""
    table = make_points({name: [1.0] for name in columns})
    with pytest.raises(FigureError, match=problem) as caught:
        drawn({"p": table}, day, {"data": "p", **trace})
    assert caught.value.where == f"figure.panels[0].traces[0].{end}"


@pytest.mark.parametrize(
    ("names", "unit", "y", "is_square"),
    [
        (("va", "dv"), "km/s", [-10.0, 0, 12], True),
        (("va", "dv"), "km/s", [-400.0, 0, 90], False),
        (("va", "dv"), ("nT", "km/s"), [-10.0, 0, 12], False),
        (("va", "dv"), "", [-10.0, 0, 12], False),
    ],
)
def test_values_of_one_unit_that_reach_about_as_far_have_one_scale(
    names: tuple[str, str], unit: object, y: list[float], is_square: bool, make_points: Maker, day: TimeRange
) -> None:
    """In a Walen test a slope of one is at 45 degrees; what would be squeezed by that is not."""
    figure = drawn({"p": make_points(dict(zip(names, ([-9.0, 1, 11], y), strict=True)), unit=unit)}, day)
    assert (figure.layout.xaxis2.scaleanchor is not None) is is_square
    assert {trace.mode for trace in figure.data} == {"markers"}


@pytest.mark.parametrize("width_px", [480.0, 1000.0])
def test_a_square_panel_is_no_higher_than_it_can_be_wide(width_px: float, make_points: Maker, day: TimeRange) -> None:
    """However high it is asked to be: its frame fills its row, and its labels stay on the sheet."""
    angle = np.linspace(0, 6, 100)
    tables = {"b": make_points({"Bx": np.cos(angle), "By": np.sin(angle)})}
    panel = {"traces": [{"data": "b"}], "height": 5}
    sheet = Sheet(width_px=width_px)
    figure = draw(Figure.model_validate({"panels": [panel]}), tables, day, title="t", sheet=sheet)
    layout = figure.to_plotly_json()["layout"]
    layout["template"] = {}
    frame = Frame(layout)
    assert frame.axis("y").length_px == pytest.approx(frame.axis("x2").length_px, abs=1)
    stack_px = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    low, high = figure.layout.yaxis.domain
    assert frame.axis("y").length_px == pytest.approx((high - low) * stack_px, abs=1)
    start = next(text for text in figure.layout.annotations if "start" in text.text)
    if "domain" in start.xref:
        assert frame.axis("x2").stop_px + start.xshift + width_px_of(start.text, look.FONT_PX) <= width_px


def test_texts_go_with_the_frame_of_a_square_panel(make_points: Maker, day: TimeRange) -> None:
    """On a narrow window plotly makes it smaller than its row: its letter, title and notes stay at it."""
    angle = np.linspace(0, 600, 30_000)
    tables = {"b": make_points({"Bx": np.cos(angle), "By": np.sin(angle)})}
    step = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})
    figure = draw(step, tables, day, title="t", sheet=Sheet(has_letters=True))
    found = {text.text: text.yref for text in figure.layout.annotations}
    wanted = ("<b>(a)</b>", "B<sub>x</sub> [nT]", "1 in 3 of 30,000 points drawn", "● start 2023-01-02 00:00:00")
    assert [found[text] for text in wanted] == ["y domain"] * 4


@pytest.mark.parametrize("width", ["85mm", "180mm"])
def test_a_square_panel_has_numbers_along_it_on_any_sheet(width: str, make_points: Maker, day: TimeRange) -> None:
    """As printed: enough to read a value off, and none touches the next."""
    tables = {"b": make_points({"Bx": [-40.0, 0, 57], "By": [-31.0, 10, 53]}), "s": make_points({"n": [1.0, 2], "t": [1.0, 2]})}
    sheet, _ = sheet_of(Printing.model_validate({"width": width}))
    spec = Figure.model_validate({"panels": [{"traces": [{"data": name}]} for name in tables]})
    layout = draw(spec, tables, day, title="t", sheet=sheet).to_plotly_json()["layout"]
    layout["template"] = {}
    axis = Frame(layout).axis("x2")
    ticks = ticks_of(axis)
    assert len(ticks.labels) >= 4
    ends = [(place, width_px_of(label, 12) / 2) for place, label in zip(axis.px(ticks.values), ticks.labels, strict=True)]
    assert all(left + half < right - other for (left, half), (right, other) in pairwise(ends))


@pytest.mark.parametrize(("height", "most"), [(0.4, 4), (5, 8)])
def test_a_higher_square_panel_has_more_numbers(height: float, most: int, make_points: Maker, day: TimeRange) -> None:
    """A low one has no room for as many, as it is as wide as it is high."""
    tables = {
        "b": make_points({"Bx": [-42.0, 0, 57], "By": [-31.0, 10, 53]}),
        "s": make_points({"Bx": [0.0, 1], "By": [0.0, 1]}),
    }
    panels = [{"traces": [{"data": "b"}], "height": height}, {"traces": [{"data": "s"}]}]
    figure = draw(Figure.model_validate({"panels": panels}), tables, day, title="t")
    assert figure.layout.xaxis2.nticks == most
