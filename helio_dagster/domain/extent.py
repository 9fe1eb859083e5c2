"""How far a record reaches in time before and after its stamp: a bin, an integration time, an accumulation.

A stamp may stand at the start of what was measured (`before` 0), in its middle or at its stop (`after` 0). Most tables have one
extent for all records; where it differs from record to record, two columns of roles `before` and `after` hold it in seconds. A
table that says nothing has no extent, and none is made up for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.fine_duration import duration_ns

EXTENT_NAMES = ("extent_before", "extent_after")
"""The columns in which a table, and the result of a step's code, has extents that differ from record to record, in s."""
LONGEST_NS = 4_000 * 86_400 * 10**9
_UNITS = ((86_400 * 10**9, "d"), (3_600 * 10**9, "h"), (60 * 10**9, "min"), (10**9, "s"), (10**6, "ms"))

Nanoseconds = NDArray[np.int64]


class Extent(BaseModel):
    """What each record of a table covers: `[stamp - before, stamp + after)`, in ns."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    before_ns: int = Field(default=0, ge=0, le=LONGEST_NS)
    after_ns: int = Field(default=0, ge=0, le=LONGEST_NS)

    @classmethod
    def of_bin(cls, length: timedelta) -> Extent:
        """Of a bin that is labelled by its start."""
        return cls(after_ns=duration_ns(length))

    @classmethod
    def around(cls, length: timedelta) -> Extent:
        """Of a window of this length whose middle is the stamp."""
        before_ns = duration_ns(length) // 2
        return cls(before_ns=before_ns, after_ns=duration_ns(length) - before_ns)

    @property
    def length_ns(self) -> int:
        """How long a record lasts."""
        return self.before_ns + self.after_ns

    @property
    def words(self) -> str:
        """The extent as people say it, such as `1 h, stamped at its start`."""
        if self.before_ns == self.after_ns:
            where = "in its middle"
        elif not self.before_ns:
            where = "at its start"
        elif not self.after_ns:
            where = "at its stop"
        else:
            where = f"{_readable(self.before_ns)} after its start"
        return f"{_readable(self.length_ns)}, stamped {where}"


@dataclass(frozen=True)
class Extents:
    """The extent of each record.

    Parameters
    ----------
    before_ns, after_ns
        int64, shape (record,): ns, 0 where unknown.
    is_known
        bool, shape (record,): whether the record's extent is known.
    """

    before_ns: Nanoseconds
    after_ns: Nanoseconds
    is_known: NDArray[np.bool_]

    @classmethod
    def constant(cls, extent: Extent | None, count: int) -> Extents:
        """One extent, or none, for all of `count` records."""
        before_ns, after_ns = (extent.before_ns, extent.after_ns) if extent else (0, 0)
        return cls(
            np.full(count, before_ns, dtype=np.int64),
            np.full(count, after_ns, dtype=np.int64),
            np.full(count, extent is not None, dtype=np.bool_),
        )

    @classmethod
    def from_seconds(cls, before_s: NDArray[np.floating], after_s: NDArray[np.floating]) -> Extents:
        """From seconds as a column or a file has them, shape (record,): unknown if not finite, below 0 or above 4,000 days."""
        seconds = np.stack([before_s, after_s]).astype(np.float64)
        with np.errstate(invalid="ignore"):
            is_length = np.isfinite(seconds) & (seconds >= 0) & (seconds * 1e9 <= LONGEST_NS)
        is_known: NDArray[np.bool_] = np.logical_and(is_length[0], is_length[1])
        before_ns, after_ns = np.rint(np.where(is_known, seconds, 0.0) * 1e9).astype(np.int64)
        return cls(before_ns, after_ns, is_known)

    @classmethod
    def joined(cls, parts: Sequence[Extents]) -> Extents:
        """Those of consecutive records."""
        return cls(
            np.concatenate([part.before_ns for part in parts]),
            np.concatenate([part.after_ns for part in parts]),
            np.concatenate([part.is_known for part in parts]),
        )

    def take(self, records: NDArray[np.intp] | slice) -> Extents:
        """Those of some of the records: indices of shape (taken,), or a slice."""
        return Extents(self.before_ns[records], self.after_ns[records], self.is_known[records])

    @property
    def common(self) -> Extent | None:
        """The extent that all records have; None where they differ, or none is known."""
        if not len(self.is_known) or not self.is_known.all():
            return None
        before_ns, after_ns = int(self.before_ns[0]), int(self.after_ns[0])
        if (self.before_ns != before_ns).any() or (self.after_ns != after_ns).any():
            return None
        return Extent(before_ns=before_ns, after_ns=after_ns)

    @property
    def seconds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Before and after in seconds, shape (record,) each, NaN where unknown."""
        before_s, after_s = (np.where(self.is_known, each / 1e9, np.nan) for each in (self.before_ns, self.after_ns))
        return before_s, after_s


def _readable(length_ns: int) -> str:
    """A length in the largest unit that it has a whole of: `1 h`, `90 s` as `1.5 min`."""
    size, unit = next(((size, unit) for size, unit in _UNITS if length_ns >= size), (1, "ns"))
    return f"{length_ns / size:.6g} {unit}"
