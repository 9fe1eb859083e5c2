"""A row of facts: a small table of text, one line for each fact, or one for each interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from helio_dagster.domain.figure import Panel
from helio_dagster.domain.table import Table
from helio_dagster.figures import look
from helio_dagster.figures.facts_text import FactRow, fact_rows, value_html
from helio_dagster.figures.fits import chosen_facts
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import unit_codes_removed, unit_to_html
from helio_dagster.figures.parts import AxisTitle, Parts, fit_label
from helio_dagster.figures.text_width import width_px

_LINE_PX = 21
_PAD_PX = 6
_COLUMN_GAP_PX = 26
_LEAST_GAP_PX = 10
_UNIT_GAP_PX = 8
_LEAST_COLUMN_PX = 50
_LONGEST_NAME_PX = 380
_BOLD = 1.08
"""How much wider bold letters are."""
_FONT_PX = look.FONT_PX

Cells = tuple[str, ...]


@dataclass(frozen=True)
class TextTable:
    """A table of markup: heading, names of the columns (none for a list of facts), rows; and what it says in place of rows.

    The heading is plain text. `titles` gives the name of each fact of a list, cut to a width in pixels.
    """

    heading: str
    columns: Cells
    rows: tuple[Cells, ...]
    note: str = ""
    titles: tuple[Callable[[float], str], ...] = ()

    @property
    def lines(self) -> int:
        """How many lines it takes."""
        return bool(self.heading) + bool(self.columns) + max(1, len(self.rows))


@dataclass(frozen=True)
class FactsPanel:
    """A panel of facts: a table for each trace, one below the other."""

    tables: tuple[TextTable, ...]

    @property
    def natural_px(self) -> float:
        """The height at which nothing is left out."""
        return sum(table.lines for table in self.tables) * _LINE_PX + _PAD_PX * 2 * len(self.tables)


def make_facts_panel(panel: Panel, tables: Mapping[str, Table], path: str) -> FactsPanel:
    """What a panel of facts shows.

    Raises
    ------
    FigureError
        A table has not the fact that is asked for.
    """
    made = []
    for index, trace in enumerate(panel.traces):
        table = tables[trace.data]
        chosen = chosen_facts(trace, table.meta, f"{path}.traces[{index}]")
        rows = [
            FactRow(row.start, row.stop, tuple(fact for fact in row.facts if fact.name in chosen)) for row in fact_rows(table)
        ]
        title = panel.y.title if panel.y.title is not None and len(panel.traces) == 1 else None
        heading = title if title is not None else trace.label or unit_codes_removed(table.meta.label) or trace.data
        made.append(_text_table(heading, rows))
    return FactsPanel(tuple(made))


def _text_table(heading: str, rows: Sequence[FactRow]) -> TextTable:
    if not rows:
        return TextTable(heading, (), (), "no data")
    if len(rows) == 1:
        found = [(fact.title(_LONGEST_NAME_PX), value_html(fact), unit_to_html(fact.unit)) for fact in rows[0].facts]
        return TextTable(heading, (), tuple(found), titles=tuple(fact.title for fact in rows[0].facts))
    begins = time_words(np.array([row.start for row in rows]))
    known = [row.stop for row in rows if not np.isnat(row.stop)]
    stops = iter(time_words(np.array(known))) if known else iter(())
    names = [
        f"{fact.title(_LONGEST_NAME_PX)}{f' [{unit_to_html(fact.unit)}]' if unit_to_html(fact.unit) else ''}"
        for fact in rows[0].facts
    ]
    cells = []
    for row, begin in zip(rows, begins, strict=True):
        stop = "" if np.isnat(row.stop) else next(stops)
        cells.append((f"{begin}", *([stop] if known else []), *(value_html(fact) for fact in row.facts)))
    return TextTable(heading, ("start, UTC", *(["stop, UTC"] if known else []), *names), tuple(cells))


def draw_facts(panel: FactsPanel, place: Place, room_px: float) -> Parts:
    """The row of a panel of facts, from the top left; what has no room is counted in the last line.

    Parameters
    ----------
    room_px
        Width of the panels, in pixels.
    """
    parts = Parts(AxisTitle("", _FONT_PX, 0.0), None, 0.0)
    down = 0.0
    for table in panel.tables:
        room = place.height_px - down - 2 * _PAD_PX
        down = _draw_table(parts, table, place, down, max(1, int((room + 0.5) // _LINE_PX)), room_px) + 2 * _PAD_PX
    return parts


def _draw_table(parts: Parts, table: TextTable, place: Place, down: float, most: int, room_px: float) -> float:
    """Draw from so many pixels below the panel's top; gives where it ends."""
    if table.heading:
        parts.annotations.append(_text(f"<b>{fit_label(table.heading, room_px / _BOLD)}</b>", place, 0, down, "left"))
        down += _LINE_PX
    rows = list(table.rows)
    kept = max(1, most - bool(table.heading) - bool(table.columns))
    if table.note or not rows:
        parts.annotations.append(_text(table.note or "no data", place, 0, down, "left", color=look.QUIET))
        return down + _LINE_PX
    left_out = 0
    if len(rows) > kept:
        rows, left_out = rows[: kept - 1], len(rows) - kept + 1
    is_list = not table.columns
    lines: list[Cells] = [*([table.columns] if table.columns else []), *rows]
    widths = [
        max(_LEAST_COLUMN_PX if not is_list else 0, *(width_px(cell, _FONT_PX) for cell in column))
        for column in zip(*lines, strict=True)
    ]
    wide = sum(widths) + _COLUMN_GAP_PX + _UNIT_GAP_PX - room_px
    gap_px = _COLUMN_GAP_PX
    if is_list and wide > 0 and len(widths) > 1:  # a name may be cut, a value not
        gap_px = _LEAST_GAP_PX
        wide = max(0.0, wide - (_COLUMN_GAP_PX - gap_px))
        widths[0] = max(_LEAST_COLUMN_PX, widths[0] - wide)
        lines = [(title(widths[0]), *line[1:]) for title, line in zip(table.titles, lines, strict=False)]
    shown, x = 0, [0.0]
    for width in widths:
        if x[-1] + width > room_px and shown:
            break
        x.append(x[-1] + width + (_UNIT_GAP_PX if is_list and shown == 1 else gap_px))
        shown += 1
    total = max(_LEAST_COLUMN_PX, min(room_px, x[shown] - gap_px))
    parts.shapes.append(_rule(place, down, total, look.FRAME))
    for number, line in enumerate(lines):
        is_head = bool(table.columns) and number == 0
        for column in range(shown):
            side = _side(column, is_list=is_list)
            at = x[column] if side == "left" else x[column] + widths[column]
            parts.annotations.append(_text(line[column], place, at, down, side, color=look.QUIET if is_head else look.INK))
        down += _LINE_PX
        if is_head:
            parts.shapes.append(_rule(place, down, total, look.QUIET))
    hidden = [f"{left_out} more rows"] if left_out else []
    hidden += [f"{len(widths) - shown} more columns"] if shown < len(widths) else []
    if hidden:
        parts.annotations.append(_text(f"+ {', '.join(hidden)}", place, 0, down, "left", color=look.QUIET))
        down += _LINE_PX
    parts.shapes.append(_rule(place, down, total, look.FRAME))
    return down


def _side(column: int, *, is_list: bool) -> str:
    """Numbers end at a common edge, names and units begin at one."""
    return "right" if (column == 1 if is_list else column > 0) else "left"


def _text(text: str, place: Place, x_px: float, down_px: float, side: str, *, color: str = look.INK) -> go.layout.Annotation:
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0,
        y=place.high,
        xshift=x_px,
        yshift=-down_px - 3,
        xanchor=side,
        yanchor="top",
        text=text,
        showarrow=False,
        borderpad=0,
        font={"size": _FONT_PX, "color": color},
    )


def _rule(place: Place, down_px: float, width: float, color: str) -> go.layout.Shape:
    """A thin line across a table, in pixels from the panel's top left."""
    return go.layout.Shape(
        type="line",
        xref="paper",
        yref="paper",
        xsizemode="pixel",
        ysizemode="pixel",
        xanchor=0,
        yanchor=place.high,
        x0=0,
        x1=width,
        y0=-down_px,
        y1=-down_px,
        line={"color": color, "width": 1},
    )
