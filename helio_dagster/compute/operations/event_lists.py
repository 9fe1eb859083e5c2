"""Lists of events, row by row: pad_events, filter_events, nearest_event."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
from pydantic import model_validator

from helio_dagster.compute.event_spans import read_spans
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import HOUR_NS, events_meta, fact
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_matching import nearest
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.event_table import stop_name
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_LIST: Mapping[str, Input] = {"events": Input(("events",), "the list")}
_EXAMPLE = ExampleTable(
    kind="events",
    seconds=(600, 7200),
    columns={"stop": (1200, 14400), "size": (5, 9)},
    roles={"stop": "stop"},
    unit="nT",
)


class PadOptions(Options):
    """How much longer events become."""

    before: Length | None = None
    """How much earlier each starts, an ISO 8601 duration such as PT6H."""
    after: Length | None = None
    """How much later each stops, an ISO 8601 duration such as P1D."""

    @model_validator(mode="after")
    def _pads(self) -> PadOptions:
        if self.before is None and self.after is None:
            raise ValueError("give before, after or both")
        return self


class PadEvents(ShippedOperation[PadOptions]):
    """Longer events."""

    id = "pad_events"
    version = 1
    summary = "Events that start earlier and stop later by fixed lengths."
    when = "Use it to look at the time around events, or to make intervals of moments."
    reference = (
        "[start - before, stop + after); a moment becomes [time - before, time + after) (Allen 1983, doi:10.1145/182.358434)."
    )
    inputs = _LIST
    output = "The events at their new starts: stop, duration in h, and the other columns of the list as they were."
    options = PadOptions
    examples = (
        Example(
            inputs={"events": _EXAMPLE},
            options={"before": "PT5M", "after": "PT30M"},
            expected={"stop": (3000, 16200), "duration": (0.75, 9300 / 3600), "size": (5, 9)},
            seconds=(300, 6900),
            units={"size": "nT", "duration": "h"},
            source="by hand",
        ),
    )

    def halo(self, options: PadOptions) -> tuple[timedelta, timedelta]:
        """Events that begin up to `before` after the partition may start inside it."""
        return timedelta(0), options.before or timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: PadOptions, name: str) -> TableMeta:
        del options
        meta = inputs["events"]
        return events_meta(meta.label or name, _others(meta))

    def _compute(self, inputs: Mapping[str, Table], options: PadOptions, meta: TableMeta) -> Table:
        table = inputs["events"]
        spans = read_spans(table)
        start = spans.start - (duration_ns(options.before) if options.before is not None else 0)
        stop = spans.stop + (duration_ns(options.after) if options.after is not None else 0)
        columns = {"stop": stop.astype("datetime64[ns]"), "duration": (stop - start) / HOUR_NS}
        kept = {column.name: table.columns[column.name] for column in _others(table.meta)}
        return Table(start.astype("datetime64[ns]"), {**columns, **kept}, meta)


def _others(meta: TableMeta) -> tuple[ColumnMeta, ...]:
    """The columns beside stop and duration."""
    return tuple(column for column in meta.columns if column.name not in (stop_name(meta), "stop", "duration"))


class FilterOptions(Options):
    """Which events stay: those that meet every condition that is given."""

    at_least: Length | None = None
    """Events that last this long or longer, an ISO 8601 duration such as PT2H."""
    at_most: Length | None = None
    """Events that last this long or shorter, an ISO 8601 duration such as P2D."""
    column: str | None = None
    """Name of the column that above and below look at."""
    above: float | None = None
    """Events whose column is greater than this."""
    below: float | None = None
    """Events whose column is less than this."""

    @model_validator(mode="after")
    def _goes_together(self) -> FilterOptions:
        limits = self.above is not None or self.below is not None
        if limits != (self.column is not None):
            raise ValueError("column goes together with above, below or both")
        if not limits and self.at_least is None and self.at_most is None:
            raise ValueError("nothing is asked of the events. Give at_least, at_most, or column with above or below")
        return self


class FilterEvents(ShippedOperation[FilterOptions]):
    """Some of the events."""

    id = "filter_events"
    version = 1
    summary = "The events of a list that last long enough, or whose column lies above, below or between limits."
    when = "Use it to keep the large or long events of a list. To make a list from a series use intervals_where."
    reference = "The rows that meet all conditions (selection: Codd 1970, doi:10.1145/362384.362685)."
    inputs = _LIST
    output = "The list's own rows and columns; rows whose column has no valid value are left out."
    options = FilterOptions
    examples = (
        Example(
            inputs={"events": _EXAMPLE},
            options={"at_least": "PT1H", "column": "size", "above": 6},
            expected={"stop": (14400,), "size": (9,)},
            seconds=(7200,),
            unit="nT",
            source="ten minutes are too short, two hours are not",
        ),
    )

    def halo(self, options: FilterOptions) -> tuple[timedelta, timedelta]:
        """Nothing: each row is looked at by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: FilterOptions, name: str) -> TableMeta:
        meta = inputs["events"]
        names = [column.name for column in meta.columns if column.role == "data"]
        if options.column is not None and options.column not in names:
            problem = f"{self.id}: the events have no column {options.column!r}"
            raise ComputeError(problem, hint=remedy(options.column, names, what="columns"))
        return meta.model_copy(update={"label": meta.label or name, "attributes": {}})

    def _compute(self, inputs: Mapping[str, Table], options: FilterOptions, meta: TableMeta) -> Table:
        table = inputs["events"]
        spans = read_spans(table)
        length = spans.stop - spans.start
        is_kept = np.ones(len(table), dtype=np.bool_)
        if options.at_least is not None:
            is_kept &= length >= duration_ns(options.at_least)
        if options.at_most is not None:
            is_kept &= length <= duration_ns(options.at_most)
        if options.column is not None:
            values = floats(table, options.column)
            is_kept &= ~np.isnan(values)
            if options.above is not None:
                is_kept &= values > options.above
            if options.below is not None:
                is_kept &= values < options.below
        columns = {name: values[is_kept] for name, values in table.columns.items()}
        return Table(table.time[is_kept].astype("datetime64[ns]"), columns, meta)


class NearestOptions(Options):
    """How far away an event may be."""

    longest: Length = timedelta(days=3)
    """Events of b farther away than this do not count, an ISO 8601 duration such as P3D."""


class NearestEvent(ShippedOperation[NearestOptions]):
    """The partner of each event."""

    id = "nearest_event"
    version = 1
    summary = "For each event of one list, how much later (or earlier) the nearest event of another list starts."
    when = (
        "Use it to pair lists: shocks and storms, the same boundary at two spacecraft. For what overlaps use intersection_of."
    )
    reference = (
        "lag = start_b - start_a of the b with the least |lag|, the earlier of two equally near (Allen 1983, "
        "doi:10.1145/182.358434)."
    )
    inputs = {"a": Input(("events",), "for each of which one is looked for"), "b": Input(("events",), "among which")}
    output = "The events of a: stop, duration and lag in h, positive where b starts later; NaN where none is near enough."
    options = NearestOptions
    examples = (
        Example(
            inputs={"a": _EXAMPLE, "b": ExampleTable(kind="events", columns={"n": (1, 2)}, seconds=(0, 2400))},
            options={"longest": "PT1H"},
            expected={"lag": (-1 / 6, None), "stop": (1200, 14400)},
            seconds=(600, 7200),
            units={"lag": "h"},
            source="ten minutes earlier; eighty minutes are too far",
        ),
    )

    def halo(self, options: NearestOptions) -> tuple[timedelta, timedelta]:
        """As far as a partner may be, on both sides."""
        return options.longest, options.longest

    def _meta(self, inputs: Mapping[str, TableMeta], options: NearestOptions, name: str) -> TableMeta:
        del options
        other = inputs["b"].label or "event"
        return events_meta(f"{inputs['a'].label or name}, nearest {other}", fact("lag", f"lag to the nearest {other}", "h"))

    def _compute(self, inputs: Mapping[str, Table], options: NearestOptions, meta: TableMeta) -> Table:
        a, b = inputs["a"], inputs["b"]
        spans, lag = read_spans(a), np.full(len(a), np.nan)
        if len(b):
            index, is_near = nearest(a.time, b.time, tolerance_ns=duration_ns(options.longest))
            lag = np.where(is_near, (read_spans(b).start[index] - spans.start) / HOUR_NS, np.nan)
        columns = {"stop": spans.stop.astype("datetime64[ns]"), "duration": (spans.stop - spans.start) / HOUR_NS, "lag": lag}
        return Table(a.time.astype("datetime64[ns]"), columns, meta)
