"""Examples of operations: small tables and what comes of them, from a source that is not the operation. They are its tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import prod
from typing import Any, Protocol

import numpy as np
from pydantic import ConfigDict

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.described import Described
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Role, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_ANY_TIME = TimeRange(datetime(1950, 1, 1, tzinfo=UTC), datetime(2150, 1, 1, tzinfo=UTC))
Numbers = tuple[float | None, ...]
"""Values of a column; None is NaN."""


class _Value(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExampleTable(_Value):
    """A small table, as it may be written by hand."""

    columns: dict[str, Numbers]
    """Column name to values; the name is the label. Values of a column of role `stop` are times, in s after `start`."""
    kind: Kind = "series"
    unit: str = ""
    frame: str | None = None
    seconds: tuple[float, ...] | None = None
    """Times after `start`, in s; by default one record a minute."""
    start: datetime = datetime(2024, 1, 1)
    """Naive UTC."""
    bins: BinAxis | None = None
    axes: tuple[RecordAxis, ...] = ()
    """Axes of the records of kind `nd`, whose columns then hold the values of one record after the other."""
    roles: dict[str, Role] = {}
    """Column name to its role; `data` where it is not given."""
    units: dict[str, str] = {}
    """Column name to its unit where it is not `unit`."""
    attributes: dict[str, str] = {}

    def table(self) -> Table:
        """The table it describes."""
        named = tuple(self._column(name) for name in self.columns)
        meta = TableMeta(
            kind=self.kind,
            columns=named,
            label=self.kind,
            unit=self.unit,
            frame=self.frame,
            bins=self.bins,
            axes=self.axes,
            attributes=dict(self.attributes),
        )
        length = len(next(iter(self.columns.values()), self.seconds or ())) // prod(meta.shape)
        time = seconds_to_time(self.start, self.seconds or tuple(60.0 * place for place in range(length)))
        return Table(time, {name: self._values(name).reshape(-1, *meta.shape_of(name)) for name in self.columns}, meta)

    def _column(self, name: str) -> ColumnMeta:
        role = self.roles.get(name, "data")
        unit = "" if role in ("stop", "id") else self.units.get(name, self.unit)
        return ColumnMeta(name=name, label=name, unit=unit, role=role)

    def _values(self, name: str) -> np.ndarray[Any, Any]:
        values = self.columns[name]
        if self.roles.get(name) != "stop":
            return np.array(values, dtype=np.float64)
        return seconds_to_time(self.start, tuple(np.nan if each is None else each for each in values))


class Example(_Value):
    """What an operation is given, and what must come of it."""

    inputs: dict[str, ExampleTable]
    options: dict[str, Any] = {}
    expected: dict[str, Numbers]
    """Column of the result to its values; columns that are not named are not looked at. Times are in s after the first input's
    `start`."""
    unit: str = ""
    """Unit of the result."""
    units: dict[str, str] = {}
    """Column of the result to its unit, where columns differ."""
    source: str
    """Where the expected numbers come from."""
    seconds: tuple[float, ...] | None = None
    """Times of the result, in s after the first input's `start`; by default those of the first input."""
    relative: float = 1e-12
    """Difference that is allowed, as a share of the largest expected value."""
    window: tuple[float, float] | None = None
    """The window, in s after the first input's `start`; by default all times."""


class _Operation(Protocol):
    def read_options(self, given: Mapping[str, Any]) -> Any: ...

    def apply(self, inputs: Mapping[str, Table], options: Any, window: TimeRange, name: str) -> Table: ...


def example_failures(operation: _Operation, example: Example) -> list[str]:
    """What the operation does otherwise than its example says, in words; empty where nothing."""
    given = {name: table.table() for name, table in example.inputs.items()}
    first = next(iter(example.inputs.values()))
    result = operation.apply(given, operation.read_options(example.options), _window(example, first.start), "result")
    times = given[next(iter(given))].time if example.seconds is None else seconds_to_time(first.start, example.seconds)
    if not np.array_equal(result.time, times):
        return [f"the times are {result.time.tolist()}, not {times.tolist()}"]
    failures = [] if result.meta.unit == example.unit else [f"the unit is {result.meta.unit!r}, not {example.unit!r}"]
    units = {column.name: column.unit for column in result.meta.columns}
    failures += [
        f"the unit of {name} is {units.get(name)!r}, not {unit!r}"
        for name, unit in example.units.items()
        if units.get(name) != unit
    ]
    for name, numbers in example.expected.items():
        if name not in result.columns:
            return [*failures, f"there is no column {name!r}, but {', '.join(result.columns)}"]
        expected = np.array(numbers, dtype=np.float64)
        allowed = example.relative * float(np.nanmax(np.abs(expected), initial=0.0))
        found = _numbers(result.columns[name], first.start).reshape(-1)
        if found.shape != expected.shape or not np.allclose(found, expected, rtol=0.0, atol=allowed, equal_nan=True):
            failures.append(f"{name} is {found.tolist()}, not {expected.tolist()}")
    return failures


def _window(example: Example, start: datetime) -> TimeRange:
    if example.window is None:
        return _ANY_TIME
    begin, stop = (start.replace(tzinfo=UTC) + timedelta(seconds=edge) for edge in example.window)
    return TimeRange(begin, stop)


def _numbers(values: np.ndarray[Any, Any], start: datetime) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A column as it is expected: times as seconds after the start, NaN where there is none."""
    if values.dtype.kind != "M":
        return values
    return np.where(np.isnat(values), np.nan, (values - np.datetime64(start, "ns")) / np.timedelta64(1, "s"))


def seconds_to_time(start: datetime, seconds: tuple[float, ...]) -> np.ndarray[Any, np.dtype[np.datetime64]]:
    """Times after a naive-UTC start as `datetime64[ns]`, shape (record,)."""
    with np.errstate(invalid="ignore"):
        after = np.round(np.array(seconds, dtype=np.float64) * 1e9).astype("timedelta64[ns]")
    return np.datetime64(start, "ns") + after
