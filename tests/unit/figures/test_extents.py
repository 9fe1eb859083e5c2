"""Bins are drawn where they are: over what they reach, and a gap only where one is missing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.gaps import records_in_span
from helio_dagster.figures.refining import refined
from helio_dagster.figures.spectrogram_image import flux_image

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
START = np.datetime64("2023-01-02", "ns")
START_MS = float(START.astype(np.int64)) / 1e6
HOUR_MS = 3_600_000.0


def series(time: np.ndarray, values: np.ndarray, extent: Extent | None = None) -> Table:
    """A series of one column."""
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="nT"),), unit="nT", extent=extent)
    return Table(time, {"b": values}, meta)


@pytest.fixture(scope="module")
def welch() -> Table:
    """Hourly spectra of a tone of 1/32 Hz, sampled each 4 s for a day."""
    time = START + np.arange(21_600) * np.timedelta64(4, "s")
    tone = series(time, np.sin(2 * np.pi * np.arange(21_600) / 8))
    operation = get_operation("welch")
    options = operation.read_options({"bin": "PT1H", "segment": "PT256S", "cadence": "PT4S"})
    return operation.apply({"series": tone}, options, DAY, "psd")


def rows(table: Table, kept: np.ndarray) -> Table:
    """Some of the records."""
    return Table(table.time[kept], {name: values[kept] for name, values in table.columns.items()}, table.meta)


def drawn(table: Table, span: TimeRange = DAY) -> go.Figure:
    """A figure of one trace."""
    return draw(Figure.model_validate({"panels": [{"traces": [{"data": "t"}]}]}), {"t": table}, span, title="t")


def hours(times_ms: np.ndarray) -> list[float]:
    """Hours of the day."""
    return [float(each) for each in (np.asarray(times_ms, dtype=np.float64) - START_MS) / HOUR_MS]


def test_an_hourly_welch_has_24_columns_from_midnight_to_midnight(welch: Table) -> None:
    """The spectrum of 01-02 h is drawn at 01-02 h, the last one up to 24 h, and the tone in each of them."""
    (image,) = drawn(welch).data
    edges = np.asarray(image.x).astype("datetime64[ms]").astype(np.float64)
    assert hours(edges) == list(range(25))
    assert np.isfinite(np.asarray(image.z)).all()
    highest = np.asarray(image.y)[np.asarray(image.z).argmax(axis=0)]
    assert (np.abs(highest - 1 / 32) < 1 / 256).all()


def test_a_missing_hour_is_a_gap_of_an_hour(welch: Table) -> None:
    """Not three, and no more than it."""
    image = flux_image(rows(welch, np.arange(24) != 7), "log", DAY)
    assert image is not None
    assert hours(image.time_edges_ms) == list(range(25))
    assert np.flatnonzero(np.isnan(image.flux).all(axis=0)).tolist() == [7]


@pytest.mark.parametrize(
    "stamped", [Extent.of_bin(timedelta(hours=1)), Extent.around(timedelta(hours=1)), Extent(before_ns=3_600 * 10**9)]
)
def test_the_same_hours_look_the_same_wherever_they_are_stamped(welch: Table, stamped: Extent) -> None:
    """HAPI's BEGIN, CENTER and END are one picture."""
    moved = rows(welch, np.arange(3, 9))
    meta = moved.meta.model_copy(update={"extent": stamped})
    table = Table(moved.time + np.timedelta64(stamped.before_ns, "ns"), moved.columns, meta)
    image = flux_image(table, "log", DAY)
    assert image is not None
    assert hours(image.time_edges_ms) == [3, 4, 5, 6, 7, 8, 9]
    (line,) = drawn(series(table.time, np.arange(6.0), stamped)).data
    assert hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64)) == [3.5, 4.5, 5.5, 6.5, 7.5, 8.5]


def test_what_has_no_extent_is_drawn_as_before(welch: Table) -> None:
    """Around its stamp, half the way to its neighbours."""
    image = flux_image(welch.with_extents(None), "log", DAY)
    assert image is not None
    assert hours(image.time_edges_ms) == [0, *(hour + 0.5 for hour in range(24))]
    (line,) = drawn(series(welch.time, np.arange(24.0))).data
    assert hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64)) == list(range(24))


def test_a_line_of_means_is_broken_where_one_is_missing() -> None:
    """Its points stand at half past, and nothing joins 06:30 to 08:30."""
    kept = np.arange(24) != 7
    table = series((START + np.arange(24) * np.timedelta64(1, "h"))[kept], np.ones(23), Extent.of_bin(timedelta(hours=1)))
    (line,) = drawn(table).data
    times = hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64))
    assert times == [*(hour + 0.5 for hour in range(7)), 7.5, *(hour + 0.5 for hour in range(8, 24))]
    assert np.flatnonzero(np.isnan(np.asarray(line.y, dtype=np.float64))).tolist() == [7]


def test_an_instrument_that_rests_between_its_records_has_a_whole_line() -> None:
    """12 s measured of each 24 s, as Van Allen Probes HOPE does; one record missing is a gap."""
    time = START + np.arange(200) * np.timedelta64(24, "s")
    rests = Extent.around(timedelta(seconds=12))
    (line,) = drawn(series(time, np.ones(200), rests)).data
    assert np.isfinite(np.asarray(line.y)).all()
    (broken,) = drawn(rows(series(time, np.ones(200), rests), np.arange(200) != 100)).data
    assert np.isnan(np.asarray(broken.y)).sum() == 1


def test_a_bin_longer_than_the_figure_is_seen_in_it() -> None:
    """A day's mean in a figure of three hours is a level across them; over midnight there are two, and no slope."""
    means = series(START + np.arange(2) * np.timedelta64(1, "D"), np.array([5.0, 7.0]), Extent.of_bin(timedelta(days=1)))
    morning = TimeRange(DAY.start + timedelta(hours=3), DAY.start + timedelta(hours=6))
    (line,) = drawn(means, morning).data
    assert hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64)) == [3, 6]
    assert list(line.y) == [5, 5]
    (line,) = drawn(means, TimeRange(DAY.start + timedelta(hours=22), DAY.start + timedelta(hours=25))).data
    assert hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64)) == [22, 24, 24, 25]
    assert list(line.y) == [5, 5, 7, 7]
    apart = series(np.array([START, START + np.timedelta64(2, "D")]), np.array([5.0, 7.0]), Extent.of_bin(timedelta(hours=30)))
    (line,) = drawn(apart, TimeRange(DAY.start + timedelta(hours=20), DAY.start + timedelta(hours=50))).data
    assert hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64)) == [20, 30, 39, 48, 50]
    np.testing.assert_array_equal(line.y, [5, 5, np.nan, 7, 7])


def test_extents_that_differ_are_each_drawn(welch: Table) -> None:
    """An hour, then two of half an hour with a rest in which one is missing."""
    table = rows(welch, np.arange(3))
    lengths = np.array([60, 30, 30]) * 60 * 10**9
    image = flux_image(table.with_extents(Extents(np.zeros(3, np.int64), lengths, np.ones(3, np.bool_))), "log", DAY)
    assert image is not None
    assert hours(image.time_edges_ms) == [0, 1, 1.5, 2, 2.5]
    assert np.isnan(image.flux).all(axis=0).tolist() == [False, False, True, False]


def test_a_zoom_into_a_bin_shows_it(welch: Table) -> None:
    """20 minutes that lie in one hour are all of its colour, though it is stamped before."""
    figure = Figure.model_validate({"panels": [{"traces": [{"data": "t"}]}]})
    window = TimeRange(DAY.start + timedelta(minutes=610), DAY.start + timedelta(minutes=630))
    (trace,) = refined(figure, {"t": welch}, window)["traces"]
    assert trace["z"]["shape"].endswith(", 1")


@pytest.mark.parametrize(("minutes", "are_seen"), [(10, True), (600, False)])
def test_a_regular_pause_is_seen_where_it_is_wide_enough(welch: Table, minutes: int, are_seen: bool) -> None:
    """12 s measured of each 24 s: columns of 12 s in ten minutes, whole ones in ten hours, and a gap where one is missing."""
    kept = np.delete(np.arange(100), 10)
    columns = {name: np.ones(99) for name in welch.columns}
    meta = welch.meta.model_copy(update={"extent": Extent.of_bin(timedelta(seconds=12))})
    table = Table((START + np.arange(100) * np.timedelta64(24, "s"))[kept], columns, meta)
    span = TimeRange(DAY.start, DAY.start + timedelta(minutes=minutes))
    image = flux_image(records_in_span(table, span), "log", span)
    assert image is not None
    gaps = np.asarray(np.isnan(image.flux).all(axis=0))
    assert gaps.sum() == (23 if are_seen else 1)
    missing = 19 if are_seen else 10
    assert gaps[missing]
    seconds = (image.time_edges_ms[[missing, missing + 1]] - START_MS) / 1e3
    assert seconds.tolist() == [9 * 24 + 12, 11 * 24]


@pytest.mark.parametrize(
    ("name", "options", "hour"),
    [
        ("extrema", {"which": "maxima", "reach": "PT6H"}, 10.5),
        ("crossings", {"value": 9.5, "direction": "up", "gaps": "PT1H"}, 10.0),
    ],
)
def test_what_is_found_in_a_line_is_drawn_on_it(name: str, options: dict[str, object], hour: float) -> None:
    """The peak of hourly means, and where they cross a value: marks and points stand where the line is so."""
    values = 10.0 - np.abs(np.arange(24.0) - 10)
    hourly = series(START + np.arange(24) * np.timedelta64(1, "h"), values, Extent.of_bin(timedelta(hours=1)))
    operation = get_operation(name)
    found = operation.apply({"series": hourly}, operation.read_options(options), DAY, "found")
    figure = Figure.model_validate({"panels": [{"traces": [{"data": "t"}]}], "events": "found"})
    marked = draw(figure, {"t": hourly, "found": found}, DAY, title="t")
    (edge,) = [shape.x0 for shape in marked.layout.shapes if shape.line.dash == "dash"]
    assert hours(np.array([edge])) == [hour]
    (line,) = marked.data
    drawn_hours = hours(np.asarray(line.x).astype("datetime64[ms]").astype(np.float64))
    assert np.interp(hour, drawn_hours, line.y) == (10.0 if name == "extrema" else 9.5)
