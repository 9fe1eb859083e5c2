"""Contract of coverage: the share of a window that valid records and the time between them fill."""

import numpy as np
import pytest

from helio_dagster.domain.coverage import cadence_s, coverage
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

DAY = Grain.DAILY.window("2023-01-02")
META = TableMeta(kind="vector", columns=(ColumnMeta(name="x"), ColumnMeta(name="y")))


def _table(minutes: np.ndarray, x: np.ndarray, y: np.ndarray) -> Table:
    time = np.datetime64("2023-01-02T00:00", "ns") + (minutes * 60_000_000_000).astype("timedelta64[ns]")
    return Table(time, {"x": x, "y": y}, META)


def _coverage(table: Table) -> float:
    return coverage(table, DAY, cadence_s(table))


def _whole_day() -> Table:
    return _table(np.arange(1440), np.ones(1440, "f4"), np.ones(1440, "f4"))


def test_a_day_without_gaps_is_covered() -> None:
    """Each record stands for one cadence, the last one too."""
    assert _coverage(_whole_day()) == 1.0
    assert cadence_s(_whole_day()) == 60.0


def test_a_gap_is_not_covered() -> None:
    """Half a day without records is half a day without coverage."""
    kept = np.concatenate([np.arange(360), np.arange(1080, 1440)])
    table = _table(kept, np.ones(720, "f4"), np.ones(720, "f4"))
    found = _coverage(table)
    assert found == pytest.approx(0.5)
    assert type(found) is float


def test_a_record_counts_with_any_valid_value() -> None:
    """Records that are fill in every column do not count; those that are fill in one column do."""
    day = _whole_day()
    x, y = day.columns["x"].copy(), day.columns["y"].copy()
    x[:720] = np.nan
    assert _coverage(Table(day.time, {"x": x, "y": y}, META)) == 1.0
    y[:720] = np.nan
    assert _coverage(Table(day.time, {"x": x, "y": y}, META)) == pytest.approx(0.5)


def test_the_cadence_is_the_median_distance() -> None:
    """One odd distance does not change it; two records have one, one record has none."""
    assert cadence_s(_table(np.array([0, 1, 2, 3, 60]), np.ones(5), np.ones(5))) == 60.0
    assert cadence_s(_table(np.array([0, 1, 4]), np.ones(3), np.ones(3))) == 120.0
    assert cadence_s(_table(np.array([0]), np.ones(1), np.ones(1))) is None


def test_nothing_covers_nothing() -> None:
    """No records, or nothing but fill, is not a coverage."""
    assert _coverage(Table.empty(META)) == 0.0
    assert _coverage(_table(np.arange(1440), np.full(1440, np.nan), np.full(1440, np.nan))) == 0.0
