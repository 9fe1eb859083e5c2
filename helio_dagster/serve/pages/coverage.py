"""When a dataset has data, as a bar over years: numbers for an inline SVG, which needs no style of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

_FIRST_YEAR = 1965
_WIDTH = 240.0


@dataclass(frozen=True)
class Scale:
    """The years that all bars of a page share: `ticks` are where a line stands, and its year."""

    start: datetime
    stop: datetime
    width: float = _WIDTH

    @classmethod
    def until(cls, now: datetime) -> Scale:
        """From the first years of the space age to the end of this year."""
        return cls(datetime(_FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(now.year + 1, 1, 1, tzinfo=UTC))

    def place(self, moment: datetime) -> float:
        """Where a moment is, in pixels from the left; one outside is at the edge."""
        share = (moment - self.start) / (self.stop - self.start)
        return round(min(1.0, max(0.0, share)) * self.width, 1)

    @property
    def ticks(self) -> list[tuple[float, int]]:
        """One every ten years."""
        years = range(-(-self.start.year // 10) * 10, self.stop.year + 1, 10)
        return [(self.place(datetime(year, 1, 1, tzinfo=UTC)), year) for year in years]


@dataclass(frozen=True)
class Bar:
    """Left edge and width in pixels; a width of zero where nothing is known."""

    left: float
    width: float


def bar_of(start: datetime | None, stop: datetime | None, scale: Scale) -> Bar:
    """The bar from the first to the last data, wide enough to be seen."""
    if start is None or stop is None or stop < start:
        return Bar(0.0, 0.0)
    left, right = scale.place(start), scale.place(stop)
    width = max(2.0, right - left)
    return Bar(round(min(left, scale.width - width), 1), round(width, 1))
