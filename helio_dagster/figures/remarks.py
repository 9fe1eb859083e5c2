"""What must be known of the data that a figure shows: predicted, not definitive, or still open."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.domain.table import TableMeta, marks_of
from helio_dagster.domain.time_range import format_time


def remarks_of(metas: Sequence[TableMeta]) -> tuple[str, ...]:
    """The remarks of what is drawn, for the line below a figure's title."""
    marks = marks_of(metas)
    until = marks["open_until"]
    return (
        *(["with predicted positions"] if marks["predicted"] else []),
        *([f"{marks['maturity']} data"] if marks["maturity"] else []),
        *([f"complete up to {format_time(until)}"] if until is not None else []),
    )
