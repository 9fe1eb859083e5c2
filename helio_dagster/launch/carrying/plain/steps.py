"""Steps in a standalone script: cut to partitions, kept, and compared with what helio_dagster has stored."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def inside(table: pd.DataFrame, start: pd.Timestamp, stop: pd.Timestamp) -> pd.DataFrame:
    """The rows of `[start, stop)`, with what is known of the table."""
    found = table[(table.index >= start) & (table.index < stop)]
    found.attrs = dict(table.attrs)
    return found


def by_window(
    compute: Callable[..., Any],
    edges: Sequence[str],
    inputs: dict[str, pd.DataFrame],
    *,
    lookback: str = "PT0S",
    lookahead: str = "PT0S",
    **options: Any,
) -> pd.DataFrame:
    """Compute each window between neighbouring edges (ISO 8601, UTC) from the inputs in it, and join the results.

    The inputs of a window reach `lookback` before it and `lookahead` after it; the result is cut to `[start, stop)`.
    """
    parts, times = [], [pd.Timestamp(edge) for edge in edges]
    for start, stop in pairwise(times):
        begin, end = start - pd.Timedelta(lookback), stop + pd.Timedelta(lookahead)
        given = {name: inside(table, begin, end) for name, table in inputs.items()}
        if len(next(iter(given.values()))):
            parts.append(inside(compute(**given, start=start, stop=stop, **options), start, stop))
    return pd.concat(parts) if parts else pd.DataFrame(index=pd.DatetimeIndex([], tz="UTC", name="time"))


def of_code(body: Callable[..., Any], name: str, kind: str | None = None) -> Callable[..., pd.DataFrame]:
    """A step's code, whose result is made a table: one column bears the step's name; facts and curves stand at the start."""

    def compute(*, start: pd.Timestamp, stop: pd.Timestamp, **inputs: pd.DataFrame) -> pd.DataFrame:
        found = body(**inputs)
        if kind in ("facts", "curve", "map"):
            rows = pd.DataFrame([found]) if isinstance(found, dict) else pd.DataFrame(found)
            if kind == "facts":
                rows.insert(0, "stop", np.datetime64(stop.value, "ns"))
            return rows.set_axis(pd.DatetimeIndex([start] * len(rows), name="time"))
        table = found.to_frame(name) if isinstance(found, pd.Series) else found
        return table.set_axis([name], axis=1) if len(table.columns) == 1 and kind is None else table

    return compute


def excluded(table: pd.DataFrame, edges: Sequence[str], lists: list[pd.DataFrame]) -> pd.DataFrame:
    """NaN for the records that touch an interval of a list; of an interval counts what is inside the record's own window."""
    before_s, after_s = table.attrs.get("extent") or (0.0, 0.0)
    at = table.index.as_unit("ns").asi8
    start, stop = at - round(before_s * 1e9), np.maximum(at + round(after_s * 1e9), at - round(before_s * 1e9) + 1)
    is_lost = np.zeros(len(table), dtype=bool)
    for begin, end in pairwise(pd.Timestamp(edge).value for edge in edges):
        own = (at >= begin) & (at < end)
        for each in lists:
            stops = each[each.attrs["stop"]].to_numpy().astype("datetime64[ns]").astype("int64")
            for first, last in zip(each.index.as_unit("ns").asi8, stops, strict=True):
                lost_from, lost_to = max(first, begin), min(last, end)
                if lost_from < lost_to:
                    is_lost |= own & (start < lost_to) & (stop > lost_from)
    found = table.copy()
    found.loc[is_lost] = np.nan
    found.attrs = dict(table.attrs)
    return found


def report(results: dict[str, pd.DataFrame], stored: dict[str, dict[str, Any]], start: str, stop: str) -> None:
    """Print each result of `[start, stop)` beside the number of records and the means that helio_dagster has stored.

    With a folder as argument, write the results there as CSV. Exit code 1 if a number differs by more than 1 in 10^6.
    """
    differing = 0
    for name, table in results.items():
        kept = inside(table, pd.Timestamp(start), pd.Timestamp(stop))
        means = {str(column): float(kept[column].mean()) for column in kept.columns if kept[column].dtype.kind in "fiu"}
        known = stored[name]
        is_same = len(kept) == known["records"] and all(
            np.isclose(means[column], mean, rtol=1e-6, atol=known["atol"], equal_nan=True)
            for column, mean in known["means"].items()
        )
        differing += not is_same
        shown = ", ".join(f"{column} {mean:.9g}" for column, mean in list(means.items())[:6])
        print(f"{name}: {len(kept):,} records, mean {shown}: {'as stored' if is_same else 'NOT AS STORED: ' + str(known)}")
        if len(sys.argv) > 1:
            folder = Path(sys.argv[1])
            folder.mkdir(parents=True, exist_ok=True)
            kept.to_csv(folder / f"{name}.csv")
    sys.exit(1 if differing else 0)
