"""What is at the origin of an orbit, to scale: Earth with its night side, or the Sun."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.figure_kinds import Plane
from helio_dagster.figures import look
from helio_dagster.figures.cells import Cell

LEAST_PX = 3.0
"""Radius below which a body is drawn as a dot of one size."""
SUN_COLOR, _SUN_EDGE = "#F2C14E", look.EVENT_EDGE
_DAY, _NIGHT, _PLAIN = "#FFFFFF", "#3A4249", "#C9D3D9"
_DOT_PX = 9.0
_POINTS = 91


def body_traces(
    body: str, radius: float, px_per_unit: float, plane: Plane, cell: Cell, *, is_sunward: bool
) -> list[BaseTraceType]:
    """The body in one plane.

    Parameters
    ----------
    body
        `earth` or `sun`.
    radius
        In the unit of the axes.
    px_per_unit
        How long that unit is.
    is_sunward
        Whether X is towards the Sun: then half of Earth is in the night, in planes with X.
    """
    name = "Earth" if body == "earth" else "Sun"
    if radius * px_per_unit < LEAST_PX:
        fill, edge = (look.BLUE, "white") if body == "earth" else (SUN_COLOR, _SUN_EDGE)
        marker = {"size": _DOT_PX, "color": fill, "line": {"color": edge, "width": 1}}
        return [go.Scatter(x=[0], y=[0], mode="markers", marker=marker, hoverinfo="name", name=name, **cell.axes)]
    whole = np.linspace(0, np.pi if plane == "XR" else 2 * np.pi, _POINTS)
    if body == "sun":
        return [_disc(radius, whole, SUN_COLOR, name, cell), _edge(radius, whole, _SUN_EDGE, name, cell)]
    found = [_disc(radius, whole, _DAY if is_sunward else _PLAIN, name, cell)]
    if is_sunward and plane != "YZ":  # from the Sun no night is seen
        night = np.linspace(np.pi / 2, np.pi if plane == "XR" else 1.5 * np.pi, _POINTS)
        found.append(_disc(radius, night, _NIGHT, f"{name}, night", cell, has_centre=plane == "XR"))
    return [*found, _edge(radius, whole, look.INK, name, cell)]


def _disc(radius: float, angles: np.ndarray, color: str, name: str, cell: Cell, *, has_centre: bool = False) -> go.Scatter:
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    if has_centre:
        x, y = np.append(x, 0.0), np.append(y, 0.0)
    return go.Scatter(
        x=x, y=y, mode="lines", line={"width": 0}, fill="toself", fillcolor=color, hoverinfo="skip", name=name, **cell.axes
    )


def _edge(radius: float, angles: np.ndarray, color: str, name: str, cell: Cell) -> go.Scatter:
    line = {"color": color, "width": 1}
    return go.Scatter(
        x=radius * np.cos(angles), y=radius * np.sin(angles), mode="lines", line=line, hoverinfo="skip", name=name, **cell.axes
    )
