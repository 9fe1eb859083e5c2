"""How many samples a window must hold for an operation to have any result, and what to say where the data have fewer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Times

WARNINGS = "HELIO_WARNINGS"
"""The attribute of a table's metadata that holds what is wrong with what it is made from, a text each."""


@dataclass(frozen=True)
class SampleDemand:
    """So many valid samples of an input, at least two, must lie within a length of time, or there is no result."""

    input: str
    count: int
    within: timedelta

    @property
    def words(self) -> str:
        """What is needed, for people."""
        return f"{self.count} valid samples of the {self.input.replace('_', ' ')} within {_spoken(self.within)}"

    def can_be_met_by(self, cadence: timedelta) -> bool:
        """Whether samples a cadence apart can be so many in any window."""
        return self.within // cadence + 1 >= self.count

    def is_met_by(self, times: Times) -> bool:
        """Whether samples at these times, `datetime64[ns]`, shape (sample,), ascending, are so many in some window."""
        steps = self.count - 1
        return len(times) > steps and bool(
            ((times[steps:] - times[:-steps]).astype(np.int64) <= duration_ns(self.within)).any()
        )

    def too_coarse(self, cadence: timedelta, where: str = "") -> str:
        """That samples a cadence apart are too few; `where` says of which data they are."""
        return f"it needs {self.words}, and the data{where} have one every {_spoken(cadence)}"

    @property
    def unmet(self) -> str:
        """That the samples were too few."""
        return f"there are nowhere {self.words}, so nothing can be found or computed"


def _spoken(length: timedelta) -> str:
    """`8 min`, `1.5 h`, `16 s`, `0.0078 s`."""
    seconds = length.total_seconds()
    size, unit = next((each for each in ((3600, "h"), (60, "min")) if seconds >= each[0]), (1, "s"))
    return f"{seconds / size:.3g} {unit}"
