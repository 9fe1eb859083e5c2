"""Columns of panels: which panels stand beside each other, how wide, and one figure of the stacks that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import unmarked
from helio_dagster.figures.footer import make_footer
from helio_dagster.figures.geometry import time_axis_name
from helio_dagster.figures.header import make_header
from helio_dagster.figures.letters import LETTER_NAME
from helio_dagster.figures.rows import check_form
from helio_dagster.figures.sheet import Sheet

_LEAST_COLUMN_PX = 210.0
_WIDE, _SLIM = 1.6, 1.0
"""Parts of the width that columns take: over time, and of panels that are about as wide as high."""
_HEADER_EDGE_PX = 16
"""What a stack without a title keeps above its panels."""


@dataclass(frozen=True)
class ColumnOfPanels:
    """Panels below each other, by their places in the figure from 0, and the sheet that they are laid out on."""

    panels: tuple[int, ...]
    sheet: Sheet


def columns_of(figure: Figure, tables: Mapping[str, Table], sheet: Sheet) -> list[ColumnOfPanels]:
    """The columns of a figure from left to right; a single one where the sheet has no room for them beside each other."""
    numbers = sorted({panel.column for panel in figure.panels})
    everything = tuple(range(len(figure.panels)))
    if len(numbers) == 1:
        return [ColumnOfPanels(everything, sheet)]
    own = [tuple(index for index in everything if figure.panels[index].column == number) for number in numbers]
    parts = [_WIDE if any(_is_wide(figure, index, tables) for index in panels) else _SLIM for panels in own]
    widths = [sheet.width_px * part / sum(parts) for part in parts]
    if min(widths) < _LEAST_COLUMN_PX:
        return [ColumnOfPanels(tuple(index for panels in own for index in panels), sheet)]
    bare = replace(sheet, height_px=None, has_title=False, footer="")
    return [ColumnOfPanels(panels, replace(bare, width_px=width_px)) for panels, width_px in zip(own, widths, strict=True)]


def _is_wide(figure: Figure, index: int, tables: Mapping[str, Table]) -> bool:
    """Whether a panel wants the room of one over time."""
    panel = figure.panels[index]
    metas = {trace.data: tables[trace.data].meta for trace in panel.traces if trace.data in tables}
    if len(metas) < len({trace.data for trace in panel.traces}):
        return True  # reported as what is missing
    return check_form(panel, metas, f"figure.panels[{index}]") in ("time", "each", "calendar", "facts")


def lettered(drawn: go.Figure) -> int:
    """How many panels of a figure have a letter."""
    return sum(note.name == LETTER_NAME for note in drawn.layout.annotations)


def side_by_side(
    stacks: Sequence[go.Figure],
    columns: Sequence[ColumnOfPanels],
    span: TimeRange,
    sheet: Sheet,
    *,
    is_synthetic: bool,
    remarks: Sequence[str] = (),
    left_out: int,
) -> go.Figure:
    """One figure of several: the tops of their panels at one height, one head and one foot for all.

    Parameters
    ----------
    stacks
        One for each column, drawn without title and footer; their axes have distinct names, except the time axis.
    left_out
        How many events are marked in none of them.
    """
    margins = [stack.layout.margin for stack in stacks]
    widths = [column.sheet.width_px for column in columns]
    left_px, right_px = margins[0].l, margins[-1].r
    above_px, below_px = max(margin.t for margin in margins), max(margin.b for margin in margins)
    panels_px = sheet.width_px - left_px - right_px
    heights = [stack.layout.height - margin.t - margin.b for stack, margin in zip(stacks, margins, strict=True)]
    stack_px = max(heights)
    merged: dict[str, Any] = {"shapes": [], "annotations": []}
    traces: list[dict[str, Any]] = []
    times = 0
    for number, (stack, margin, height_px) in enumerate(zip(stacks, margins, heights, strict=True)):
        start_px = sum(widths[:number]) + margin.l - left_px
        across = _Ends(start_px / panels_px, (widths[number] - margin.l - margin.r) / panels_px)
        upward = _Ends(1 - height_px / stack_px, height_px / stack_px)
        is_timed = stack.layout.xaxis.type == "date"
        moved = _Moved(across, upward, time_axis_name(times) if is_timed else "x")
        times += is_timed
        _add(merged, traces, moved, stack)
    header = make_header(
        str(stacks[0].layout.meta["title"]),
        span,
        unmarked([]) if not left_out else replace(unmarked([]), left_out=left_out),
        panels_px,
        is_synthetic=is_synthetic,
        remarks=remarks,
        has_title=sheet.has_title,
        beside_px=right_px - 12 if sheet.is_narrow else 0.0,
    )
    head_px = max(0, header.height_px - _HEADER_EDGE_PX) if header.annotations else 0
    lift_px = above_px - _HEADER_EDGE_PX
    merged["annotations"] += [note.update(yshift=note.yshift + lift_px) for note in header.annotations]
    footer = make_footer(sheet, below_px)
    merged["annotations"] += list(footer.annotations)
    merged |= {
        "template": look.make_template(),
        "width": None if sheet.width_px == look.WIDTH_PX else sheet.width_px,
        "height": round(stack_px + head_px + above_px + below_px + footer.height_px),
        "margin": {"l": left_px, "r": right_px, "t": head_px + above_px, "b": below_px + footer.height_px},
        "meta": stacks[0].layout.meta,
    }
    if not times:
        merged["hovermode"] = "closest"
    return go.Figure(data=traces, layout=merged)


@dataclass(frozen=True)
class _Ends:
    """Where a part of the sheet is along one direction, as fractions of the panels' extent."""

    start: float
    length: float

    def place(self, fraction: float) -> float:
        return min(1.0, max(0.0, self.start + fraction * self.length))


@dataclass(frozen=True)
class _Moved:
    """From a stack alone to its place in the figure: fractions of its panels' extent, and the name of its time axis."""

    across: _Ends
    upward: _Ends
    time_axis: str

    def axis(self, name: str) -> str:
        """The name of an axis, or a reference to its domain."""
        plain, _, domain = name.partition(" ")
        return f"{self.time_axis} {domain}".strip() if plain == "x" else name

    def note(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A text or a shape in its place."""
        found = dict(given)
        for reference, names, ends in (
            ("xref", ("x", "x0", "x1"), self.across),
            ("yref", ("y", "y0", "y1"), self.upward),
        ):
            if found.get(reference) == "paper":
                found |= {name: ends.place(found[name]) for name in names if name in found}
            elif reference in found:
                found[reference] = self.axis(found[reference])
        return found

    def settings(self, key: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """An axis in its place."""
        found = dict(given)
        if "anchor" in found:
            found["anchor"] = self.axis(found["anchor"])
        is_upright = key.startswith("y")
        if "domain" in found or (not is_upright and "overlaying" not in found):
            ends = self.upward if is_upright else self.across
            found["domain"] = [ends.place(end) for end in found.get("domain", (0, 1))]
        return found

    def trace(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A trace on its axes, with its colour bar in its place."""
        found = dict(given)
        found["xaxis"] = self.axis(found.get("xaxis", "x"))
        for holder in (found, found.get("marker", {}), found.get("line", {})):
            bar = holder.get("colorbar")
            if bar is not None:
                x, y = self.across.place(bar.get("x", 1)), self.upward.place(bar.get("y", 0.5))
                holder["colorbar"] = {**bar, "x": x, "y": y, "len": bar.get("len", 1) * self.upward.length}
        return found


def _add(merged: dict[str, Any], traces: list[dict[str, Any]], moved: _Moved, stack: go.Figure) -> None:
    """Put a stack into the whole figure."""
    layout = stack.layout.to_plotly_json()
    for key, settings in _axes(layout):
        name = moved.axis("x") if key == "xaxis" else ""
        placed = moved.settings(key, settings)
        if name not in ("", "x"):
            placed["matches"] = "x"
        merged[f"xaxis{name[1:]}" if name else key] = placed
    for kind in ("shapes", "annotations"):
        merged[kind] += [moved.note(each) for each in layout.get(kind, ())]
    traces += [moved.trace(trace.to_plotly_json()) for trace in stack.data]


def _axes(layout: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, value in layout.items():
        if key.startswith(("xaxis", "yaxis")) and value:
            yield key, value
