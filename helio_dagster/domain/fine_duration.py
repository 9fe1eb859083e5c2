"""Durations that need nanoseconds: 128 samples a second are 7,812,500 ns apart, which a `timedelta` cannot hold.

A duration of whole microseconds stays a plain `timedelta`; only what needs more is a `FineDuration`. `duration_ns` gives the
exact length of either.
"""

from __future__ import annotations

from datetime import timedelta
from typing import overload

_MICROSECOND = timedelta(microseconds=1)


class FineDuration(timedelta):
    """A duration that is not a whole number of microseconds.

    Calculations and comparisons with other durations are exact. Where one is added to a `datetime`, which has no nanoseconds,
    it counts as the next longer whole microsecond: a range widened by it always holds what is asked for.
    """

    _ns: int

    def __new__(cls, ns: int) -> FineDuration:
        """The duration of `ns` nanoseconds, which are no whole microseconds."""
        if ns % 1000 == 0:
            raise ValueError(f"{ns} ns are whole microseconds: use duration_from_ns")
        length = super().__new__(cls, microseconds=-(-ns // 1000))
        length._ns = ns
        return length

    def total_seconds(self) -> float:
        """Length in seconds."""
        return self._ns / 1e9

    def __reduce__(self) -> tuple[type[FineDuration], tuple[int]]:
        return FineDuration, (self._ns,)

    def __repr__(self) -> str:
        return f"FineDuration({self._ns})"

    def __str__(self) -> str:
        return f"{self._ns} ns"

    def __bool__(self) -> bool:
        return True

    def __hash__(self) -> int:
        return hash((FineDuration, self._ns))

    def __eq__(self, other: object) -> bool:
        return duration_ns(other) == self._ns if isinstance(other, timedelta) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return duration_ns(other) != self._ns if isinstance(other, timedelta) else NotImplemented

    def __lt__(self, other: timedelta) -> bool:
        return self._ns < duration_ns(other) if isinstance(other, timedelta) else NotImplemented

    def __le__(self, other: timedelta) -> bool:
        return self._ns <= duration_ns(other) if isinstance(other, timedelta) else NotImplemented

    def __gt__(self, other: timedelta) -> bool:
        return self._ns > duration_ns(other) if isinstance(other, timedelta) else NotImplemented

    def __ge__(self, other: timedelta) -> bool:
        return self._ns >= duration_ns(other) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self) -> timedelta:
        return duration_from_ns(-self._ns)

    def __pos__(self) -> timedelta:
        return self

    def __abs__(self) -> timedelta:
        return duration_from_ns(abs(self._ns))

    def __add__(self, other: timedelta) -> timedelta:
        return duration_from_ns(self._ns + duration_ns(other)) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: timedelta) -> timedelta:
        return duration_from_ns(self._ns - duration_ns(other)) if isinstance(other, timedelta) else NotImplemented

    def __rsub__(self, other: timedelta) -> timedelta:
        return duration_from_ns(duration_ns(other) - self._ns) if isinstance(other, timedelta) else NotImplemented

    def __mul__(self, other: float) -> timedelta:
        return duration_from_ns(round(self._ns * other))

    __rmul__ = __mul__

    @overload
    def __floordiv__(self, other: timedelta) -> int: ...
    @overload
    def __floordiv__(self, other: int) -> timedelta: ...
    def __floordiv__(self, other: timedelta | int) -> int | timedelta:
        return self._ns // duration_ns(other) if isinstance(other, timedelta) else duration_from_ns(self._ns // other)

    def __rfloordiv__(self, other: timedelta) -> int:
        return duration_ns(other) // self._ns

    @overload
    def __truediv__(self, other: timedelta) -> float: ...
    @overload
    def __truediv__(self, other: float) -> timedelta: ...
    def __truediv__(self, other: timedelta | float) -> float | timedelta:
        return self._ns / duration_ns(other) if isinstance(other, timedelta) else duration_from_ns(round(self._ns / other))

    def __rtruediv__(self, other: timedelta) -> float:
        return duration_ns(other) / self._ns

    def __mod__(self, other: timedelta) -> timedelta:
        return duration_from_ns(self._ns % duration_ns(other))

    def __rmod__(self, other: timedelta) -> timedelta:
        return duration_from_ns(duration_ns(other) % self._ns)

    def __divmod__(self, other: timedelta) -> tuple[int, timedelta]:
        return self // other, self % other

    def __rdivmod__(self, other: timedelta) -> tuple[int, timedelta]:
        return other // self, other % self


def duration_ns(length: timedelta) -> int:
    """Length in nanoseconds, exact."""
    return length._ns if isinstance(length, FineDuration) else length // _MICROSECOND * 1000


def duration_from_ns(ns: int) -> timedelta:
    """The duration of so many nanoseconds: a plain `timedelta` where these are whole microseconds.

    Raises
    ------
    OverflowError
        It is longer than a `timedelta` can be.
    """
    return FineDuration(ns) if ns % 1000 else timedelta(microseconds=ns // 1000)


def duration_from_seconds(seconds: float) -> timedelta:
    """The duration nearest to a number of seconds, to the nanosecond."""
    return duration_from_ns(round(seconds * 1e9))
