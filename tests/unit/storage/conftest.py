"""A small table and a place to store it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.storage.tables import TableStore


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    """A store in a folder that does not exist yet."""
    return TableStore(tmp_path / "home" / "data")


@pytest.fixture
def table() -> Table:
    """Four records of a vector in nT, GSE; one value is NaN."""
    time = np.datetime64("2023-01-02", "ns") + np.arange(4) * np.timedelta64(16, "s")
    columns = {"bx": np.array([1.0, np.nan, 3.0, 4.0]), "by": np.arange(4.0), "bz": np.full(4, -2.5)}
    named = tuple(ColumnMeta(name=name, label=name.upper(), unit="nT") for name in columns)
    return Table(time, columns, TableMeta(kind="vector", columns=named, label="B", unit="nT", frame="GSE"))
