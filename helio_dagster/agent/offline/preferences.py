"""What a request says about all that it asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class Preferences:
    """What the request says about all it asks for; its own words and those of its time, to make choices of.

    `bound` are instruments that measure one quantity of a mission each; `in_gsm` are the angles that are taken in GSM where no
    frame is named.
    """

    frame: str | None = None
    cadence: timedelta | None = None
    instrument: str | None = None
    span: TimeRange | None = None
    request: str = ""
    time: str = ""
    bound: tuple[tuple[str, Quantity, str], ...] = ()
    in_gsm: str = ""

    def for_quantity(self, mission: str, quantity: Quantity) -> Preferences:
        """The preferences with the instrument that is bound to a quantity of a mission, where one is."""
        own = next((name for whose, what, name in self.bound if (whose, what) == (mission, quantity)), None)
        return replace(self, instrument=own) if own else self
