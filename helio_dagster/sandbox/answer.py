"""What a call in the sandbox gives back."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Answer:
    """The result of one call.

    Parameters
    ----------
    result
        Index `time`: `datetime64[ns, UTC]`, in the order in which the code gave it; float64 columns, NaN where there is no
        valid value. A series is one column.
    printed
        What the code printed, with a note where it was cut.
    cpu_s, wall_s
        What the call took: processor time of the code, and wall-clock time with all its handling.
    """

    result: pd.DataFrame
    printed: str
    cpu_s: float
    wall_s: float
