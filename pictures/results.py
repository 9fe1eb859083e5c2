"""The pictures on the page of figures: one for each kind of result that is not a series, on the demo archive's storm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.demo.archive import DemoArchive
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.printing.picture import picture
from pictures.operations import SHOCK, STORM, Storm

_SEGMENT = 512
_CADENCE_S = 16.0
_FIT_HZ = (3e-4, 2e-2)
_SOUTHWARD_NT = -5.0


def draw_results(storm: Storm) -> Iterator[tuple[str, go.Figure]]:
    """Heading of the page and figure of each kind of result."""
    for heading, make in _FIGURES.items():
        yield heading, make(storm)


def draw_pictures() -> Iterator[tuple[str, bytes]]:
    """Heading and PNG; makes its data up in a temporary folder."""
    with (
        TemporaryDirectory() as cache,
        CdfReader(workers=1) as reader,
        DemoArchive(Path(cache), reader) as archive,
    ):
        for heading, figure in draw_results(Storm(archive)):
            yield heading, picture(figure, "png")


def _curves(storm: Storm) -> go.Figure:
    """The spectrum of |B| with the spread of its segments and the slope of its fit."""
    values = storm.table("b_mag", STORM)
    field = values.columns[values.meta.data_names[0]]
    known = np.isfinite(field)
    field = np.interp(np.arange(len(field)), np.flatnonzero(known), field[known])
    segments = field[: len(field) // _SEGMENT * _SEGMENT].reshape(-1, _SEGMENT)
    window = np.hanning(_SEGMENT)
    spectra = np.abs(np.fft.rfft((segments - segments.mean(axis=1, keepdims=True)) * window)) ** 2
    power = 2 * _CADENCE_S * spectra[:, 1:-1] / (window**2).sum()
    frequency = np.fft.rfftfreq(_SEGMENT, _CADENCE_S)[1:-1]
    density = "nT^2/Hz"
    columns = (
        ColumnMeta(name="frequency", label="Frequency", unit="Hz", role="axis"),
        ColumnMeta(name="power", label="|B| power", unit=density),
        ColumnMeta(name="low", unit=density, role="lower"),
        ColumnMeta(name="high", unit=density, role="upper"),
    )
    data = (frequency, np.median(power, axis=0), *np.percentile(power, [25, 75], axis=0))
    axis = BinAxis(label="Frequency", unit="Hz", scale="log")
    meta = TableMeta(kind="curve", columns=columns, unit=density, scale="log", bins=axis, synthetic=True)
    spectrum = _table(np.full(len(frequency), values.time[0]), data, meta)
    is_fitted = (frequency >= _FIT_HZ[0]) & (frequency <= _FIT_HZ[1])
    x, y = np.log10(frequency[is_fitted]), np.log10(data[1][is_fitted])
    (slope, intercept), covariance = np.polyfit(x, y, 1, cov=True)
    error = np.sqrt(np.diag(covariance))
    fit = {"slope": (slope, error[0], ""), "intercept": (intercept, error[1], ""), "r": (np.corrcoef(x, y)[0, 1], np.nan, "")}
    limits = {name: (edge, np.nan, "Hz") for name, edge in zip(("x_from", "x_to"), _FIT_HZ, strict=True)}
    tables = {"spectrum": spectrum, "slope": _facts("fit", {**fit, **limits}, STORM)}
    return _drawn("Spectrum of the field", STORM, tables, [["spectrum", "slope"]])


def _points(storm: Storm) -> go.Figure:
    """The field through the shock, one component over another."""
    vector = storm.table("b", SHOCK)
    y, z = vector.meta.data_names[1:3]
    columns = tuple(replaced.model_copy(update={"unit": "nT"}) for replaced in vector.meta.columns[1:3])
    meta = TableMeta(kind="points", columns=columns, unit="nT", frame="GSE", label="Hodogram", synthetic=True)
    hodogram = replace(vector, columns={y: vector.columns[y], z: vector.columns[z]}, meta=meta)
    return _drawn("Hodogram through the shock", SHOCK, {"hodogram": hodogram}, [["hodogram"]])


def _facts_panel(storm: Storm) -> go.Figure:
    """|B| and what it comes to."""
    field = storm.table("b_mag", STORM)
    values = field.columns[field.meta.data_names[0]]
    facts = {
        "mean": (np.nanmean(values), np.nanstd(values) / np.sqrt(len(values)), "nT"),
        "largest": (np.nanmax(values), np.nan, "nT"),
        "median": (np.nanmedian(values), np.nan, "nT"),
    }
    return _drawn("A day in numbers", STORM, {"b": field, "facts": _facts("|B|", facts, STORM)}, [["b"], ["facts"]])


def _events(storm: Storm) -> go.Figure:
    """Intervals of a southward field behind the field itself."""
    vector = storm.table("b_gsm", STORM)
    is_south = vector.columns[vector.meta.data_names[2]] < _SOUTHWARD_NT
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_south.astype(int), [0]])))
    starts, stops = vector.time[edges[::2]], vector.time[np.minimum(edges[1::2], len(vector.time) - 1)]
    meta = TableMeta(kind="events", columns=(ColumnMeta(name="stop", role="stop"),), label="Bz < −5 nT", synthetic=True)
    tables = {"b": vector, "southward": Table(starts, {"stop": stops}, meta)}
    return _drawn("Southward field", STORM, tables, [["b", "southward"], ["southward"]])


_FIGURES: Mapping[str, Callable[[Storm], go.Figure]] = {
    "Curves": _curves,
    "Points": _points,
    "Facts": _facts_panel,
    "Events": _events,
}
HEADINGS = tuple(_FIGURES)
"""Headings of the page of figures that a picture belongs to."""


def _facts(label: str, given: Mapping[str, tuple[float, float, str]], span: TimeRange) -> Table:
    """Name to value, uncertainty and unit, as a table of facts over a range."""
    columns = [
        column
        for name, (_, _, unit) in given.items()
        for column in (ColumnMeta(name=name, unit=unit), ColumnMeta(name=f"{name}_error", unit=unit, role="uncertainty"))
    ]
    data = [np.array([number]) for value, error, _ in given.values() for number in (value, error)]
    meta = TableMeta(kind="facts", columns=tuple(columns), label=label, synthetic=True)
    return _table(np.array([span.bounds_ns()[0]]), data, meta)


def _table(time: NDArray[np.datetime64], data: Sequence[object], meta: TableMeta) -> Table:
    named = zip((column.name for column in meta.columns), data, strict=True)
    return Table(time, {name: np.asarray(values) for name, values in named}, meta)


def _drawn(title: str, span: TimeRange, tables: Mapping[str, Table], panels: list[list[str]]) -> go.Figure:
    given = [{"traces": [{"data": reference} for reference in panel]} for panel in panels]
    return draw(Figure.model_validate({"panels": given}), tables, span, title=title)
