"""Tracks in a subplot with equal axes: paths with start, stop and marks of time, and their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.figures import look
from helio_dagster.figures.cells import Cell
from helio_dagster.figures.gaps import find_gaps
from helio_dagster.figures.given_ends import Limits
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.parts import Parts, fit_label
from helio_dagster.figures.positions import Track
from helio_dagster.figures.time_marks import Labels, at_times, mark_times_ms, mark_words

MOST_POINTS = 10_000
"""Positions of a track beyond which only every second, third … is drawn."""
_AVOIDED_PX = 1.0
_MARK_PX, _START_PX, _STOP_PX = 5.0, 13.0, 7.5

Floats = NDArray[np.float64]
NamedPlace = tuple[float, float, str, str]
"""A place with its label, and the label's colour."""


@dataclass(frozen=True)
class DrawnTrack:
    """A track as a subplot shows it: its places there, shape (2, record)."""

    track: Track
    places: Floats
    is_dotted: bool = False


def track_labels(tracks: Sequence[Track], room_px: float, *, is_named: bool) -> list[tuple[str, str]]:
    """Markup and colour of labels: names where there are several or where asked for, start and stop."""
    items: list[tuple[str, str]] = []
    spans = [_ends_words(track) for track in tracks]
    is_one = len({span for span in spans if span}) == 1
    for track, span in zip(tracks, spans, strict=True):
        if len(tracks) > 1 or is_named:
            text = track.label if span else f"{track.label}: no data"
            items.append((fit_label(text, room_px), track.color if span else look.QUIET))
        if span and not is_one:
            items += [(f"● {span[0]}", track.color), (f"■ {span[1]}", track.color)]
    if is_one:
        first, last = next(span for span in spans if span)
        color = tracks[0].color if len(tracks) == 1 else look.INK
        items += [(f"● start {first}", color), (f"■ stop {last}", color)]
    return items


def add_tracks(
    parts: Parts,
    tracks: Sequence[DrawnTrack],
    cell: Cell,
    limits: tuple[Limits, Limits],
    every: timedelta | None,
    *,
    others: Sequence[NamedPlace] = (),
    avoid: Sequence[tuple[float, float]] = (),
) -> None:
    """Draw tracks into a subplot with these limits, with labelled marks at round times.

    `others` are labelled before them; no label is over the places to `avoid`.
    """
    labels = Labels(cell, px_per_unit(cell, *limits), limits)
    for x, y in avoid:
        labels.block(x, y, _AVOIDED_PX)
    named = [labels.add(x, y, text, color) for x, y, text, color in others]
    parts.annotations += [label for label in named if label is not None]
    moments = mark_times_ms([each.track.time_ms[each.track.is_known] for each in tracks], every)
    marked = [at_times(each.track.time_ms, each.places, each.track.is_known, moments) for each in tracks]
    for x, y in (place for marks in marked for place in marks.T.tolist()):
        if np.isfinite((x, y)).all():
            labels.block(x, y, _MARK_PX / 2)
    for each in tracks:
        labels.keep_clear(np.where(each.track.is_known, each.places, np.nan))
    for each, marks in zip(tracks, marked, strict=True):
        if not each.track.is_known.any():
            continue
        parts.traces.append(_path_trace(each, cell))
        parts.traces.append(_mark_trace(each.track, marks, cell))
        parts.traces += _ends_traces(each, cell)
        for (x, y), words in zip(marks.T.tolist(), mark_words(moments), strict=True):
            label = labels.add(x, y, words, each.track.color) if np.isfinite((x, y)).all() else None
            if label is not None:
                parts.annotations.append(label)


def px_per_unit(cell: Cell, x_limits: Limits, y_limits: Limits) -> float:
    """How long a unit of equal axes is."""
    return min(cell.width_px / (x_limits[1] - x_limits[0]), cell.place.height_px / (y_limits[1] - y_limits[0]))


def _path_trace(drawn: DrawnTrack, cell: Cell) -> go.Scatter:
    """Positions joined in order of time, broken where records or values are missing; hovering tells the time."""
    track, (x, y) = drawn.track, drawn.places
    kept = np.flatnonzero(track.is_known)
    every = math.ceil(len(kept) / MOST_POINTS)
    thin = np.unique(np.append(kept[::every], kept[-1]))
    is_break = np.zeros(len(x) + 1, dtype=np.intp)
    is_break[find_gaps(track.time_ms)] = 1
    piece = np.cumsum(is_break[:-1] + ~track.is_known)[thin]
    breaks = np.flatnonzero(np.diff(piece)) + 1
    drawn_x, drawn_y, times = (np.insert(values[thin], breaks, np.nan) for values in (x, y, track.time_ms))
    lone = len(thin) == 1
    look_of = (
        {"mode": "markers", "marker": {"size": 3.0, "color": track.color}} if drawn.is_dotted or lone else {"mode": "lines"}
    )
    return go.Scatter(
        x=drawn_x,
        y=drawn_y,
        customdata=times,
        line={"color": track.color, "width": track.width},
        connectgaps=False,
        name=label_to_html(track.label),
        meta={"samples": len(kept)} if every > 1 else None,
        hovertemplate="%{customdata|%Y-%m-%d %H:%M:%S}<br>%{x:.4g}, %{y:.4g}",
        **look_of,
        **cell.axes,
    )


def _mark_trace(track: Track, marks: Floats, cell: Cell) -> go.Scatter:
    """Small discs at the marked times."""
    known = np.isfinite(marks).all(axis=0)
    marker = {"size": _MARK_PX, "color": "white", "line": {"color": track.color, "width": 1.2}}
    name = label_to_html(track.label)
    return go.Scatter(
        x=marks[0][known], y=marks[1][known], mode="markers", marker=marker, hoverinfo="skip", name=name, **cell.axes
    )


def _ends_traces(drawn: DrawnTrack, cell: Cell) -> list[BaseTraceType]:
    """A disc where the track starts, a square where it stops."""
    track, (x, y) = drawn.track, drawn.places
    ends = np.flatnonzero(track.is_known)[[0, -1]]
    name, edge = label_to_html(track.label), {"color": "white", "width": 1.5}
    return [
        go.Scatter(
            x=x[[end]],
            y=y[[end]],
            mode="markers",
            marker={"size": size, "symbol": symbol, "color": track.color, "line": edge},
            hoverinfo="skip",
            name=name,
            **cell.axes,
        )
        for end, size, symbol in zip(ends, (_START_PX, _STOP_PX), ("circle", "square"), strict=True)
    ]


def _ends_words(track: Track) -> tuple[str, str] | None:
    """Start and stop of a track in words; None without a position."""
    known = track.time_ms[track.is_known]
    if not len(known):
        return None
    first, last = time_words((known[[0, -1]] * 1e6).astype("datetime64[ns]").astype("datetime64[s]"))
    return first, last
