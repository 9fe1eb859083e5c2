"""Computed events in words: when each starts and stops, and its numbers with their units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from helio_dagster.domain.stated_facts import StatedFact, moment_text
from helio_dagster.domain.table import Table

_ASIDE = "whether it "
"""How labels of columns begin that are 1 where something has to be said of an event."""


@dataclass(frozen=True)
class StatedEvent:
    """One event: times in ISO 8601, `stop` empty for a moment; column to value; and all of it in words."""

    start: str
    stop: str
    text: str
    values: dict[str, float | str | None] = field(default_factory=dict)


def events_in(table: Table) -> Iterator[StatedEvent]:
    """The events of a table of that kind, row by row; nothing for other kinds."""
    if table.meta.kind != "events":
        return
    stops = table.meta.role_name("stop")
    columns = [column for column in table.meta.columns if column.role in ("data", "id")]
    for row, start in enumerate(table.time):
        words, values = [], dict[str, float | str | None]()
        for column in columns:
            given = table.columns[column.name][row]
            value = float(given) if isinstance(given, np.number | float | int) else str(given)
            known = value if isinstance(value, str) or np.isfinite(value) else None
            values[column.name] = known
            if column.label.startswith(_ASIDE):
                words += [column.label.removeprefix(_ASIDE)] if known else []
            elif known is not None:
                shown = known if isinstance(known, str) else StatedFact(column.name, known, column.unit).quantity
                words.append(shown if column.name == "duration" else f"{column.name} {shown}")
        stop = moment_text(table.columns[stops][row]) or "" if stops else ""
        yield StatedEvent(moment_text(start) or "", stop, ", ".join(words), values)
