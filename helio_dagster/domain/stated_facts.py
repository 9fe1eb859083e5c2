"""Facts in words: named numbers with unit and uncertainty, read from tables of kind `facts`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, isfinite, log10

import numpy as np

from helio_dagster.domain.table import Table

_MOST_WHOLE = 1e9
"""Whole numbers below this are written with all their digits."""


@dataclass(frozen=True)
class StatedFact:
    """One number, or one time, and what it was taken from.

    A count is an int, a time as a value is ISO 8601; None is where nothing could be computed. `start` and `stop` bound what it
    was taken from; `of` is the id of the event, where there is one.
    """

    name: str
    value: float | int | str | None
    unit: str = ""
    uncertainty: float | None = None
    start: str = ""
    stop: str = ""
    of: str = ""

    def __str__(self) -> str:
        return f"{self.name} = {self.quantity}"

    @property
    def quantity(self) -> str:
        """The value with its uncertainty and unit, such as `34 +- 2 min`."""
        if self.value is None:
            return "not known: no valid data"
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int):
            return f"{self.value:,}{f' {self.unit}' if self.unit else ''}"
        unit = f" {self.unit}" if self.unit else ""
        if self.uncertainty is None or not isfinite(self.uncertainty) or self.uncertainty <= 0:
            is_whole = self.value.is_integer() and abs(self.value) < _MOST_WHOLE
            return f"{self.value:,.0f}{unit}" if is_whole else f"{self.value:.4g}{unit}"
        digits = 1 - floor(log10(self.uncertainty))
        if not -3 <= digits <= 6:
            return f"{self.value:.4g} +- {self.uncertainty:.2g}{unit}"
        places = max(0, digits)
        return f"{round(self.value, digits):.{places}f} +- {round(self.uncertainty, digits):.{places}f}{unit}"


def facts_in(table: Table) -> Iterator[StatedFact]:
    """The facts of a table of that kind, row by row; nothing for other kinds."""
    if table.meta.kind != "facts":
        return
    stops, ids = (table.meta.role_name(role) for role in ("stop", "id"))
    for row, start in enumerate(table.time):
        stop = moment_text(table.columns[stops][row]) or "" if stops else ""
        of = str(table.columns[ids][row]) if ids else ""
        for column in table.meta.value_columns:
            beside = table.meta.companions(column.name).get("uncertainty")
            uncertainty = _number(table.columns[beside][row]) if beside else None
            value = table.columns[column.name][row]
            found = moment_text(value) if isinstance(value, np.datetime64) else _count_or_number(value)
            yield StatedFact(column.name, found, column.unit, uncertainty, moment_text(start) or "", stop, of)


def _count_or_number(value: float | np.integer) -> float | int | None:
    return int(value) if isinstance(value, np.integer) else _number(value)


def _number(value: float) -> float | None:
    number = float(value)
    return number if isfinite(number) else None


def moment_text(value: np.datetime64) -> str | None:
    """A time as ISO 8601 to the second, or to the millisecond where it has a fraction; None where there is none."""
    if np.isnat(value):
        return None
    return f"{str(np.datetime_as_string(value, unit='ms')).removesuffix('.000')}Z"
