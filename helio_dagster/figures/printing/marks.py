"""Shapes and texts of a figure's layout on a sheet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.figures import look
from helio_dagster.figures.printing.canvas import Canvas
from helio_dagster.figures.printing.frame import Box, Frame, Settings

_ROUNDING_PX = 0.5
_HEAD_PX = 7.0
_INWARD = {"left": 1, "right": -1, "center": 0, "bottom": 1, "top": -1, "middle": 0}
"""From the edge of a box to its text."""


def draw_shape(canvas: Canvas, frame: Frame, shape: Settings) -> None:
    """A line, a rectangle or a path, cut to the axes that it refers to."""
    line = shape.get("line", {})
    color, width, opacity = line.get("color", look.FRAME), float(line.get("width", 2)), float(shape.get("opacity", 1.0))
    if shape["type"] == "path":
        canvas.segments(_path(frame, shape), color, width, clip=_clip(frame, shape), opacity=opacity)
        return
    x0, x1 = _ends(frame, shape, "x")
    y0, y1 = _ends(frame, shape, "y")
    if shape["type"] == "line":
        x, y, dash = np.array([x0, x1]), np.array([y0, y1]), line.get("dash") or ""
        canvas.line(x, y, color, width, dash=dash, opacity=opacity, clip=_clip(frame, shape))
        return
    inside = _cut((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), _clip(frame, shape))
    if inside is not None:
        canvas.rectangle(inside, shape.get("fillcolor"), edge=color if width else None, edge_px=width, opacity=opacity)


def draw_text(canvas: Canvas, frame: Frame, note: Settings) -> None:
    """A text of our markup beside its anchor."""
    font = note.get("font", {})
    pad = float(note.get("borderpad", 1)) + float(note.get("borderwidth", 1) if note.get("bordercolor") else 0)
    side, upright = note.get("xanchor", "center"), note.get("yanchor", "middle")
    if not _is_on_axes(frame, note):
        return
    x = frame.note_px("x", note.get("xref", "paper"), note["x"]) + float(note.get("xshift", 0))
    y = frame.note_px("y", note.get("yref", "paper"), note["y"]) + float(note.get("yshift", 0))
    if note.get("showarrow"):
        _draw_arrow(canvas, (x, y), (float(note.get("ax", -10)), -float(note.get("ay", -30))), note)
        x, y = x + float(note.get("ax", -10)), y - float(note.get("ay", -30))
    canvas.text(
        x + _INWARD[side] * pad,
        y + _INWARD[upright] * pad,
        note["text"],
        float(font.get("size", look.FONT_PX)),
        font.get("color", look.INK),
        x_anchor=side,
        y_anchor=upright,
        turned=-int(note.get("textangle", 0)),
        background=note.get("bgcolor"),
        edge=note.get("bordercolor"),
        pad_px=pad,
    )


def _is_on_axes(frame: Frame, note: Settings) -> bool:
    """Whether its place is inside the axes that it is given in the data of; a page shows no other."""
    for direction in ("x", "y"):
        reference = note.get(f"{direction}ref", "paper")
        if reference == "paper" or reference.endswith(" domain"):
            continue
        axis = frame.axis(reference)
        if (
            not -_ROUNDING_PX
            <= frame.note_px(direction, reference, note[direction]) - axis.start_px
            <= axis.length_px + _ROUNDING_PX
        ):
            return False
    return True


def _draw_arrow(canvas: Canvas, point: tuple[float, float], tail: tuple[float, float], note: Settings) -> None:
    """A line from the text to just before the point, with a head."""
    color, width = note.get("arrowcolor", look.INK), float(note.get("arrowwidth", 1))
    start, tip = np.array(point) + np.array(tail), np.array(point)
    along = (tip - start) / np.hypot(*(tip - start))
    across = np.array([-along[1], along[0]])
    head = tip - _HEAD_PX * along
    canvas.segments([np.array([start, head])], color, width)
    canvas.polygons([np.array([tip, head + _HEAD_PX / 3 * across, head - _HEAD_PX / 3 * across])], color, 1.0)


def _ends(frame: Frame, shape: Settings, name: str) -> tuple[float, float]:
    """Both ends along a direction; in pixels from an anchor where the shape says so."""
    place = frame.x_px if name == "x" else frame.y_px
    reference = shape.get(f"{name}ref") or "paper"
    if shape.get(f"{name}sizemode") == "pixel":
        anchor = place(reference, shape[f"{name}anchor"])
        return anchor + float(shape[f"{name}0"]), anchor + float(shape[f"{name}1"])
    return place(reference, shape[f"{name}0"]), place(reference, shape[f"{name}1"])


def _clip(frame: Frame, shape: Settings) -> Box:
    return frame.clip(shape.get("xref") or "paper", shape.get("yref") or "paper")


def _cut(box: Box, clip: Box) -> Box | None:
    x0, y0, x1, y1 = max(box[0], clip[0]), max(box[1], clip[1]), min(box[2], clip[2]), min(box[3], clip[3])
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _path(frame: Frame, shape: Settings) -> list[NDArray[np.float64]]:
    """The straight lines of an SVG path that moves and draws, `M x,y L x,y …`."""
    found = []
    for part in shape["path"].split("M")[1:]:
        points = [each.strip().split(",") for each in part.split(" L ")]
        found.append(np.array([(frame.x_px(shape["xref"], x), frame.y_px(shape["yref"], float(y))) for x, y in points]))
    return found
