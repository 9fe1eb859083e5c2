"""Judge a table by what is expected of it. The verdict follows from the table, its time range and the expectation alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.coverage import cadence_s, coverage
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.expectation import Comparison, Expectation, Quantity, in_words, read_comparison
from helio_dagster.domain.records import record_extremes
from helio_dagster.domain.stated_facts import facts_in
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

JUDGING_VERSION = 1
"""Increase whenever the same table and expectation can get another verdict."""


@dataclass(frozen=True)
class Unmet:
    """One thing that is not as expected.

    `what` is `value`, `coverage` or `fact`; `name` the column or fact; `value` what it is, in `unit` (of several values outside
    the limit the one farthest out, None where nothing is known); `limit` what was expected, in words; `when` its time,
    ISO 8601, empty for coverage; `count` how many values are outside.
    """

    what: str
    name: str
    value: float | None
    unit: str
    limit: str
    when: str
    count: int
    text: str

    def as_plain(self) -> dict[str, Any]:
        """Its fields, as they are stored."""
        return asdict(self)


def unmet(expect: Expectation, table: Table, window: TimeRange | None, *, excluded_s: float = 0.0) -> list[Unmet]:
    """What of a table is not as expected, in the order of the expectation.

    Parameters
    ----------
    expect
        The expectation; numbers without a unit are in the columns' own units.
    table
        The result; fill values and gaps break no limit of values, they lower the coverage.
    window
        The time range that the coverage is a share of; without one it is not judged.
    excluded_s
        For how many seconds of it no data are expected.
    """
    found: list[Unmet] = []
    if expect.comparison is not None:
        own = [name for name in table.meta.data_names if name not in expect.columns]
        found += [each for name in own for each in _outside(table, name, expect.comparison)]
    for name, limits in expect.columns.items():
        if limits.comparison is None:
            continue
        if name in table.columns:
            found += _outside(table, name, limits.comparison)
        elif len(table):
            text = f"there is no column {name}, expected {in_words(limits.comparison)}"
            found.append(Unmet("value", name, None, "", in_words(limits.comparison), "", 0, text))
    if expect.share is not None and window is not None:
        found += _uncovered(table, window, expect.share, excluded_s)
    for name, text in expect.facts.items():
        found += _facts_outside(table, name, read_comparison(text))
    return found


def _outside(table: Table, name: str, limits: Comparison) -> Iterator[Unmet]:
    """The value of a column farthest outside each bound."""
    values = table.columns[name]
    if values.dtype.kind not in "fiu" or not len(values):
        return
    unit = next((column.unit for column in table.meta.columns if column.name == name), "") or table.meta.unit
    least, greatest = (each.astype(np.float64) for each in (record_extremes(values) if values.ndim > 1 else (values, values)))
    for operator, bound in limits.bounds:
        expected = in_words(Comparison(bounds=((operator, _with_unit(bound, unit)),)))
        try:
            limit = bound.in_unit(unit)
        except ComputeError:
            text = f"{name} is in {unit or 'a pure number'}, which cannot be compared with {bound}"
            yield Unmet("value", name, None, unit, expected, "", len(values), text)
            continue
        numbers = least if operator == ">=" else greatest
        is_out = numbers < limit if operator == ">=" else numbers > limit
        count = int(np.count_nonzero(is_out))
        if count:
            place = int(np.nanargmin(numbers) if operator == ">=" else np.nanargmax(numbers))
            value, when = float(numbers[place]), _moment(table, place)
            among = f" ({count:,} of {len(values):,} {'values' if values.ndim == 1 else 'records'})" if len(values) > 1 else ""
            text = f"{name} is {_number(value, unit)} {_place(table, place)}, expected {expected}{among}"
            yield Unmet("value", name, value, unit, expected, when, count, text)


def _uncovered(table: Table, window: TimeRange, share: float, excluded_s: float) -> Iterator[Unmet]:
    found = coverage(table, window, cadence_s(table), excluded_s=excluded_s)
    if found < share:
        limit = f"at least {100 * share:g} %"
        shown = f"{100 * found:.1f} %" if round(100 * found, 1) < 100 * share else f"{100 * found:.6g} %"
        yield Unmet("coverage", "", round(found, 6), "", limit, "", 0, f"coverage is {shown}, expected {limit}")


def _facts_outside(table: Table, name: str, limit: Comparison) -> Iterator[Unmet]:
    expected = str(limit)
    facts = [fact for fact in facts_in(table) if fact.name == name]
    if not facts:
        text = f"{name} is not known, expected {expected}" if table.meta.kind == "facts" else f"there is no fact {name}"
        yield Unmet("fact", name, None, "", expected, "", 0, text)
    outside = []
    for fact in facts:
        value = fact.value if isinstance(fact.value, float | int) else None
        try:
            is_met = value is not None and limit.holds(value, fact.unit)
        except ComputeError:
            text = f"{name} is in {fact.unit or 'a pure number'}, which cannot be compared with {expected}"
            yield Unmet("fact", name, value, fact.unit, expected, fact.start, len(facts), text)
            return
        if not is_met:
            outside.append(fact)
    if outside:
        fact = outside[0]
        value_text = "is not known" if fact.value is None else f"= {fact.quantity}"
        among = f" ({len(outside):,} of {len(facts):,} rows)" if len(facts) > 1 else ""
        value = fact.value if isinstance(fact.value, float | int) else None
        text = f"{name} {value_text}, expected {expected}{among}"
        yield Unmet("fact", name, value, fact.unit, expected, fact.start, len(outside), text)


def _with_unit(bound: Quantity, unit: str) -> Quantity:
    return bound if bound.unit else Quantity(value=bound.value, unit=unit)


def _number(value: float, unit: str) -> str:
    return f"{value:.6g} {unit}".strip()


def _place(table: Table, row: int) -> str:
    """Where a value is: at which time, or of a curve at which value of its axis."""
    axis = table.meta.axis_name
    if table.meta.kind == "curve" and axis is not None:
        bins = table.meta.bins
        return f"at {_number(float(table.columns[axis][row]), bins.unit if bins else '')}"
    return f"at {_moment(table, row).removesuffix('Z').replace('T', ' ')}"


def _moment(table: Table, row: int) -> str:
    times: NDArray[np.datetime64] = table.time
    return f"{str(np.datetime_as_string(times[row], unit='ms')).removesuffix('.000')}Z"
