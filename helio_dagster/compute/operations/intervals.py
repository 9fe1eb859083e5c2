"""Intervals in which a series lies above, below or between limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, data_unit, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, events_meta, events_table, fact, times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import Table, TableMeta


class IntervalsOptions(Options):
    """The limits, and what counts as one interval. Give `above`, `below`, or both for values between them."""

    above: float | None = None
    """Samples greater than this count, in the unit of the series."""
    below: float | None = None
    """Samples less than this count, in the unit of the series."""
    at_least: Length | None = None
    """Shorter intervals are left out, an ISO 8601 duration such as PT2H."""
    gaps: Length = timedelta(hours=1)
    """Stretches without valid samples up to this long, an ISO 8601 duration such as PT10M, do not interrupt an interval; longer
    ones do. Give more than the distance of the samples."""
    merge: Length | None = None
    """Intervals at most this far apart, an ISO 8601 duration such as PT30M, become one, whatever lies between them."""
    longest: Length = timedelta(days=1)
    """Intervals are looked for up to this length, an ISO 8601 duration such as P3D; a longer one is cut there and marked."""

    @model_validator(mode="after")
    def _goes_together(self) -> IntervalsOptions:
        if self.above is None and self.below is None:
            raise ValueError("give above, below or both")
        if self.above is not None and self.below is not None and self.above >= self.below:
            raise ValueError("above must be less than below: what lies between them counts. Change one of them")
        if self.at_least is not None and self.at_least > self.longest:
            raise ValueError("at_least must not be longer than longest. Give a longer longest")
        return self

    @property
    def reach(self) -> timedelta:
        """How far from an interval another is still part of it."""
        return self.gaps if self.merge is None or self.merge < self.gaps else self.merge

    def words(self) -> str:
        """The condition as a label prints it."""
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}"
        return f"> {self.above:g}" if self.above is not None else f"< {self.below:g}"


class IntervalsWhere(ShippedOperation[IntervalsOptions]):
    """Events from a condition.

    Whether an interval begins at a sample is known from what lies directly before it, so that the lookback is short and an
    interval that is longer than `longest` does not begin a second time behind the cut.
    """

    id = "intervals_where"
    version = 2
    summary = "Intervals in which a series is above, below or between limits, as events with duration, extreme and mean."
    when = (
        "Use it to list the times of a condition: Bz below -5 nT for two hours, storms with Dst below -100 nT. For the moments "
        "at which a limit is crossed use crossings."
    )
    reference = (
        "Runs of consecutive valid samples that meet the condition: from the first of them to the next valid sample, "
        "half-open, or to the last of them, to its stop if it has an extent, where the next one is farther than gaps (for Bz: "
        "Gonzalez and Tsurutani 1987, doi:10.1016/0032-0633(87)90015-8)."
    )
    inputs = {"series": Input(("series",), "what meets the condition", columns=1)}
    output = (
        "Events in order of their start: stop, duration in h, extreme (the greatest for above, the least for below, between "
        "limits the one farthest from zero) and mean of the samples from start to stop in the unit of the series; open_start "
        "and open_stop are 1 where the interval touches a gap or an edge of the data, is_cut where it is longer than longest."
    )
    options = IntervalsOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"bz": (0, -6, -8, 1, None, -7, -9)})},
            options={"below": -5, "gaps": "PT1M"},
            expected={
                "stop": (180, 360),
                "duration": (2 / 60, 1 / 60),
                "extreme": (-8, -9),
                "mean": (-7, -8),
                "open_start": (0, 1),
                "open_stop": (0, 1),
                "is_cut": (0, 0),
            },
            seconds=(60, 300),
            units={"duration": "h", "extreme": "nT"},
            source="by hand: the second follows a gap of two minutes, and the data stop in it",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"bz": (0, -6, -8, 1, -7, -9, -9, 0)})},
            options={"below": -5, "merge": "PT1M", "longest": "PT4M"},
            expected={"stop": (300,), "extreme": (-8,), "mean": (-5,), "is_cut": (1,)},
            seconds=(60,),
            source="merged over the one sample between, from 60 s to 420 s, cut after four minutes",
        ),
    )

    def halo(self, options: IntervalsOptions) -> tuple[timedelta, timedelta]:
        """Before: gaps and merge, which show whether it has begun earlier. After: longest, and the longer of the two."""
        merge_ns = 0 if options.merge is None else duration_ns(options.merge)
        before_ns = duration_ns(options.gaps) + merge_ns
        return duration_from_ns(before_ns), duration_from_ns(duration_ns(options.longest) + duration_ns(options.reach))

    def _meta(self, inputs: Mapping[str, TableMeta], options: IntervalsOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        unit = data_unit(meta)
        columns = (
            *fact("extreme", f"extreme of {meta.label or name}", unit),
            *fact("mean", f"mean of {meta.label or name}", unit),
            *fact("open_start", "whether it starts at a gap or edge of the data"),
            *fact("open_stop", "whether it stops at a gap or edge of the data"),
            *fact("is_cut", f"whether it is longer than {readable_duration(options.longest)}"),
        )
        return events_meta(f"{meta.label or name} {options.words()}", columns)

    def _compute(self, inputs: Mapping[str, Table], options: IntervalsOptions, meta: TableMeta) -> Table:
        (values,) = self._values(inputs, "series")
        is_valid = ~np.isnan(values)
        at, values = times_ns(inputs["series"])[is_valid], values[is_valid]
        extents = inputs["series"].extents
        until = at if extents is None else at + extents.after_ns[is_valid]
        found = _merged(_runs(at, until, _meets(values, options), duration_ns(options.gaps)), options.merge)
        longest_ns = duration_ns(options.longest)
        stops = np.minimum(found.stop, found.start + longest_ns)
        is_cut = found.stop > stops
        past = np.where(is_cut, np.searchsorted(at, stops), found.last + 1)
        is_kept = stops - found.start >= (duration_ns(options.at_least) if options.at_least is not None else 0)
        columns = {
            "extreme": np.array([_extreme(values[begin:stop], options) for begin, stop in zip(found.first, past, strict=True)]),
            "mean": np.array([_mean(values[begin:stop]) for begin, stop in zip(found.first, past, strict=True)]),
            "open_start": found.is_open_start.astype(np.float64),
            "open_stop": (found.is_open_stop & ~is_cut).astype(np.float64),
            "is_cut": is_cut.astype(np.float64),
        }
        columns = {name: each[is_kept] for name, each in columns.items()}
        return events_table(found.start[is_kept], stops[is_kept], columns, meta)


@dataclass(frozen=True)
class _Runs:
    """Stretches of samples: indices of the first and last, times in ns, and whether nothing valid bounds them."""

    first: Nanoseconds
    last: Nanoseconds
    start: Nanoseconds
    stop: Nanoseconds
    is_open_start: NDArray[np.bool_]
    is_open_stop: NDArray[np.bool_]


def _meets(values: Floats, options: IntervalsOptions) -> NDArray[np.bool_]:
    is_met = np.ones(len(values), dtype=np.bool_)
    if options.above is not None:
        is_met &= values > options.above
    if options.below is not None:
        is_met &= values < options.below
    return is_met


def _runs(at: Nanoseconds, until: Nanoseconds, is_met: NDArray[np.bool_], gap_ns: int) -> _Runs:
    """Runs of consecutive samples that meet the condition, none farther from the next than the gap.

    A run that no sample follows stops where its last sample does.
    """
    is_joined = np.diff(at) <= gap_ns
    goes_on = is_joined & is_met[:-1] & is_met[1:] if len(at) else np.zeros(0, dtype=np.bool_)
    first = np.flatnonzero(is_met & ~np.append(False, goes_on)[: len(at)])
    last = np.flatnonzero(is_met & ~np.append(goes_on, False)[: len(at)])
    is_joined_before, is_joined_after = np.append(False, is_joined)[first], np.append(is_joined, False)[last]
    following = at[np.minimum(last + 1, max(len(at) - 1, 0))]
    stop = np.where(is_joined_after, following, until[last])
    return _Runs(first, last, at[first], stop, ~is_joined_before, ~is_joined_after)


def _merged(runs: _Runs, merge: timedelta | None) -> _Runs:
    """Runs that are near each other as one."""
    if merge is None or not len(runs.first):
        return runs
    is_apart = runs.start[1:] - runs.stop[:-1] > duration_ns(merge)
    begins, stops = np.append(True, is_apart), np.append(is_apart, True)
    return _Runs(
        runs.first[begins],
        runs.last[stops],
        runs.start[begins],
        runs.stop[stops],
        runs.is_open_start[begins],
        runs.is_open_stop[stops],
    )


def _extreme(values: Floats, options: IntervalsOptions) -> float:
    if options.below is None:
        return float(np.max(values)) + 0.0
    if options.above is None:
        return float(np.min(values)) + 0.0
    return float(values[np.argmax(np.abs(values))]) + 0.0


def _mean(values: Floats) -> float:
    with np.errstate(all="ignore"):
        mean = float(np.mean(values))
    return mean if np.isfinite(mean) else np.nan
