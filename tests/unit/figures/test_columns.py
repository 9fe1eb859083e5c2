"""Panels of different kinds beside each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from pydantic import ValidationError

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.printing.frame import Frame
from helio_dagster.figures.printing.paper import sheet_of
from helio_dagster.figures.refining import refined
from helio_dagster.figures.sheet import SCREEN, Sheet
from tests.integration.figures.storm_figure import COLUMNS, DAY, columns_figure, storm_tables

Box = tuple[float, float, float, float]


def boxes(figure: go.Figure) -> dict[str, Box]:
    """Left, lower, right and upper end of the panel of each value axis, in pixels."""
    frame = Frame(figure.layout.to_plotly_json())
    found = {}
    for trace in figure.data:
        x, y = frame.axis(trace.xaxis or "x"), frame.axis(trace.yaxis or "y")
        found[y.name] = (x.start_px, y.start_px, x.stop_px, y.stop_px)
    return found


def sheet(width: str, **more: Any) -> Sheet:
    """A sheet of paper."""
    return sheet_of(Printing.model_validate({"width": width, **more}))[0]


@pytest.mark.parametrize("page", [SCREEN, sheet("180 mm")], ids=["screen", "page"])
def test_columns_stand_beside_each_other(page: Sheet) -> None:
    """The stack at the left, hodogram and facts at the right of all of it, their tops at one height; nothing overlaps."""
    found = boxes(columns_figure(page))
    left, right = [found[each] for each in ("y", "y2", "y3")], found["y4"]
    assert max(box[2] for box in left) < right[0]
    assert len({(box[0], box[2]) for box in left}) == 1
    assert [box[1] for box in left] == sorted((box[1] for box in left), reverse=True)
    assert right[2] - right[0] == pytest.approx(right[3] - right[1], rel=0.35)  # equal units, so about as wide as high


@pytest.mark.parametrize("width", ["180 mm", "85 mm"])
def test_the_figure_is_as_wide_and_high_as_its_sheet(width: str) -> None:
    """The columns share the width of the sheet, and its height where that is given."""
    wanted = sheet(width, height="200 mm")
    drawn = columns_figure(wanted)
    frame = Frame(drawn.layout.to_plotly_json())
    assert frame.width_px == pytest.approx(wanted.width_px)
    assert wanted.height_px is not None
    assert frame.height_px == pytest.approx(wanted.height_px, abs=2)
    for left, low, right, high in boxes(drawn).values():
        assert 0 < left < right < frame.width_px
        assert 0 < low < high < frame.height_px


def test_a_narrow_sheet_has_them_below_each_other() -> None:
    """A column of a journal: all panels begin at the left, the second column's below the first's."""
    found = boxes(columns_figure(sheet("85 mm")))
    assert len({box[0] for box in found.values()}) == 1
    assert found["y4"][3] < min(found[each][1] for each in ("y", "y2", "y3"))


def test_letters_go_down_the_first_column_first() -> None:
    """(a) to (c) at the left, (d) at the right; a table of facts has none."""
    drawn = columns_figure(sheet("180 mm", letters=True))
    letters = {note.yref: note.text for note in drawn.layout.annotations if note.name == "letter"}
    assert letters == {
        f"{axis} domain": f"<b>({letter})</b>" for axis, letter in zip(("y", "y2", "y3", "y4"), "abcd", strict=True)
    }


def test_one_head_for_all_columns() -> None:
    """Title, range and the mark of made-up data once; events are marked in the column over time alone."""
    tables, events = storm_tables()
    tables["b"] = tables["b"].__class__(
        tables["b"].time, dict(tables["b"].columns), tables["b"].meta.model_copy(update={"synthetic": True})
    )
    drawn = draw(Figure.model_validate(COLUMNS), tables, DAY, title="", events=events)
    texts = [note.text for note in drawn.layout.annotations]
    assert sum("SYNTHETIC" in text for text in texts) == 1
    assert sum("2023-01-02 00:00 to" in text for text in texts) == 1
    assert not any("not marked" in text for text in texts)
    (shock,) = [note for note in drawn.layout.annotations if note.text == "shock"]
    assert shock.xref == "x"
    marked = {shape.xref for shape in drawn.layout.shapes if shape.yref == "paper"}
    assert marked - {"paper"} == {"x"}  # a table of facts has lines of its own


def test_two_columns_over_time_have_one_range_and_zoom_together(day: TimeRange) -> None:
    """Each has a time axis, and the second follows the first; a window is refined on the axes of both."""
    tables, _ = storm_tables()
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}, {"traces": [{"data": "speed"}], "column": 2}]})
    drawn = draw(spec, tables, day, title="t")
    axes = {trace.yaxis: trace.xaxis for trace in drawn.data}
    assert axes["y"] == "x"
    second = drawn.layout[axes["y2"].replace("x", "xaxis")]
    assert (second.matches, second.anchor, drawn.layout.yaxis2.anchor) == ("x", "y2", axes["y2"])
    assert tuple(second.range) == tuple(drawn.layout.xaxis.range)
    assert second.domain[0] > drawn.layout.xaxis.domain[1]
    found = refined(spec, tables, TimeRange(day.start, day.start + timedelta(hours=1)))
    assert {trace["yaxis"]: trace.get("xaxis", "x") for trace in found["traces"]} == axes


def test_a_column_that_is_missing_is_refused() -> None:
    """Columns are counted from the left."""
    with pytest.raises(ValidationError, match="no panel is in column 2"):
        Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}, {"traces": [{"data": "b"}], "column": 3}]})


def test_shared_colors_need_one_column() -> None:
    """One bar cannot stand beside spectrograms of two columns."""
    tables, _ = storm_tables()
    flux: dict[str, Any] = {"traces": [{"data": "flux"}]}
    spec = Figure.model_validate({"panels": [flux, flux, {**flux, "column": 2}], "color_bar": "shared"})
    with pytest.raises(FigureError, match="one column"):
        draw(spec, tables, DAY, title="t")


def test_a_color_bar_stands_beside_its_own_column() -> None:
    """Between its panel and the panels at its right, as high as its panel."""
    tables, _ = storm_tables()
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "flux"}]}, {"traces": [{"data": "b"}], "column": 2}]})
    drawn = draw(spec, tables, DAY, title="t")
    bar = drawn.data[0].colorbar
    assert bar.x == pytest.approx(drawn.layout.xaxis.domain[1])
    low, high = drawn.layout.yaxis.domain
    np.testing.assert_allclose((bar.y - bar.len / 2, bar.y + bar.len / 2), (low, high), atol=1e-9)


def test_a_figure_without_columns_says_nothing_of_them() -> None:
    """The code versions of figures are made of what is written."""
    written = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]}).model_dump(mode="json")
    assert "column" not in written["panels"][0]
