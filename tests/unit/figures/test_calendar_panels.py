"""Calendars: a cell for each day, by coverage, by a daily number, by a count."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.sheet import SCREEN, Sheet


def span(start: str, stop: str) -> TimeRange:
    """A range in UTC."""
    first, last = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, stop))
    return TimeRange(first, last)


TWO_MONTHS = span("2023-01-01", "2023-03-01")
TITLES = {"v": "V", "w": "The highest speed of the wind of the Sun"}


def hourly(start: str, stop: str, *, value: Any = None) -> Table:
    """A record an hour, its value that of the hour since the start."""
    time = np.arange(np.datetime64(start, "h"), np.datetime64(stop, "h")).astype("datetime64[ns]")
    values = np.arange(len(time), dtype=float) if value is None else np.full(len(time), value, dtype=float)
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="v", label="Speed", unit="km/s"),), unit="km/s", label="Speed")
    return Table(time, {"v": values}, meta)


def part(table: Table, which: Any) -> Table:
    """Some of the records."""
    return Table(table.time[which], {name: values[which] for name, values in table.columns.items()}, table.meta)


def calendar(
    table: Table, over: TimeRange, *, sheet: Sheet = SCREEN, trace: Any = None, panel: Any = None, **given: Any
) -> go.Figure:
    """A figure of one calendar."""
    spec = {"panels": [{"traces": [{"data": "v", **(trace or {})}], "calendar": given, **(panel or {})}]}
    return draw(Figure.model_validate(spec), {"v": table}, over, title="t", sheet=sheet)


def cells(figure: go.Figure) -> np.ndarray:
    """The values as one reads them: the first row at the top."""
    (found,) = [trace for trace in figure.data if trace.type == "heatmap" and trace.showscale is not False]
    return np.asarray(found.z, dtype=float)[::-1]


def backing(figure: go.Figure) -> np.ndarray:
    """Where days are in the range, the first row at the top."""
    (found,) = [trace for trace in figure.data if trace.type == "heatmap" and trace.showscale is False]
    return np.array(np.isfinite(np.asarray(found.z, dtype=float))[::-1])


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def test_a_row_for_each_month_has_the_coverage_of_its_days() -> None:
    """A whole day is 100 %, half of one 50 %; a day without a record is grey, one that holds fill alone is 0 %."""
    table = hourly("2023-01-01", "2023-03-01")
    table.columns["v"][48:72] = np.nan  # 3 January
    keep = np.ones(len(table), dtype=bool)
    keep[24:36] = keep[72:96] = False  # half of the 2nd, and the 4th
    figure = calendar(part(table, keep), TWO_MONTHS)
    shown = cells(figure)
    assert shown.shape == (2, 31)
    np.testing.assert_allclose(shown[0, :5], [100, 50, 0, np.nan, 100])
    assert backing(figure)[0].all()
    assert backing(figure)[1].tolist() == [True] * 28 + [False] * 3
    assert np.isnan(shown[1, 28:]).all()
    assert figure.layout.yaxis.ticktext == ("Jan 2023", "Feb 2023")
    assert figure.layout.yaxis.tickvals == (2, 1)
    assert "no data" in texts(figure)
    (bar,) = [trace.colorbar.title.text for trace in figure.data if trace.type == "heatmap" and trace.showscale is not False]
    assert bar.replace("<br>", " ") == "Speed, coverage [%]"


def test_the_coverage_of_a_vector_is_titled_by_what_its_components_share() -> None:
    """The archive's own name for it is not."""
    series = hourly("2023-01-01", "2023-03-01")
    labels = ("Bx GSE", "By GSE", "Bz GSE")
    columns = tuple(ColumnMeta(name=label[:2], label=label, unit="nT") for label in labels)
    meta = TableMeta(kind="vector", columns=columns, label="BGSE", unit="nT", frame="GSE")
    figure = calendar(Table(series.time, {column.name: series.columns["v"] for column in columns}, meta), TWO_MONTHS)
    (bar,) = [trace.colorbar.title.text for trace in figure.data if trace.type == "heatmap" and trace.showscale is not False]
    assert bar.replace("<br>", " ") == "B GSE, coverage [%]"


@pytest.mark.parametrize("show", ["mean", "min", "max", "count"])
def test_a_daily_number_is_that_of_pandas(show: str) -> None:
    """Of each day, beside pandas' own resampling."""
    table = hourly("2023-01-01", "2023-03-01")
    table.columns["v"][100:110] = np.nan
    expected = getattr(pd.Series(table.columns["v"], index=table.time).resample("1D"), show)().to_numpy()
    shown = cells(calendar(table, TWO_MONTHS, show=show))
    np.testing.assert_allclose(np.concatenate([shown[0], shown[1, :28]]), expected, rtol=1e-6)


def test_zero_has_a_colour_and_no_data_has_none() -> None:
    """Also on a logarithmic scale, where zero has the lowest."""
    table = hourly("2023-01-01", "2023-01-03", value=0.0)
    assert cells(calendar(table, TWO_MONTHS, show="mean"))[0, :3].tolist()[:2] == [0, 0]
    assert np.isnan(cells(calendar(table, TWO_MONTHS, show="mean"))[0, 2])
    mixed = Table(table.time, {"v": np.repeat([0.0, 100.0], 24)}, table.meta)
    shown = cells(calendar(mixed, TWO_MONTHS, show="mean", panel={"z": {"scale": "log", "range": [1, 1000]}}))
    np.testing.assert_allclose(shown[0, :3], [0, 2, np.nan])


def test_long_ranges_have_rows_of_years_in_which_months_stand_below_each_other() -> None:
    """1 March is in one column in leap years and others; 29 February is blank where there is none."""
    over = span("2019-01-01", "2024-01-01")
    table = hourly("2019-01-01", "2024-01-01", value=1.0)
    figure = calendar(table, over)
    shown = cells(figure)
    assert shown.shape == (5, 366)
    leap_day = 31 + 28
    assert np.isfinite(shown[:, leap_day]).tolist() == [False, True, False, False, False]
    assert np.isfinite(shown[:, leap_day + 1]).all()
    assert figure.layout.yaxis.ticktext == ("2019", "2020", "2021", "2022", "2023")
    assert figure.layout.xaxis2.ticktext[0] == "Jan"
    assert cells(calendar(table, over, rows="month")).shape == (60, 31)


def test_hours_are_in_rows_of_days_and_months_in_rows_of_years() -> None:
    """A range that begins and ends within a day has only its hours."""
    over = span("2023-01-02T06:00", "2023-01-04T12:00")
    figure = calendar(hourly("2023-01-02T06", "2023-01-04T12"), over, cell="hour", show="max")
    shown = cells(figure)
    assert shown.shape == (3, 24)
    assert np.isnan(shown[0, :6]).all()
    np.testing.assert_allclose(shown[0, 6:], np.arange(18))
    assert not backing(figure)[2, 12:].any()
    months = cells(calendar(hourly("2022-01-01", "2024-01-01"), span("2022-01-01", "2024-01-01"), cell="month", show="count"))
    assert months.shape == (2, 12)
    assert months[0, :3].tolist() == [744, 672, 744]


def facts(rows: list[tuple[str, str, float]]) -> Table:
    """Facts of intervals: start, stop, value."""
    columns = (ColumnMeta(name="peak", label="Peak", unit="nT"), ColumnMeta(name="stop", role="stop"))
    values = {"peak": np.array([row[2] for row in rows]), "stop": np.array([row[1] for row in rows], "datetime64[ns]")}
    return Table(np.array([row[0] for row in rows], "datetime64[ns]"), values, TableMeta(kind="facts", columns=columns))


def test_facts_colour_the_days_of_their_interval() -> None:
    """A fact of two days is in both; two facts of one day are their mean."""
    rows = [("2023-01-01", "2023-01-03", 5.0), ("2023-01-04", "2023-01-04T12:00", 1.0), ("2023-01-04T12:00", "2023-01-05", 3.0)]
    np.testing.assert_allclose(cells(calendar(facts(rows), TWO_MONTHS))[0, :5], [5, 5, np.nan, 2, np.nan])


def test_events_are_counted_where_they_begin_and_none_is_zero() -> None:
    """Every day of the range has a number."""
    columns = (ColumnMeta(name="depth", unit="nT"), ColumnMeta(name="stop", role="stop"))
    time = np.array(["2023-01-02T03:00", "2023-01-02T12:00", "2023-02-03"], dtype="datetime64[ns]")
    meta = TableMeta(kind="events", columns=columns, label="Bz < -5 nT")
    table = Table(time, {"depth": np.array([-5.0, -9, -7]), "stop": time + np.timedelta64(1, "h")}, meta)
    shown = cells(calendar(table, TWO_MONTHS))
    assert shown[0, :3].tolist() == [0, 2, 0]
    assert np.nansum(shown) == 3
    np.testing.assert_allclose(
        cells(calendar(table, TWO_MONTHS, show="min", trace={"component": "depth"}))[0, :3], [np.nan, -9, np.nan]
    )


@pytest.mark.parametrize("which", [slice(0), slice(1)])
def test_no_data_and_one_sample_are_figures(which: slice) -> None:
    """A grey calendar that says so; one sample is the number of its day."""
    figure = calendar(part(hourly("2023-01-01", "2023-02-01"), which), TWO_MONTHS, show="mean")
    if which == slice(0):
        assert texts(figure).count("no data") == 2  # the legend, and the note
        assert backing(figure)[0].all()
    else:
        assert cells(figure)[0, 0] == 0
    unknown = Table.empty(TableMeta(kind="series", columns=()))
    assert "no data" in texts(calendar(unknown, TWO_MONTHS))


def test_all_fill_is_a_coverage_of_zero() -> None:
    """Not the grey of days without records."""
    shown = cells(calendar(hourly("2023-01-01", "2023-01-03", value=np.nan), TWO_MONTHS))
    assert shown[0, :2].tolist() == [0, 0]
    assert np.isnan(shown[0, 2:]).all()


def test_the_colours_of_a_coverage_are_whole_and_those_of_no_data_are_grey() -> None:
    """From 0 to 100 whatever there is; the backing has the colour of gaps."""
    figure = calendar(hourly("2023-01-01", "2023-02-01"), TWO_MONTHS)
    data = next(trace for trace in figure.data if trace.type == "heatmap" and trace.showscale is not False)
    grey = next(trace for trace in figure.data if trace.type == "heatmap" and trace.showscale is False)
    assert (data.zmin, data.zmax) == (0, 100)
    assert {color for _, color in grey.colorscale} == {look.GAP_GREY}


def described(kind: str, *names: str) -> TableMeta:
    """Metadata of columns in nT."""
    return TableMeta.model_validate({"kind": kind, "columns": [{"name": name, "unit": "nT"} for name in names]})


@pytest.mark.parametrize(
    ("meta", "panel", "problem", "end"),
    [
        (described("vector", "x", "y", "z"), {"calendar": {"show": "mean"}}, "has 3 columns", "traces[0]"),
        (described("curve", "x"), {"calendar": {}}, "no value for each day", "traces[0].data"),
        (described("facts", "x"), {"calendar": {"show": "coverage"}}, "cover no time", "calendar.show"),
        (described("series", "x"), {"calendar": {}, "y": {"range": [0, 1]}}, "axes of a calendar", "y"),
        (
            described("series", "x"),
            {"calendar": {}, "traces": [{"data": "v"}, {"data": "w"}]},
            "shows one step",
            "traces[1].data",
        ),
        (described("series", "x"), {"calendar": {}, "traces": [{"data": "v", "draw": "line"}]}, "as cells", "traces[0].draw"),
        (
            described("series", "x"),
            {"calendar": {"show": "max"}, "traces": [{"data": "v", "component": "q"}]},
            "no component",
            "traces[0].component",
        ),
    ],
)
def test_what_is_no_calendar_is_refused_by_drawing_and_by_the_check(
    meta: TableMeta, panel: dict[str, Any], problem: str, end: str
) -> None:
    """With its place in the pipeline, in the same words before anything runs."""
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "v"}], **panel}]})
    tables = {name: Table.empty(meta) for name in "vw"}
    with pytest.raises(FigureError, match=problem) as caught:
        draw(spec, tables, TWO_MONTHS, title="t")
    assert caught.value.where == f"figure.panels[0].{end}"
    assert caught.value.problem in [fault.problem for fault in find_figure_faults(spec, {"v": meta, "w": meta})]


def test_more_rows_than_can_be_seen_are_refused_with_a_way_out() -> None:
    """Hours of two years; the hint names other cells."""
    with pytest.raises(FigureError, match="730 rows") as caught:
        calendar(hourly("2022-01-01", "2022-01-02"), span("2022-01-01", "2024-01-01"), cell="hour")
    assert "cell: day" in caught.value.hint
    with pytest.raises(ValueError, match="rows of hours are days"):
        Figure.model_validate({"panels": [{"traces": [{"data": "v"}], "calendar": {"cell": "hour", "rows": "year"}}]})


def test_a_narrow_sheet_names_fewer_rows_and_days() -> None:
    """A label for each row would lie over the next one."""
    over = span("2021-01-01", "2024-01-01")
    figure = calendar(hourly("2021-01-01", "2021-02-01"), over, sheet=Sheet(width_px=390), panel={"height": 0.5})
    assert "" in figure.layout.yaxis.ticktext
    assert figure.layout.xaxis2.ticktext[:3] == ("1", "5", "10")


def test_the_letter_of_a_calendar_hides_no_day() -> None:
    """It stands before the first row's name, not over the first days."""
    figure = calendar(hourly("2023-01-01", "2023-03-01"), TWO_MONTHS, sheet=Sheet(has_letters=True))
    letter = next(note for note in figure.layout.annotations if note.text == "<b>(a)</b>")
    assert (letter.x, letter.xanchor, letter.y, letter.yanchor) == (0, "right", 1, "bottom")
    assert letter.xshift < 0


def test_the_titles_of_colour_bars_have_one_size() -> None:
    """That of the longer one, which alone would be smaller."""
    panels = [
        {"traces": [{"data": name}], "calendar": {"show": "max"}, "z": {"title": title}} for name, title in TITLES.items()
    ]

    def sizes(shown: list[Any]) -> list[int]:
        tables = dict.fromkeys(TITLES, hourly("2023-01-01", "2023-03-01"))
        figure = draw(Figure.model_validate({"panels": shown}), tables, TWO_MONTHS, title="t")
        bars = [trace.colorbar for trace in figure.data if trace.type == "heatmap" and trace.showscale is not False]
        return [bar.title.font.size for bar in bars]

    alone = [sizes([panel])[0] for panel in panels]
    assert alone[0] > alone[1]
    assert sizes(panels) == [alone[1]] * 2
