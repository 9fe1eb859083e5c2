"""What plain operations share: times, columns, and which sample belongs to which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def stamps(table: pd.DataFrame) -> np.ndarray:
    """Times of the records in ns since 1970."""
    return table.index.as_unit("ns").asi8


def middles(table: pd.DataFrame) -> np.ndarray:
    """Middle of each record's extent in ns since 1970; its time where no extent is known."""
    before_s, after_s = table.attrs.get("extent") or (0.0, 0.0)
    return stamps(table) + (round(after_s * 1e9) - round(before_s * 1e9)) // 2


def columns(table: pd.DataFrame) -> list[np.ndarray]:
    """The columns as floats."""
    return [table[name].to_numpy(dtype="float64") for name in table.columns]


def only(table: pd.DataFrame) -> np.ndarray:
    """The only column as floats."""
    return table.iloc[:, 0].to_numpy(dtype="float64")


def at_times_of(table: pd.DataFrame, values: Any) -> pd.DataFrame:
    """Columns of values, one or several, at the times of a table."""
    rows = np.stack(values, axis=1) if isinstance(values, (list, tuple)) else values
    return pd.DataFrame(rows, index=table.index)


def at_ns(times: Any, **named: Any) -> pd.DataFrame:
    """Named columns at times in ns since 1970."""
    index = pd.DatetimeIndex(np.asarray(times, dtype="int64").astype("datetime64[ns]"), tz="UTC", name="time")
    return pd.DataFrame(named, index=index)


def nanoseconds(length: str) -> int:
    """An ISO 8601 duration in ns."""
    return pd.Timedelta(length).value


def nearest(at: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Index of the known time that is nearest to each of others, of two equally near ones the earlier."""
    after = np.minimum(np.searchsorted(known, at), len(known) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(np.abs(known[after] - at) < np.abs(at - known[before]), after, before)


def nearest_records(first: pd.DataFrame, other: pd.DataFrame, tolerance: str) -> tuple[np.ndarray, np.ndarray]:
    """The record of another table that is nearest to each of the first, and whether it is near enough.

    Where the records of the two reach differently far, a record of the first is looked for at its middle, else at its time,
    and one of the other is near all of its extent.
    """
    reach_ns = nanoseconds(tolerance)
    if first.attrs.get("extent") == other.attrs.get("extent"):
        index = nearest(stamps(first), stamps(other))
        return index, np.abs(stamps(other)[index] - stamps(first)) <= reach_ns
    before_s, after_s = other.attrs.get("extent") or (0.0, 0.0)
    start, stop = stamps(other) - round(before_s * 1e9), stamps(other) + round(after_s * 1e9)
    found, is_near = np.zeros(len(first), dtype="int64"), np.zeros(len(first), dtype=bool)
    for at in (middles(first), stamps(first)):
        index = nearest(at, middles(other))
        for holder in (np.searchsorted(start, at, side="right") - 1,):
            inside = (holder >= 0) & (at < stop[np.maximum(holder, 0)])
            index = np.where(inside, holder, index)
        away = np.maximum(np.maximum(start[index] - at, at - stop[index]), 0)
        found = np.where(is_near, found, index)
        is_near |= away <= reach_ns
    return found, is_near


def matched(first: pd.DataFrame, other: pd.DataFrame, tolerance: str) -> list[np.ndarray]:
    """The columns of another table at the times of the first: each value that of the nearest record, NaN where none is near."""
    if other is first:
        return columns(other)
    if not len(other):
        return [np.full(len(first), np.nan) for _ in other.columns]
    index, is_near = nearest_records(first, other, tolerance)
    return [np.where(is_near, values[index], np.nan) for values in columns(other)]


def strength(parts: list[np.ndarray]) -> np.ndarray:
    """Length of a vector given by its components, or the size of a single column."""
    return np.abs(parts[0]) if len(parts) == 1 else np.sqrt(sum(each * each for each in parts))


def finite(values: np.ndarray) -> np.ndarray:
    """NaN for what is not finite."""
    return np.where(np.isfinite(values), values, np.nan)


def row(start: pd.Timestamp, stop: pd.Timestamp, found: Mapping[str, Any]) -> pd.DataFrame:
    """One row of numbers about an interval; what is not finite is NaN."""
    kept = {name: value if isinstance(value, np.datetime64) or np.isfinite(value) else np.nan for name, value in found.items()}
    columns_of_row = {"stop": np.datetime64(stop.value, "ns"), **kept}
    return pd.DataFrame({name: [value] for name, value in columns_of_row.items()}, index=pd.DatetimeIndex([start], name="time"))


def curve(start: pd.Timestamp, **named: np.ndarray) -> pd.DataFrame:
    """The values of a curve, all at the start of its interval."""
    length = len(next(iter(named.values())))
    return pd.DataFrame(named, index=pd.DatetimeIndex([start] * length, name="time"))
