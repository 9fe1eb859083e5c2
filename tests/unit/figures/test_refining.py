"""A part of a figure's time axis, drawn anew."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from datetime import timedelta

import numpy as np

from helio_dagster.domain.pipeline import Figure
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
    np.testing.assert_array_equal(np.frombuffer(b64decode(line["y"]["bdata"]), line["y"]["dtype"]), table.columns["b"][:1200])
    assert image["z"]["shape"] == "2, 60"
    whole = draw(SPEC, tables, day, title="t")
    assert [trace.yaxis for trace in whole.data] == ["y", "y2", "y3"]
    assert len(whole.data[2].y) < len(table) / 4


def test_panels_without_data_stay_as_they_are(make_series: Maker, day: TimeRange) -> None:
    """Only the line's table is at hand; without any there is nothing to refine."""
    found = refined(SPEC, {"b": make_series([1, 2, 3])}, day)
    assert [trace["yaxis"] for trace in found["traces"]] == ["y3"]
    assert refined(SPEC, {}, day) == {"traces": [], "notes": []}
