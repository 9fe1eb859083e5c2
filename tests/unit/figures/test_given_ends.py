"""A panel may give one end of an axis: the other one follows the data, as it would without it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis, Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.given_ends import chosen_limits, log_ends

Maker = Callable[..., Table]
Numbers = st.floats(-1e6, 1e6, allow_subnormal=False)


def drawn(tables: dict[str, Table], day: TimeRange, **panel: Any) -> go.Figure:
    """A figure of one panel of these tables."""
    given = [{"data": name} for name in tables]
    return draw(Figure.model_validate({"panels": [{"traces": given, **panel}]}), tables, day, title="t")


def y_ends(table: Table, day: TimeRange, **axis: Any) -> tuple[float, float]:
    """The ends that the value axis is drawn with."""
    ends: tuple[float, float] = drawn({"b": table}, day, y=axis).layout.yaxis.range
    return ends


def test_a_line_begins_or_ends_where_said(make_series: Maker, day: TimeRange) -> None:
    """The other end is the one that the data give by themselves, also on a log axis."""
    table = make_series([10, 20, 40])
    low, high = y_ends(table, day)
    assert y_ends(table, day, range=[0, None]) == (0, high)
    assert y_ends(table, day, range=[None, 100]) == (low, 100)
    low, high = y_ends(table, day, scale="log")
    assert y_ends(table, day, scale="log", range=[0.1, None]) == pytest.approx((-1, high))
    assert y_ends(table, day, scale="log", range=[None, 1000]) == pytest.approx((low, 3))


def test_colours_and_bins_of_a_spectrogram(make_spectrogram: Maker, day: TimeRange) -> None:
    """Each end by itself."""
    table = make_spectrogram(np.logspace(0, 4, 60).reshape(12, 5), [10, 20, 50, 100, 200])
    whole = drawn({"s": table}, day)
    figure = drawn({"s": table}, day, y={"range": [30, None]}, z={"range": [None, 100]})
    (before,), (after,) = ([each for each in one.data if each.type == "heatmap"] for one in (whole, figure))
    assert (after.zmin, after.zmax) == pytest.approx((before.zmin, 2))
    assert figure.layout.yaxis.range == pytest.approx((math.log10(30), whole.layout.yaxis.range[1]))


def test_an_axis_whose_data_lie_beyond_its_end_is_a_short_one(make_series: Maker, day: TimeRange) -> None:
    """Nothing is drawn on it, and it rises."""
    assert y_ends(make_series([1, 2]), day, range=[100, None]) == (100, 105)
    assert y_ends(make_series([1, 2]), day, range=[None, 0]) == (-1, 0)


@given(st.tuples(st.none() | Numbers, st.none() | Numbers), st.tuples(Numbers, Numbers).filter(lambda ends: ends[0] < ends[1]))
def test_an_axis_rises_and_has_the_ends_that_are_given(
    ends: tuple[float | None, float | None], found: tuple[float, float]
) -> None:
    """Whatever the data."""
    if Axis(range=ends).fault and ends != (None, None):
        return
    low, high = chosen_limits(ends, found)
    assert low < high
    assert all(asked is None or asked == drawn for asked, drawn in zip(ends, (low, high), strict=True))


@pytest.mark.parametrize(
    ("axis", "problem"),
    [
        ({"range": [None, None]}, "neither end of the range is a number"),
        ({"range": [5, 0]}, "the range from 5 to 0 holds nothing"),
        ({"range": [math.inf, None]}, "the range from inf to the data holds nothing"),
        ({"range": [None, math.nan]}, "the range from the data to nan holds nothing"),
        ({"range": [0, None], "scale": "log"}, "a logarithmic axis cannot begin at 0"),
        ({"range": [None, -1], "scale": "log"}, "a logarithmic axis cannot end at -1"),
    ],
)
def test_ends_that_cannot_be_drawn_are_refused(axis: dict[str, Any], problem: str) -> None:
    """Before any data are read."""
    assert Axis.model_validate(axis).fault == problem


def test_a_log_axis_by_its_data_cannot_end_at_zero() -> None:
    """The scale is known once the data are."""
    with pytest.raises(FigureError, match="cannot end at 0"):
        log_ends((None, 0), "y.range")
