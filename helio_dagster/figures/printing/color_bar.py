"""A colour bar on a sheet: the colours, its frame, ticks, and a title beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.figures import look
from helio_dagster.figures.printing.canvas import Canvas
from helio_dagster.figures.printing.frame import Frame, Settings
from helio_dagster.figures.text_width import width_px
from helio_dagster.figures.ticks import Ticks, linear_ticks

_LABEL_GAP_PX = 4.0
_TITLE_GAP_PX = 8.0


def draw_color_bar(
    canvas: Canvas, frame: Frame, bar: Settings, limits: tuple[float, float], table: NDArray[np.float64]
) -> None:
    """Draw it where plotly's settings say.

    Parameters
    ----------
    limits
        What the lowest and the highest colour stand for.
    table
        Colours from the lowest to the highest, shape (colour, 3).
    """
    left = frame.x_px("paper", bar.get("x", 1)) + bar.get("xpad", 10)
    middle = frame.y_px("paper", bar.get("y", 0.5))
    half = bar.get("len", 1) * (frame.top - frame.bottom) / 2
    box = (left, middle - half, left + bar.get("thickness", 13), middle + half)
    colors = np.full((len(table), 1, 4), 255, dtype=np.uint8)
    colors[:, 0, :3] = np.round(255 * table)
    canvas.image(box, colors)
    canvas.rectangle(box, None, edge=bar.get("outlinecolor", look.FRAME), edge_px=bar.get("outlinewidth", 1))
    ticks = _ticks(bar, limits)
    low, high = limits
    size = bar.get("tickfont", {}).get("size", 11)
    length = bar.get("ticklen", 3)
    widest = 0.0
    for value, label in zip(ticks.values, ticks.labels, strict=True):
        place = box[1] + (value - low) / ((high - low) or 1) * (box[3] - box[1])
        if not box[1] - 0.5 <= place <= box[3] + 0.5:
            continue
        canvas.segments([np.array([(box[2] - length, place), (box[2], place)])], look.FRAME, 1)
        canvas.text(box[2] + _LABEL_GAP_PX, place, label, size, look.INK, y_anchor="middle")
        widest = max(widest, width_px(label, size))
    title = bar.get("title", {})
    if title.get("text"):
        font = title.get("font", {}).get("size", 12)
        lines = title["text"].count("<br>") + 1
        across = box[2] + _LABEL_GAP_PX + widest + _TITLE_GAP_PX + 0.65 * font * lines
        canvas.text(across, middle, title["text"], font, look.INK, x_anchor="center", y_anchor="middle", turned=90)


def _ticks(bar: Settings, limits: tuple[float, float]) -> Ticks:
    if bar.get("tickvals") is not None:
        return Ticks(tuple(map(float, bar["tickvals"])), tuple(map(str, bar["ticktext"])))
    return linear_ticks(*limits, most=bar.get("nticks") or 5)
