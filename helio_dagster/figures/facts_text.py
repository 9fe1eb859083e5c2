"""Facts as text: a number with its uncertainty, a time, a word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from helio_dagster.domain.table import ColumnMeta, Role, Table
from helio_dagster.figures import look
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import escape, label_to_html, unit_to_html
from helio_dagster.figures.text_width import shorten, width_px
from helio_dagster.figures.ticks import number_label

NOT_KNOWN = "—"
_DIGITS = 4
_LEAST_NAME_PX = 60
_LONGEST_SYMBOL = 2
"""Letters before an underscore that make what follows a subscript: `n_x`, `Vs_z`."""
_UNCERTAIN_DIGITS = 2
_PLAIN = (1e-3, 1e5)


@dataclass(frozen=True)
class Fact:
    """A named value of one interval.

    `uncertainty` is one standard deviation, `lower` and `upper` are the ends of a spread; NaN where there is none.
    """

    name: str
    label: str
    unit: str
    value: Any
    uncertainty: float = math.nan
    lower: float = math.nan
    upper: float = math.nan

    @property
    def number(self) -> float:
        """The value as a number; NaN where it is something else."""
        return float(self.value) if isinstance(self.value, (int, float, np.integer, np.floating)) else math.nan

    def title(self, room_px: float) -> str:
        """What the fact is called, as markup, cut to a width in pixels."""
        is_subscript = len(self.name.partition("_")[0]) <= _LONGEST_SYMBOL
        text = self.label or (self.name if is_subscript else self.name.replace("_", " "))
        return label_to_html(shorten(text, room_px, look.FONT_PX, markup=label_to_html))


@dataclass(frozen=True)
class FactRow:
    """The facts of one interval; `stop` is NaT where the table has none."""

    start: np.datetime64
    stop: np.datetime64
    facts: tuple[Fact, ...]

    def get(self, name: str) -> Fact | None:
        """The fact of this name."""
        return next((fact for fact in self.facts if fact.name.lower() == name), None)


def fact_rows(table: Table) -> list[FactRow]:
    """The facts of each interval of a table, in order."""
    stop_name = table.meta.role_name("stop")
    stops = table.columns[stop_name].astype("datetime64[ns]") if stop_name else np.full(len(table), np.datetime64("NaT", "ns"))
    columns = table.meta.value_columns
    return [
        FactRow(table.time[row], stops[row], tuple(_fact(table, column, row) for column in columns))
        for row in range(len(table))
    ]


def _fact(table: Table, column: ColumnMeta, row: int) -> Fact:
    names = table.meta.companions(column.name)

    def companion(role: Role) -> float:
        return float(table.columns[names[role]][row]) if role in names else math.nan

    value = table.columns[column.name][row]
    return Fact(column.name, column.label, column.unit, value, companion("uncertainty"), companion("lower"), companion("upper"))


def value_html(fact: Fact) -> str:
    """The value with its uncertainty or spread, without unit."""
    if isinstance(fact.value, np.datetime64):
        return NOT_KNOWN if np.isnat(fact.value) else f"{time_words(np.array([fact.value]))[0]} UTC"
    if isinstance(fact.value, (bool, np.bool_)):
        return "yes" if fact.value else "no"
    if isinstance(fact.value, (int, np.integer)):
        return f"{int(fact.value):,}".replace("-", "−")
    if not isinstance(fact.value, (float, np.floating)):
        return escape(str(fact.value)) or NOT_KNOWN
    if not math.isfinite(fact.value):
        return NOT_KNOWN
    if math.isfinite(fact.uncertainty) and fact.uncertainty > 0:
        return _uncertain_html(float(fact.value), fact.uncertainty)
    spread = ""
    if math.isfinite(fact.lower) and math.isfinite(fact.upper):
        spread = f" ({_number_html(fact.lower)} to {_number_html(fact.upper)})"
    return f"{_number_html(float(fact.value))}{spread}"


def fact_html(fact: Fact, room_px: float) -> str:
    """A fact as a line: name, value with uncertainty, unit; a name without room is cut."""
    unit = unit_to_html(fact.unit)
    value = value_html(fact)
    shown = f" = {f'({value})' if unit and ' ± ' in value else value}{f' {unit}' if unit else ''}"
    return f"{fact.title(max(_LEAST_NAME_PX, room_px - width_px(shown, look.FONT_PX)))}{shown}"


def _number_html(value: float) -> str:
    return number_label(float(f"{value:.{_DIGITS}g}")) if math.isfinite(value) else NOT_KNOWN


def _uncertain_html(value: float, uncertainty: float) -> str:
    """Both to the place of the uncertainty's second digit, with one power of ten where they are large or small."""
    size = max(abs(value), uncertainty)
    power = 0 if _PLAIN[0] <= size < _PLAIN[1] else math.floor(math.log10(size))
    scaled, deviation = value / 10.0**power, float(f"{uncertainty / 10.0**power:.{_UNCERTAIN_DIGITS}g}")
    decimals = _UNCERTAIN_DIGITS - 1 - math.floor(math.log10(deviation))
    if decimals < 0:
        scaled = round(scaled, decimals)
    shown = f"{scaled:.{max(0, decimals)}f} ± {deviation:.{max(0, decimals)}f}".replace("-", "−")
    return shown if power == 0 else f"({shown})×{number_label(10.0**power)}"
