"""Figures on narrow sheets: what stands around the panels leaves them room, and nothing is cut at the edge."""

from __future__ import annotations

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from matplotlib.image import imread

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.printing.paper import sheet_of
from helio_dagster.figures.printing.picture import picture
from helio_dagster.figures.rendering import write_picture
from tests.integration.figures.storm_figure import DAY, storm_tables

TABLES, EVENTS = storm_tables()
LONG = "Field magnitude, hourly mean of all"
PANELS: dict[str, list[dict[str, Any]]] = {
    "long labels": [{"traces": [{"data": "b", "label": LONG}, {"data": "density", "label": "Density of the protons alone"}]}],
    "two units": [{"traces": [{"data": "speed"}, {"data": "density", "label": LONG}]}, {"traces": [{"data": "flux"}]}],
    "hodogram": [{"traces": [{"data": "b"}]}, {"traces": [{"data": "hodogram"}]}],
    "facts": [{"traces": [{"data": "speed", "label": LONG}]}, {"traces": [{"data": "facts"}]}, {"traces": [{"data": "long"}]}],
}


def long_facts() -> Table:
    """Numbers with long names, one with a long unit."""
    names = {"angle": "error of the normal towards the intermediate axis", "slope": "slope of the line through all points"}
    columns = tuple(
        ColumnMeta(name=name, label=label, unit=unit)
        for (name, label), unit in zip(names.items(), ("deg", "s cm^-3 km^-1"), strict=True)
    )
    values = {"angle": np.array([0.7142]), "slope": np.array([0.00898])}
    return Table(np.array(["2023-01-02"], "datetime64[ns]"), values, TableMeta(kind="facts", columns=columns, label=LONG * 3))


def on_paper(panels: list[dict[str, Any]], width: str = "85mm", **more: Any) -> tuple[go.Figure, bytes]:
    """The description for a sheet, and its picture."""
    sheet, how = sheet_of(Printing.model_validate({"width": width}))
    step = Figure.model_validate({"panels": panels, **more})
    tables = {**TABLES, "long": long_facts()}
    figure = draw(step, tables, DAY, title="A title that is not short at all", events=EVENTS, sheet=sheet)
    return figure, picture(figure, "png", replace(how, dpi=150))


@pytest.mark.parametrize("kind", PANELS)
@pytest.mark.parametrize("width", ["80mm", *(pytest.param(each, marks=pytest.mark.slow) for each in ("85mm", "180mm"))])
def test_the_panels_keep_half_of_the_sheet_and_nothing_crosses_its_edge(kind: str, width: str) -> None:
    """The outermost dots of the picture are white, so that no letter lies across them."""
    figure, png = on_paper(PANELS[kind], width)
    margin = figure.layout.margin
    assert figure.layout.width - margin.l - margin.r > 0.5 * figure.layout.width
    image = imread(BytesIO(png))
    for edge in (image[:2], image[-2:], image[:, :2].swapaxes(0, 1), image[:, -2:].swapaxes(0, 1)):
        assert (edge[..., :3] == 1).all()


def test_a_table_of_facts_shows_every_value_in_a_column() -> None:
    """A name is cut, a value never."""
    figure, _ = on_paper(PANELS["facts"])
    texts = [note.text for note in figure.layout.annotations]
    assert "0.7142" in texts
    assert "0.00898" in texts
    assert not any("more columns" in text or "more rows" in text for text in texts)


def test_labels_above_a_panel_stand_above_it_and_below_the_next() -> None:
    """They have room of their own, over no data."""
    figure, _ = on_paper([{"traces": [{"data": "b", "label": LONG}, {"data": "density", "label": LONG}]}] * 2)
    labels = [note for note in figure.layout.annotations if note.name == "label"]
    assert len(labels) == 8  # three components and one line, twice
    tops = {figure.layout.yaxis.domain[1], figure.layout.yaxis2.domain[1]}
    assert {label.y for label in labels} == tops
    assert all(label.yanchor == "bottom" and label.yshift > 0 for label in labels)
    stack = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    gap = (figure.layout.yaxis.domain[0] - figure.layout.yaxis2.domain[1]) * stack
    assert gap > max(label.yshift for label in labels) + 15


def test_a_text_at_a_place_that_its_panel_does_not_show_is_not_in_the_picture() -> None:
    """As on the page, where it is hidden."""
    marks = [{"y": 1e6, "text": "beyond"}, {"y": 0, "text": "inside"}]
    sheet, how = sheet_of(Printing())
    step = Figure.model_validate({"panels": [{"traces": [{"data": "b"}], "y": {"range": (-9, 9)}, "marks": marks}]})
    svg = picture(draw(step, TABLES, DAY, title="t", sheet=sheet), "svg", how).decode()
    assert "inside" in svg
    assert "beyond" not in svg.partition("</metadata>")[2]


def test_marks_that_begin_at_one_place_are_said_below_each_other() -> None:
    """A shock, and the sheath behind it."""
    marks = [{"x": "2023-01-02T06:00Z", "text": "shock"}, {"x": ["2023-01-02T06:00Z", "2023-01-02T09:00Z"], "text": "sheath"}]
    figure, _ = on_paper([{"traces": [{"data": "b"}], "marks": marks}])
    shifts = {note.text: note.yshift for note in figure.layout.annotations if note.text in ("shock", "sheath")}
    assert shifts["shock"] - shifts["sheath"] > 12  # the height of their letters


@pytest.mark.parametrize("width", ["85mm", "180mm"])
def test_wide_letters_stay_on_the_sheet(width: str) -> None:
    """Of the widest letters, in every place that takes a text."""
    wide = "W" * 500
    marks = [{"x": "2023-01-02T01:00Z", "text": wide}]
    panels = [{"traces": [{"data": "b"}, {"data": "speed", "label": wide}], "y": {"title": wide}, "marks": marks}]
    _, png = on_paper(panels, width, title=wide)
    assert (imread(BytesIO(png))[:, -2:, :3] == 1).all()


def test_a_pipe_is_not_replaced_by_a_picture(tmp_path: Path) -> None:
    """Nor a device or a folder: they stay what they are."""
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    with pytest.raises(FigureError, match="not an ordinary file"):
        write_picture(pipe, b"x")
    assert pipe.is_fifo()
    with pytest.raises(FigureError, match="a folder"):
        write_picture(tmp_path, b"x")


def test_a_blank_behind_a_subscript_is_kept_in_svg() -> None:
    """`B<sub>x</sub> GSE`: a viewer leaves out a blank at the beginning of a piece, so that none may begin with one."""
    _, how = sheet_of(Printing())
    step = Figure.model_validate({"panels": [{"traces": [{"data": "b"}], "y": {"title": "B_x GSE"}}]})
    svg = picture(draw(step, TABLES, DAY, title="t"), "svg", how).decode()
    assert "> GSE" not in svg
    assert ">GSE" in svg
