"""Partition grains: which window a key names, which keys cover a range."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange


class Grain(StrEnum):
    """Length of a partition. Weeks begin on Monday; all windows begin at UTC calendar boundaries."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"

    @property
    def key_format(self) -> str:
        """The `strftime` format of partition keys: Dagster's own for the grain."""
        return "%Y-%m-%d-%H:%M" if self is Grain.HOURLY else "%Y-%m-%d"

    @property
    def shortest(self) -> timedelta:
        """The shortest window of the grain."""
        return _SHORTEST[self]

    def is_part_of(self, other: Grain) -> bool:
        """Whether every window of `other` is made of whole windows of this grain."""
        return self == other or self in _PARTS[other]

    def floor(self, moment: datetime) -> datetime:
        """Start of the window that holds `moment`."""
        day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        match self:
            case Grain.HOURLY:
                return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
            case Grain.DAILY:
                return day
            case Grain.WEEKLY:
                return day - timedelta(days=day.weekday())
            case Grain.MONTHLY:
                return day.replace(day=1)
            case Grain.YEARLY:
                return day.replace(month=1, day=1)

    def following(self, start: datetime) -> datetime:
        """Start of the window after the one that begins at `start`."""
        match self:
            case Grain.HOURLY | Grain.DAILY | Grain.WEEKLY:
                return start + _SHORTEST[self]
            case Grain.MONTHLY:
                return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
            case Grain.YEARLY:
                return start.replace(year=start.year + 1)

    def ceil(self, moment: datetime) -> datetime:
        """Start of the first window that begins at or after `moment`."""
        start = self.floor(moment)
        return start if start == moment else self.following(start)

    def has_within(self, span: TimeRange) -> bool:
        """Whether one window of this grain contains the whole range."""
        return span.stop <= self.following(self.floor(span.start))

    def key(self, start: datetime) -> str:
        """Partition key of the window that begins at `start`."""
        return start.astimezone(UTC).strftime(self.key_format)

    def window(self, key: str) -> TimeRange:
        """Time range that a partition key names.

        Raises
        ------
        InputError
            No partition of this grain has the key.
        """
        return _window(self, key)

    def has_key(self, key: str) -> bool:
        """Whether a partition of this grain has the key."""
        try:
            self.window(key)
        except InputError:
            return False
        return True

    def starts(self, span: TimeRange) -> Iterator[datetime]:
        """Starts of the windows that overlap `span`, in order."""
        start = self.floor(span.start)
        while start < span.stop:
            yield start
            start = self.following(start)

    def keys(self, span: TimeRange) -> list[str]:
        """Keys of the windows that overlap `span`, in order."""
        return [self.key(start) for start in self.starts(span)]

    def cover(self, span: TimeRange) -> TimeRange:
        """The whole windows that overlap `span`, as one range."""
        return TimeRange(self.floor(span.start), self.ceil(span.stop))


@lru_cache(maxsize=8192)
def _window(grain: Grain, key: str) -> TimeRange:
    """The window of a key; remembered, as every step of a run asks for the same."""
    try:
        start = datetime.strptime(key, grain.key_format).replace(tzinfo=UTC)
    except ValueError:
        raise InputError(f"{key!r} is not a {grain} partition", hint=f"Keys look like {grain.key(_EXAMPLE)}.") from None
    if grain.floor(start) != start:
        raise InputError(f"no {grain} partition begins at {key}", hint=f"The nearest is {grain.key(grain.floor(start))}.")
    return TimeRange(start, grain.following(start))


_SHORTEST = {
    Grain.HOURLY: timedelta(hours=1),
    Grain.DAILY: timedelta(days=1),
    Grain.WEEKLY: timedelta(days=7),
    Grain.MONTHLY: timedelta(days=28),
    Grain.YEARLY: timedelta(days=365),
}
_PARTS = {
    Grain.HOURLY: (),
    Grain.DAILY: (Grain.HOURLY,),
    Grain.WEEKLY: (Grain.HOURLY, Grain.DAILY),
    Grain.MONTHLY: (Grain.HOURLY, Grain.DAILY),
    Grain.YEARLY: (Grain.HOURLY, Grain.DAILY, Grain.MONTHLY),
}
_EXAMPLE = datetime(2023, 1, 2, tzinfo=UTC)
