"""Small tables for the tests of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))

TableMaker = Callable[..., Table]


def _make_table(
    columns: Mapping[str, ArrayLike],
    *,
    kind: Kind = "series",
    at_s: Sequence[float] | None = None,
    unit: str = "nT",
    labels: Sequence[str] | None = None,
    start: datetime = DAY.start,
    **meta: Any,
) -> Table:
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    length = len(next(iter(arrays.values())))
    seconds = np.arange(length) * 60.0 if at_s is None else np.asarray(at_s, dtype=float)
    time = np.datetime64(start.replace(tzinfo=None), "ns") + np.round(seconds * 1e9).astype("timedelta64[ns]")
    labels = labels or list(arrays)
    named = tuple(ColumnMeta(name=name, label=label, unit=unit) for name, label in zip(arrays, labels, strict=True))
    return Table(time, arrays, TableMeta(kind=kind, columns=named, unit=unit, **meta))


@pytest.fixture(scope="session")
def make_table() -> TableMaker:
    """Builds a table from columns; times in seconds after 2023-01-02, by default one a minute."""
    return _make_table


@pytest.fixture(scope="session")
def day() -> TimeRange:
    """2023-01-02."""
    return DAY


@pytest.fixture(scope="session")
def wide() -> TimeRange:
    """A range that holds every table of these tests."""
    return TimeRange(DAY.start - timedelta(days=400), DAY.stop + timedelta(days=400))


@pytest.fixture(scope="session")
def vector(make_table: TableMaker) -> Table:
    """Three records of a magnetic field vector in GSE; the last holds a fill."""
    return make_table(
        {
            name: np.array(values, dtype="f4")
            for name, values in {"bx": [3, 1, 1], "by": [4, 2, np.nan], "bz": [12, 2, 1]}.items()
        },
        kind="vector",
        labels=["Bx GSE", "By GSE", "Bz GSE"],
        frame="GSE",
        label="BGSEc",
        synthetic=True,
    )


@pytest.fixture(scope="session")
def spectrogram(make_table: TableMaker) -> Table:
    """Four minutes of two energy bins."""
    bins = BinAxis(label="Energy", unit="eV", scale="log", centers=(100.0, 1000.0))
    return make_table(
        {"e0": [1.0, 3.0, 5.0, np.nan], "e1": [10.0, 30.0, 50.0, 70.0]}, kind="spectrogram", bins=bins, scale="log"
    )
