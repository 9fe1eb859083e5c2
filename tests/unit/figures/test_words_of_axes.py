"""What axes say without being told: whose data, which quantity, of how many, where the date is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.assets.graph_building import build_graph
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.markup import capitalized, with_owner
from helio_dagster.figures.printing.time_ticks import fitting_time_ticks
from helio_dagster.figures.text_width import width_px
from tests.integration.figures.storm_figure import storm_tables

Maker = Callable[..., Table]
ANGLES = (4.5, 18.0, 36.0, 54.0, 72.0, 90.0, 108.0, 126.0, 144.0, 162.0, 175.5)
DAY_MS = 8.64e7


def drawn(
    panels: list[dict[str, Any]], tables: dict[str, Table], day: TimeRange, spacecraft: str = "ACE", **more: Any
) -> go.Figure:
    """A figure of one spacecraft's data."""
    spec = Figure.model_validate({"panels": panels, **more})
    return draw(spec, tables, day, title="t", spacecraft=dict.fromkeys(tables, spacecraft))


def texts(figure: go.Figure) -> list[str]:
    """All texts around the panels, and titles of colour bars."""
    bars = [trace.colorbar.title.text for trace in figure.data if trace.type == "heatmap" and trace.colorbar.title.text]
    return [note.text for note in figure.layout.annotations] + bars


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        ({"traces": [{"data": "density"}]}, "ACE Density"),
        ({"traces": [{"data": "flux"}]}, "ACE Flux"),
        ({"traces": [{"data": "hodogram"}]}, "ACE B<sub>z</sub>"),
        ({"traces": [{"data": "density"}], "calendar": {}}, "ACE Density, coverage"),
    ],
    ids=["line", "spectrogram", "hodogram", "calendar"],
)
def test_a_panel_says_whose_data_it_shows(panel: dict[str, Any], words: str, day: TimeRange) -> None:
    """In the title of its values, whatever kind it is of."""
    figure = drawn([panel], storm_tables()[0], day)
    assert any(text.replace("<br>", " ").startswith(words) for text in texts(figure))


def test_a_given_title_stays_as_it_is(day: TimeRange) -> None:
    """Neither a spacecraft nor a capital is put before it."""
    figure = drawn([{"traces": [{"data": "density"}], "y": {"title": "proton density"}}], storm_tables()[0], day)
    assert "proton density [cm<sup>−3</sup>]" in texts(figure)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("frequency", "Frequency"),
        ("trace PSD", "Trace PSD"),
        ("n", "n"),
        ("dst", "dst"),
        ("|B|", "|B|"),
        ("log10(flux)", "log10(flux)"),
        ("pH", "pH"),
        ("", ""),
    ],
)
def test_titles_begin_with_a_capital_where_they_are_words(title: str, shown: str) -> None:
    """Symbols stay."""
    assert capitalized(title) == shown


def test_a_name_inside_a_word_is_not_a_spacecraft() -> None:
    """`trace` holds the letters of ACE."""
    assert with_owner("trace PSD", "ACE") == "ACE trace PSD"
    assert with_owner("|B| of ACE", "ACE") == "|B| of ACE"


def test_a_member_of_a_series_is_named_with_its_number() -> None:
    """Which GOES it is stands in the dataset's id; of stations on the ground there is nothing to say."""
    steps: list[dict[str, Any]] = [
        {"id": "b", "fetch": {"archive": "cdaweb", "dataset": "G10_K0_MAG", "parameter": "B_GSM"}},
        {"id": "speed", "compute": {"operation": "magnitude", "inputs": {"vector": "b"}}},
        {"id": "picture", "figure": {"panels": [{"traces": [{"data": "b"}]}, {"traces": [{"data": "speed"}]}]}},
    ]
    pipeline = Pipeline.model_validate({"version": 1, "name": "goes", "start": "2003-01-01", "steps": steps})
    graph = build_graph([pipeline], lambda *_: None)
    assert dict(graph["goes/picture"].spacecraft) == {"b": "GOES 10", "speed": "GOES 10"}


def test_a_mean_says_of_how_many(make_curve: Maker, day: TimeRange) -> None:
    """The lowest and the highest number over the lags; one number where they are equal."""
    for counts, words in (([4, 3, 4], "N = 3 to 4"), ([4, 4, 4], "N = 4")):
        table = make_curve([1, 2, 3], {"mean": [1, 2, 3], "count": counts}, roles={"count": "count"}, units={"count": ""})
        assert words in texts(drawn([{"traces": [{"data": "epoch"}]}], {"epoch": table}, day))


def test_a_row_below_the_axis_says_its_unit(make_series: Maker, day: TimeRange) -> None:
    """Also behind a label that the pipeline gives."""
    tables = {"b": make_series(np.arange(1440.0)), "mlt": make_series(np.arange(1440.0) / 60, unit="h")}
    below = [{"data": "mlt", "label": "MLT"}, {"data": "mlt", "label": "MLT (hours)"}]
    assert {"MLT [h]", "MLT (hours)"} <= set(texts(drawn([{"traces": [{"data": "b"}]}], tables, day, below=below)))


def test_pitch_angles_fill_their_axis(make_spectrogram: Maker, day: TimeRange) -> None:
    """From 0 to 180 degrees in a spectrogram and in a map, whose outer cells are narrower; other axes stay as they are."""
    table = make_spectrogram(np.ones((4, len(ANGLES))), ANGLES, scale="linear")
    bins = BinAxis(label="pitch angle", unit="deg", centers=ANGLES)
    tables = {
        "pa": Table(table.time, dict(table.columns), table.meta.model_copy(update={"bins": bins})),
        "map": map_of_angles(),
    }
    figure = drawn([{"traces": [{"data": "pa"}]}, {"traces": [{"data": "map"}]}], tables, day)
    spectrogram, cells = figure.data
    for edges in (spectrogram.y, cells.x):
        assert (edges[0], edges[-1]) == (0, 180)
        assert edges[1:-1] == pytest.approx((np.array(ANGLES)[1:] + np.array(ANGLES)[:-1]) / 2)
    assert tuple(figure.layout.yaxis.range) == tuple(figure.layout.xaxis3.range) == (0, 180)
    assert cells.y[0] < 100 < cells.y[-1]


def map_of_angles() -> Table:
    """Flux over pitch angle and energy."""
    energies = np.array([100.0, 200.0, 400.0])
    angle, energy = (each.ravel() for each in np.meshgrid(ANGLES, energies, indexing="ij"))
    columns = (
        ColumnMeta(name="pitch_angle", unit="deg", role="axis"),
        ColumnMeta(name="energy", unit="eV", role="axis"),
        ColumnMeta(name="flux"),
    )
    time = np.full(len(angle), np.datetime64("2023-01-02", "ns"))
    return Table(time, {"pitch_angle": angle, "energy": energy, "flux": energy}, TableMeta(kind="map", columns=columns))


def test_a_column_of_a_journal_has_more_times_than_its_ends() -> None:
    """A day along 210 pixels: every six hours, the date below the first and below the next day's."""
    labels = fitting_time_ticks(0, DAY_MS, length_px=210).labels
    assert labels == ("00:00\n1970-01-01", "06:00", "12:00", "18:00", "00:00\n1970-01-02")


def test_a_column_of_a_journal_has_every_day_of_a_few() -> None:
    """Where midnights with their dates have no room, each day has its own label."""
    labels = fitting_time_ticks(0, 4 * DAY_MS, length_px=210).labels
    assert labels == ("1 Jan\n1970", "2 Jan", "3 Jan", "4 Jan", "5 Jan")


@given(start=st.floats(0, 1e12), days=st.floats(1e-6, 4000), length=st.floats(150, 1000))
def test_times_never_touch(start: float, days: float, length: float) -> None:
    """In both lines of any labels; the first has the date."""
    ticks = fitting_time_ticks(start, start + days * DAY_MS, length_px=length)
    for number in (0, 1):
        lines = [
            (place, label.split("\n")[number])
            for place, label in zip(ticks.values, ticks.labels, strict=True)
            if number < len(label.split("\n"))
        ]
        for (left, first), (right, second) in pairwise(lines):
            apart = (right - left) / (days * DAY_MS) * length
            assert apart >= (width_px(first, 12) + width_px(second, 12)) / 2 or len(ticks.values) <= 3
    if ticks.labels and any("\n" in label for label in ticks.labels):
        assert "\n" in ticks.labels[0]


def test_a_window_of_an_hour_begins_with_its_date(day: TimeRange) -> None:
    """Not only at midnight."""
    start = (day.start + timedelta(hours=9, minutes=7)).timestamp() * 1e3
    assert fitting_time_ticks(start, start + DAY_MS / 24, length_px=250).labels[0] == "09:15\n2023-01-02"
