"""Facts beside curves and points: fitted lines, marked places on the axis, and their numbers as labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Trace
from helio_dagster.domain.table import ColumnMeta, Scale, Table, TableMeta
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.figures import look
from helio_dagster.figures.facts_text import Fact, FactRow, fact_html, fact_rows
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.parts import fit_label

_FIT_NAMES = ("slope", "intercept", "r", "r_squared")
_LIMIT_NAMES = ("x_from", "x_to")
_PLACE_NAME = "position"
_HEADING_PX = 200
_MOST_FACTS = 8
_MOST_ROWS = 8
_STEPS = 200
_WIDTH_PX = 2.0
_COLORS = (look.CORAL, look.INK, look.PURPLE, look.GREEN, look.BROWN, look.BLUE)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Overlay:
    """The facts of one interval in a panel of curves or points.

    Parameters
    ----------
    row
        The facts.
    color
        Of the line, the mark and the labels.
    heading
        Markup over the labels; empty where the panel shows the facts of one interval only.
    width
        Of the line, in pixels.
    reference
        The step that they are from.
    is_power_law
        Whether the data say that slope and intercept are those of logarithms.
    """

    row: FactRow
    color: str
    heading: str
    width: float
    reference: str
    is_power_law: bool = False

    @property
    def is_fit(self) -> bool:
        """Whether the facts are those of a straight line."""
        return all(math.isfinite(fact.number) if (fact := self.row.get(name)) else False for name in _FIT_NAMES[:2])

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of each line of text: of a fit its slope, intercept and r, else the first facts."""
        fit = [fact for name in _FIT_NAMES if (fact := self.row.get(name))]
        is_of_line = {fact.name.lower() for fact in fit}.issuperset(_FIT_NAMES[:2])
        facts = [replace(fact, label="") for fact in fit] if is_of_line else list(self.row.facts[:_MOST_FACTS])
        heading = [(self.heading, self.color)] if self.heading else []
        return [*heading, *((fact_html(fact, room_px), self.color) for fact in facts)]


def overlays_of_panel(
    traces: Sequence[tuple[int, Trace]], tables: Mapping[str, Table], path: str, taken: Mapping[str, str | None]
) -> list[Overlay]:
    """The facts that a panel shows beside its curves or points: for each interval, and each column that a line was fitted to.

    Parameters
    ----------
    traces
        Those of kind facts, with their places in the panel.
    taken
        Colours of the curves or points by the column that they are drawn from: a line fitted to one of several has its colour.

    Raises
    ------
    FigureError
        A table has not the fact that is asked for.
    """
    found: list[Overlay] = []
    colors = [color for color in _COLORS if color not in taken.values()] or list(_COLORS)
    for index, trace in traces:
        table = tables[trace.data]
        chosen = chosen_facts(trace, table.meta, f"{path}.traces[{index}]")
        rows = fact_rows(table)[:_MOST_ROWS]
        begins = time_words(np.array([row.start for row in rows])) if len(rows) > 1 else [""]
        for row, begin in zip(rows, begins, strict=False):
            kept = FactRow(row.start, row.stop, tuple(fact for fact in row.facts if fact.name in chosen))
            for column, part in _by_column(kept):
                heading = ", ".join(filter(None, (trace.label or "", column, begin)))
                color = trace.color or taken.get(column) or colors[len(found) % len(colors)]
                shown, width, is_log = fit_label(heading, _HEADING_PX), trace.width or _WIDTH_PX, table.meta.scale == "log"
                found.append(Overlay(part, color, shown, width, trace.data, is_power_law=is_log))
    return found


def _by_column(row: FactRow) -> list[tuple[str, FactRow]]:
    """The facts as they are; those of lines fitted to several columns (`bx_slope`, `by_slope`) by column, without its name."""
    names = [fact.name for fact in row.facts]
    prefixes = [name.removesuffix("slope") for name in names if name.endswith("_slope")]
    fitted = [prefix for prefix in prefixes if f"{prefix}intercept" in names]
    if not fitted:
        return [("", row)]
    limits = [fact for name in _LIMIT_NAMES if (fact := row.get(name))]
    found = []
    for prefix in fitted:
        own = [replace(fact, name=fact.name.removeprefix(prefix)) for fact in row.facts if fact.name.startswith(prefix)]
        found.append((prefix.removesuffix("_"), FactRow(row.start, row.stop, (*own, *limits))))
    return found


def chosen_facts(trace: Trace, meta: TableMeta, where: str) -> list[str]:
    """Names of the facts that a trace shows: the one asked for by name or label, else all; FigureError where there is none."""
    columns = meta.value_columns
    if trace.component is None:
        return [column.name for column in columns]
    wanted = trace.component.strip().lower()
    named = [column.name for column in columns if wanted in (column.name.lower(), column.label.lower())]
    if named:
        return named
    shown = ", ".join(column.name for column in columns[:12]) + (" …" if len(columns) > 12 else "")
    raise FigureError(
        f"{trace.data} has no fact {trace.component!r}",
        where=f"{where}.component",
        hint=f"It has: {shown or 'none'}.",
    )


def fit_traces(
    overlays: Sequence[Overlay], place: Place, x_limits: Limits, scales: tuple[Scale, Scale], *, is_power_law: bool
) -> list[BaseTraceType]:
    """The fitted lines over the axis, or from the fact `x_from` to the fact `x_to` where there are such.

    Parameters
    ----------
    x_limits
        Ends of the axis, as powers of ten for a log one.
    scales
        Of the horizontal and the vertical axis.
    is_power_law
        Whether slope and intercept are those of the logarithms, log10 y = slope log10 x + intercept, where the data do not say.
    """
    found: list[BaseTraceType] = []
    for overlay in overlays:
        if not overlay.is_fit:
            continue
        x = _fit_places(overlay.row, x_limits, scales[0])
        slope, intercept = _number(overlay.row, "slope"), _number(overlay.row, "intercept")
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            is_log = is_power_law or overlay.is_power_law
            y = 10.0 ** (slope * np.log10(x) + intercept) if is_log else slope * x + intercept
        is_shown = np.isfinite(y) & ((y > 0) if scales[1] == "log" else True)
        found.append(
            go.Scatter(
                x=x,
                y=np.where(is_shown, y, np.nan),
                mode="lines",
                line={"color": overlay.color, "width": overlay.width, "dash": "dash"},
                xaxis=place.own_x,
                yaxis=place.axis,
                name=label_to_html(overlay.reference),
            )
        )
    return found


def _fit_places(row: FactRow, limits: Limits, scale: Scale) -> Floats:
    low, high = limits if scale == "linear" else (10.0 ** limits[0], 10.0 ** limits[1])
    first, last = _number(row, "x_from"), _number(row, "x_to")
    first, last = (first if first > low else low), (last if last < high else high)  # NaN compares false
    if scale == "log":
        return np.geomspace(first, last, _STEPS)
    return np.linspace(first, last, _STEPS)


def mark_shapes(overlays: Sequence[Overlay], axis: ColumnMeta | None, unit: str, place: Place) -> list[go.layout.Shape]:
    """A line where a fact called as the axis is, such as a lag, or `position` lies, shaded as wide as its uncertainty."""
    shapes: list[go.layout.Shape] = []
    for overlay in overlays:
        fact = (overlay.row.get(axis.name.lower()) or overlay.row.get(_PLACE_NAME)) if axis else None
        if fact is None or not math.isfinite(fact.number) or not can_convert(fact.unit, unit):
            continue
        at, low, high = _on_axis(fact, unit)
        if math.isfinite(low) and math.isfinite(high) and high > low:
            shapes.append(_upright("rect", place, low, high, overlay.color))
        shapes.append(_upright("line", place, at, at, overlay.color))
    return shapes


def _on_axis(fact: Fact, unit: str) -> tuple[float, float, float]:
    """A fact and the ends of its uncertainty or spread, in the unit of the axis."""
    factor = float(conversion_factor(fact.unit, unit))
    ends = (fact.number - fact.uncertainty, fact.number + fact.uncertainty)
    if not math.isfinite(fact.uncertainty):
        ends = (fact.lower, fact.upper)
    return fact.number * factor, ends[0] * factor, ends[1] * factor


def _upright(kind: str, place: Place, low: float, high: float, color: str) -> go.layout.Shape:
    shape = go.layout.Shape(type=kind, xref=place.own_x, yref=f"{place.axis} domain", x0=low, x1=high, y0=0, y1=1)
    if kind == "rect":
        shape.fillcolor, shape.opacity, shape.line, shape.layer = color, 0.12, {"width": 0}, "below"
    else:
        shape.line = {"color": color, "width": 1.3, "dash": "dash"}
    return shape


def _number(row: FactRow, name: str) -> float:
    fact = row.get(name)
    return fact.number if fact else math.nan
