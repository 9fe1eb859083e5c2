"""Numbers about a series during each event of a list: facts_of_events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.event_spans import Spans, read_spans
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, fact, times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.operations.window_facts import plain_hour
from helio_dagster.compute.span_numbers import EXTREMES, Statistic, numbers_of
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.event_table import stop_name
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.unit_conversion import integral_unit

_USUAL: tuple[Statistic, ...] = ("mean", "minimum", "maximum")


class EventFactsOptions(Options):
    """Which numbers."""

    statistics: tuple[Statistic, ...] | None = None
    """A list of mean, median, std, minimum and maximum (each with its time), integral, coverage, samples; by default mean,
    minimum and maximum. An event with one valid sample has no integral and no coverage: nothing shows how long it stands."""
    gaps: Length | None = None
    """Neighbours farther apart than this, an ISO 8601 duration such as PT10M, leave a gap; by default three times the median
    distance of the event's valid samples."""
    longest: Length = timedelta(days=3)
    """Samples are taken up to this long after an event's start, an ISO 8601 duration such as P5D; of a longer event the rest
    does not count."""


class FactsOfEvents(ShippedOperation[EventFactsOptions]):
    """Columns of numbers for a list of events."""

    id = "facts_of_events"
    version = 2
    summary = "The events of a list with numbers about a series during each: mean, extremes with their times, integral."
    when = (
        "Use it to say what each event was like: the greatest speed during each storm, the mean Bz of each cloud. Give it its "
        "own result for another series. For one window use facts_of; for events that are moments pad_events first."
    )
    reference = (
        "The statistics of facts_of over the valid samples in [start, stop) of each event, samples of two events that overlap "
        "counting in both (Press et al. 2007, Numerical Recipes, sections 4.1 and 14.1)."
    )
    inputs = {
        "events": Input(("events",), "the list"),
        "series": Input(("series",), "what is looked at during each event", columns=1),
    }
    output = (
        "The list's own rows and columns, and for each statistic a column `<column of the series>_<statistic>` in the unit of "
        "the series (integral: times h, of what is per s times s; coverage: %); NaN (samples: 0) where an event holds no valid "
        "sample. An event is in the list alone where the archive has no file of the series within `longest` after it."
    )
    options = EventFactsOptions
    examples = (
        Example(
            inputs={
                "events": ExampleTable(
                    kind="events",
                    seconds=(60, 240, 900),
                    columns={"stop": (180, 360, 960), "size": (5, 9, 2)},
                    roles={"stop": "stop"},
                    unit="km",
                ),
                "series": ExampleTable(unit="nT", columns={"bz": (0, -6, -8, 1, None, -7, -9)}),
            },
            options={"statistics": ["mean", "minimum", "coverage", "samples"]},
            expected={
                "stop": (180, 360, 960),
                "size": (5, 9, 2),
                "bz_mean": (-7, -7, None),
                "bz_minimum": (-8, -7, None),
                "bz_minimum_time": (120, 300, None),
                "bz_coverage": (100, 0, None),
                "bz_samples": (2, 1, 0),
            },
            seconds=(60, 240, 900),
            unit="km",
            units={"bz_coverage": "%", "bz_mean": "nT"},
            source="by hand: the second event holds one valid sample, whose length nothing shows, the third none",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: EventFactsOptions) -> dict[str, Any]:
        """How long an hour is in the integral's unit of time, too."""
        return {**super().plain_options(inputs, options), **plain_hour(data_unit(inputs["series"]))}

    def halo(self, options: EventFactsOptions) -> tuple[timedelta, timedelta]:
        """After: longest, for an event belongs to the partition in which it starts."""
        return timedelta(0), duration_from_ns(duration_ns(options.longest))

    def _is_known(self, inputs: Mapping[str, TableMeta]) -> bool:
        return all(meta.columns for meta in inputs.values())

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        times = {column.name: "datetime64[ns]" for column in meta.columns if column.name.endswith(_TIME_ENDS)}
        return {**meta.dtypes, **times}

    def _meta(self, inputs: Mapping[str, TableMeta], options: EventFactsOptions, name: str) -> TableMeta:
        events, (of,) = inputs["events"], self.inputs["series"].used_columns(inputs["series"], operation_id=self.id)
        if stop_name(events) is None:
            problem = f"{self.id} takes events that last, and these are moments"
            raise ComputeError(problem, hint="Make them intervals with pad_events first: 'before' and 'after' say how long.")
        label, unit = of.label or inputs["series"].label or of.name, of.unit or inputs["series"].unit
        added = tuple(column for each in _asked(options) for column in _columns(each, of.name, label, unit))
        taken = {column.name for column in events.columns} & {column.name for column in added}
        if taken:
            problem = f"{self.id}: the events already have the column {min(taken)!r}"
            raise ComputeError(problem, hint="Ask for other statistics, or take a series whose column has another name.")
        update = {"columns": (*events.columns, *added), "label": events.label or name, "attributes": {}}
        return events.model_copy(update=update)

    def _compute(self, inputs: Mapping[str, Table], options: EventFactsOptions, meta: TableMeta) -> Table:
        events, series = inputs["events"], inputs["series"]
        (of,) = self.inputs["series"].used_columns(series.meta, operation_id=self.id)
        (values,) = self._values(inputs, "series")
        spans, hour = read_spans(events, duration_ns(options.longest)), float(integral_unit(data_unit(series.meta), "h")[1])
        found = list(_numbers(times_ns(series), values, spans, options, hour))
        columns: dict[str, NDArray[np.generic]] = dict(events.columns)
        for each in _asked(options):
            missing = 0 if each == "samples" else np.nan
            columns[f"{of.name}_{each}"] = np.array(
                [numbers.get(each, missing) for numbers in found], dtype=np.int64 if each == "samples" else np.float64
            )
            if each in EXTREMES:
                times = [numbers.get(f"{each}_time", np.datetime64("NaT", "ns")) for numbers in found]
                columns[f"{of.name}_{each}_time"] = np.array(times, dtype="datetime64[ns]")
        return Table(events.time.astype("datetime64[ns]"), columns, meta)


_TIME_ENDS = tuple(f"_{each}_time" for each in EXTREMES)


def _asked(options: EventFactsOptions) -> tuple[Statistic, ...]:
    return tuple(dict.fromkeys(options.statistics or _USUAL))


def _columns(statistic: Statistic, name: str, label: str, unit: str) -> Iterator[ColumnMeta]:
    """The columns of a statistic of a series."""
    if statistic == "samples":
        yield ColumnMeta(name=f"{name}_samples", label=f"number of samples of {label}", role="count")
        return
    of_unit = {"integral": integral_unit(unit, "h")[0], "coverage": "%"}.get(statistic, unit)
    yield from fact(f"{name}_{statistic}", f"{statistic} of {label}", of_unit)
    if statistic in EXTREMES:
        yield from fact(f"{name}_{statistic}_time", f"time of the {statistic} of {label}")


def _numbers(
    at: Nanoseconds, values: Floats, spans: Spans, options: EventFactsOptions, hour: float
) -> Iterator[Mapping[str, Any]]:
    """The numbers of each event; nothing where it holds no valid sample."""
    is_valid = ~np.isnan(values)
    at, values = at[is_valid], values[is_valid]
    gap_ns = duration_ns(options.gaps) if options.gaps is not None else None
    first, last = np.searchsorted(at, spans.start), np.searchsorted(at, spans.stop)
    for begin, end, start, stop in zip(first, last, spans.start, spans.stop, strict=True):
        with np.errstate(all="ignore"):
            found = (
                numbers_of(at[begin:end], values[begin:end], (int(start), int(stop)), gap_ns=gap_ns, hour=hour)
                if end > begin
                else {}
            )
        yield {name: value for name, value in found.items() if isinstance(value, np.datetime64) or np.isfinite(value)}
