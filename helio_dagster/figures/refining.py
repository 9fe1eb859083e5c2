"""The lines and images of a figure over a part of its time axis: what its page asks the server for after a zoom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.record_times import middles_ns
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.axis_rows import labels_below, make_time_rows
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.gaps import find_gaps, reach_of
from helio_dagster.figures.geometry import axis_name, right_axis_name, time_axis_name
from helio_dagster.figures.long_table import LongTable
from helio_dagster.figures.pages import thinned_notes
from helio_dagster.figures.panels import check_figure
from helio_dagster.figures.parts import set_ticks
from helio_dagster.figures.rows import check_form

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FEWEST = 3
"""Records needed to recognize gaps."""
_PANEL_PX = 880.0
"""About the width of the panels of a page."""


def refined(
    figure: Figure,
    tables: Mapping[str, Table],
    window: TimeRange,
    *,
    shown: TimeRange | None = None,
    spacecraft: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What is drawn over time, drawn anew over a window: more of the samples the shorter it is, in the end every one.

    Parameters
    ----------
    figure
        The whole figure's step.
    tables
        Data by reference, at least those inside the window; panels of which one is missing stay as they are.
    window
        The part of the time axis, UTC.
    shown
        The part of it that is seen, for rows of values below the axis; all of it where not given.
    spacecraft
        As the whole figure has them.

    Returns
    -------
    dict
        `traces`, as Plotly's JSON has them, on the value axes of the whole figure; `notes` about what is still left out;
        `ticks` with the rows below the time axis, where the figure has any.

    Raises
    ------
    FigureError
        The figure cannot be drawn from these tables.
    """
    check_figure(figure)
    rows = [
        index
        for index, panel in enumerate(figure.panels)
        if all(trace.data in tables for trace in panel.traces)
        and check_form(panel, {trace.data: tables[trace.data].meta for trace in panel.traces}, f"figure.panels[{index}]")
        == "time"
    ]
    if not rows:
        return {"traces": [], "notes": []} | _below(figure, tables, shown or window)
    traces: list[dict[str, Any]] = []
    notes: list[str] = []
    is_image = {
        index: any(tables[trace.data].meta.kind == "spectrogram" for trace in figure.panels[index].traces) for index in rows
    }
    across = _time_axes(figure, rows)
    beside, wider = _with_neighbours(tables, window)
    for own, given, span in (
        ([index for index in rows if is_image[index]], tables, window),
        ([index for index in rows if not is_image[index]], beside, wider),
    ):
        if own:
            panels = [figure.panels[index].model_copy(update={"column": 1}) for index in own]
            part = figure.model_copy(update={"panels": panels, "events": None, "below": ()})
            drawn = draw(part, given, span, title="", spacecraft=spacecraft)
            names = (axis_name, right_axis_name)
            axes = {
                name(place): {"yaxis": name(index + 1)} | across[index]
                for place, index in enumerate(own, start=1)
                for name in names
            }
            traces += [{**_plain(trace), **axes[trace.get("yaxis", "y")]} for trace in drawn.to_dict()["data"]]
            notes += thinned_notes(drawn)
    found = {"traces": sorted(traces, key=lambda trace: _number_of(trace["yaxis"])), "notes": notes}
    return found | _below(figure, tables, shown or window)


def _time_axes(figure: Figure, rows: Sequence[int]) -> dict[int, dict[str, str]]:
    """The time axis of each row, where it is that of a further column."""
    numbers = sorted({figure.panels[index].column for index in rows})
    found = {index: numbers.index(figure.panels[index].column) for index in rows}
    return {index: {"xaxis": time_axis_name(place)} if place else {} for index, place in found.items()}


def _with_neighbours(tables: Mapping[str, Table], window: TimeRange) -> tuple[dict[str, Table], TimeRange]:
    """The tables with one record more at each side of the window, and the range of them all: lines continue to its edges.

    A neighbour beyond a gap stays away. Of records that reach over some time, a window that holds the middle of none shows
    levels, which have no neighbours.
    """
    start, stop = window.bounds_ns()
    found = dict(tables)
    for reference, table in tables.items():
        if isinstance(table, LongTable) or table.meta.kind not in ("series", "vector") or len(table) < _FEWEST:
            continue
        drawn = middles_ns(table).astype("datetime64[ns]")
        first, last = (int(place) for place in np.searchsorted(drawn, window.bounds_ns(), side="left"))
        if first == last and table.extents is not None:
            continue
        is_gap = np.zeros(len(table) + 1, dtype=np.bool_)
        is_gap[find_gaps(drawn.astype(np.int64) / 1e6, reach_of(table))] = True
        first -= first > 0 and not is_gap[first]
        last += last < len(table) and not is_gap[last]
        if last > first:
            kept = slice(first, last)
            columns = {name: values[kept] for name, values in table.columns.items()}
            found[reference] = replace(table, time=table.time[kept], columns=columns)
            start, stop = min(start, drawn[first]), max(stop, drawn[last - 1] + np.timedelta64(1000, "ns"))
    return found, TimeRange(*(_moment(each) for each in (start, stop)))


def _moment(time: np.datetime64) -> datetime:
    """Whole microseconds, the earlier ones."""
    return _EPOCH + timedelta(microseconds=int(time.astype("datetime64[ns]").astype(np.int64)) // 1000)


def _plain(trace: dict[str, Any]) -> dict[str, Any]:
    """A trace with lists where plotly leaves arrays as they are, which are those without a value: JSON has none."""
    plain = {key: _plain(value) if isinstance(value, dict) else value for key, value in trace.items()}
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in plain.items()}


def _number_of(axis: str) -> int:
    return int(axis.removeprefix("y") or 1)


def _below(figure: Figure, tables: Mapping[str, Table], window: TimeRange) -> dict[str, Any]:
    """The rows of values below the time axis, as its ticks; nothing where the figure has none."""
    if not figure.below or any(row.data not in tables for row in figure.below):
        return {}
    labels = labels_below(figure.below, tables, look.WIDTH_PX)
    rows = make_time_rows(figure.below, tables, labels, window, _PANEL_PX)
    if rows is None:
        return {}
    axis = go.layout.XAxis(type="date")
    set_ticks(axis, rows.ticks)
    plain = axis.to_plotly_json()
    return {"ticks": {"tickvals": list(plain["tickvals"]), "ticktext": list(plain["ticktext"])}}
