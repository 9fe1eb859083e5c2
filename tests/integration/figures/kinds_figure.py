"""Figures of the panels that are not over time, from made-up data: the same each time."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.sheet import SCREEN, Sheet
from tests.integration.figures.storm_figure import DAY, MINUTES, storm_tables

FIGURE = {
    "title": "Panels of their own axes",
    "panels": [
        {"traces": [{"data": "one"}, {"data": "other"}], "orbit": {"magnetopause": True, "bow_shock": True}},
        {"traces": [{"data": "one"}], "orbit": {"planes": ["XR"]}},
        {"traces": [{"data": "one"}]},
        {"traces": [{"data": "one"}], "calendar": {"cell": "hour"}},
        {"traces": [{"data": "flux"}], "cut": {"at": ["2023-01-02T06:00", "2023-01-02T18:00"]}},
        {"traces": [{"data": "speed"}], "each": {"events": "events", "before": "PT2H", "after": "PT4H"}},
        {"traces": [{"data": "probe"}], "polar": {"speed": 350}},
    ],
}


def kinds_figure(sheet: Sheet = SCREEN) -> go.Figure:
    """Orbits, and a panel over time."""
    return draw(Figure.model_validate(FIGURE), kinds_tables(), DAY, title="", sheet=sheet)


def kinds_tables() -> dict[str, Table]:
    """The figure's tables by reference."""
    storm, events = storm_tables()
    storm |= {"events": events}
    shared = {name: storm[name] for name in ("flux", "speed", "events")}
    return {"one": positions(12, 9, 0.4), "other": positions(-7, 5, 0.1), "probe": probe(), **shared}


def probe(*, frame: str | None = "HCI") -> Table:
    """A day about the Sun, a position a minute: from 0.3 to 0.35 AU, from 200 to 206 deg."""
    time = np.datetime64("2023-01-02", "ns") + np.arange(MINUTES) * np.timedelta64(1, "m")
    columns = (ColumnMeta(name="r", unit="AU", label="distance"), ColumnMeta(name="lon", unit="deg", label="longitude"))
    values = {"r": np.linspace(0.3, 0.35, MINUTES), "lon": np.linspace(200, 206, MINUTES)}
    return Table(time, values, TableMeta(kind="points", columns=columns, frame=frame))


def positions(long_re: float, short_re: float, inclination: float, *, unit: str = "km", frame: str | None = "GSE") -> Table:
    """A day on an ellipse about Earth, a position a minute."""
    time = np.datetime64("2023-01-02", "ns") + np.arange(MINUTES) * np.timedelta64(1, "m")
    angle = np.linspace(0.3, 2 * np.pi + 0.3, MINUTES)
    km = {"km": 6371.2, "R_E": 1.0}[unit]
    x = long_re * (np.cos(angle) - 0.6)
    y, z = (short_re * np.sin(angle) * part for part in (np.cos(inclination), np.sin(inclination)))
    columns = tuple(ColumnMeta(name=name, label=f"{name} GSE") for name in "XYZ")
    values = {name: each * km for name, each in zip("XYZ", (x, y, z), strict=True)}
    return Table(time, values, TableMeta(kind="vector", columns=columns, unit=unit, frame=frame))
