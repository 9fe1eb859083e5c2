"""Steps in a standalone script: cut to partitions, kept, and compared with what helio_dagster has stored."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
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


def each_window(
    edges: Sequence[str], inputs: dict[str, pd.DataFrame], lookback: str, lookahead: str
) -> Iterator[tuple[pd.Timestamp, pd.Timestamp, dict[str, pd.DataFrame]]]:
    """Each window between neighbouring edges (ISO 8601, UTC) with its inputs, where the first of them has records.

    The inputs of a window reach `lookback` before it and `lookahead` after it; a table of the pipeline's file is given whole.
    """
    times = [pd.Timestamp(edge) for edge in edges]
    for start, stop in pairwise(times):
        begin, end = start - pd.Timedelta(lookback), stop + pd.Timedelta(lookahead)
        given = {name: table if table.attrs.get("is_whole") else inside(table, begin, end) for name, table in inputs.items()}
        if len(next(iter(given.values()))):
            yield start, stop, given


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The results of windows as one table."""
    return pd.concat(parts) if parts else pd.DataFrame(index=pd.DatetimeIndex([], tz="UTC", name="time"))


def by_window(
    compute: Callable[..., pd.DataFrame], edges: Sequence[str], inputs: dict[str, pd.DataFrame], **options: Any
) -> pd.DataFrame:
    """Compute each window between neighbouring edges from the inputs in it, and join the results, cut to their windows."""
    found = [
        inside(compute(**given, start=start, stop=stop, **options), start, stop)
        for start, stop, given in each_window(edges, inputs, "PT0S", "PT0S")
    ]
    return joined(found)


def by_event(
    compute: Callable[..., pd.DataFrame],
    edges: Sequence[str],
    inputs: dict[str, pd.DataFrame],
    *,
    lookback: str = "PT0S",
    lookahead: str = "PT0S",
    **options: Any,
) -> pd.DataFrame:
    """Compute what has values at times for the window of one event, from inputs that reach beyond it."""
    found = [
        inside(compute(**given, **options), start, stop)
        for start, stop, given in each_window(edges, inputs, lookback, lookahead)
    ]
    return joined(found)


def of_all(events: Sequence[dict[str, pd.DataFrame]], step: str) -> pd.DataFrame:
    """The results of a step for all events, one after the other; what is known of them is known of the last with records."""
    parts = [results[step] for results in events if len(results[step])]
    found = pd.concat(parts) if parts else events[-1][step].copy()
    found.attrs = dict((parts or [events[-1][step]])[-1].attrs)
    return found


def within(table: pd.DataFrame, edges: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """The rows of several ranges `[start, stop)`, which lie apart and are in order."""
    parts = [inside(table, pd.Timestamp(start), pd.Timestamp(stop)) for start, stop in edges]
    found = pd.concat(parts)
    found.attrs = dict(table.attrs)
    return found


def by_code(
    body: Callable[..., Any],
    edges: Sequence[str],
    inputs: dict[str, pd.DataFrame],
    kinds: dict[str, str | None],
    *,
    lookback: str = "PT0S",
    lookahead: str = "PT0S",
    options: dict[str, Any] | None = None,
) -> dict[str, pd.DataFrame]:
    """The results of a step's code by name, called for each window; `kinds` says what each of them is.

    Code with several results returns a mapping of their names.
    """
    found: dict[str, list[pd.DataFrame]] = {name: [] for name in kinds}
    for start, stop, given in each_window(edges, inputs, lookback, lookahead):
        returned = body(**given, **(options or {}))
        for name, kind in kinds.items():
            result = returned[name] if len(kinds) > 1 else returned
            found[name].append(inside(as_table(result, name, kind, start, stop), start, stop))
    return {name: joined(parts) for name, parts in found.items()}


def as_table(found: Any, name: str, kind: str | None, start: pd.Timestamp, stop: pd.Timestamp) -> pd.DataFrame:
    """What code returned as a table of numbers: one column bears the result's name, facts begin at `start`."""
    if kind in ("facts", "curve", "map"):
        rows = (pd.DataFrame([found]) if isinstance(found, dict) else pd.DataFrame(found)).astype("float64")
        if kind == "facts":
            rows.insert(0, "stop", np.datetime64(stop.value, "ns"))
        return rows.set_axis(pd.DatetimeIndex([start] * len(rows), name="time"))
    table = found.to_frame(found.name or name) if isinstance(found, pd.Series) else found.copy()
    if kind == "events":
        return event_times(table)
    table = table.astype("float64")
    return table.set_axis([name], axis=1) if len(table.columns) == 1 and kind is None else table


def event_times(table: pd.DataFrame) -> pd.DataFrame:
    """Events that code returned: times as numbers are seconds since 1970, and `stop` is a time, to the microsecond."""
    for column in table.columns:
        values = table[column]
        if values.dtype.kind == "M":
            naive = values.dt.tz_convert("UTC").dt.tz_localize(None) if values.dt.tz is not None else values
            values = (naive - pd.Timestamp(0)) / pd.Timedelta("1s")
        table[column] = values.astype("float64")
    if "stop" in table:
        table["stop"] = pd.to_datetime(np.round(table["stop"] * 1e6), unit="us").astype("datetime64[ns]")
    return table


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


def mean_of(column: pd.Series) -> float:
    """The mean of what is not NaN, also of cells that hold the numbers of a record each."""
    if column.dtype.kind != "O":
        return float(column.mean())
    sums = [(np.nansum(cell), np.isfinite(cell).sum()) for cell in column if isinstance(cell, np.ndarray)]
    total, count = (sum(part) for part in zip(*sums, strict=True)) if sums else (0.0, 0)
    return float(total / count) if count else float("nan")


def report(results: dict[str, pd.DataFrame], stored: dict[str, dict[str, Any]], start: str, stop: str) -> None:
    """Print each result of `[start, stop)` beside the number of records and the means that helio_dagster has stored.

    With a folder as argument, write the results there as CSV, or as arrays (`.npz`) where records have several axes. Exit code
    1 if a number differs by more than 1 in 10^6.
    """
    differing = 0
    for name, table in results.items():
        kept = inside(table, pd.Timestamp(start), pd.Timestamp(stop))
        means = {str(column): mean_of(kept[column]) for column in kept.columns if kept[column].dtype.kind in "fiuO"}
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
            if "axes" in kept.attrs:
                arrays = {str(column): np.array(kept[column].tolist()) for column in kept.columns}
                np.savez(folder / f"{name}.npz", time=kept.index.as_unit("ns").asi8, **arrays)
            else:
                kept.to_csv(folder / f"{name}.csv")
    sys.exit(1 if differing else 0)
