"""Small multiples: one subplot for each event, all with the same axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.printing.paper import sheet_of
from helio_dagster.figures.sheet import SCREEN, Sheet

Maker = Callable[..., Table]


def storms(*starts: str, hours: float = 1.0) -> Table:
    """Events of some hours, called A, B, C and so on."""
    time = np.array(starts, dtype="datetime64[ns]")
    columns = (ColumnMeta(name="stop", role="stop"), ColumnMeta(name="name"))
    stop = time + np.timedelta64(int(hours * 60), "m")
    names = np.array([chr(ord("A") + place % 26) for place in range(len(starts))], dtype=object)
    return Table(time, {"stop": stop, "name": names}, TableMeta(kind="events", columns=columns))


def spec_of(*traces: Any, panel: Any = None, **each: Any) -> Figure:
    """A figure of one panel for each event, two hours before to three after its start."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces]
    window = {"events": "storms", "before": "PT2H", "after": "PT3H", **each}
    return Figure.model_validate({"panels": [{"traces": given, "each": window, **(panel or {})}]})


def lines(figure: go.Figure) -> list[go.Scatter]:
    """The lines with a point."""
    return [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "lines" and len(trace.x)]


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


@pytest.fixture
def tables(make_series: Maker) -> dict[str, Table]:
    """A day whose value is the hour, and two events at 06:00 and 12:30."""
    return {"b": make_series(np.arange(1440) / 60), "storms": storms("2023-01-02T06:00", "2023-01-02T12:30")}


def test_each_event_is_drawn_from_its_start_on_the_same_axes(tables: dict[str, Table], day: TimeRange) -> None:
    """Zero is its start, the window is that asked for, the value axes are alike."""
    figure = draw(spec_of("b"), tables, day, title="t")
    first, second = lines(figure)
    for line, hour in ((first, 6), (second, 12.5)):
        np.testing.assert_allclose(line.y, line.x + hour, atol=1e-5)
        assert (line.x[0], line.x[-1]) == (pytest.approx(-2), pytest.approx(3 - 1 / 60))
    layout = figure.layout
    x_axes = [layout[f"xaxis{line.xaxis[1:]}"] for line in (first, second)]
    y_axes = [layout[f"yaxis{line.yaxis[1:]}"] for line in (first, second)]
    assert {axis.range for axis in x_axes} == {(-2, 3)}
    assert len({axis.range for axis in y_axes}) == 1
    assert x_axes[0].domain[1] < x_axes[1].domain[0]
    assert {"A", "B", "Time from the start [h]"} <= set(texts(figure))


def test_numbers_of_narrow_subplots_keep_apart(tables: dict[str, Table], day: TimeRange) -> None:
    """On paper of a journal's column the room between three subplots is wider: a number may stand at either edge."""
    events = {**tables, "storms": storms("2023-01-02T06:00", "2023-01-02T09:00", "2023-01-02T12:30")}

    def gap_px(sheet: Sheet) -> float:
        drawn = draw(spec_of("b", columns=3), events, day, title="t", sheet=sheet)
        (first, second) = (drawn.layout[f"xaxis{line.xaxis[1:]}"] for line in lines(drawn)[:2])
        return float((second.domain[0] - first.domain[1]) * (sheet.width_px - drawn.layout.margin.l - drawn.layout.margin.r))

    assert gap_px(sheet_of(Printing.model_validate({"width": "85 mm"}))[0]) >= 16
    assert gap_px(sheet_of(Printing.model_validate({"width": "180 mm"}))[0]) == pytest.approx(12, abs=1)


def test_panels_for_each_event_name_the_spacecraft(tables: dict[str, Table], day: TimeRange) -> None:
    """Of one in the title of the axis, of several beside the lines."""
    both = {**tables, "other": tables["b"]}
    owners = {"b": "ACE", "other": "Wind"}
    alone = texts(draw(spec_of("b"), both, day, title="t", spacecraft=owners))
    assert any(text.startswith("ACE ") for text in alone)
    shown = texts(draw(spec_of("b", "other"), both, day, title="t", spacecraft=owners))
    assert {text.split()[0] for text in shown} >= {"ACE", "Wind"}


def test_starts_are_lines_and_intervals_are_shaded(tables: dict[str, Table], day: TimeRange) -> None:
    """A shade as long as the event, in each subplot."""
    shapes = draw(spec_of("b"), tables, day, title="t").layout.shapes
    assert [shape.x1 for shape in shapes if shape.type == "rect"] == [1, 1]
    assert [shape.x1 for shape in shapes if shape.type == "line" and shape.x0 == 0] == [0, 0]


def test_only_the_lowest_and_the_leftmost_have_numbers(tables: dict[str, Table], day: TimeRange) -> None:
    """Five events in two columns: the second column's lowest is the fourth."""
    tables["storms"] = storms(*(f"2023-01-02T{hour:02}:00" for hour in (3, 6, 9, 12, 15)))
    layout = draw(spec_of("b", columns=2), tables, day, title="t").layout
    lows = sorted((key for key in layout if key.startswith("yaxis")), key=lambda key: int(key[5:] or 0))
    assert [layout[key].showticklabels is not False for key in lows] == [True, False, True, False, True]
    keys = sorted((key for key in layout if key.startswith("xaxis") and key != "xaxis"), key=lambda key: int(key[5:]))
    assert [layout[key].showticklabels for key in keys] == [False, False, False, True, True]


def test_an_event_without_data_and_a_range_without_events_say_so(tables: dict[str, Table], day: TimeRange) -> None:
    """The others are drawn; no event at all is a note."""
    part = tables["b"].clip_ns(np.datetime64("2023-01-02", "ns"), np.datetime64("2023-01-02T09:30", "ns"))
    figure = draw(spec_of("b"), {**tables, "b": part}, day, title="t")
    assert len(lines(figure)) == 1
    assert texts(figure).count("no data") == 1
    for none in (storms("2019-01-01"), storms(), Table.empty(TableMeta(kind="series", columns=()))):
        assert "no events" in texts(draw(spec_of("b"), {**tables, "storms": none}, day, title="t"))
    empty = Table.empty(TableMeta(kind="series", columns=()))
    assert texts(draw(spec_of("b"), {**tables, "b": empty}, day, title="t")).count("no data") == 2


def test_long_windows_are_in_days_and_many_events_are_counted(tables: dict[str, Table], day: TimeRange) -> None:
    """Five days; of sixty events 48 are drawn."""
    assert "Time from the start [d]" in texts(draw(spec_of("b", after="P5D"), tables, day, title="t"))
    assert "Time from the start [min]" in texts(draw(spec_of("b", before="PT5M", after="PT10M"), tables, day, title="t"))
    tables["storms"] = storms(*(f"2023-01-02T{place // 4:02}:{15 * (place % 4):02}" for place in range(60)), hours=0.1)
    figure = draw(spec_of("b"), tables, day, title="t")
    assert "12 later events not drawn" in texts(figure)
    assert len(lines(figure)) == 48


def test_vectors_keep_their_colours_and_labels_and_sheets_their_columns(
    tables: dict[str, Table], make_vector: Maker, day: TimeRange
) -> None:
    """Three components in each; two columns on a narrow sheet, four on a page."""
    tables["v"] = make_vector(["Bx", "By", "Bz"], count=1440)
    figure = draw(spec_of("v"), tables, day, title="t")
    assert len(lines(figure)) == 6
    assert [line.line.color for line in lines(figure)[:3]] == [line.line.color for line in lines(figure)[3:]]
    assert "B<sub>x</sub>" in texts(figure)
    tables["storms"] = storms(*(f"2023-01-02T{hour:02}:00" for hour in (3, 6, 9, 12)))
    for sheet, columns in ((SCREEN, 4), (Sheet(width_px=390), 2)):
        layout = draw(spec_of("b"), tables, day, title="t", sheet=sheet).layout
        assert len({layout[key].domain for key in layout if key.startswith("xaxis") and key != "xaxis"}) == columns


@pytest.mark.parametrize(
    ("traces", "problem", "end"),
    [
        (("flux",), "shows lines, and flux gives spectrogram", "traces[0].data"),
        (("psd",), "is over time", "each"),
        (("b", "speed"), "have 2 units", "traces"),
    ],
)
def test_what_cannot_be_drawn_for_each_event_is_refused(
    traces: tuple[str, ...],
    problem: str,
    end: str,
    tables: dict[str, Table],
    make_spectrogram: Maker,
    make_curve: Maker,
    make_series: Maker,
    day: TimeRange,
) -> None:
    """With its place in the pipeline."""
    tables |= {"flux": make_spectrogram(np.ones((5, 3)), [1.0, 10, 100]), "psd": make_curve([1.0, 2], {"p": [1.0, 2]})}
    tables["speed"] = make_series(np.ones(1440), unit="km/s")
    with pytest.raises(FigureError, match=problem) as caught:
        draw(spec_of(*traces), tables, day, title="t")
    assert caught.value.where == f"figure.panels[0].{end}"
    if end != "traces":
        metas = {name: table.meta for name, table in tables.items()}
        assert caught.value.problem in [fault.problem for fault in find_figure_faults(spec_of(*traces), metas)]


def test_a_list_that_holds_no_events_and_marks_are_refused(tables: dict[str, Table], day: TimeRange) -> None:
    """The check says both before anything runs."""
    metas = {"b": tables["b"].meta, "storms": tables["b"].meta}
    assert [fault.problem for fault in find_figure_faults(spec_of("b"), metas)] == ["the rows of storms are not events"]
    marked = spec_of("b", panel={"marks": [{"y": 3}]})
    with pytest.raises(FigureError, match="one pair of axes"):
        draw(marked, tables, day, title="t")


def test_the_list_is_a_reference_of_the_figure() -> None:
    """It is brought up to date with it."""
    step = Step.model_validate({"id": "fig", "intent": "x", "figure": spec_of("b").model_dump(mode="json", exclude_none=True)})
    assert ("figure.panels[0].each.events", "storms") in step.references
    with pytest.raises(ValueError, match="longer than nothing"):
        spec_of("b", after="PT0S")


@pytest.mark.parametrize("width_px", [480.0, 1000.0])
def test_the_name_of_an_event_hides_no_data(width_px: float, tables: dict[str, Table], day: TimeRange) -> None:
    """The highest value of all stands below the names."""
    figure = draw(spec_of("b"), tables, day, title="t", sheet=Sheet(width_px=width_px))
    layout = figure.layout
    stack_px = layout.height - layout.margin.t - layout.margin.b
    name = next(note for note in layout.annotations if note.text == "A")
    for line in lines(figure):
        axis = layout[f"yaxis{line.yaxis[1:]}"]
        height_px = (axis.domain[1] - axis.domain[0]) * stack_px
        highest = max(max(other.y) for other in lines(figure))
        below_top_px = (axis.range[1] - highest) / (axis.range[1] - axis.range[0]) * height_px
        assert below_top_px >= name.font.size - name.yshift
