"""Statistics of stored partitions: numbers of the tables and nothing else, and what is missing in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.staleness import Assessment
from helio_dagster.domain.inquiry import StepStatistics
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.measuring import measure
from helio_dagster.storage.tables import TableStore
from tests.unit.launch.running.test_check_results import META, NODE

START = datetime(2024, 1, 1, tzinfo=UTC)


def stored(
    tmp_path: Path, days: dict[str, list[float] | None], moment: datetime | None = None, **states: str
) -> StepStatistics:
    """What is measured of days with a value each hour from midnight; None is a day that was not made."""
    store = TableStore(tmp_path)
    for day, values in days.items():
        if values is not None:
            time = np.datetime64(day, "ns") + np.arange(len(values)) * np.timedelta64(1, "h")
            store.write(NODE.name, day, Table(time, {"v": np.array(values, dtype="float64")}, META), {})
    known: dict[str | None, Assessment] = {
        day: Assessment(states.get(f"of_{day[-2:]}", "fresh"))  # type: ignore[arg-type]
        for day in days
    }
    span = TimeRange(START, datetime(2024, 1, 1 + len(days), tzinfo=UTC))
    return measure(NODE, "kp", span, store, known, moment)


def test_statistics_of_several_partitions(tmp_path: Path) -> None:
    """Expected by hand: 1, 5, 3 and 5, without the fill value; equal extremes are counted, the first one gives the time."""
    found = stored(tmp_path, {"2024-01-01": [1.0, np.nan, 5.0], "2024-01-02": [3.0, 5.0]})
    (column,) = found.columns
    assert (column.valid, column.fill, column.unit) == (4, 1, "nT")
    assert (column.mean, column.median) == (3.5, 4.0)
    assert column.std == pytest.approx(np.sqrt(11 / 3))
    assert column.minimum is not None
    assert column.maximum is not None
    assert (column.minimum.value, column.minimum.time) == (1.0, "2024-01-01T00:00:00Z")
    assert (column.maximum.value, column.maximum.time, column.maximum.count) == (5.0, "2024-01-01T02:00:00Z", 2)
    assert found.states == {"data": 2}


def test_only_what_is_up_to_date_is_measured(tmp_path: Path) -> None:
    """No records, fill values, never made, failed and out of date are told apart; the last three give no number."""
    days: dict[str, list[float] | None] = {
        "2024-01-01": [2.0],
        "2024-01-02": [],
        "2024-01-03": [np.nan],
        "2024-01-04": None,
        "2024-01-05": None,
        "2024-01-06": [9.0],
    }
    found = stored(tmp_path, days, of_04="missing", of_05="failed", of_06="stale")
    assert found.states == {"data": 1, "empty": 1, "all_fill": 1, "missing": 1, "failed": 1, "outdated": 1}
    assert found.columns[0].maximum is not None
    assert found.columns[0].maximum.value == 2.0


def test_what_was_never_made_has_no_columns(tmp_path: Path) -> None:
    """Nothing is measured of it."""
    found = stored(tmp_path, {"2024-01-01": None}, of_01="missing")
    assert (found.is_measured, found.columns) == (False, ())


@pytest.mark.parametrize(
    ("hour", "minute", "expected"),
    [(2, 10, (5.0, "2024-01-01T02:00:00Z")), (1, 0, (None, "2024-01-01T01:00:00Z")), (12, 0, None)],
)
def test_the_value_at_a_moment(tmp_path: Path, hour: int, minute: int, expected: tuple[float | None, str] | None) -> None:
    """The nearest record, which may be fill; none where the next one is beyond a gap."""
    found = stored(tmp_path, {"2024-01-01": [1.0, np.nan, 5.0]}, moment=START.replace(hour=hour, minute=minute))
    at = found.columns[0].at
    assert (at and (at.value, at.time)) == expected
