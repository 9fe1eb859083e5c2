"""Panels of curves over an axis of their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.pages import html_page

Maker = Callable[..., Table]


def drawn(tables: dict[str, Table], day: TimeRange, *traces: object, **panel: object) -> go.Figure:
    """A figure of one panel; traces by reference or as mappings."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    return draw(Figure.model_validate({"panels": [{"traces": given, **panel}]}), tables, day, title="t")


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def lines(figure: go.Figure) -> list[go.Scatter]:
    """The traces that are lines and no band."""
    return [trace for trace in figure.data if trace.mode == "lines" and trace.fill is None]


def test_a_spectrum_is_log_log_with_titles_from_the_data(make_curve: Maker, day: TimeRange) -> None:
    """Axis title and unit of `bins`, ticks at powers of ten, no time axis, the range in the header."""
    frequency = np.geomspace(1e-4, 1, 200)
    figure = drawn({"psd": make_curve(frequency, {"power": frequency ** (-5 / 3)})}, day)
    x_axis, y_axis = figure.layout.xaxis2, figure.layout.yaxis
    assert (x_axis.type, y_axis.type, y_axis.anchor, x_axis.anchor) == ("log", "log", "x2", "y")
    assert x_axis.range == pytest.approx((-4, 0))
    assert x_axis.tickvals == pytest.approx((1e-4, 1e-3, 1e-2, 1e-1, 1))
    shown = texts(figure)
    assert "Frequency [Hz]" in shown
    assert "Power [nT<sup>2</sup> Hz<sup>−1</sup>]" in shown
    assert "power" not in shown  # the title says it
    assert "UTC" not in shown
    assert "2023-01-02 00:00 to 2023-01-03 00:00 UTC" in shown
    assert figure.layout.xaxis.range is None
    (line,) = figure.data
    np.testing.assert_allclose(line.y, frequency ** (-5 / 3))
    assert (line.xaxis, line.yaxis) == ("x2", "y")


def test_the_panel_says_title_scale_and_range_of_its_horizontal_axis(make_curve: Maker, day: TimeRange) -> None:
    """What the pipeline says goes before the data; values outside the range do not stretch the other axis."""
    table = make_curve([1, 2, 3, 4], {"power": [1, 2, 3, 1000]})
    x = {"title": "Wave number", "scale": "linear", "range": [1, 3]}
    figure = drawn({"psd": table}, day, x=x, y={"scale": "linear"})
    assert (figure.layout.xaxis2.type, figure.layout.xaxis2.range) == ("linear", (1, 3))
    assert "Wave number [Hz]" in texts(figure)
    assert figure.layout.yaxis.range[1] < 4


def test_a_spread_is_one_closed_band_behind_its_line(make_curve: Maker, day: TimeRange) -> None:
    """Along the upper ends and back along the lower ones, in the line's colour."""
    table = make_curve(
        [1, 2, 3], {"r": [1, 2, 3], "low": [0.5, 1, 2], "high": [2, 3, 5]}, roles={"low": "lower", "high": "upper"}
    )
    band, line = drawn({"r": table}, day).data
    assert band.fill == "toself"
    assert band.x.tolist() == [1, 2, 3, 3, 2, 1]
    assert band.y.tolist() == [2, 3, 5, 2, 1, 0.5]
    assert (band.fillcolor, band.opacity) == (line.line.color, 0.2)


def with_ends(table: Table, lower: str, upper: str) -> Table:
    """The same, with labels of the ends of its spread."""
    labels = {"low": lower, "high": upper}
    columns = tuple(each.model_copy(update={"label": labels.get(each.name, each.label)}) for each in table.meta.columns)
    return Table(table.time, dict(table.columns), table.meta.model_copy(update={"columns": columns}))


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (("25 %", "75 %"), "shade: quartiles"),
        (("10 %", "90 %"), "shade: percentiles 10 to 90"),
        (("lowest", "highest"), "shade: lowest to highest"),
        (("", ""), None),
    ],
)
def test_a_spread_is_named_beside_the_panel(
    make_curve: Maker, day: TimeRange, ends: tuple[str, str], words: str | None
) -> None:
    """By what the table calls its ends, in the curve's colour; not at all where the table is silent."""
    curve = {"r": [1, 2, 3], "low": [0.5, 1, 2], "high": [2, 3, 5], "m": [1, 2, 4], "sigma": [0.1, 0.1, 0.1]}
    roles = {"low": "lower", "high": "upper", "sigma": "uncertainty"}
    table = with_ends(make_curve([1, 2, 3], curve, roles=roles), *ends)
    one = drawn({"r": table}, day, {"data": "r", "component": "r"})
    shades = {note.text: note.font.color for note in one.layout.annotations if note.text.startswith("shade")}
    assert shades == ({} if words is None else {words: one.data[1].line.color})
    both = [text for text in texts(drawn({"r": table}, day)) if text.startswith("shade")]
    assert both == [*([words] if words else []), "shade: ± uncertainty"]


def test_a_given_label_stays_also_where_it_is_the_name_of_the_column(make_curve: Maker, day: TimeRange) -> None:
    """`median` by the pipeline is `median` beside the panel; by the table alone it says of what."""
    table = make_curve([1, 2, 3], {"median": [1, 2, 3], "mean": [2, 3, 4]})
    given = texts(drawn({"r": table}, day, {"data": "r", "component": "median", "label": "median"}, y={"title": "B"}))
    silent = texts(drawn({"r": table}, day, {"data": "r", "component": "median"}, y={"title": "B"}))
    assert "median" in given
    assert "power, median" in silent


def test_columns_called_as_their_steps_are_named_by_their_tables(day: TimeRange) -> None:
    """Two steps of one unit: what each is of goes first, and its id beside it is not read as a subscript."""
    time = np.array(["2023-01-02T00:00", "2023-01-02T12:00"], dtype="datetime64[ns]")

    def table(name: str) -> Table:
        meta = TableMeta(kind="series", columns=(ColumnMeta(name=name), ColumnMeta(name="n")), unit="nT", label="RMS of B")
        return Table(time, {name: np.array([1.0, 2.0]), "n": np.array([3.0, 3.0])}, meta)

    tables = {name: table(name) for name in ("b_rms", "b_raw")}
    shown = texts(drawn(tables, day, *({"data": name, "component": name} for name in tables), y={"title": "B"}))
    assert {"RMS of B (b_rms)", "RMS of B (b_raw)"} <= set(shown)
    assert not any("<sub>" in text for text in shown)


def test_an_uncertainty_is_a_band_around_the_value(make_curve: Maker, day: TimeRange) -> None:
    """Value less and more one standard deviation; on a log axis it stays above zero."""
    table = make_curve([1, 10], {"r": [1.0, 2.0], "sigma": [0.5, 3.0]}, roles={"sigma": "uncertainty"})
    band = drawn({"r": table}, day).data[0]
    assert band.y[:2].tolist() == [1.5, 5.0]
    assert 0 < band.y[2] < 0.1
    assert band.y[3] == 0.5


def test_a_missing_value_breaks_line_and_band(make_curve: Maker, day: TimeRange) -> None:
    """NaN is never bridged; a value alone between two of them is a dot with its spread as a bar."""
    values = np.array([1, 2, np.nan, 9, np.nan, 3, 4])
    table = make_curve(np.arange(1, 8), {"r": values, "sigma": np.full(7, 0.1)}, roles={"sigma": "uncertainty"})
    band, line, dot = drawn({"r": table}, day).data
    assert np.flatnonzero(np.isnan(line.y)).tolist() == [2, 4]
    assert line.connectgaps is False
    assert np.isnan(band.y).sum() == 1
    assert (dot.mode, dot.x.tolist(), dot.error_y.array.tolist()) == ("markers", [4.0], pytest.approx([0.1]))


def test_several_curves_share_the_axis_and_are_told_apart(make_curve: Maker, day: TimeRange) -> None:
    """Two steps, one axis, two colours, the step in the label."""
    tables = {"ace": make_curve([1, 10], {"power": [1, 2]}), "wind": make_curve([5, 50], {"power": [3, 4]})}
    figure = drawn(tables, day)
    assert len({trace.line.color for trace in lines(figure)}) == 2
    assert {trace.xaxis for trace in figure.data} == {"x2"}
    assert figure.layout.xaxis2.range == pytest.approx((0, np.log10(50)))
    assert {"power (ace)", "power (wind)"} <= set(texts(figure))


def test_each_interval_is_a_line_called_by_its_start(make_curve: Maker, day: TimeRange) -> None:
    """Two windows of six hours in one table: two lines, never joined."""
    times = ["2023-01-02T00:00"] * 2 + ["2023-01-02T06:00"] * 2
    figure = drawn({"psd": make_curve([1, 10, 1, 10], {"power": [1, 2, 3, 4]}, time=times)}, day)
    assert [trace.y.tolist() for trace in lines(figure)] == [[1, 2], [3, 4]]
    assert {"2023-01-02 00:00", "2023-01-02 06:00"} <= set(texts(figure))


def test_the_interval_that_reaches_into_the_span_is_drawn_and_others_are_not(make_curve: Maker, day: TimeRange) -> None:
    """A curve of the day before, one that begins in the day before and one of the day after."""
    times = ["2022-12-31", "2022-12-31", "2023-01-01T12:00", "2023-01-01T12:00", "2023-01-03", "2023-01-03"]
    figure = drawn({"psd": make_curve([1, 2] * 3, {"power": [1, 1, 2, 2, 3, 3]}, time=times)}, day)
    assert [trace.y.tolist() for trace in lines(figure)] == [[2, 2]]


def test_zeros_and_negatives_are_counted_on_a_log_axis(make_curve: Maker, day: TimeRange) -> None:
    """A frequency of zero, a power of zero and a negative one are left out, a line says so."""
    figure = drawn({"psd": make_curve([0, 1, 2, 3, 4], {"power": [5, 0, -1, 2, np.nan]})}, day)
    assert "3 values at or below zero not drawn" in texts(figure)
    assert np.nansum(figure.data[0].y) == 2


def test_nothing_positive_is_a_note_not_an_error(make_curve: Maker, day: TimeRange) -> None:
    """A log axis without a positive value."""
    figure = drawn({"psd": make_curve([1, 2], {"power": [0, -1]})}, day)
    assert "no positive value for a log axis" in texts(figure)


@pytest.mark.parametrize(("count", "note"), [(0, "no data"), (3, "all fill values")])
def test_a_curve_without_a_value_says_so(count: int, note: str, make_curve: Maker, day: TimeRange) -> None:
    """The titles of both axes stay."""
    figure = drawn({"psd": make_curve(np.arange(count), {"power": np.full(count, np.nan)})}, day)
    assert {note, "Frequency [Hz]"} <= set(texts(figure))


def test_columns_of_another_unit_are_left_to_a_component(make_curve: Maker, day: TimeRange) -> None:
    """A count beside a mean would need an axis of its own: it is named, and drawn when asked for."""
    table = make_curve([1, 2], {"mean": [5, 6], "count": [100, 200]}, units={"count": ""}, scale="linear")
    figure = drawn({"epoch": table}, day)
    assert [trace.y.tolist() for trace in figure.data] == [[5, 6]]
    assert "not drawn: count" in texts(figure)
    (asked,) = drawn({"epoch": table}, day, {"data": "epoch", "component": "count"}).data
    assert asked.y.tolist() == [100, 200]


def test_a_superposed_epoch_says_how_many_events_it_is_of(make_curve: Maker, day: TimeRange) -> None:
    """Once, although neither the mean nor the median that are drawn is the count; a count that is drawn needs no words."""
    counted = "number of events"
    values = {"median": [5, 6], "mean": [5.5, 6.5], counted: [37, 31]}
    table = make_curve([-1, 1], values, units={counted: ""}, scale="linear", roles={counted: "count"})
    traces = [{"data": "epoch", "component": each} for each in ("median", "mean")]
    assert [text for text in texts(drawn({"epoch": table}, day, *traces)) if "N = " in text] == ["N = 31 to 37 events"]
    assert not any("N = " in text for text in texts(drawn({"epoch": table}, day, {"data": "epoch", "component": counted})))


def test_a_count_does_not_flatten_a_correlation(make_curve: Maker, day: TimeRange) -> None:
    """Pairs are a pure number, as the correlation is, and yet need an axis of their own: they are drawn where asked for."""
    table = make_curve(
        [1, 2], {"r": [0.5, 0.6], "pairs": [100, 200]}, units={"r": "", "pairs": ""}, scale="linear", roles={"pairs": "count"}
    )
    asked = drawn({"lags": table}, day, {"data": "lags", "component": "pairs"})
    assert [trace.y.tolist() for trace in asked.data] == [[100, 200]]
    figure = drawn({"lags": table}, day)
    assert [trace.y.tolist() for trace in figure.data] == [[0.5, 0.6]]
    assert "N = 100 to 200 pairs" in texts(figure)


def test_a_fit_of_logarithms_is_a_straight_line_on_log_axes(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """log10 y = slope log10 x + intercept, from `x_from` to `x_to`, with its numbers beside the panel."""
    frequency = np.geomspace(1e-4, 1, 50)
    tables = {
        "psd": make_curve(frequency, {"power": 10.0 * frequency ** (-5 / 3)}),
        "fit": make_facts(slope=(-5 / 3, "", 0.02), intercept=(1.0,), r=(-0.99,), x_from=(1e-3, "Hz"), x_to=(0.1, "Hz")),
    }
    figure = drawn(tables, day)
    fit = next(trace for trace in figure.data if trace.line.dash == "dash")
    np.testing.assert_allclose(fit.y, 10.0 * fit.x ** (-5 / 3))
    assert (fit.x[0], fit.x[-1]) == pytest.approx((1e-3, 0.1))
    assert {"slope = −1.667 ± 0.020", "intercept = 1", "r = −0.99"} <= set(texts(figure))


def test_a_fit_of_logarithms_stays_one_beside_a_curve_of_no_scale(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """A -5/3 line that a step's code gives says nothing of its axes; the fit of the spectrum is of logarithms still."""
    frequency = np.geomspace(0.01, 1, 50)
    tables = {
        "psd": make_curve(frequency, {"power": 10.0 * frequency ** (-5 / 3)}),
        "line": make_curve(frequency, {"line": frequency ** (-5 / 3)}, scale="linear"),
        "fit": make_facts(slope=(-5 / 3,), intercept=(1.0,)),
    }
    fit = next(trace for trace in drawn(tables, day).data if trace.line.dash == "dash")
    np.testing.assert_allclose(fit.y, 10.0 * fit.x ** (-5 / 3))


def test_each_of_several_spectra_has_its_fit_in_its_colour(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """Facts named after the columns, `bx_slope` and `by_slope`, are two lines."""
    x = np.array([1.0, 10, 100])
    facts = {"bx_slope": (-1.0,), "bx_intercept": (0.0,), "by_slope": (-2.0,), "by_intercept": (1.0,)}
    figure = drawn({"psd": make_curve(x, {"bx": 1 / x, "by": 10 / x**2}), "fit": make_facts(**facts)}, day)
    first, second, first_fit, second_fit = figure.data
    np.testing.assert_allclose(first_fit.y, 1 / first_fit.x)
    np.testing.assert_allclose(second_fit.y, 10 / second_fit.x**2)
    assert (first_fit.line.color, second_fit.line.color) == (first.line.color, second.line.color)
    assert [text for text in texts(figure) if text.startswith("slope")] == ["slope = −1", "slope = −2"]


@pytest.mark.parametrize("name", ["f", "position"])
def test_a_fact_called_as_the_axis_marks_its_place(name: str, make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """The best lag on a correlation, in another unit than the axis, shaded as wide as its uncertainty."""
    lag = np.arange(-7200, 7201, 60.0)
    table = make_curve(lag, {"r": np.exp(-(((lag - 2040) / 900) ** 2))}, units={"r": ""}, scale="linear", unit="s")
    tables = {"r": table, "best": make_facts(**{name: (34.0, "min", 2.0)}, r=(0.81,))}
    figure = drawn(tables, day)
    shade, mark = figure.layout.shapes
    assert (mark.x0, mark.x1, mark.xref) == (2040, 2040, "x2")
    assert (shade.x0, shade.x1) == (1920, 2160)
    assert {f"{name} = (34.0 ± 2.0) min", "r = 0.81"} <= set(texts(figure))


def test_a_long_spectrum_keeps_its_first_decades_and_its_lines(make_curve: Maker, day: TimeRange) -> None:
    """Of half a million frequencies a few thousand are drawn, among them the lowest ten and a narrow line."""
    frequency = np.arange(1, 500_001) * 1e-6
    power = np.ones(500_000)
    power[333_333] = 1e6
    table = make_curve(frequency, {"power": power})
    figure = drawn({"psd": table}, day)
    (line,) = figure.data
    assert len(line.x) < 8100
    assert line.x[:10].tolist() == frequency[:10].tolist()
    assert np.nanmax(line.y) == 1e6
    assert "thinned" in html_page(figure)


def test_rows_in_any_order_are_drawn_along_the_axis(make_curve: Maker, day: TimeRange) -> None:
    """A line does not run back; a row without a place on the axis is left out."""
    (line,) = drawn({"psd": make_curve([10, 1, np.nan, 5], {"power": [3, 1, 9, 2]})}, day).data
    assert (line.x.tolist(), line.y.tolist()) == ([1, 5, 10], [1, 2, 3])


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ("series", "spectrum is a curve over an axis of its own, and other is over time"),
        ("lag", "is in s, that of spectrum in Hz"),
    ],
)
def test_what_cannot_share_an_axis_is_refused(
    second: str, problem: str, make_curve: Maker, make_series: Maker, day: TimeRange
) -> None:
    """With the place of the trace, and what to do."""
    other = make_series([1, 2]) if second == "series" else make_curve([1, 2], {"r": [1, 2]}, unit="s")
    with pytest.raises(FigureError, match=problem) as caught:
        drawn({"spectrum": make_curve([1, 2], {"power": [1, 2]}), "other": other}, day)
    assert caught.value.where == "figure.panels[0].traces[1].data"
    assert caught.value.hint == "Put other into a separate panel."


def test_a_panel_over_time_has_no_horizontal_axis_of_its_own(make_series: Maker, day: TimeRange) -> None:
    """It shares the figure's."""
    with pytest.raises(FigureError, match="shares the figure's time axis") as caught:
        drawn({"b": make_series([1, 2])}, day, x={"range": [0, 1]})
    assert caught.value.where == "figure.panels[0].x"


def test_the_ticks_of_a_log_axis_come_back_after_a_zoom(make_curve: Maker, make_series: Maker, day: TimeRange) -> None:
    """The page's script looks at horizontal axes too, where there are such; pages over time stay as they were."""
    spectrum = drawn({"psd": make_curve([1, 2], {"power": [1, 2]})}, day)
    assert "/^[xy]axis/" in html_page(spectrum)
    assert "/^yaxis/" in html_page(drawn({"b": make_series([1, 2])}, day))


def test_a_curve_of_code_without_a_scale_leaves_the_others_logarithmic(make_curve: Maker, day: TimeRange) -> None:
    """Both axes, as long as every value is positive; with one below zero the values are linear."""
    spectrum, model = make_curve([1, 10], {"p": [1, 10]}), make_curve([1, 10], {"m": [2, 5]}, scale="linear")
    figure = drawn({"p": spectrum, "m": model}, day)
    assert (figure.layout.xaxis2.type, figure.layout.yaxis.type) == ("log", "log")
    figure = drawn({"p": spectrum, "m": make_curve([1, 10], {"m": [-2, 5]}, scale="linear")}, day)
    assert (figure.layout.xaxis2.type, figure.layout.yaxis.type) == ("log", "linear")


def test_one_unit_written_in_two_ways_has_one_axis(make_curve: Maker, make_series: Maker, day: TimeRange) -> None:
    """Of curves, of lines over time, and of three ways that count as one."""
    ways = ("nT^2/Hz", "nT^2 Hz^-1", "nT**2/Hz")
    curves = {way: make_curve([1, 10], {"p": [1, 10]}, units={"p": way}) for way in ways}
    traces = [{"data": name} for name in "abc"]
    figure = drawn(dict(zip("abc", curves.values(), strict=True)), day, *traces)
    assert not any("Hz<sup>" in text and "(" in text for text in texts(figure))
    lines_over_time = {name: make_series([1, 2, 3], unit=way) for name, way in zip("abc", ways, strict=True)}
    figure = drawn(lines_over_time, day, *traces)
    assert {trace.yaxis for trace in figure.data} == {"y"}


def power_law(make_facts: Maker) -> Table:
    """Slope and intercept of logarithms, as `spectral_slope` gives them."""
    facts = make_facts(slope=(-2.0, 0.1), intercept=(1.0, 0.1))
    return Table(facts.time, facts.columns, facts.meta.model_copy(update={"scale": "log"}))


def without_scale(table: Table) -> Table:
    """A curve of code, which says no scale."""
    bins = table.meta.bins.model_copy(update={"scale": "linear"}) if table.meta.bins else None
    return Table(table.time, table.columns, table.meta.model_copy(update={"scale": "linear", "bins": bins}))


def test_a_power_law_brings_log_axes_to_a_curve_that_says_none(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """The spectrum that code sums up is log-log beside its fit, which lies on it."""
    x = np.geomspace(0.001, 1, 50)
    figure = drawn({"psd": without_scale(make_curve(x, {"power": 10 * x**-2.0})), "fit": power_law(make_facts)}, day)
    curve, fit = lines(figure)
    assert (figure.layout.xaxis2.type, figure.layout.yaxis.type) == ("log", "log")
    np.testing.assert_allclose(fit.y, 10 * fit.x**-2.0)
    assert curve.y[0] == pytest.approx(fit.y[0])


def test_a_power_law_stays_one_on_linear_axes(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """A straight line of these numbers would be another function."""
    x = np.linspace(0.1, 1, 50)
    tables = {"psd": without_scale(make_curve(x, {"power": 10 * x**-2.0})), "fit": power_law(make_facts)}
    figure = drawn(tables, day, x={"scale": "linear"}, y={"scale": "linear"})
    np.testing.assert_allclose(lines(figure)[1].y, 10 * lines(figure)[1].x ** -2.0)


def test_a_curve_below_zero_stays_linear_beside_a_power_law(make_curve: Maker, make_facts: Maker, day: TimeRange) -> None:
    """Logarithmic axes would hide what is there."""
    curve = without_scale(make_curve([1.0, 2, 3], {"power": [1.0, -1, 2]}))
    assert drawn({"psd": curve, "fit": power_law(make_facts)}, day).layout.yaxis.type == "linear"


def test_steps_are_drawn_over_their_bins(make_curve: Maker, day: TimeRange) -> None:
    """A histogram of bins of 10 begins and ends half a bin beyond its middles, with the spread as wide."""
    columns = {"power": [1.0, 4, 2], "power_uncertainty": [0.5, 1, 0.5]}
    table = without_scale(make_curve([5.0, 15, 25], columns, roles={"power_uncertainty": "uncertainty"}))
    figure = drawn({"h": table}, day, {"data": "h", "draw": "steps"})
    (line,) = lines(figure)
    assert line.x.tolist() == [0, 10, 10, 20, 20, 30]
    assert line.y.tolist() == [1, 1, 4, 4, 2, 2]
    assert figure.layout.xaxis2.range == (0, 30)
    band = next(trace for trace in figure.data if trace.fill)
    assert (min(band.x), max(band.x), max(band.y)) == (0, 30, 5)


def test_one_of_several_columns_says_what_it_is_of(make_curve: Maker, day: TimeRange) -> None:
    """`median` alone is no quantity."""
    table = make_curve([1.0, 2], {"median": [1.0, 2], "mean": [1.0, 2]})
    table = Table(table.time, table.columns, table.meta.model_copy(update={"label": "Flow speed around events"}))
    shown = texts(drawn({"epoch": table}, day, {"data": "epoch", "component": "median"}))
    assert any(text.startswith("Flow speed around events, median") for text in shown)


def stack(make_curve: Maker, day: TimeRange, *axes: tuple[list[float], str]) -> go.Figure:
    """Curves below each other, each over its places and unit."""
    tables = {f"c{place}": make_curve(x, {"power": x}, unit=unit) for place, (x, unit) in enumerate(axes)}
    panels = [{"traces": [{"data": name}]} for name in tables]
    return draw(Figure.model_validate({"panels": panels}), tables, day, title="t")


def test_panels_with_the_same_axis_carry_it_once(make_curve: Maker, day: TimeRange) -> None:
    """Numbers and title below the lowest, panels ten pixels apart, zoomed together: a superposed epoch analysis."""
    figure = stack(make_curve, day, *[([1.0, 10, 100], "Hz")] * 3)
    layout = figure.layout
    assert [axis.showticklabels for axis in (layout.xaxis2, layout.xaxis3, layout.xaxis4)] == [False, False, None]
    assert (layout.xaxis2.matches, layout.xaxis3.matches, layout.xaxis4.matches) == ("x3", "x4", None)
    assert texts(figure).count("Frequency [Hz]") == 1
    stack_px = layout.height - layout.margin.t - layout.margin.b
    assert (layout.yaxis.domain[0] - layout.yaxis2.domain[1]) * stack_px == pytest.approx(look.GAP_PX)


@pytest.mark.parametrize("other", [([1.0, 10, 50], "Hz"), ([1.0, 10, 100], "mHz")])
def test_panels_with_another_axis_have_their_own(other: tuple[list[float], str], make_curve: Maker, day: TimeRange) -> None:
    """Another range or unit is another axis."""
    figure = stack(make_curve, day, ([1.0, 10, 100], "Hz"), other)
    assert (figure.layout.xaxis2.showticklabels, figure.layout.xaxis2.matches) == (None, None)
    assert sum(text.startswith("Frequency [") for text in texts(figure)) == 2
