"""What a figure says beside its data: marks in panels, rows of values below the time axis, looks of lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.figures.axis_rows import nearest
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.printing.frame import Frame
from tests.integration.figures.storm_figure import DAY, storm_tables

TABLES, _ = storm_tables()


def drawn(panels: list[dict[str, Any]], **more: Any) -> go.Figure:
    """A figure of the storm's tables."""
    return draw(Figure.model_validate({"panels": panels, **more}), TABLES, DAY, title="t")


def note(figure: go.Figure, text: str) -> go.layout.Annotation:
    """The one text that says this."""
    (found,) = [each for each in figure.layout.annotations if each.text == text]
    return found


@pytest.mark.parametrize(
    "mark",
    [
        {},
        {"text": "nowhere"},
        {"x": "2023-01-02", "y": 3},
        {"x": ["2023-01-03", "2023-01-02"]},
        {"y": [4, 4]},
        {"x": ["2023-01-02", "2023-01-03"], "y": 3, "text": "both"},
        {"y": 3, "text": "a", "arrow": True},
        {"y": float("nan")},
        {"x": ["2023-01-02", 5]},
    ],
)
def test_a_mark_that_is_none_is_refused(mark: dict[str, Any]) -> None:
    """No place, no text at a point, ends in the wrong order, an arrow from nowhere."""
    with pytest.raises(ValidationError):
        Mark.model_validate(mark)


def test_what_is_not_given_leaves_no_trace_in_the_code_version() -> None:
    """Figures that were written before there were marks are what they were."""
    plain = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})
    written = plain.model_dump(mode="json")
    assert not {"below", "print"} & set(written)
    assert "marks" not in written["panels"][0]
    assert not {"dash", "marker"} & set(written["panels"][0]["traces"][0])


def test_lines_and_bands_are_where_they_were_asked_for() -> None:
    """Across their panel, on linear, logarithmic and time axes, in pixels of the sheet."""
    figure = drawn(
        [
            {"traces": [{"data": "b"}], "marks": [{"y": -3, "text": "low"}, {"x": "2023-01-02T06:00Z", "text": "shock"}]},
            {
                "traces": [{"data": "density"}],
                "y": {"scale": "log", "range": [1, 100]},
                "marks": [{"y": [1, 10], "text": "usual"}],
            },
        ]
    )
    frame = Frame(figure.layout.to_plotly_json())
    band = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    low, high = (frame.y_px(band.yref, end) for end in (band.y0, band.y1))
    axis = frame.axis("y2")
    assert (low, high) == pytest.approx((axis.start_px, (axis.start_px + axis.stop_px) / 2))
    upright = next(shape for shape in figure.layout.shapes if shape.type == "line" and shape.yref == "y domain")
    assert frame.x_px(upright.xref, upright.x0) == pytest.approx(frame.axis("x").start_px + frame.axis("x").length_px / 4)
    assert note(figure, "shock").x == "2023-01-02T06:00:00"


def test_what_a_band_says_stays_on_the_axis_that_it_reaches_over() -> None:
    """At the axis' end where the band ends beyond it, on linear and logarithmic axes; else at the band's end."""
    figure = drawn(
        [
            {
                "traces": [{"data": "b"}],
                "y": {"range": [-5, 5]},
                "marks": [{"y": [2, 30], "text": "high"}, {"y": [1, 2], "text": "in"}],
            },
            {
                "traces": [{"data": "density"}],
                "y": {"scale": "log", "range": [1, 100]},
                "marks": [{"y": [10, 1e6], "text": "dense"}],
            },
        ]
    )
    assert (note(figure, "high").y, note(figure, "in").y, note(figure, "dense").y) == (5, 2, 2)


def test_an_arrow_points_at_a_value_on_a_log_axis() -> None:
    """Plotly wants the power of ten there."""
    mark = {"x": "2023-01-02T12:00Z", "y": 10, "text": "here", "arrow": True}
    figure = drawn([{"traces": [{"data": "density"}], "y": {"scale": "log", "range": [1, 100]}, "marks": [mark]}])
    frame = Frame(figure.layout.to_plotly_json())
    axis = frame.axis("y")
    assert frame.note_px("y", "y", note(figure, "here").y) == pytest.approx((axis.start_px + axis.stop_px) / 2)


@pytest.mark.parametrize(
    ("panel", "said"),
    [
        ({"traces": [{"data": "b"}], "marks": [{"x": 5.0}]}, "is over time"),
        ({"traces": [{"data": "hodogram"}], "marks": [{"x": "2023-01-02"}]}, "is not over time"),
        ({"traces": [{"data": "facts"}], "marks": [{"y": 1}]}, "no axes"),
        ({"traces": [{"data": "b"}], "marks": [{"y": 1, "color": "nocolor"}]}, "nocolor"),
    ],
)
def test_a_mark_that_does_not_fit_is_found_before_and_when_it_is_drawn(panel: dict[str, Any], said: str) -> None:
    """With its path, by `helio check` too."""
    with pytest.raises(FigureError, match=said) as caught:
        drawn([panel])
    assert caught.value.where.startswith("figure.panels[0].marks[0]")
    metas = {name: table.meta for name, table in TABLES.items()}
    (fault,) = find_figure_faults(Figure.model_validate({"panels": [panel]}), metas)
    assert said in fault.problem


def test_rows_hold_the_value_at_each_time() -> None:
    """Of the record at the tick, one under the other below the time, with the label and unit before them."""
    figure = drawn([{"traces": [{"data": "b"}]}], below=[{"data": "speed"}, {"data": "b", "component": "z", "digits": 3}])
    ticks = [np.datetime64(round(place), "ms") for place in figure.layout.xaxis.tickvals]
    known = 0
    for place, text in zip(ticks, figure.layout.xaxis.ticktext, strict=True):
        lines = text.split("<br>")
        at = np.flatnonzero(TABLES["speed"].time == place)
        if len(at):
            assert float(lines[2]) == pytest.approx(TABLES["speed"].columns["v"][at[0]], abs=0.05)
            assert float(lines[3].replace("−", "-")) == pytest.approx(TABLES["b"].columns["z"][at[0]], abs=0.0005)
            known += 1
        else:
            assert place == np.datetime64("2023-01-03")  # one minute behind the last record, which is near
    assert known >= 5
    assert {"Speed [km s<sup>−1</sup>]", "B z [nT]"} <= {each.text for each in figure.layout.annotations}
    assert figure.layout.margin.b > drawn([{"traces": [{"data": "b"}]}]).layout.margin.b + 25


def test_a_row_needs_one_column() -> None:
    """Which of three is said, with their names; an unknown one too."""
    for below, said in (({"data": "b"}, "has 3 columns"), ({"data": "b", "component": "w"}, "no component w")):
        with pytest.raises(FigureError, match=said) as caught:
            drawn([{"traces": [{"data": "b"}]}], below=[below])
        assert "x, y, z" in caught.value.hint


@given(
    st.lists(st.integers(0, 500), min_size=1, max_size=40, unique=True),
    st.lists(st.integers(-50, 550), min_size=1, max_size=10),
)
def test_the_nearest_record_counts_and_no_other(times: list[int], places: list[int]) -> None:
    """Against a search through all records; nothing is taken from across a gap."""
    time = np.array(sorted(times), dtype=float)
    found = nearest(time, time * 10, np.array(places, dtype=float))
    reach = 1.5 * np.median(np.diff(time)) if len(time) > 1 else np.inf
    for place, value in zip(places, found, strict=True):
        distance = np.abs(time - place).min()
        if distance <= reach:
            assert np.isclose(np.abs(value / 10 - place), distance)
        else:
            assert np.isnan(value)


def test_lines_take_dashes_steps_and_markers() -> None:
    """As the trace asks; a plain one is whole and without points."""
    figure = drawn(
        [
            {"traces": [{"data": "density", "draw": "steps", "dash": "dot"}]},
            {"traces": [{"data": "speed", "marker": "square"}]},
        ]
    )
    stepped, marked = figure.data[0], figure.data[1]
    assert (stepped.line.shape, stepped.line.dash, stepped.mode) == ("hv", "dot", "lines")
    assert (marked.mode, marked.marker.symbol) == ("lines+markers", "square")
