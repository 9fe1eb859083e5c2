"""Hatching of what was excluded from a panel's data."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import plotly.graph_objects as go

from helio_dagster.domain.exclusions import Intervals, inside
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import span_ms
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import Parts

_STEP_PX = 9.0
_MOST_HATCHED = 200
"""More intervals than this are shaded without lines."""


def hatch(parts: Parts, excluded: Intervals, place: Place, span: TimeRange, width_px: float) -> None:
    """Hatch the excluded intervals of a panel over time, over its data.

    Parameters
    ----------
    excluded
        Start and stop in ns since 1970, shape (interval, 2).
    width_px
        Width of the panel in pixels: at full view the lines rise at 45 degrees.
    """
    start_ms, stop_ms = span_ms(span)
    px_of_ms = width_px / (stop_ms - start_ms)
    shown = inside(excluded, span)
    for begin_ns, finish_ns in shown.tolist():
        begin, finish = begin_ns / 1e6, finish_ns / 1e6
        parts.shapes.append(
            go.layout.Shape(
                type="rect",
                xref="x",
                yref=f"{place.axis} domain",
                x0=begin,
                x1=finish,
                y0=0,
                y1=1,
                fillcolor=look.QUIET,
                opacity=0.14,
                line={"width": 0},
                layer="above",
            )
        )
        length_px = (finish - begin) * px_of_ms
        if len(shown) <= _MOST_HATCHED:
            parts.shapes.append(
                go.layout.Shape(
                    type="path",
                    xref="x",
                    yref=f"{place.axis} domain",
                    path=_lines(begin, length_px, place.height_px, px_of_ms),
                    line={"color": look.QUIET, "width": 0.7},
                    opacity=0.6,
                    layer="above",
                )
            )


def _lines(begin_ms: float, length_px: float, height_px: float, px_of_ms: float) -> str:
    """Lines that rise from left to right across a rectangle, as an SVG path over times and fractions of the height."""
    path = []
    offset = -height_px + _STEP_PX / 2
    while offset < length_px:
        left, right = max(offset, 0.0), min(offset + height_px, length_px)
        ends = [(x, (x - offset) / height_px) for x in (left, right)]
        path.append(" L ".join(f"{_date(begin_ms + x / px_of_ms)},{y:.4f}" for x, y in ends))
        offset += _STEP_PX
    return "M " + " M ".join(path)


def _date(moment_ms: float) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=round(moment_ms))
    return moment.strftime("%Y-%m-%d_%H:%M:%S.%f")[:-3]  # T would be a curve of the path
