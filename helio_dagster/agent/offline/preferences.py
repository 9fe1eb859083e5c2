"""What a request says about all that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class Preferences:
    """What the request says about all it asks for; its own words and those of its time, to make choices of."""

    frame: str | None = None
    cadence: timedelta | None = None
    instrument: str | None = None
    span: TimeRange | None = None
    request: str = ""
    time: str = ""
