"""Windows of time that partitions are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange


@pytest.mark.parametrize(
    ("grain", "start", "stop", "expected"),
    [
        (Grain.DAILY, datetime(2003, 10, 29), datetime(2003, 10, 30), True),
        (Grain.DAILY, datetime(2003, 10, 29, 6), datetime(2003, 10, 30), True),
        (Grain.DAILY, datetime(2003, 10, 29, 6), datetime(2003, 10, 30, 0, 1), False),
        (Grain.MONTHLY, datetime(2003, 12, 1), datetime(2004, 1, 1), True),
        (Grain.MONTHLY, datetime(2003, 12, 31), datetime(2004, 1, 2), False),
    ],
)
def test_range_within_one_window(grain: Grain, start: datetime, stop: datetime, *, expected: bool) -> None:
    """A range is within a window if it stops where the window stops, or earlier."""
    assert grain.has_within(TimeRange(start.replace(tzinfo=UTC), stop.replace(tzinfo=UTC))) is expected
