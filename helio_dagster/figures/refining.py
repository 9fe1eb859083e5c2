"""The lines and images of a figure over a part of its time axis: what its page asks the server for after a zoom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.geometry import axis_name, right_axis_name
from helio_dagster.figures.pages import thinned_notes
from helio_dagster.figures.panels import check_figure
from helio_dagster.figures.rows import check_form


def refined(figure: Figure, tables: Mapping[str, Table], window: TimeRange) -> dict[str, Any]:
    """What is drawn over time, drawn anew over a window: more of the samples the shorter it is, in the end every one.

    Parameters
    ----------
    figure
        The whole figure's step.
    tables
        Data by reference, at least those inside the window; panels of which one is missing stay as they are.
    window
        The part of the time axis, UTC.

    Returns
    -------
    dict
        `traces`, as Plotly's JSON has them, on the value axes of the whole figure; `notes` about what is still left out.

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
        return {"traces": [], "notes": []}
    part = figure.model_copy(update={"panels": [figure.panels[index] for index in rows], "events": None})
    drawn = draw(part, tables, window, title="")
    axes = {name(place): name(index + 1) for place, index in enumerate(rows, start=1) for name in (axis_name, right_axis_name)}
    traces = [{**trace, "yaxis": axes[trace.get("yaxis", "y")]} for trace in drawn.to_dict()["data"]]
    return {"traces": traces, "notes": thinned_notes(drawn)}
