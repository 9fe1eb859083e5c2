"""A figure with panels of every kind, from made-up data: the same each time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import plotly.graph_objects as go

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.sheet import SCREEN, Sheet

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
MINUTES = 1440
FIGURE: dict[str, Any] = {
    "title": "Storm with all kinds of panels",
    "panels": [
        {"traces": [{"data": "b"}, {"data": "speed"}]},
        {"traces": [{"data": "density"}], "y": {"scale": "log"}},
        {"traces": [{"data": "flux"}]},
        {"traces": [{"data": "hodogram"}]},
        {"traces": [{"data": "facts"}]},
    ],
    "events": "events",
}


def storm_figure(sheet: Sheet = SCREEN) -> go.Figure:
    """Two units, a log axis, a spectrogram, points of one vector, facts, and two marked events."""
    tables, events = storm_tables()
    return draw(Figure.model_validate(FIGURE), tables, DAY, title="", events=events, sheet=sheet)


COLUMNS = {**FIGURE, "panels": [*FIGURE["panels"][:3], *({**panel, "column": 2} for panel in FIGURE["panels"][3:])]}


def columns_figure(sheet: Sheet = SCREEN) -> go.Figure:
    """The same with hodogram and facts beside the panels over time."""
    tables, events = storm_tables()
    return draw(Figure.model_validate(COLUMNS), tables, DAY, title="", events=events, sheet=sheet)


def storm_tables() -> tuple[dict[str, Table], Table]:
    """The figure's tables by reference, and its events."""
    rng = np.random.default_rng(4)
    time = np.datetime64("2023-01-02", "ns") + np.arange(MINUTES) * np.timedelta64(1, "m")
    b, speed = rng.normal(0, 3, (3, MINUTES)).cumsum(axis=1) / 10, 400 + rng.normal(0, 2, MINUTES).cumsum()
    density = np.exp(rng.normal(0, 0.05, MINUTES).cumsum()) * 5
    flux = np.exp(rng.normal(0, 1, (MINUTES, 12)))
    bins = BinAxis(label="Energy", unit="eV", scale="log", centers=tuple(float(10 ** (1 + each / 4)) for each in range(12)))
    columns = tuple(ColumnMeta(name=f"f{each}") for each in range(12))
    tables = {
        "b": _table(
            time, dict(zip("xyz", b, strict=True)), TableMeta(kind="vector", columns=_named("xyz"), unit="nT", label="B")
        ),
        "speed": _table(time, {"v": speed}, TableMeta(kind="series", columns=_named("v"), unit="km/s", label="Speed")),
        "density": _table(time, {"n": density}, TableMeta(kind="series", columns=_named("n"), unit="cm^-3", label="Density")),
        "flux": _table(
            time,
            {f"f{each}": flux[:, each] for each in range(12)},
            TableMeta(kind="spectrogram", columns=columns, unit="1/(cm^2 s sr eV)", label="Flux", bins=bins, scale="log"),
        ),
        "hodogram": _table(
            time,
            {"by": b[1], "bz": b[2]},
            TableMeta(
                kind="points",
                frame="GSE",
                columns=(ColumnMeta(name="by", label="By"), ColumnMeta(name="bz", label="Bz")),
                unit="nT",
            ),
        ),
        "facts": _table(
            time[:1], {"lag": np.array([34.0])}, TableMeta(kind="facts", columns=(ColumnMeta(name="lag", unit="min"),))
        ),
    }
    events = _table(
        time[[300, 900]],
        {"stop": time[[420, 960]], "name": np.array(["shock", "cloud"], dtype=object)},
        TableMeta(kind="events", columns=(ColumnMeta(name="stop", role="stop"), ColumnMeta(name="name"))),
    )
    return tables, events


def _named(names: str) -> tuple[ColumnMeta, ...]:
    return tuple(ColumnMeta(name=name) for name in names)


def _table(time: np.ndarray, columns: dict[str, np.ndarray], meta: TableMeta) -> Table:
    return Table(time, columns, meta)
