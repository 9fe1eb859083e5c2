"""Lines of a given slope beside curves and points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from pydantic import ValidationError

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.printing.frame import Frame

Maker = Callable[..., Table]


def drawn(table: Table, day: TimeRange, mark: dict[str, Any], **panel: Any) -> go.Figure:
    """A panel with one mark."""
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "a"}], "marks": [mark], **panel}]})
    return draw(spec, {"a": table}, day, title="t")


def ends(figure: go.Figure) -> tuple[float, float, float, float]:
    """Both ends of the only oblique line."""
    (line,) = [shape for shape in figure.layout.shapes if shape.type == "line" and shape.xref == "x2" and shape.yref == "y"]
    return line.x0, line.y0, line.x1, line.y1


@pytest.mark.parametrize(("written", "number"), [("-5/3", -5 / 3), (-1.6, -1.6), ("−5/3", -5 / 3), ("2", 2.0)])
def test_a_slope_is_a_power_law_on_log_axes(written: Any, number: float, make_curve: Maker, day: TimeRange) -> None:
    """It lies above the curve, inside the panel, and says its slope; it is as steep on paper as its number says."""
    f = np.geomspace(1e-4, 1, 200)
    figure = drawn(make_curve(f, {"power": f ** (-1.5)}), day, {"slope": written})
    x0, y0, x1, y1 = ends(figure)
    assert np.log10(y1 / y0) / np.log10(x1 / x0) == pytest.approx(number)
    low, high = (10.0**end for end in figure.layout.yaxis.range)
    assert low < min(y0, y1) < max(y0, y1) <= high * (1 + 1e-9)
    assert y0 > x0**-1.5
    assert y1 > x1**-1.5
    assert str(written).replace("-", "−") in [note.text for note in figure.layout.annotations]
    frame = Frame(figure.layout.to_plotly_json())
    across, upward = frame.x_px("x2", x1) - frame.x_px("x2", x0), frame.y_px("y", y1) - frame.y_px("y", y0)
    decades = [abs(float(np.diff(axis.range)[0])) for axis in (figure.layout.xaxis2, figure.layout.yaxis)]
    px_per_decade = frame.axis("x2").length_px / decades[0], frame.axis("y").length_px / decades[1]
    assert (upward / px_per_decade[1]) / (across / px_per_decade[0]) == pytest.approx(number)


def test_a_slope_lies_where_it_is_put(make_curve: Maker, day: TimeRange) -> None:
    """From `x` to `x`, beginning at `y`."""
    f = np.geomspace(1e-4, 1, 50)
    figure = drawn(make_curve(f, {"power": f**-1.5}), day, {"slope": "-2", "x": [0.001, 0.1], "y": 50, "text": "steep"})
    assert ends(figure) == pytest.approx((0.001, 50, 0.1, 0.005))
    assert "steep" in [note.text for note in figure.layout.annotations]


def test_a_slope_is_straight_on_linear_axes(make_points: Maker, day: TimeRange) -> None:
    """As in a scatter."""
    x0, y0, x1, y1 = ends(drawn(make_points({"u": np.arange(9.0), "v": np.arange(9.0) ** 2}), day, {"slope": 4}))
    assert (y1 - y0) / (x1 - x0) == pytest.approx(4)


def test_a_slope_needs_axes_of_one_kind(make_curve: Maker, make_series: Maker, day: TimeRange) -> None:
    """And a panel that has some; each says where."""
    f = np.geomspace(1e-4, 1, 50)
    with pytest.raises(FigureError, match="two logarithmic axes or two linear ones") as mixed:
        drawn(make_curve(f, {"power": f}), day, {"slope": 1}, x={"scale": "linear"})
    assert mixed.value.where == "figure.panels[0].marks[0].slope"
    with pytest.raises(FigureError, match="a panel of curves or points"):
        drawn(make_series([1, 2]), day, {"slope": 1})


def test_a_panel_without_data_has_no_slope(make_curve: Maker, day: TimeRange) -> None:
    """No axis to lie on."""
    figure = drawn(make_curve([], {"power": []}), day, {"slope": "-5/3"})
    assert not figure.layout.shapes


@pytest.mark.parametrize(
    "given", [{"slope": "steep"}, {"slope": "1/0"}, {"slope": 1, "x": 3}, {"slope": 1, "y": 3}, {"slope": True}, {"text": "a"}]
)
def test_what_is_no_slope_is_refused(given: dict[str, Any]) -> None:
    """A number or a fraction, and a place from one end to another."""
    with pytest.raises(ValidationError):
        Mark.model_validate(given)
