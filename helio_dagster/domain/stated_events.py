"""Computed events in words: when each starts and stops, and its numbers with their units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.stated_facts import StatedFact, moment_text
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

_ASIDE = "whether it "
"""How labels of columns begin that are 1 where something has to be said of an event."""


@dataclass(frozen=True)
class StatedEvent:
    """One event: times in ISO 8601, `stop` empty for a moment; column to value; and all of it in words.

    `is_cut` says that it reaches beyond the range that was asked for.
    """

    start: str
    stop: str
    text: str
    values: dict[str, float | str | None] = field(default_factory=dict)
    is_cut: bool = False


def reaches_beyond(table: Table, window: TimeRange) -> NDArray[np.bool_]:
    """Which events stop after a range does, shape (event,); none where the table has no stops."""
    name = table.meta.role_name("stop")
    if name is None:
        return np.zeros(len(table), dtype=np.bool_)
    beyond: NDArray[np.bool_] = table.columns[name] > window.bounds_ns()[1]  # NaT compares false
    return beyond


def events_in(table: Table, window: TimeRange | None = None) -> Iterator[StatedEvent]:
    """The events of a table of that kind, row by row; nothing for other kinds. `window` is the range that was asked for."""
    if table.meta.kind != "events":
        return
    stops = table.meta.role_name("stop")
    is_cut = reaches_beyond(table, window) if window is not None else np.zeros(len(table), dtype=np.bool_)
    columns = [column for column in table.meta.columns if column.role in ("data", "id")]
    for row, start in enumerate(table.time):
        words, values = [], dict[str, float | str | None]()
        for column in columns:
            known = values[column.name] = _value(table.columns[column.name][row])
            if column.label.startswith(_ASIDE):
                words += [column.label.removeprefix(_ASIDE)] if known else []
            elif known is not None:
                shown = known if isinstance(known, str) else StatedFact(column.name, known, column.unit).quantity
                words.append(shown if column.name == "duration" else f"{column.name} {shown}")
        stop = moment_text(table.columns[stops][row]) or "" if stops else ""
        yield StatedEvent(moment_text(start) or "", stop, ", ".join(words), values, bool(is_cut[row]))


def _value(given: object) -> float | str | None:
    """A cell as a number or as text, a time in ISO 8601; None where it holds nothing."""
    if isinstance(given, np.datetime64):
        return moment_text(given)
    if not isinstance(given, np.number | float | int):
        return str(given)
    value = float(given)
    return value if np.isfinite(value) else None
