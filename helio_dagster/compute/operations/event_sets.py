"""Lists of events as sets of time: union_of, intersection_of, difference_of, merge_events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Generic, TypeVar

import numpy as np

from helio_dagster.compute.event_spans import Spans, intersect_spans, join_spans, read_spans, subtract_spans
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import events_meta, events_table, fact
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import Table, TableMeta

_SOURCE = "(intervals as in Allen 1983, doi:10.1145/182.358434)"
_CUT = fact("is_cut", "whether it was cut at longest")


class SpanOptions(Options):
    """How long events may be."""

    longest: Length = timedelta(days=3)
    """Events are taken up to this length, an ISO 8601 duration such as P3D; of a longer one the rest does not count, and what
    is
    made of it is marked."""


class MergeOptions(SpanOptions):
    """Which events become one."""

    nearer: Length
    """Events at most this far apart become one, an ISO 8601 duration such as PT1H."""


SpanT = TypeVar("SpanT", bound=SpanOptions)


class _OfSpans(ShippedOperation[SpanT], Generic[SpanT]):
    """An operation that makes events of events, of their start and stop alone."""

    def _spans(self, inputs: Mapping[str, Table], options: SpanT) -> list[Spans]:
        return [read_spans(inputs[name], duration_ns(options.longest)) for name in self.inputs]


def _two(a: str, b: str) -> Mapping[str, Input]:
    return {"a": Input(("events",), a), "b": Input(("events",), b)}


def _events(spans: Spans, meta: TableMeta, **columns: np.ndarray) -> Table:
    return events_table(spans.start, spans.stop, {"is_cut": spans.is_cut.astype(np.float64), **columns}, meta)


def _example(*spans: tuple[float, float]) -> ExampleTable:
    return ExampleTable(
        kind="events",
        seconds=tuple(start for start, _ in spans),
        columns={"stop": tuple(stop for _, stop in spans)},
        roles={"stop": "stop"},
    )


class UnionOf(_OfSpans[SpanOptions]):
    """Events of either list."""

    id = "union_of"
    version = 1
    summary = "The times inside an event of one list or the other: overlapping and touching events become one."
    when = "Use it to bring two lists of events together. To join the near ones of one list use merge_events."
    reference = f"A union B, as maximal intervals {_SOURCE}."
    inputs = _two("one list", "the other list")
    output = "Events in order of their start: stop, duration in h, count of the events joined, is_cut."
    options = SpanOptions
    examples = (
        Example(
            inputs={"a": _example((0, 60), (300, 360)), "b": _example((30, 120), (360, 480))},
            expected={"stop": (120, 480), "count": (2, 2), "is_cut": (0, 0), "duration": (1 / 30, 0.05)},
            seconds=(0, 300),
            source="by hand: one pair overlaps, one touches",
        ),
    )

    def halo(self, options: SpanOptions) -> tuple[timedelta, timedelta]:
        """The longest event, on both sides."""
        return options.longest, options.longest

    def _is_known(self, inputs: Mapping[str, TableMeta]) -> bool:
        return any(meta.columns for meta in inputs.values())

    def _has_records(self, inputs: Mapping[str, Table]) -> bool:
        return any(len(table) for table in inputs.values())

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpanOptions, name: str) -> TableMeta:
        del options
        label = " or ".join(meta.label for meta in inputs.values() if meta.label) or name
        return events_meta(label, (*fact("count", "number of events joined"), *_CUT))

    def _compute(self, inputs: Mapping[str, Table], options: SpanOptions, meta: TableMeta) -> Table:
        a, b = self._spans(inputs, options)
        both = Spans(*(np.append(getattr(a, each), getattr(b, each)) for each in ("start", "stop", "is_cut")))
        joined, count = join_spans(both, apart_ns=0, longest_ns=duration_ns(options.longest))
        return _events(joined, meta, count=count)


class MergeEvents(_OfSpans[MergeOptions]):
    """Near events as one."""

    id = "merge_events"
    version = 1
    summary = "Events of a list that are near each other become one."
    when = "Use it if one storm or crossing is listed in several parts. intervals_where can do it when it makes the list."
    reference = f"Events with start - (greatest stop so far) <= nearer are joined {_SOURCE}."
    inputs = {"events": Input(("events",), "the list")}
    output = "Events in order of their start: stop, duration in h, count of the events joined, is_cut."
    options = MergeOptions
    examples = (
        Example(
            inputs={"events": _example((0, 60), (100, 160), (300, 360))},
            options={"nearer": "PT1M"},
            expected={"stop": (160, 360), "count": (2, 1)},
            seconds=(0, 300),
            source="by hand: 40 s and 140 s apart",
        ),
        Example(
            inputs={"events": _example((0, 60), (100, 160))},
            options={"nearer": "PT1M", "longest": "PT2M"},
            expected={"stop": (120,), "count": (2,), "is_cut": (1,)},
            seconds=(0,),
            source="cut after two minutes",
        ),
    )

    def halo(self, options: MergeOptions) -> tuple[timedelta, timedelta]:
        """The longest event, and as far again as events may be apart, on both sides."""
        reach = duration_from_ns(duration_ns(options.longest) + duration_ns(options.nearer))
        return reach, reach

    def _meta(self, inputs: Mapping[str, TableMeta], options: MergeOptions, name: str) -> TableMeta:
        del options
        return events_meta(inputs["events"].label or name, (*fact("count", "number of events joined"), *_CUT))

    def _compute(self, inputs: Mapping[str, Table], options: MergeOptions, meta: TableMeta) -> Table:
        (given,) = self._spans(inputs, options)
        apart_ns, longest_ns = duration_ns(options.nearer), duration_ns(options.longest)
        joined, count = join_spans(given, apart_ns=apart_ns, longest_ns=longest_ns)
        return _events(joined, meta, count=count)


class IntersectionOf(_OfSpans[SpanOptions]):
    """Events of both lists."""

    id = "intersection_of"
    version = 1
    summary = "The times that an event of one list shares with an event of the other; a moment inside an event is kept."
    when = "Use it to find what happens during something else: shocks inside magnetic clouds, intervals seen by two spacecraft."
    reference = f"[max(start_a, start_b), min(stop_a, stop_b)) of each pair that overlaps {_SOURCE}."
    inputs = _two("one list", "the other list")
    output = "Events in order of their start, one for each pair that overlaps: stop, duration in h, is_cut."
    options = SpanOptions
    examples = (
        Example(
            inputs={"a": _example((0, 60), (200, 200), (300, 360)), "b": _example((30, 120), (180, 310), (360, 480))},
            expected={"stop": (60, 200, 310), "is_cut": (0, 0, 0)},
            seconds=(30, 200, 300),
            source="by hand: an overlap, a moment, an overlap; two that touch share nothing",
        ),
    )

    def halo(self, options: SpanOptions) -> tuple[timedelta, timedelta]:
        """The longest event before: one that began earlier may still last."""
        return options.longest, timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpanOptions, name: str) -> TableMeta:
        del options
        return events_meta(" and ".join(meta.label for meta in inputs.values() if meta.label) or name, _CUT)

    def _compute(self, inputs: Mapping[str, Table], options: SpanOptions, meta: TableMeta) -> Table:
        a, b = self._spans(inputs, options)
        return _events(intersect_spans(a, b), meta)


class DifferenceOf(_OfSpans[SpanOptions]):
    """Events of one list without the other."""

    id = "difference_of"
    version = 1
    summary = "The times inside an event of the first list and in none of the second."
    when = "Use it to leave out bad or disturbed times: solar wind without ICMEs, intervals without eclipses."
    reference = f"A minus B, for each event of A its maximal intervals {_SOURCE}; moments of B take nothing away."
    inputs = _two("what is kept", "what is taken away")
    output = "Events in order of their start: stop, duration in h, is_cut."
    options = SpanOptions
    examples = (
        Example(
            inputs={"a": _example((0, 100), (200, 300)), "b": _example((40, 60), (90, 220))},
            expected={"stop": (40, 90, 300), "duration": (1 / 90, 1 / 120, 1 / 45)},
            seconds=(0, 60, 220),
            source="by hand",
        ),
    )

    def halo(self, options: SpanOptions) -> tuple[timedelta, timedelta]:
        """The longest event, on both sides."""
        return options.longest, options.longest

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpanOptions, name: str) -> TableMeta:
        del options
        return events_meta(" without ".join(meta.label for meta in inputs.values() if meta.label) or name, _CUT)

    def _compute(self, inputs: Mapping[str, Table], options: SpanOptions, meta: TableMeta) -> Table:
        a, b = self._spans(inputs, options)
        return _events(subtract_spans(a, b), meta)
