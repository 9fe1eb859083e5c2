"""Small tables to draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
import pytest
from numpy.typing import ArrayLike

from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

MakeSeries = Callable[..., Table]


@pytest.fixture
def day() -> TimeRange:
    """One day."""
    return TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))


def minutes(count: int) -> np.ndarray:
    """Times one minute apart from 2023-01-02T00:00."""
    return np.datetime64("2023-01-02T00:00", "ns") + np.arange(count) * np.timedelta64(60, "s")


@pytest.fixture
def make_series() -> MakeSeries:
    """A maker of one-column tables, one minute a record."""

    def make(values: ArrayLike, *, name: str = "b", unit: str = "nT", label: str = "", synthetic: bool = False) -> Table:
        array = np.asarray(values, dtype=np.float64)
        meta = TableMeta(
            kind="series", columns=(ColumnMeta(name=name, unit=unit),), label=label, unit=unit, synthetic=synthetic
        )
        return Table(minutes(len(array)), {name: array}, meta)

    return make


@pytest.fixture
def make_vector() -> MakeSeries:
    """A maker of vectors of the given labels, one minute a record."""

    def make(labels: Sequence[str], *, count: int = 10, frame: str | None = "GSE") -> Table:
        columns = tuple(ColumnMeta(name=label, label=label, unit="nT") for label in labels)
        values = {label: np.arange(count) + float(place) for place, label in enumerate(labels)}
        return Table(minutes(count), values, TableMeta(kind="vector", columns=columns, unit="nT", frame=frame))

    return make


@pytest.fixture
def make_spectrogram() -> MakeSeries:
    """A maker of spectrograms, one minute a record; `flux` has shape (record, bin)."""

    def make(flux: ArrayLike, centers: ArrayLike, *, scale: str = "log", unit: str = "cm^-2 s^-1") -> Table:
        values, bins = np.asarray(flux, dtype=np.float64), np.asarray(centers, dtype=np.float64)
        data = {f"f{place}": values[:, place] for place in range(values.shape[1])}
        columns = [ColumnMeta(name=name, unit=unit) for name in data]
        fixed: tuple[float, ...] = ()
        if bins.ndim == 1:
            fixed = tuple(bins.tolist())
        else:
            varying = {f"e{place}": bins[:, place] for place in range(bins.shape[1])}
            columns += [ColumnMeta(name=name, unit="eV", role="bin") for name in varying]
            data |= varying
        axis = BinAxis.model_validate({"label": "Energy", "unit": "eV", "scale": scale, "centers": fixed})
        meta = TableMeta(kind="spectrogram", columns=tuple(columns), label="flux", unit=unit, bins=axis)
        return Table(minutes(len(values)), data, meta)

    return make


@pytest.fixture
def make_curve() -> MakeSeries:
    """A maker of curves over frequency, all at midnight; `columns` maps names to values, `roles` and `units` to theirs."""

    def make(
        x: ArrayLike,
        columns: Mapping[str, ArrayLike],
        *,
        roles: Mapping[str, str] = MappingProxyType({}),
        units: Mapping[str, str] = MappingProxyType({}),
        scale: str = "log",
        unit: str = "Hz",
        time: str | Sequence[str] = "2023-01-02T00:00",
    ) -> Table:
        places = np.asarray(x, dtype=np.float64)
        described = [{"name": "f", "label": "Frequency", "unit": unit, "role": "axis"}]
        described += [{"name": name, "unit": units.get(name, "nT^2/Hz"), "role": roles.get(name, "data")} for name in columns]
        axis = {"label": "Frequency", "unit": unit, "scale": scale}
        meta = TableMeta.model_validate({"kind": "curve", "columns": described, "scale": scale, "bins": axis, "label": "power"})
        times = np.broadcast_to(np.asarray(time, dtype="datetime64[ns]"), places.shape).copy()
        return Table(times, {"f": places, **{name: np.asarray(values, np.float64) for name, values in columns.items()}}, meta)

    return make


@pytest.fixture
def make_points() -> MakeSeries:
    """A maker of points, one second apart; `columns` maps names to values."""

    def make(columns: Mapping[str, ArrayLike], *, unit: str | Sequence[str] = "nT", frame: str | None = None) -> Table:
        units = [unit] * len(columns) if isinstance(unit, str) else unit
        described = tuple(ColumnMeta(name=name, unit=own) for name, own in zip(columns, units, strict=True))
        values = {name: np.asarray(array, dtype=np.float64) for name, array in columns.items()}
        count = len(next(iter(values.values())))
        time = np.datetime64("2023-01-02T00:00", "ns") + np.arange(count) * np.timedelta64(1, "s")
        return Table(time, values, TableMeta(kind="points", columns=described, frame=frame))

    return make


@pytest.fixture
def make_facts() -> MakeSeries:
    """A maker of facts over the day: name to (value, unit, uncertainty), the last two optional."""

    def make(*, label: str = "fit", **given: tuple[object, ...]) -> Table:
        columns: list[ColumnMeta] = []
        values: dict[str, np.ndarray] = {}
        for name, (value, *rest) in given.items():
            columns.append(ColumnMeta(name=name, unit=str(rest[0]) if rest else ""))
            values[name] = np.array([value])
            if len(rest) > 1:
                columns.append(ColumnMeta(name=f"{name}_error", role="uncertainty"))
                values[f"{name}_error"] = np.array([rest[1]])
        columns.append(ColumnMeta(name="stop", role="stop"))
        values["stop"] = np.array(["2023-01-03"], dtype="datetime64[ns]")
        return Table(minutes(1), values, TableMeta(kind="facts", columns=tuple(columns), label=label))

    return make
