"""Examples of operations: small tables and what comes of them, from a source that is not the operation. They are its tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_ANY_TIME = TimeRange(datetime(1950, 1, 1, tzinfo=UTC), datetime(2150, 1, 1, tzinfo=UTC))
Numbers = tuple[float | None, ...]
"""Values of a column; None is NaN."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ExampleTable(_Value):
    """A small table, as it may be written by hand."""

    columns: dict[str, Numbers]
    """Column name to values; the name is the label."""
    kind: Kind = "series"
    unit: str = ""
    frame: str | None = None
    seconds: tuple[float, ...] | None = None
    """Times after `start`, in s; by default one record a minute."""
    start: datetime = datetime(2024, 1, 1)
    """Naive UTC."""
    bins: BinAxis | None = None

    def table(self) -> Table:
        """The table it describes."""
        length = len(next(iter(self.columns.values()), self.seconds or ()))
        named = tuple(ColumnMeta(name=name, label=name, unit=self.unit) for name in self.columns)
        meta = TableMeta(kind=self.kind, columns=named, label=self.kind, unit=self.unit, frame=self.frame, bins=self.bins)
        time = seconds_to_time(self.start, self.seconds or tuple(60.0 * place for place in range(length)))
        return Table(time, {name: np.array(values, dtype=np.float64) for name, values in self.columns.items()}, meta)


class Example(_Value):
    """What an operation is given, and what must come of it."""

    inputs: dict[str, ExampleTable]
    options: dict[str, Any] = {}
    expected: dict[str, Numbers]
    """Column of the result to its values; columns that are not named are not looked at."""
    unit: str = ""
    """Unit of the result."""
    source: str
    """Where the expected numbers come from."""
    seconds: tuple[float, ...] | None = None
    """Times of the result, in s after the first input's `start`; by default those of the first input."""
    relative: float = 1e-12
    """Difference that is allowed, as a share of the largest expected value."""


class _Operation(Protocol):
    def read_options(self, given: Mapping[str, Any]) -> Any: ...

    def apply(self, inputs: Mapping[str, Table], options: Any, window: TimeRange, name: str) -> Table: ...


def example_failures(operation: _Operation, example: Example) -> list[str]:
    """What the operation does otherwise than its example says, in words; empty where nothing."""
    given = {name: table.table() for name, table in example.inputs.items()}
    result = operation.apply(given, operation.read_options(example.options), _ANY_TIME, "result")
    first = next(iter(example.inputs.values()))
    times = given[next(iter(given))].time if example.seconds is None else seconds_to_time(first.start, example.seconds)
    if not np.array_equal(result.time, times):
        return [f"the times are {result.time.tolist()}, not {times.tolist()}"]
    failures = [] if result.meta.unit == example.unit else [f"the unit is {result.meta.unit!r}, not {example.unit!r}"]
    for name, numbers in example.expected.items():
        if name not in result.columns:
            return [*failures, f"there is no column {name!r}, but {', '.join(result.columns)}"]
        expected = np.array(numbers, dtype=np.float64)
        allowed = example.relative * float(np.nanmax(np.abs(expected), initial=0.0))
        if not np.allclose(result.columns[name], expected, rtol=0.0, atol=allowed, equal_nan=True):
            failures.append(f"{name} is {result.columns[name].tolist()}, not {expected.tolist()}")
    return failures


def seconds_to_time(start: datetime, seconds: tuple[float, ...]) -> np.ndarray[Any, np.dtype[np.datetime64]]:
    """Times after a naive-UTC start as `datetime64[ns]`, shape (record,)."""
    return np.datetime64(start, "ns") + np.round(np.array(seconds, dtype=np.float64) * 1e9).astype("timedelta64[ns]")
