"""Rows of values below the time axis: at each of its ticks what another quantity is there, such as a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure_marks import AxisRow
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.events import span_ms
from helio_dagster.figures.gaps import median_cadence_ms
from helio_dagster.figures.markup import capitalized, label_to_html, unit_codes_removed, unit_to_html
from helio_dagster.figures.printing.time_ticks import fitting_time_ticks
from helio_dagster.figures.text_width import shorten, width_px
from helio_dagster.figures.ticks import Ticks

ROW_PX = 15.6
"""Height of a row: that of a line of tick labels."""

_FONT_PX = 12
_TIME_LINES = 2
_LONGEST_LABEL_PX = 130.0
_LEAST_LABEL_PX = 40.0
_MOST_OF_SHEET = 0.25
"""Of the width of a sheet: what a label with its unit may take, where that is narrow."""
_NUMBER_PX = 34.0
"""Room at the left of the axis for half of the first column of values."""
_REACH = 1.5
"""How far a record counts, in cadences."""
_NOTHING = "—"


@dataclass(frozen=True)
class TimeRows:
    """Explicit ticks of a time axis with the rows below them, and what stands before each row."""

    ticks: Ticks
    labels: tuple[str, ...]

    @property
    def height_px(self) -> int:
        """Room that the rows take below the times."""
        return round(ROW_PX * len(self.labels))

    def annotations(self, low: float) -> list[go.layout.Annotation]:
        """The labels, at the left of the axis whose lower end is `low` of the panels' height."""
        return [
            go.layout.Annotation(
                xref="paper",
                yref="paper",
                x=0,
                y=low,
                xshift=-_NUMBER_PX,
                yshift=-4 - (_TIME_LINES + row) * ROW_PX,
                xanchor="right",
                yanchor="top",
                text=label,
                showarrow=False,
                font={"size": _FONT_PX},
                borderpad=0,
            )
            for row, label in enumerate(self.labels)
        ]


def check_axis_row(row: AxisRow, meta: TableMeta, where: str) -> ColumnMeta:
    """The column that a row shows.

    Raises
    ------
    FigureError
        There is no such column, or several and none is named.
    """
    columns = list(meta.value_columns)
    if row.component is not None:
        chosen = next((column for place, column in enumerate(columns) if row.component in (column.name, str(place))), None)
        if chosen is None:
            known = ", ".join(column.name for column in columns[:8])
            raise FigureError(
                f"{row.data} has no component {row.component}", where=f"{where}.component", hint=f"It has {known}."
            )
        return chosen
    if len(columns) != 1:
        known = ", ".join(column.name for column in columns[:8])
        raise FigureError(
            f"{row.data} has {len(columns)} columns, and a row shows one",
            where=where,
            hint=f"Name one with `component`: {known}.",
        )
    return columns[0]


def label_of(row: AxisRow, meta: TableMeta, column: ColumnMeta, longest_px: float = _LONGEST_LABEL_PX) -> str:
    """What stands before a row, as markup, with the unit."""
    whole = meta.label if len(meta.value_columns) == 1 else f"{meta.label} {column.name}".strip()
    plain = row.label if row.label is not None else capitalized(unit_codes_removed(column.label or whole or column.name))
    unit = "" if "[" in plain or "(" in plain else unit_to_html(column.unit or meta.unit)
    shown = label_to_html(
        shorten(
            plain,
            max(_LEAST_LABEL_PX, longest_px - width_px(f" [{unit}]", _FONT_PX) if unit else longest_px),
            _FONT_PX,
            markup=label_to_html,
        )
    )
    return f"{shown} [{unit}]" if unit else shown


def labels_below(rows: Sequence[AxisRow], tables: Mapping[str, Table], sheet_px: float) -> tuple[str, ...]:
    """What stands before each row, as markup, for a sheet of a width in pixels.

    Raises
    ------
    FigureError
        A table has not the column that a row asks for.
    """
    labels = []
    longest_px = min(_LONGEST_LABEL_PX, _MOST_OF_SHEET * sheet_px)
    for index, row in enumerate(rows):
        meta = tables[row.data].meta
        is_known = bool(meta.columns)
        column = check_axis_row(row, meta, f"figure.below[{index}]") if is_known else None
        labels.append(label_of(row, meta, column, longest_px) if column is not None else label_to_html(row.label or row.data))
    return tuple(labels)


def labels_width_px(labels: Sequence[str]) -> float:
    """Room that labels need at the left of the panels; 0 without any."""
    return max((width_px(label, _FONT_PX) + _NUMBER_PX for label in labels), default=0.0)


def make_time_rows(
    rows: Sequence[AxisRow], tables: Mapping[str, Table], labels: tuple[str, ...], span: TimeRange, panel_width_px: float
) -> TimeRows | None:
    """The rows of a figure at the ticks of its time axis; None where it has none.

    Parameters
    ----------
    labels
        As `labels_below` gives them.
    panel_width_px
        Width of the panels, which decides how many ticks there are.
    """
    if not rows:
        return None
    start, stop = span_ms(span)
    ticks = fitting_time_ticks(start, stop, length_px=panel_width_px)
    parts = [text.partition("\n") for text in ticks.labels]
    lines: list[list[str]] = [[f"{first}<br>{second or '&nbsp;'}" for first, _, second in parts]]
    for row in rows:
        table = tables[row.data]
        if not table.meta.columns:
            lines.append([_NOTHING] * len(ticks.values))
            continue
        column = check_axis_row(row, table.meta, row.data)
        time_ms = table.time.astype("datetime64[ns]").astype(np.int64) / 1e6
        values = nearest(time_ms, table.columns[column.name].astype(np.float64), np.array(ticks.values))
        lines.append(_texts(values, row.digits))
    joined = ["<br>".join(texts) for texts in zip(*lines, strict=True)]
    return TimeRows(Ticks(ticks.values, tuple(joined), ticks.minor), labels)


def nearest(time_ms: NDArray[np.float64], values: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the record nearest to each place, shape (place,); NaN where none is within one and a half cadences.

    Parameters
    ----------
    time_ms
        Times of the records in ms since 1970, increasing, shape (record,).
    values
        In any unit, shape (record,).
    places
        Times in ms since 1970, shape (place,).
    """
    if not len(time_ms):
        return np.full(len(places), np.nan)
    after = np.clip(np.searchsorted(time_ms, places), 1, len(time_ms) - 1) if len(time_ms) > 1 else np.zeros(len(places), int)
    before = np.maximum(after - 1, 0)
    chosen = np.where(np.abs(time_ms[before] - places) <= np.abs(time_ms[after] - places), before, after)
    cadence = median_cadence_ms(time_ms)
    reach = _REACH * cadence if np.isfinite(cadence) else np.inf
    found: NDArray[np.float64] = np.where(np.abs(time_ms[chosen] - places) <= reach, values[chosen], np.nan)
    return found


def _texts(values: NDArray[np.float64], digits: int | None) -> list[str]:
    """Numbers of one row, all with as many digits after the point."""
    finite = np.abs(values[np.isfinite(values)])
    if digits is None:
        largest = float(finite.max()) if len(finite) else 0.0
        digits = 0 if largest >= 1000 else 1 if largest >= 10 else 2
    return [f"{value:.{digits}f}".replace("-", "−") if np.isfinite(value) else _NOTHING for value in values.tolist()]
