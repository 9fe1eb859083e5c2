"""Partitions that one run makes while others wait for them. Where they do not share a record, no run waits: `NoClaims`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from helio_dagster.domain.errors import HelioError

Key = str | None


class ClaimLost(HelioError):
    """Another run may make, or has made, a partition that this one was making: nothing of it may be stored."""


class Claims(Protocol):
    """Decides who makes a partition."""

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:
        """Give out all keys, in one or several lists; while the caller looks at one, nobody else has those keys."""

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:
        """Those that another run has now."""

    def require(self, asset: str, key: Key) -> None:
        """Make sure, before a partition is stored, that it is still ours; `key` is also that of a result over a range.

        Raises
        ------
        ClaimLost
            It is not.
        """

    def close(self) -> None:
        """Release everything."""


class NoClaims:
    """For a home in which each run works for itself."""

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:  # noqa: ARG002 - nobody else has any
        """All keys at once."""
        yield list(keys)

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:  # noqa: ARG002 - nobody else has any
        """None of them."""
        return set()

    def require(self, asset: str, key: Key) -> None:
        """Nobody else takes any."""

    def close(self) -> None:
        """Nothing to release."""
