"""Figures as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.header import SYNTHETIC_MARK

Maker = Callable[..., Table]


def figure_of(*panels: dict[str, object], **rest: object) -> Figure:
    """A figure step of these panels."""
    return Figure.model_validate({"panels": list(panels), **rest})


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def color_of(figure: go.Figure, text: str) -> str:
    """Colour of the annotation with this text."""
    return str(next(annotation.font.color for annotation in figure.layout.annotations if annotation.text == text))


def without_records(table: Table) -> Table:
    """The table with no record."""
    return replace(table, time=table.time[:0], columns={name: values[:0] for name, values in table.columns.items()})


def test_the_time_axis_is_exactly_the_span_and_says_utc(make_series: Maker, day: TimeRange) -> None:
    """Whatever the data cover; one axis for all panels."""
    figure = draw(
        figure_of({"traces": [{"data": "b"}]}, {"traces": [{"data": "b"}]}), {"b": make_series([1, 2])}, day, title="t"
    )
    assert figure.layout.xaxis.range == ("2023-01-02T00:00:00", "2023-01-03T00:00:00")
    assert figure.layout.xaxis.type == "date"
    assert {trace.xaxis for trace in figure.data} <= {None, "x"}
    assert "UTC" in texts(figure)
    assert "2023-01-02 00:00 to 2023-01-03 00:00 UTC" in texts(figure)


def test_times_are_epoch_milliseconds(make_series: Maker, day: TimeRange) -> None:
    """Float64 milliseconds instead of text keep the page small; values are float32."""
    (trace,) = draw(figure_of({"traces": [{"data": "b"}]}), {"b": make_series([1, 2])}, day, title="t").data
    assert trace.x.dtype == np.float64
    assert trace.x.tolist() == [day.start.timestamp() * 1000, day.start.timestamp() * 1000 + 60_000]
    assert trace.y.dtype == np.float32


def test_records_outside_the_span_are_not_drawn(make_series: Maker, day: TimeRange) -> None:
    """The halo of a neighbouring partition does not stretch the axis."""
    long = make_series(np.arange(3000.0))
    (trace,) = draw(figure_of({"traces": [{"data": "b"}]}), {"b": long}, day, title="t").data
    assert np.nanmax(trace.y) == 1439


def test_panels_are_stacked_by_weight_ten_pixels_apart(make_series: Maker, day: TimeRange) -> None:
    """A panel of weight 2 is twice as high, the first stands on top."""
    spec = figure_of({"traces": [{"data": "b"}], "height": 2}, {"traces": [{"data": "b"}]})
    figure = draw(spec, {"b": make_series([1, 2])}, day, title="t")
    stack_px = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    upper, lower = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
    assert (upper[1] - upper[0]) == pytest.approx(2 * (lower[1] - lower[0]))
    assert (upper[0] - lower[1]) * stack_px == pytest.approx(10, abs=0.1)
    assert figure.layout.xaxis.anchor == "y2"


def test_components_are_blue_coral_green_and_the_magnitude_black(make_vector: Maker, day: TimeRange) -> None:
    """Four lines and four labels in the colours of the house."""
    table = make_vector(["Bx GSE", "By GSE", "Bz GSE", "Bt"])
    figure = draw(figure_of({"traces": [{"data": "b"}]}), {"b": table}, day, title="t")
    assert [trace.line.color for trace in figure.data] == [look.BLUE, look.CORAL, look.GREEN, look.INK]
    assert color_of(figure, "B<sub>z</sub> GSE") == look.GREEN
    assert "B GSE [nT]" in texts(figure)


@pytest.mark.parametrize("component", ["By GSE", "by gse", "y"])
def test_one_component_is_chosen_by_name_or_letter(component: str, make_vector: Maker, day: TimeRange) -> None:
    """The column's name in any case, or the component's letter."""
    table = make_vector(["Bx GSE", "By GSE", "Bz GSE"])
    (trace,) = draw(figure_of({"traces": [{"data": "b", "component": component}]}), {"b": table}, day, title="t").data
    assert trace.y[0] == 1.0
    assert trace.line.color == look.CORAL


def test_a_second_unit_has_an_axis_at_the_right(make_series: Maker, day: TimeRange) -> None:
    """Each curve is on its unit's axis, with a range of its own; the label says the unit with raised powers."""
    tables = {"b": make_series([1, 2], name="b"), "n": make_series([100, 200], name="n", unit="cm^-3")}
    figure = draw(figure_of({"traces": [{"data": "b"}, {"data": "n"}]}), tables, day, title="t")
    field, density = figure.data
    assert (field.yaxis, density.yaxis) == ("y", "y1001")
    left, right = figure.layout.yaxis, figure.layout.yaxis1001
    assert (right.overlaying, right.side, right.tickmode) == ("y", "right", "auto")
    assert left.range[1] < 10 < right.range[0]
    assert {"b [nT]", "n [cm<sup>−3</sup>]", "n (cm⁻³)"} <= set(texts(figure))
    assert figure.layout.margin.r > draw(figure_of({"traces": [{"data": "b"}]}), tables, day, title="t").layout.margin.r


def test_three_units_in_a_panel_are_refused(make_series: Maker, day: TimeRange) -> None:
    """The message names them and the panel."""
    tables = {unit.lower(): make_series([1, 2], name="a", unit=unit) for unit in ("nT", "K", "eV")}
    with pytest.raises(FigureError, match="3 units: nT, K, eV") as caught:
        draw(figure_of({"traces": [{"data": step} for step in tables]}), tables, day, title="t")
    assert caught.value.where == "figure.panels[0].traces"


def test_what_a_log_axis_cannot_show_is_counted(make_series: Maker, day: TimeRange) -> None:
    """Zeros and negatives, in the panel's corner; nothing where there are none."""
    spec = figure_of({"traces": [{"data": "b"}], "y": {"scale": "log"}})
    assert "2 values at or below zero not drawn" in texts(draw(spec, {"b": make_series([1, 0, -3, 10])}, day, title="t"))
    assert not any("not drawn" in text for text in texts(draw(spec, {"b": make_series([1, 10])}, day, title="t")))


def test_a_given_label_is_taken_as_it_is(make_series: Maker, day: TimeRange) -> None:
    """Also where the title has it as a part; beside another step's it gets no id of its step."""
    tables = {"b": make_series([1, 2], name="b", label="|B|"), "c": make_series([1, 2], name="c", label="|B|")}
    alone = draw(figure_of({"traces": [{"data": "b", "label": "B"}]}), tables, day, title="t")
    assert {"|B| [nT]", "B"} <= set(texts(alone))
    both = draw(figure_of({"traces": [{"data": "b", "label": "|B|"}, {"data": "c"}]}), tables, day, title="t")
    assert {"|B|", "|B| (c)"} <= set(texts(both))
    named = draw(figure_of({"traces": [{"data": "b"}, {"data": "c", "label": "south"}]}), tables, day, title="t")
    assert {"|B|", "south"} <= set(texts(named))


def test_a_component_the_table_has_not_is_refused_with_those_it_has(make_vector: Maker, day: TimeRange) -> None:
    """Path of the trace, the near name, the list."""
    table = make_vector(["Bx GSE", "By GSE", "Bz GSE"])
    spec = figure_of({"traces": [{"data": "b", "component": "Bx GSM"}]})
    with pytest.raises(FigureError) as caught:
        draw(spec, {"b": table}, day, title="t")
    assert caught.value.where == "figure.panels[0].traces[0].component"
    assert "Did you mean Bx GSE?" in caught.value.hint


def test_two_spacecraft_in_a_panel_have_two_colours_and_say_which(make_series: Maker, day: TimeRange) -> None:
    """The same quantity from two steps: distinct colours, the step in the label."""
    tables = {"b_ace": make_series([1, 2], label="|B|"), "b_wind": make_series([2, 3], label="|B|")}
    figure = draw(figure_of({"traces": [{"data": "b_ace"}, {"data": "b_wind"}]}), tables, day, title="t")
    assert len({trace.line.color for trace in figure.data}) == 2
    assert {"|B| (b_ace)", "|B| (b_wind)"} <= set(texts(figure))
    assert "|B| [nT]" in texts(figure)


def test_two_vectors_in_a_panel_keep_component_colours_and_differ_in_dash(make_vector: Maker, day: TimeRange) -> None:
    """Colour says the component, dash the step."""
    table = make_vector(["Bx", "By", "Bz"])
    figure = draw(figure_of({"traces": [{"data": "a"}, {"data": "b"}]}), {"a": table, "b": table}, day, title="t")
    assert [trace.line.color for trace in figure.data[:3]] == [trace.line.color for trace in figure.data[3:]]
    assert {trace.line.dash for trace in figure.data[:3]} != {trace.line.dash for trace in figure.data[3:]}


def test_the_users_colour_label_and_width_are_taken(make_series: Maker, day: TimeRange) -> None:
    """What the pipeline says goes before what we choose."""
    trace = {"data": "b", "color": "firebrick", "label": "ACE", "width": 3}
    figure = draw(figure_of({"traces": [trace]}), {"b": make_series([1, 2])}, day, title="t")
    assert (figure.data[0].line.color, figure.data[0].line.width) == ("firebrick", 3)
    assert color_of(figure, "ACE") == "firebrick"


def test_a_gap_is_not_bridged(make_series: Maker, day: TimeRange) -> None:
    """A NaN stands between the parts."""
    table = make_series(np.arange(100.0))
    keep = np.r_[0:40, 60:100]
    holed = replace(table, time=table.time[keep], columns={"b": table.columns["b"][keep]})
    (trace,) = draw(figure_of({"traces": [{"data": "b"}]}), {"b": holed}, day, title="t").data
    assert np.flatnonzero(np.isnan(trace.y)).tolist() == [40]


def test_a_sample_alone_between_gaps_is_a_dot(make_series: Maker, day: TimeRange) -> None:
    """A line would not show it."""
    line, dots = draw(
        figure_of({"traces": [{"data": "b"}]}), {"b": make_series([1, 2, np.nan, 9, np.nan, 3, 4])}, day, title="t"
    ).data
    assert line.mode == "lines"
    assert (dots.mode, dots.y.tolist()) == ("markers", [9.0])


def test_an_empty_table_says_no_data_and_keeps_its_axes(make_series: Maker, day: TimeRange) -> None:
    """Title, unit and frame of the panel stay; the figure does not fail."""
    spec = figure_of({"traces": [{"data": "b"}], "y": {"title": "B"}}, {"traces": [{"data": "c"}]})
    figure = draw(spec, {"b": without_records(make_series([1])), "c": make_series([1, 2])}, day, title="t")
    assert {"no data", "B [nT]"} <= set(texts(figure))
    assert figure.layout.yaxis.showticklabels is False
    assert any(trace.yaxis == "y" for trace in figure.data)


def test_fill_only_says_so(make_series: Maker, day: TimeRange) -> None:
    """Records without a value are another state than no records."""
    figure = draw(figure_of({"traces": [{"data": "b"}]}), {"b": make_series([np.nan] * 3)}, day, title="t")
    assert "all fill values" in texts(figure)


def test_a_curve_without_data_beside_one_with_data_says_so_in_its_label(make_series: Maker, day: TimeRange) -> None:
    """The panel shows the other curve; the label tells which is missing."""
    tables = {"a": make_series([1, 2], name="a"), "b": without_records(make_series([1], name="b"))}
    figure = draw(figure_of({"traces": [{"data": "a"}, {"data": "b"}]}), tables, day, title="t")
    assert "b: no data" in texts(figure)
    assert "no data" not in texts(figure)


def test_a_log_axis_without_a_positive_value_is_a_note_not_an_error(make_series: Maker, day: TimeRange) -> None:
    """The rest of the figure is still worth having."""
    figure = draw(figure_of({"traces": [{"data": "b"}], "y": {"scale": "log"}}), {"b": make_series([-1, 0])}, day, title="t")
    assert "no positive value for a log axis" in texts(figure)


def test_a_given_log_range_is_in_powers_of_ten(make_series: Maker, day: TimeRange) -> None:
    """Plotly wants exponents; the pipeline gives values."""
    spec = figure_of({"traces": [{"data": "b"}], "y": {"scale": "log", "range": [0.1, 1000]}})
    axis = draw(spec, {"b": make_series([1, 2])}, day, title="t").layout.yaxis
    assert axis.type == "log"
    assert axis.range == pytest.approx((-1, 3))
    assert axis.tickvals == (0.1, 1, 10, 100, 1000)


@pytest.mark.parametrize(
    ("axis", "path"),
    [
        ({"range": [5, 5]}, "figure.panels[0].y.range"),
        ({"range": [math.nan, 5]}, "figure.panels[0].y.range"),
        ({"range": [0, 5], "scale": "log"}, "figure.panels[0].y.range"),
    ],
)
def test_a_range_that_cannot_be_drawn_is_refused(
    axis: dict[str, object], path: str, make_series: Maker, day: TimeRange
) -> None:
    """Before anything is drawn, with its path."""
    with pytest.raises(FigureError) as caught:
        draw(figure_of({"traces": [{"data": "b"}], "y": axis}), {"b": make_series([1, 2])}, day, title="t")
    assert caught.value.where == path


def test_a_missing_table_is_an_error_not_an_empty_panel(day: TimeRange) -> None:
    """A reference without data is the caller's mistake; only an empty table is an answer."""
    with pytest.raises(FigureError, match="no data of b_gse"):
        draw(figure_of({"traces": [{"data": "b_gse"}]}), {}, day, title="t")


def test_a_spectrogram_has_log_colours_and_a_bar_as_high_as_its_panel(
    make_spectrogram: Maker, make_series: Maker, day: TimeRange
) -> None:
    """Colour is the power of ten, the bar's labels are powers of ten, edges are given for both axes."""
    flux = 10.0 ** np.random.default_rng(0).uniform(2, 6, size=(50, 4))
    spec = figure_of({"traces": [{"data": "s"}], "z": {"range": [100, 1e6]}}, {"traces": [{"data": "b"}]})
    figure = draw(spec, {"s": make_spectrogram(flux, [10, 100, 1000, 10000]), "b": make_series([1, 2])}, day, title="t")
    image = figure.data[0]
    low, high = figure.layout.yaxis.domain
    assert image.colorbar.len == pytest.approx(high - low)
    assert image.colorbar.y == pytest.approx((high + low) / 2)
    assert image.colorbar.ypad == 0
    assert (image.zmin, image.zmax) == pytest.approx((2, 6))
    assert image.colorbar.ticktext[0] == "10<sup>2</sup>"
    np.testing.assert_allclose(image.z[:, 0], np.log10(flux[0]), rtol=1e-6)
    assert (len(image.x), len(image.y)) == (51, 5)
    assert figure.layout.yaxis.type == "log"


def test_a_measured_zero_is_the_lowest_colour_and_a_missing_value_is_grey(make_spectrogram: Maker, day: TimeRange) -> None:
    """No counts are a measurement; only NaN shows the grey behind the image."""
    flux = np.full((20, 2), 1000.0)
    flux[0], flux[1] = 0, np.nan
    spec = figure_of({"traces": [{"data": "s"}], "z": {"range": [10, 1e4]}})
    figure = draw(spec, {"s": make_spectrogram(flux, [10, 100])}, day, title="t")
    assert figure.data[0].z[0, 0] == 1
    assert np.isnan(figure.data[0].z[0, 1])
    assert any(shape.layer == "below" and shape.yref == "y domain" for shape in figure.layout.shapes)


def test_automatic_colours_ignore_outliers(make_spectrogram: Maker, day: TimeRange) -> None:
    """One absurd value of ten thousand does not wash out the rest."""
    flux = 10.0 ** np.random.default_rng(0).uniform(3, 5, size=(500, 20))
    flux[7, 7] = 1e20
    (image,) = draw(
        figure_of({"traces": [{"data": "s"}]}), {"s": make_spectrogram(flux, np.geomspace(10, 1e4, 20))}, day, title="t"
    ).data
    assert 2.5 < image.zmin < 3.5
    assert 4.8 < image.zmax < 5.5


def test_an_empty_spectrogram_says_no_data_and_keeps_its_bin_axis(make_spectrogram: Maker, day: TimeRange) -> None:
    """Fixed bins are known without records."""
    table = without_records(make_spectrogram(np.ones((3, 3)), [10, 100, 1000]))
    figure = draw(figure_of({"traces": [{"data": "s"}]}), {"s": table}, day, title="t")
    assert "no data" in texts(figure)
    assert figure.layout.yaxis.range == pytest.approx((0.5, 3.5))
    assert [trace.type for trace in figure.data] == ["scatter"]


def test_energies_without_a_scale_are_drawn_log_and_angles_linear(make_spectrogram: Maker, day: TimeRange) -> None:
    """Many archives leave the scale of the bins out; even steps are linear however wide."""
    energies = make_spectrogram(np.ones((3, 12)), np.geomspace(10, 1e4, 12), scale="linear")
    angles = make_spectrogram(np.ones((3, 18)), np.arange(5, 180, 10), scale="linear")
    spec = figure_of({"traces": [{"data": "e"}]}, {"traces": [{"data": "a"}]})
    layout = draw(spec, {"e": energies, "a": angles}, day, title="t").layout
    assert (layout.yaxis.type, layout.yaxis2.type) == ("log", "linear")


def test_a_spectrogram_is_asked_of_a_spectrogram(make_series: Maker, day: TimeRange) -> None:
    """A series has no bins to draw."""
    with pytest.raises(FigureError, match="b is not a spectrogram"):
        draw(figure_of({"traces": [{"data": "b", "draw": "spectrogram"}]}), {"b": make_series([1])}, day, title="t")


def test_a_column_of_text_is_no_measurement(day: TimeRange) -> None:
    """Events asked to be drawn as points, with nothing but a name, are refused with where they belong."""
    meta = TableMeta(kind="events", columns=(ColumnMeta(name="name"),))
    table = Table(np.array(["2023-01-02"], dtype="datetime64[ns]"), {"name": np.array(["x"], dtype=object)}, meta)
    with pytest.raises(FigureError, match="no numbers") as caught:
        draw(figure_of({"traces": [{"data": "storms", "draw": "points"}]}), {"storms": table}, day, title="t")
    assert "`events`" in caught.value.hint


def test_synthetic_data_mark_the_figure(make_series: Maker, day: TimeRange) -> None:
    """One synthetic table is enough, even an empty one."""
    real, made = make_series([1, 2]), without_records(make_series([1], synthetic=True))
    spec = figure_of({"traces": [{"data": "a"}, {"data": "b"}]})
    assert any(SYNTHETIC_MARK in text for text in texts(draw(spec, {"a": real, "b": made}, day, title="t")))
    assert not any(SYNTHETIC_MARK in text for text in texts(draw(spec, {"a": real, "b": real}, day, title="t")))


def test_predicted_positions_mark_the_figure(make_series: Maker, day: TimeRange) -> None:
    """One predicted table is enough, in rows and in columns of panels; no mark without one."""
    flown = make_series([1, 2], unit="km")
    table = replace(flown, meta=flown.meta.model_copy(update={"predicted": True}))
    note = "with predicted positions"
    rows = figure_of({"traces": [{"data": "a"}]}, {"traces": [{"data": "b"}]})
    columns = figure_of({"traces": [{"data": "a"}]}, {"traces": [{"data": "b"}], "column": 2})
    for spec in (rows, columns):
        assert sum(note in text for text in texts(draw(spec, {"a": flown, "b": table}, day, title="t"))) == 1
        assert not any(note in text for text in texts(draw(spec, {"a": flown, "b": flown}, day, title="t")))


def test_text_of_archives_is_shown_not_interpreted(make_series: Maker, day: TimeRange) -> None:
    """Links and tags in labels, units, titles and names come out as letters."""
    bad = '<a href="http://x">click</a>%{y}'
    table = make_series([1, 2], label=bad, unit=bad)
    spec = figure_of({"traces": [{"data": "b", "label": bad}, {"data": "b"}], "y": {"title": bad}})
    figure = draw(spec, {"b": table}, day, title=bad)
    shown = [*texts(figure), *(trace.name for trace in figure.data)]
    assert not any("<a" in text or "%{" in text for text in shown)
    assert not figure.layout.images


def test_the_same_inputs_draw_the_same_figure(make_vector: Maker, make_spectrogram: Maker, day: TimeRange) -> None:
    """Byte for byte, as JSON."""
    tables = {"b": make_vector(["Bx", "By", "Bz"]), "s": make_spectrogram(np.ones((9, 3)), [1, 10, 100])}
    spec = figure_of({"traces": [{"data": "b"}]}, {"traces": [{"data": "s"}]})
    assert draw(spec, tables, day, title="t").to_json() == draw(spec, tables, day, title="t").to_json()


def test_a_panel_of_nothing_known_is_titled_by_its_step_as_it_is_called(day: TimeRange) -> None:
    """`b_gse` is the name of a step and no b with a subscript."""
    nothing = Table.empty(TableMeta(kind="series", columns=()))
    shown = texts(draw(figure_of({"traces": [{"data": "b_gse"}]}), {"b_gse": nothing}, day, title="t"))
    assert "b_gse" in shown
    assert not any("<sub>" in text for text in shown)
