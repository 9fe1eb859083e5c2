"""What a call in the sandbox gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Answer:
    """What one call gave.

    Parameters
    ----------
    results
        Name to result, in the order that was asked for; the only one has the step's name. Index `time`: `datetime64[ns, UTC]`,
        in the order in which the code gave it; float64 columns, NaN where there is no valid value. A series is one column.
    printed
        What the code printed, with a note where it was cut.
    cpu_s, wall_s
        What the call took: processor time of the code, and wall-clock time with all its handling.
    """

    results: Mapping[str, pd.DataFrame]
    printed: str
    cpu_s: float
    wall_s: float

    @property
    def result(self) -> pd.DataFrame:
        """The first result, which is the only one unless several were asked for."""
        return next(iter(self.results.values()))
