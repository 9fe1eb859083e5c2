"""Tables of every kind, small and with what is hard to say in a file: missing values, times, texts, axes that vary."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.compute.operations.results import (
    count_column,
    curve_meta,
    curve_table,
    events_meta,
    fact,
    facts_meta,
    facts_table,
    map_meta,
    map_table,
    uncertain_fact,
)
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.table import BinAxis, ColumnMeta, Role, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import parse_span
from helio_dagster.launch.exporting.cdf_file import write_cdf
from helio_dagster.launch.exporting.header import Header
from helio_dagster.launch.exporting.netcdf_file import write_netcdf
from helio_dagster.launch.exporting.records import GRIDDED, Block, Survey, grid_block, survey_blocks, table_block
from helio_dagster.launch.exporting.variable import Variable
from helio_dagster.launch.exporting.variables import lay_out

Write = Callable[..., Path]


def _times(count: int, step_s: float = 60.0, start: str = "2016-12-31T23:50") -> np.ndarray:
    """Across the leap second at the end of 2016."""
    return np.datetime64(start, "ns") + (np.arange(count) * step_s * 1e9).astype("timedelta64[ns]")


def _window(start: str, stop: str) -> TimeRange:
    return parse_span(start, stop, datetime(2026, 1, 1, tzinfo=UTC))


def _columns(names: list[str], unit: str = "nT", role: Role = "data") -> tuple[ColumnMeta, ...]:
    return tuple(ColumnMeta(name=name, label=name, unit=unit, role=role) for name in names)


def _vector() -> Table:
    values = np.random.default_rng(1).normal(0, 5, (40, 3)).astype("f4")
    values[3], values[5, 1] = np.nan, np.nan
    names = ["Bx GSE", "By GSE", "Bz β"]
    attributes = {"CATDESC": "Field", "VALIDMIN": [-100.0] * 3, "VALIDMAX": [100.0] * 3}
    meta = TableMeta(kind="vector", columns=_columns(names), label="B", unit="nT", frame="GSE", attributes=attributes)
    return Table(_times(40), dict(zip(names, values.T, strict=True)), meta)


def _spectrogram(*, varies: bool) -> Table:
    values = np.random.default_rng(2).lognormal(3, 1, (20, 4))
    values[2, 1] = np.nan
    names = [f"ch{place}" for place in range(4)]
    columns = _columns(names, "cm^-2 keV^-1 s^-1 sr^-1")
    arrays = dict(zip(names, values.T, strict=True))
    centers = np.array([50.0, 100.0, 200.0, 400.0])
    bins = BinAxis(label="energy", unit="keV", scale="log", centers=() if varies else tuple(centers))
    if varies:
        bin_names = [f"e{place}" for place in range(4)]
        columns += _columns(bin_names, "keV", "bin")
        changing = centers * np.linspace(1, 1.1, 20)[:, None]
        arrays |= dict(zip(bin_names, changing.T, strict=True))
    meta = TableMeta(kind="spectrogram", columns=columns, label="flux", unit=columns[0].unit, scale="log", bins=bins)
    return Table(_times(20), arrays, meta)


def _channels() -> Table:
    """Spectra over channels that have names, and no numbers of their own."""
    names = ["E1 38-53 keV", "E2 53-103 keV", "E3 103-175 keV", "E′4 β"]
    values = np.random.default_rng(3).lognormal(3, 1, (20, 4))
    bins = BinAxis(label="channel", centers=(1.0, 2.0, 3.0, 4.0))
    meta = TableMeta(kind="spectrogram", columns=_columns(names, "counts"), label="rate", unit="counts", bins=bins)
    return Table(_times(20), dict(zip(names, values.T, strict=True)), meta)


def _labelled() -> Table:
    """Records over energies and directions, which have names and no numbers."""
    axes = (
        RecordAxis(name="energy", label="energy", unit="keV", scale="log", size=2, values=(10.0, 100.0)),
        RecordAxis(name="look", label="direction", size=3, values=(1.0, 2.0, 3.0), labels=("sunward", "dusk", "south pole")),
    )
    values = np.random.default_rng(4).normal(5, 1, (20, 2, 3)).astype("f4")
    meta = TableMeta(kind="nd", columns=(ColumnMeta(name="out", label="flux", unit="counts"),), label="flux", axes=axes)
    return Table(_times(20), {"out": values}, meta)


def _distribution(*, is_double: bool = False) -> Table:
    values = np.random.default_rng(5).lognormal(0, 1, (20, 4, 3, 5)).astype("f8" if is_double else "f4")
    values[2, 1, 1, 1] = np.nan
    energies = np.geomspace(10, 1e4, 5) * np.linspace(1, 1.1, 20)[:, None]
    axes = (
        RecordAxis(name="azimuth", label="azimuth", unit="deg", size=4, values=(45.0, 135.0, 225.0, 315.0)),
        RecordAxis(name="polar angle", unit="deg", size=3, values=(30.0, 90.0, 150.0), widths=(60.0, 60.0, 60.0)),
        RecordAxis(name="energy", label="energy", unit="eV", scale="log", size=5, column="energy", width_column="energy_width"),
    )
    columns = (
        ColumnMeta(name="out", label="f", unit="s^3 cm^-6"),
        *_columns(["energy"], "eV", "bin"),
        *_columns(["energy_width"], "eV", "width"),
    )
    arrays = {"out": values, "energy": energies.astype("f4"), "energy_width": (energies / 4).astype("f4")}
    meta = TableMeta(kind="nd", columns=columns, label="f", unit="s^3 cm^-6", scale="log", axes=axes)
    return Table(_times(20), arrays, meta)


def _series() -> Table:
    columns = (
        *uncertain_fact("v", "speed", "km/s"),
        *fact("n", "density", "cm^-3"),
        *count_column("samples", "samples"),
    )
    values = np.linspace(300, 500, 30)
    values[7] = np.nan
    arrays = {
        "v": values,
        "v_uncertainty": np.full(30, 2.5),
        "n": np.linspace(1, 9, 30),
        "samples": np.arange(30),
    }
    return Table(_times(30), arrays, TableMeta(kind="series", columns=columns, label="wind"))


def _points() -> Table:
    meta = TableMeta(kind="points", columns=(*fact("vx", "vx", "km/s"), *fact("bz", "bz", "nT")))
    return Table(_times(25), {"vx": np.linspace(-500, -300, 25), "bz": np.linspace(-5, 5, 25)}, meta)


def _events() -> Table:
    name = ColumnMeta(name="title", label="title")
    meta = events_meta("storms", (*fact("dst", "least Dst", "nT"), name))
    start = np.array(["2003-10-29T06:11", "2003-10-29T06:11", "2003-11-20T08:00:00.000000001"], dtype="datetime64[ns]")
    stop = np.array(["2003-10-30T00:00", "NaT", "2003-11-21T00:00"], dtype="datetime64[ns]")
    texts = np.array(["Halloween", "é, with a comma", ""], dtype=object)
    duration = (stop - start).astype("timedelta64[ns]").astype("f8") / 3.6e12
    duration[1] = np.nan
    return Table(start, {"stop": stop, "duration": duration, "dst": np.array([-353.0, np.nan, -422.0]), "title": texts}, meta)


def _facts() -> Table:
    columns = (*uncertain_fact("slope", "slope"), *count_column("count", "count"), *fact("peak_time", "time of the peak"))
    meta = facts_meta("fit", columns)
    found: list[dict[str, float | np.datetime64]] = [
        {"slope": -1.66, "slope_uncertainty": 0.02, "count": 100, "peak_time": np.datetime64("2003-10-29T12:00:00", "ns")},
        {"count": 0, "peak_time": np.datetime64("NaT", "ns")},
    ]
    days = (_window("2003-10-29", "2003-10-30"), _window("2003-10-30", "2003-10-31"))
    return concatenate([facts_table(day, each, meta) for day, each in zip(days, found, strict=True)])


def _curve(*, is_ragged: bool = False) -> Table:
    axis = ("frequency", BinAxis(label="frequency", unit="Hz", scale="log"))
    meta = curve_meta("power", axis, (*uncertain_fact("power", "power", "nT^2 Hz^-1"), *count_column("count", "segments")))
    parts = []
    for place, day in enumerate((_window("2003-10-29", "2003-10-30"), _window("2003-10-30", "2003-10-31"))):
        size = 6 - 2 * place if is_ragged else 6
        frequency = np.arange(1, size + 1) / 100
        power = frequency**-1.66 * (place + 1)
        values = {"frequency": frequency, "power": power, "power_uncertainty": power / 10, "count": np.arange(size)}
        parts.append(curve_table(day, values, meta))
    return concatenate(parts)


def _map() -> Table:
    axes = (BinAxis(label="speed", unit="km/s"), BinAxis(label="density", unit="cm^-3", scale="log"))
    meta = map_meta("joint", ("v", "n"), axes, count_column("count", "count"))
    edges = (np.array([300.0, 400, 500, 600]), np.array([1.0, 10, 100]))
    first, second = _window("2003-10-29", "2003-10-30"), _window("2003-10-30", "2003-10-31")
    return concatenate(
        [map_table(first, edges, {"count": np.arange(6)}, meta), map_table(second, edges, {"count": np.arange(6) * 10}, meta)]
    )


def _with_extents(table: Table, kind: str) -> Table:
    """The same, with an extent for all records, or one for each, of which one is unknown."""
    if kind == "constant":
        return table.with_extents(Extents.constant(Extent(before_ns=20 * 10**9, after_ns=40 * 10**9 + 1), len(table)))
    before_ns = np.arange(len(table)) * 10**9
    is_known = np.arange(len(table)) != 2
    return table.with_extents(Extents(np.where(is_known, before_ns, 0), np.where(is_known, 7, 0), is_known))


KINDS: dict[str, Callable[[], Table]] = {
    "series": _series,
    "vector": _vector,
    "spectrogram": lambda: _spectrogram(varies=False),
    "varying": lambda: _spectrogram(varies=True),
    "channels": _channels,
    "distribution": _distribution,
    "labelled": _labelled,
    "points": _points,
    "events": _events,
    "facts": _facts,
    "curve": _curve,
    "ragged": lambda: _curve(is_ragged=True),
    "map": _map,
    "bins": lambda: _with_extents(_vector(), "constant"),
    "changing bins": lambda: _with_extents(_vector(), "by record"),
    "bins of spectra": lambda: _with_extents(_spectrogram(varies=True), "by record"),
    "bins of events": lambda: _with_extents(_events(), "by record"),
    "bins of curves": lambda: _with_extents(_curve(), "constant"),
}


@pytest.fixture(params=sorted(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind in turn."""
    return str(request.param)


@pytest.fixture
def make_kind() -> Callable[[str], Table]:
    """Makes the table of a kind."""
    return lambda kind: KINDS[kind]()


def make_header(table: Table, name: str = "out", cell_method: str = "") -> Header:
    """A header as of a computed step."""
    span = _window("2003-10-29", "2003-10-31")
    made = {"code": "abc", "operation": "magnitude"}
    return Header(
        asset="basic/out",
        name=name,
        meta=table.meta,
        title="A title",
        intent="What it is for",
        span=span,
        datasets=(),
        parents=("a.cdf", "b.cdf"),
        newest="2004-01-02",
        made_by=made,
        formula="Someone 1999",
        data_version="0123456789abcdef",
        partitions={"2003-10-29": "00"},
        cell_method=cell_method,
    )


def laid_out(table: Table, name: str = "out") -> tuple[Survey, list[Variable], list[Block]]:
    """A table as blocks, three where it can be cut."""
    if table.meta.kind in GRIDDED:
        block, shape = grid_block(table)
        blocks = [block]
    else:
        block, shape = table_block(table), ()
        cuts = sorted({0, len(table) // 3, len(table) // 2, len(table)})
        blocks = [
            Block(
                block.time[a:b],
                {key: values[a:b] for key, values in block.columns.items()},
                block.extents.take(slice(a, b)) if block.extents is not None else None,
            )
            for a, b in pairwise(cuts)
        ] or [block]
    survey = survey_blocks(table.meta, blocks, shape)
    return survey, lay_out(survey, name), blocks


@pytest.fixture
def as_netcdf(tmp_path: Path) -> Write:
    """Writes a table as netCDF; returns the path."""

    def write(table: Table, file: str = "out.nc", *, cell_method: str = "") -> Path:
        survey, variables, blocks = laid_out(table)
        write_netcdf(tmp_path / file, make_header(table, cell_method=cell_method), survey, variables, blocks)
        return tmp_path / file

    return write


@pytest.fixture
def as_cdf(tmp_path: Path) -> Write:
    """Writes a table as CDF; returns the path."""

    def write(table: Table, file: str = "basic_out_20031029.cdf") -> Path:
        survey, variables, blocks = laid_out(table)
        write_cdf(tmp_path / file, make_header(table), survey, variables, blocks)
        return tmp_path / file

    return write
