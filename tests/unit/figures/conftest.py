"""Small tables to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

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
