"""Times along an orbit: at which moments, where, and what stands beside each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.figures.cells import Cell
from helio_dagster.figures.gaps import find_gaps
from helio_dagster.figures.text_width import width_px

Floats = NDArray[np.float64]
_MINUTE_MS, _HOUR_MS, _DAY_MS = 6e4, 3.6e6, 8.64e7
_STEPS_MS = (
    *(count * _MINUTE_MS for count in (1, 2, 5, 10, 15, 30)),
    *(count * _HOUR_MS for count in (1, 2, 3, 6, 12)),
    *(count * _DAY_MS for count in (1, 2, 5, 10, 30, 91, 182, 365)),
)
_MOST_MARKS, _MOST_ASKED = 8, 400
_FONT_PX, _LINE_PX, _AWAY_PX, _UP_PX = 11, 14.0, 8.0, 5.0
_PATH_STEP_PX, _MOST_PATH_STEPS = 3.0, 500
"""How far apart the points are by which a path is known to labels, and how many a straight piece has at most."""
_Number = TypeVar("_Number", float, Floats)
_Box = tuple[float, float, float, float]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ASIDE = 0.35
"""From which share of the way on a label stands at the side of its mark rather than above or below."""


def _has_point_in(path: Floats, box: _Box) -> bool:
    x, y = path
    return bool(((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])).any())


def mark_times_ms(tracks_ms: Sequence[Floats], every: timedelta | None) -> Floats:
    """Moments to mark along all tracks: round times, as far apart as asked or about eight in all; at most 400.

    Parameters
    ----------
    tracks_ms
        Times of each track in ms since 1970, ascending, shape (record,).
    every
        How far apart, if that is asked for.

    Returns
    -------
    ndarray
        float64, ms since 1970, shape (moment,).
    """
    known = [times for times in tracks_ms if len(times)]
    if not known:
        return np.empty(0)
    start, stop = min(float(times[0]) for times in known), max(float(times[-1]) for times in known)
    step = every.total_seconds() * 1e3 if every is not None else _round_step(stop - start)
    step *= max(1, np.ceil((stop - start) / step / _MOST_ASKED))
    moments: Floats = np.arange(np.ceil(start / step), np.floor(stop / step) + 1) * step
    return moments


def _round_step(length_ms: float) -> float:
    return next((step for step in _STEPS_MS if length_ms / step <= _MOST_MARKS), _STEPS_MS[-1])


def at_times(time_ms: Floats, places: Floats, is_known: NDArray[np.bool_], moments_ms: Floats) -> Floats:
    """Positions at moments, on the straight line between the neighbouring records; NaN in gaps and outside.

    Parameters
    ----------
    time_ms
        Times in ms since 1970, ascending, shape (record,).
    places
        Positions in any unit, shape (coordinate, record).
    is_known
        Which records have a position, shape (record,).
    moments_ms
        Times in ms since 1970, shape (moment,).

    Returns
    -------
    ndarray
        float64, in the unit of the positions, shape (coordinate, moment).
    """
    found = np.full((len(places), len(moments_ms)), np.nan)
    kept = np.flatnonzero(is_known)
    if not len(kept) or not len(moments_ms):
        return found
    times = time_ms[kept]
    gaps = find_gaps(times)
    after = np.searchsorted(times, moments_ms)
    is_exact = np.isin(moments_ms, times)
    is_inside = (moments_ms >= times[0]) & (moments_ms <= times[-1]) & (is_exact | ~np.isin(after, gaps))
    for row, values in enumerate(places):
        found[row, is_inside] = np.interp(moments_ms[is_inside], times, values[kept])
    return found


def mark_words(moments_ms: Floats) -> list[str]:
    """What is written beside each mark, shape (moment,) in ms since 1970: the time of day, and the day at midnight."""
    words = []
    are_days = not (moments_ms % _DAY_MS).any()
    for moment in moments_ms.tolist():
        time = _EPOCH + timedelta(milliseconds=moment)
        is_day = are_days or (time.hour, time.minute, time.second) == (0, 0, 0)
        year = f" {time:%Y}" if are_days and len(moments_ms) > 1 and moments_ms[-1] - moments_ms[0] > 300 * _DAY_MS else ""
        words.append(f"{time.day} {time:%b}{year}" if is_day else f"{time:%H:%M}" if not time.second else f"{time:%H:%M:%S}")
    return words


class Labels:
    """Labels of marks in one subplot, away from its centre; those that would lie over another are left out.

    Parameters
    ----------
    px_per_unit
        How long a unit of the axes is.
    limits
        Ends of both axes.
    """

    def __init__(self, cell: Cell, px_per_unit: float, limits: tuple[tuple[float, float], tuple[float, float]]) -> None:
        self._cell, self._px = cell, px_per_unit
        self._limits = limits
        self._taken: list[_Box] = []
        self._paths: list[Floats] = []

    def block(self, x: float, y: float, half_px: float) -> None:
        """Keep a place free of labels: there is a mark."""
        at_x, at_y = self._at(x, y)
        self._taken.append((at_x - half_px, at_y - half_px, at_x + half_px, at_y + half_px))

    def keep_clear(self, path: Floats) -> None:
        """Keep labels off a path, shape (2, point), broken where it is NaN."""
        (x0, y0), (x1, y1) = (np.stack(self._at(*each)) for each in (path[:, :-1], path[:, 1:]))
        long = np.hypot(x1 - x0, y1 - y0)
        count = np.clip(np.nan_to_num(long) / _PATH_STEP_PX, 0, _MOST_PATH_STEPS).astype(np.intp) + 1
        count[~np.isfinite(long)] = 0
        first = np.repeat(np.cumsum(count) - count, count)
        share = (np.arange(count.sum()) - first) / np.repeat(np.maximum(count, 1), count)
        ends = [np.repeat(each, count) for each in (x0, y0, x1, y1)]
        self._paths.append(np.stack([ends[0] + share * (ends[2] - ends[0]), ends[1] + share * (ends[3] - ends[1])]))

    def add(self, x: float, y: float, text: str, color: str) -> go.layout.Annotation | None:
        """The label of a mark at a place; None where there is no room."""
        (x_low, x_high), (y_low, y_high) = self._limits
        if not (x_low <= x <= x_high and y_low <= y <= y_high):
            return None
        is_around = x_low < 0 < x_high and y_low < 0 < y_high
        out_x, out_y = (x, y) if is_around else (x - (x_low + x_high) / 2, y - (y_low + y_high) / 2)
        far = float(np.hypot(out_x, out_y)) or 1.0
        side, rise = (0 if abs(each) < _ASIDE else 1 if each > 0 else -1 for each in (out_x / far, out_y / far))
        tries = dict.fromkeys([(side, rise), (-side, -rise), (0, 1), (0, -1), (1, 0), (-1, 0)])
        for side, rise in tries:
            if (side or rise) and self._is_free(box := self._box(x, y, width_px(text, _FONT_PX), side, rise)):
                self._taken.append(box)
                return self._label(x, y, text, color, side, rise)
        return None

    def _at(self, x: _Number, y: _Number) -> tuple[_Number, _Number]:
        return (x - self._limits[0][0]) * self._px, (y - self._limits[1][0]) * self._px

    def _box(self, x: float, y: float, width: float, side: int, rise: int) -> _Box:
        at_x, at_y = self._at(x, y)
        left = at_x + side * _AWAY_PX - {1: 0.0, 0: width / 2, -1: width}[side]
        low = at_y + rise * _UP_PX - {1: 0.0, 0: _LINE_PX / 2, -1: _LINE_PX}[rise]
        return (left, low, left + width, low + _LINE_PX)

    def _is_free(self, box: _Box) -> bool:
        width, height = self._at(self._limits[0][1], self._limits[1][1])
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            return False
        if any(_has_point_in(path, box) for path in self._paths):
            return False
        return not any(box[0] < each[2] and each[0] < box[2] and box[1] < each[3] and each[1] < box[3] for each in self._taken)

    def _label(self, x: float, y: float, text: str, color: str, side: int, rise: int) -> go.layout.Annotation:
        return go.layout.Annotation(
            xref=self._cell.x,
            yref=self._cell.y,
            x=x,
            y=y,
            xshift=side * _AWAY_PX,
            yshift=rise * _UP_PX,
            xanchor={1: "left", 0: "center", -1: "right"}[side],
            yanchor={1: "bottom", 0: "middle", -1: "top"}[rise],
            text=text,
            showarrow=False,
            borderpad=0,
            font={"size": _FONT_PX, "color": color},
        )
