"""Marks of events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.events import events_in_span, mark_events

PANEL_PX = 900.0


def events(starts: Sequence[str], stops: Sequence[object] | None, names: Sequence[str]) -> Table:
    """A table of events."""
    columns: dict[str, np.ndarray] = {"name": np.array(names, dtype=object)}
    if stops is not None:
        columns["stop"] = np.array(stops, dtype=object)
    meta = TableMeta(kind="events", columns=tuple(ColumnMeta(name=name) for name in columns))
    return Table(np.array(starts, dtype="datetime64[ns]"), columns, meta)


def test_an_event_that_began_before_the_span_is_still_marked(day: TimeRange) -> None:
    """What touches the span counts; what stops at its start or begins at its stop does not."""
    table = events(
        ["2023-01-01T00:00", "2023-01-01T01:00", "2023-01-02T05:00", "2023-01-03T00:00"],
        ["2023-01-02T02:00Z", "2023-01-02T00:00Z", "", ""],
        ["before", "over", "inside", "after"],
    )
    assert [event.name for event in events_in_span(table, day)] == ["before", "inside"]


def test_an_instant_is_a_dashed_line_over_all_panels(day: TimeRange) -> None:
    """One line from bottom to top, one label, no shading."""
    marks = mark_events(events_in_span(events(["2023-01-02T05:00"], None, ["shock"]), day), day, PANEL_PX)
    (line,) = marks.shapes
    assert (line.type, line.yref, line.line.dash) == ("line", "paper", "dash")
    assert line.x0 == line.x1 == np.datetime64("2023-01-02T05:00", "ms").astype(int)
    assert [text.text for text in marks.annotations] == ["shock"]


def test_an_interval_is_shaded_and_cut_at_the_span(day: TimeRange) -> None:
    """Shading within the span, a dashed edge only where it lies inside."""
    table = events(["2023-01-02T20:00"], ["2023-01-04T00:00"], ["cloud"])
    fill, edge = mark_events(events_in_span(table, day), day, PANEL_PX).shapes
    assert (fill.type, fill.layer) == ("rect", "below")
    assert fill.x1 == np.datetime64("2023-01-03", "ms").astype(int)
    assert edge.x0 == fill.x0


def test_stops_may_be_times(day: TimeRange) -> None:
    """A stop column of datetime64 says the same as ISO text."""
    table = events(["2023-01-02T05:00"], None, ["a"])
    meta = TableMeta(kind="events", columns=(ColumnMeta(name="name"), ColumnMeta(name="stop")))
    stops = np.array(["2023-01-02T06:00"], dtype="datetime64[s]")
    timed = Table(table.time, {"name": table.columns["name"], "stop": stops}, meta)
    (event,) = events_in_span(timed, day)
    assert event.stop_ms == np.datetime64("2023-01-02T06:00", "ms").astype(int)


def test_labels_close_together_stand_in_rows(day: TimeRange) -> None:
    """Neighbours take the next row; where no row is free the label goes, the mark stays."""
    table = events([f"2023-01-02T05:0{minute}" for minute in range(5)], None, [f"event number {i}" for i in range(5)])
    marks = mark_events(events_in_span(table, day), day, PANEL_PX)
    assert len(marks.shapes) == 5
    assert [text.yshift for text in marks.annotations] == [0, 16, 32]
    assert marks.label_rows == 3
    assert marks.unnamed == 2


def test_a_label_at_the_right_edge_stays_inside(day: TimeRange) -> None:
    """It is moved left instead of being cut by the figure's edge."""
    table = events(["2023-01-02T23:59"], None, ["a long name of an event"])
    (label,) = mark_events(events_in_span(table, day), day, PANEL_PX).annotations
    assert label.x < np.datetime64("2023-01-02T21:00", "ms").astype(int)


@pytest.mark.parametrize("stop", ["soon", "2023-01-01T00:00"])
def test_a_stop_that_cannot_be_is_refused(stop: str, day: TimeRange) -> None:
    """No time, or before its start: the message names the row."""
    with pytest.raises(FigureError, match="event 1"):
        events_in_span(events(["2023-01-02T05:00"], [stop], ["x"]), day)
