"""A part of a figure's time axis, drawn anew."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.refining import refined

Maker = Callable[..., Table]
SPEC = Figure.model_validate(
    {"panels": [{"traces": [{"data": "power"}]}, {"traces": [{"data": "flux"}]}, {"traces": [{"data": "b"}]}]}
)


def test_a_window_has_every_sample_on_the_axes_of_the_whole_figure(
    make_series: Maker, make_spectrogram: Maker, make_curve: Maker, day: TimeRange
) -> None:
    """A spectrogram and a line below a curve: the curve stays as it is, the others are whole inside the window."""
    minutes = 1_440
    table = make_series(np.arange(minutes) % 7)
    table = Table(
        table.time[0] + np.arange(20 * minutes) * np.timedelta64(3, "s"), {"b": np.arange(20.0 * minutes) % 7}, table.meta
    )
    tables = {
        "power": make_curve([1, 2], {"p": [1, 2]}),
        "flux": make_spectrogram(np.arange(2.0 * minutes).reshape(minutes, 2) + 1, [10, 20]),
        "b": table,
    }
    window = TimeRange(day.start, day.start + timedelta(hours=1))
    found = refined(SPEC, tables, window)
    assert [trace["yaxis"] for trace in found["traces"]] == ["y2", "y3"]
    assert found["notes"] == []
    image, line = found["traces"]
    np.testing.assert_array_equal(np.frombuffer(b64decode(line["y"]["bdata"]), line["y"]["dtype"]), table.columns["b"][:1201])
    assert image["z"]["shape"] == "2, 60"
    whole = draw(SPEC, tables, day, title="t")
    assert [trace.yaxis for trace in whole.data] == ["y", "y2", "y3"]
    assert len(whole.data[2].y) < len(table)


def line_of(found: dict[str, Any], name: str) -> list[float]:
    """Values of the only line."""
    (trace,) = found["traces"]
    values: list[float] = np.frombuffer(b64decode(trace[name]["bdata"]), trace[name]["dtype"]).tolist()
    return values


LINE = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})


def test_a_line_goes_on_to_the_edges_of_a_window(make_series: Maker, day: TimeRange) -> None:
    """Half a minute between two of the minutes: the one before and the one after it, as the stored values are."""
    window = TimeRange(day.start + timedelta(minutes=5, seconds=10), day.start + timedelta(minutes=5, seconds=40))
    found = refined(LINE, {"b": make_series(np.arange(20.0))}, window)
    assert line_of(found, "y") == [5, 6]
    start_ms = day.start.timestamp() * 1000
    assert [at - start_ms for at in line_of(found, "x")] == [300_000, 360_000]
    window = TimeRange(day.start + timedelta(minutes=5), day.start + timedelta(minutes=7))
    assert line_of(refined(LINE, {"b": make_series(np.arange(20.0))}, window), "y") == [4, 5, 6, 7]


def test_no_line_goes_to_a_neighbour_beyond_a_gap(make_series: Maker, day: TimeRange) -> None:
    """A window inside a gap is empty, also as JSON; one that ends in it has the samples before it alone."""
    table = make_series(np.arange(40.0))
    keep = np.r_[0:10, 30:40]
    holed = Table(table.time[keep], {"b": table.columns["b"][keep]}, table.meta)
    inside = TimeRange(day.start + timedelta(minutes=12), day.start + timedelta(minutes=20))
    (trace,) = refined(LINE, {"b": holed}, inside)["traces"]
    assert (json.loads(json.dumps(trace))["x"], trace["y"]) == ([], [])
    edge = TimeRange(day.start + timedelta(minutes=7), day.start + timedelta(minutes=15))
    assert line_of(refined(LINE, {"b": holed}, edge), "y") == [6, 7, 8, 9]


def test_rows_below_the_axis_follow_the_window(make_series: Maker, day: TimeRange) -> None:
    """Ticks of what is seen, each with the value of its nearest record; none for a figure without rows."""
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}], "below": [{"data": "b", "label": "B", "digits": 0}]})
    tables = {"b": make_series(np.arange(600.0))}
    window = TimeRange(day.start + timedelta(minutes=55), day.start + timedelta(minutes=125))
    shown = TimeRange(day.start + timedelta(hours=1), day.start + timedelta(hours=2))
    ticks = refined(spec, tables, window, shown=shown)["ticks"]
    minutes = [(at - day.start.timestamp() * 1000) / 60_000 for at in ticks["tickvals"]]
    assert min(minutes) == 60
    assert max(minutes) == 120
    assert [text.split("<br>")[-1] for text in ticks["ticktext"]] == [f"{minute:.0f}" for minute in minutes]
    assert "ticks" not in refined(LINE, tables, window)


def test_panels_without_data_stay_as_they_are(make_series: Maker, day: TimeRange) -> None:
    """Only the line's table is at hand; without any there is nothing to refine."""
    found = refined(SPEC, {"b": make_series([1, 2, 3])}, day)
    assert [trace["yaxis"] for trace in found["traces"]] == ["y3"]
    assert refined(SPEC, {}, day) == {"traces": [], "notes": []}
