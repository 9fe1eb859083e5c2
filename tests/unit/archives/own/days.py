"""Days of January 2024."""

from datetime import UTC, datetime

from helio_dagster.domain.time_range import TimeRange


def day(first: int, beyond: int | None = None) -> TimeRange:
    """From the midnight of one day to that of another, by default the next."""
    return TimeRange(datetime(2024, 1, first, tzinfo=UTC), datetime(2024, 1, beyond or first + 1, tzinfo=UTC))
