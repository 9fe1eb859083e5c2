"""Events: found in series, joined, intersected, filtered. Their `stop` is a time; without one a row is a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.event_spans import Spans, intersect_spans, join_spans, subtract_spans
from helio_dagster.compute.plain.tables import at_ns, nanoseconds, nearest, only, stamps
from helio_dagster.compute.span_numbers import EXTREMES, numbers_of


def intervals_where(
    series: pd.DataFrame,
    *,
    gaps: str,
    longest: str,
    above: float | None = None,
    below: float | None = None,
    at_least: str | None = None,
    merge: str | None = None,
) -> pd.DataFrame:
    """Runs of valid samples that meet a condition: from the first to the next valid sample, or to the last before a gap."""
    valid = series.dropna()
    at, values, gap_ns = stamps(valid), only(valid), nanoseconds(gaps)
    until = at + round((series.attrs.get("extent") or (0.0, 0.0))[1] * 1e9)
    is_met = np.ones(len(at), dtype=bool)
    is_met &= values > above if above is not None else True
    is_met &= values < below if below is not None else True
    runs: list[dict[str, Any]] = []
    for place in np.flatnonzero(is_met):
        follows = place > 0 and at[place] - at[place - 1] <= gap_ns
        is_followed = place + 1 < len(at) and at[place + 1] - at[place] <= gap_ns
        stop = at[place + 1] if is_followed else until[place]
        if runs and follows and is_met[place - 1]:
            runs[-1] |= {"last": place, "stop": stop, "open_stop": not is_followed}
        else:
            runs.append({"first": place, "last": place, "start": at[place], "stop": stop})
            runs[-1] |= {"open_start": not follows, "open_stop": not is_followed}
    joined: list[dict[str, Any]] = []
    for run in runs:
        if joined and merge is not None and run["start"] - joined[-1]["stop"] <= nanoseconds(merge):
            joined[-1] |= {name: run[name] for name in ("last", "stop", "open_stop")}
        else:
            joined.append(run)
    rows = []
    for run in joined:
        stop = min(run["stop"], run["start"] + nanoseconds(longest))
        is_cut = run["stop"] > stop
        held = values[run["first"] : np.searchsorted(at, stop) if is_cut else run["last"] + 1]
        extreme = np.max(held) if below is None else np.min(held) if above is None else held[np.argmax(np.abs(held))]
        if stop - run["start"] >= (nanoseconds(at_least) if at_least is not None else 0):
            opens = float(run["open_start"]), float(run["open_stop"] and not is_cut)
            rows.append((run["start"], stop, extreme, np.mean(held), *opens, float(is_cut)))
    start, stop, *rest = np.array(rows, dtype=object).reshape(-1, 7).T
    names = ("extreme", "mean", "open_start", "open_stop", "is_cut")
    return _events(start, stop, **{name: each.astype(float) for name, each in zip(names, rest, strict=True)})


def crossings(series: pd.DataFrame, *, value: float, direction: str, gaps: str) -> pd.DataFrame:
    """Moments at which a series crosses a value, on the line between neighbouring valid samples."""
    valid = series.dropna()
    at, values = stamps(valid), only(valid)
    is_above = values >= value
    goes_up = ~is_above[:-1] & is_above[1:] & (direction != "down")
    goes_down = is_above[:-1] & ~is_above[1:] & (direction != "up")
    place = np.flatnonzero((goes_up | goes_down) & (np.diff(at) <= nanoseconds(gaps)))
    with np.errstate(all="ignore"):
        step = values[place + 1] - values[place]
        share = (value - values[place]) / step
    share = np.where(np.isfinite(step) & np.isfinite(share), np.clip(share, 0, 1), 1.0)
    moment = at[place] + np.rint(share * (at[place + 1] - at[place])).astype("int64")
    return at_ns(moment, direction=np.where(goes_up[place], 1.0, -1.0), step=step)


def jumps(series: pd.DataFrame, *, change: float, window: str, min_samples: int, apart: str | None = None) -> pd.DataFrame:
    """Samples at which the mean of the window after is far from that of the window before, and most so around."""
    valid = series[np.isfinite(only(series))]
    at, values, window_ns = stamps(valid), only(valid), nanoseconds(window)
    first, last = np.searchsorted(at, at - window_ns), np.searchsorted(at, at + window_ns)
    before, after = np.full(len(at), np.nan), np.full(len(at), np.nan)
    for place in range(len(at)):
        if place - first[place] >= max(min_samples, 1):
            before[place] = values[first[place] : place].mean()
        if last[place] - place >= max(min_samples, 1):
            after[place] = values[place : last[place]].mean()
    size = np.abs(after - before)
    reach_ns = window_ns if apart is None else nanoseconds(apart)
    kept = [place for place in np.flatnonzero(size > change) if _is_greatest(at, size, place, reach_ns)]
    return at_ns(at[kept], change=(after - before)[kept], before=before[kept], after=after[kept])


def _is_greatest(at: np.ndarray, values: np.ndarray, place: int, reach_ns: int) -> bool:
    """Whether a value is the greatest around, of equal ones the first."""
    first, last = np.searchsorted(at, at[place] - reach_ns), np.searchsorted(at, at[place] + reach_ns, side="right")
    earlier, later = values[first:place], values[place:last]
    return not (earlier >= values[place]).any() and not (later > values[place]).any()


def extrema(series: pd.DataFrame, *, which: str, prominence: float, reach: str, apart: str | None = None) -> pd.DataFrame:
    """Maxima and minima that stand out of their surroundings."""
    valid = series.dropna()
    at, values, rows = stamps(valid), only(valid), []
    first = np.searchsorted(at, at - nanoseconds(reach))
    last = np.searchsorted(at, at + nanoseconds(reach), side="right")
    for sign in [each for each, what in ((1.0, "maxima"), (-1.0, "minima")) if which in (what, "both")]:
        high = sign * values
        for place in range(1, len(at) - 1):
            if not high[place - 1] < high[place] >= high[place + 1]:
                continue
            if apart is not None and not _is_greatest(at, high, place, nanoseconds(apart)):
                continue
            sides = [high[first[place] : place][::-1], high[place + 1 : last[place]]]
            bases = [_base(side, high[place]) for side in sides]
            stands = high[place] - max(bases)
            if np.isfinite(bases).all() and np.isfinite(stands) and stands > prominence:
                rows.append((at[place], values[place], stands, sign))
    rows.sort()
    time, value, stands, sign = np.array(rows, dtype=object).reshape(-1, 4).T
    return at_ns(time, value=value.astype(float), prominence=stands.astype(float), which=sign.astype(float))


def _base(side: np.ndarray, value: float) -> float:
    """The least value from a peak as far as the next greater one."""
    greater = np.flatnonzero(side > value)
    return float(np.min(side[: greater[0]] if len(greater) else side, initial=np.inf))


def union_of(a: pd.DataFrame, b: pd.DataFrame, *, longest: str) -> pd.DataFrame:
    """Both lists as maximal intervals."""
    one, other = _spans(a, longest), _spans(b, longest)
    both = Spans(*(np.append(getattr(one, name), getattr(other, name)) for name in ("start", "stop", "is_cut")))
    joined, count = join_spans(both, apart_ns=0, longest_ns=nanoseconds(longest))
    return _events(joined.start, joined.stop, count=count.astype(float), is_cut=joined.is_cut.astype(float))


def intersection_of(a: pd.DataFrame, b: pd.DataFrame, *, longest: str) -> pd.DataFrame:
    """What each event of a shares with each of b."""
    found = intersect_spans(_spans(a, longest), _spans(b, longest))
    return _events(found.start, found.stop, is_cut=found.is_cut.astype(float))


def difference_of(a: pd.DataFrame, b: pd.DataFrame, *, longest: str) -> pd.DataFrame:
    """What each event of a shares with none of b."""
    found = subtract_spans(_spans(a, longest), _spans(b, longest))
    return _events(found.start, found.stop, is_cut=found.is_cut.astype(float))


def merge_events(events: pd.DataFrame, *, longest: str, nearer: str) -> pd.DataFrame:
    """Merge events at most `nearer` apart (ISO 8601 duration); what is longer than `longest` is cut there."""
    joined, count = join_spans(_spans(events, longest), apart_ns=nanoseconds(nearer), longest_ns=nanoseconds(longest))
    return _events(joined.start, joined.stop, count=count.astype(float), is_cut=joined.is_cut.astype(float))


def pad_events(events: pd.DataFrame, *, before: str | None = None, after: str | None = None) -> pd.DataFrame:
    """Events that start earlier and stop later."""
    spans = _spans(events, None)
    start = spans.start - (nanoseconds(before) if before is not None else 0)
    stop = spans.stop + (nanoseconds(after) if after is not None else 0)
    others = [name for name in events.columns if name not in (events.attrs.get("stop"), "stop", "duration")]
    kept = {str(name): events[name].to_numpy() for name in others}
    return _events(start, stop, is_sorted=True, **kept)


def filter_events(
    events: pd.DataFrame,
    *,
    at_least: str | None = None,
    at_most: str | None = None,
    column: str | None = None,
    above: float | None = None,
    below: float | None = None,
) -> pd.DataFrame:
    """The rows that meet all conditions."""
    spans, is_kept = _spans(events, None), np.ones(len(events), dtype=bool)
    if at_least is not None:
        is_kept &= spans.stop - spans.start >= nanoseconds(at_least)
    if at_most is not None:
        is_kept &= spans.stop - spans.start <= nanoseconds(at_most)
    if column is not None:
        values = events[column].to_numpy(dtype="float64")
        is_kept &= ~np.isnan(values) & (values > (-np.inf if above is None else above) if above is not None else True)
        is_kept &= ~np.isnan(values) & (values < below if below is not None else True)
    return events[is_kept]


def nearest_event(a: pd.DataFrame, b: pd.DataFrame, *, longest: str) -> pd.DataFrame:
    """The events of a with the lag in h of the start of the nearest of b."""
    spans, lag = _spans(a, None), np.full(len(a), np.nan)
    if len(b):
        index = nearest(stamps(a), stamps(b))
        apart = stamps(b)[index] - stamps(a)
        lag = np.where(np.abs(apart) <= nanoseconds(longest), apart / 3.6e12, np.nan)
    return _events(spans.start, spans.stop, is_sorted=True, lag=lag)


def facts_of_events(
    events: pd.DataFrame,
    series: pd.DataFrame,
    *,
    longest: str,
    statistics: Sequence[str] = ("mean", "minimum", "maximum"),
    gaps: str | None = None,
    hour: float = 1.0,
) -> pd.DataFrame:
    """The list with numbers of the valid samples from each start to its stop, `longest` behind the start at most."""
    valid, spans = series.dropna(), _spans(events, longest)
    at, values, name = stamps(valid), only(valid), series.columns[0]
    given = None if gaps is None else nanoseconds(gaps)
    names = [name for each in statistics for name in ((each, f"{each}_time") if each in EXTREMES else (each,))]
    empty = {each: 0 if each == "samples" else pd.NaT if each.endswith("_time") else np.nan for each in names}
    rows = []
    for start, stop in zip(spans.start, spans.stop, strict=True):
        inside = (at >= start) & (at < stop)
        rows.append(numbers_of(at[inside], values[inside], (start, stop), gap_ns=given, hour=hour) if inside.any() else empty)
    return events.assign(**{f"{name}_{each}": [numbers[each] for numbers in rows] for each in names})


def _spans(events: pd.DataFrame, longest: str | None) -> Spans:
    """Events as spans in ns, cut at a greatest length; a missing stop makes a moment."""
    start, stop = stamps(events), stamps(events)
    if events.attrs.get("stop") is not None:
        given = events[events.attrs["stop"]].to_numpy().astype("datetime64[ns]")
        stop = np.where(np.isnat(given), start, np.maximum(given.astype("int64"), start))
    cut = stop if longest is None else np.minimum(stop, start + nanoseconds(longest))
    return Spans(start, cut, cut < stop)


def _events(start: Any, stop: Any, *, is_sorted: bool = False, **named: np.ndarray) -> pd.DataFrame:
    """Events in order of their start, with their stop and duration in h."""
    start, stop = np.asarray(start, dtype="int64"), np.asarray(stop, dtype="int64")
    found = at_ns(start, stop=stop.astype("datetime64[ns]"), duration=(stop - start) / 3.6e12, **named)
    return found if is_sorted else found.iloc[np.lexsort((stop, start))]
