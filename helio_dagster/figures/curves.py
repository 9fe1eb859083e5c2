"""The curves of a trace: one for each column that it draws, with where its points stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.figure import Trace
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import Scale, Status, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.colors import (
    Role,
    channel_colors,
)
from helio_dagster.figures.curve_columns import column_label, drawn_columns, given_label, numeric_columns, roles_of
from helio_dagster.figures.gaps import Reach, drawn_times_ms, level_ends_ms, reach_of
from helio_dagster.figures.long_table import LongTable
from helio_dagster.figures.markup import unit_codes_removed
from helio_dagster.figures.overview import Overview

DEFAULT_WIDTH_PX = 1.1
Style = Literal["line", "points"]


@dataclass(frozen=True)
class TimeSpread:
    """What lies around a line over time: both ends, shape (record,), NaN where there is none; and what it is in words."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    words: str


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    path
        Its trace in the pipeline, such as `figure.panels[0].traces[1]`.
    quantity
        What the archive calls it, plain text: for titles.
    label
        Plain text beside the panel.
    unit, frame, scale, table_label
        As the table says.
    time_ms
        float64, shape (record,), milliseconds since 1970-01-01 UTC: where each record's point stands.
    values
        Floats, shape (record,), in `unit`; NaN where there is no value.
    role
        Which component of a vector it is, where it is one.
    is_labelled
        Whether the pipeline gives the label, which is then taken as it is.
    marker
        Shape of its points; on a line, marks every sample.
    is_stepped
        Whether the line holds each value until the next.
    reach
        How far the records reach, where known.
    lower, upper
        Ends of the spread over time, shape (record,), NaN where there is none; None for a curve without.
    spread
        What lies between these ends, in words; empty where that is not known.
    overview
        Of a long range: what `time_ms` and `values` are the kept samples of.
    """

    path: str
    reference: str
    quantity: str
    label: str
    unit: str
    frame: str | None
    scale: Scale
    table_label: str
    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    style: Style
    role: Role | None
    color: str | None
    width: float
    dash: str = "solid"
    is_labelled: bool = False
    marker: str | None = None
    is_stepped: bool = False
    reach: Reach | None = None
    lower: NDArray[np.floating] | None = None
    upper: NDArray[np.floating] | None = None
    spread: str = ""
    overview: Overview | None = None

    @property
    def not_positive(self) -> int:
        """How many values are not positive."""
        return self.overview.not_positive if self.overview is not None else int((self.values <= 0).sum())

    @property
    def has_only_positive(self) -> bool:
        """Whether a logarithmic axis can show all of its values, of which there is at least one."""
        return not self.not_positive and self.status == "data"

    @property
    def status(self) -> Status:
        """`empty` without records, `all_fill` without a single value, else `data`."""
        if not len(self.values):
            return "empty" if self.overview is None else "all_fill"
        return "data" if np.isfinite(self.values).any() else "all_fill"


def curves_of_trace(
    trace: Trace, table: Table, path: str, span: TimeRange | None = None, *, spread: TimeSpread | None = None
) -> list[Curve]:
    """One curve for each column that the trace draws, not yet distinguished from other traces' curves.

    Over time, in a `span`, its points stand at the middles of what the records reach over.

    Raises
    ------
    FigureError
        The table has no such component, nothing to draw as a line, or too many columns.
    """
    numeric = numeric_columns(table)
    columns = drawn_columns(trace, numeric, table.meta, path)
    labels = [column_label(column, table.meta, alone=len(numeric) == 1) for column in columns]
    roles = roles_of(columns, numeric, table.meta)
    if table.meta.kind == "spectrogram" or (len(columns) > 1 and None in roles):
        colors: Sequence[str | None] = channel_colors(len(columns)) if len(columns) > 1 else [None]
    else:
        colors = [None] * len(columns)
    style: Style = "points" if trace.draw == "points" or (trace.draw is None and table.meta.kind == "events") else "line"
    placed = _placed(table, [column.name for column in columns], span, is_line=style == "line")
    return [
        Curve(
            path=path,
            reference=trace.data,
            quantity=label,
            label=given_label(trace, label, alone=len(columns) == 1),
            unit=column.unit or table.meta.unit,
            frame=table.meta.frame,
            scale=table.meta.scale,
            table_label=unit_codes_removed(table.meta.label),
            time_ms=each.time_ms,
            values=each.values,
            style=style,
            role=role,
            color=trace.color or color,
            width=trace.width or DEFAULT_WIDTH_PX,
            is_labelled=trace.label is not None,
            dash=trace.dash or "solid",
            marker=trace.marker,
            is_stepped=trace.draw == "steps",
            reach=each.reach,
            overview=each.overview,
            lower=spread.lower[each.records] if spread is not None else None,
            upper=spread.upper[each.records] if spread is not None else None,
            spread=spread.words if spread is not None else "",
        )
        for column, label, role, color, each in zip(columns, labels, roles, colors, placed, strict=True)
    ]


class _Placed(NamedTuple):
    """Points of a curve: where they stand, how far their records reach, and of what they were chosen; `records` they are of."""

    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    reach: Reach | None = None
    overview: Overview | None = None
    records: NDArray[np.intp] | slice = slice(None)


def _placed(table: Table, names: Sequence[str], span: TimeRange | None, *, is_line: bool) -> list[_Placed]:
    """The points of some columns; a line in a span shorter than the records has two of each, as its levels."""
    if isinstance(table, LongTable) and span is not None:
        none = np.empty(0)
        reach = Reach(none, none, none.astype(np.bool_)) if table.has_reach else None
        found = [table.overview(name, span) for name in names]
        return [_Placed(each.time_ms, each.values, reach, each) for each in found]
    values = [_floats(table.columns[name]) for name in names]
    if span is None:
        return [_Placed(stamps_ns(table) / 1e6, each) for each in values]
    levels = level_ends_ms(table, span) if is_line else None
    if levels is None:
        time_ms, reach = drawn_times_ms(table, span), reach_of(table)
        return [_Placed(time_ms, each, reach) for each in values]
    low, high = levels
    records = np.repeat(np.arange(len(table)), 2)
    reach = Reach(low[records], high[records], (high > low)[records])
    return [_Placed(np.stack(levels, axis=1).ravel(), each[records], reach, records=records) for each in values]


def _floats(values: NDArray[np.generic]) -> NDArray[np.floating]:
    return values.astype(np.float32 if values.dtype == np.float32 else np.float64, copy=False)
