"""Which ranges the partitions of a step make: of its figures, and of its results with `over: range`. Reads nothing stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.span_key import span_key, span_of
from helio_dagster.domain.time_range import TimeRange

if TYPE_CHECKING:
    from helio_dagster.assets.graph import AssetNode
    from helio_dagster.domain.event_partitions import EventPartitions
    from helio_dagster.storage.tables import TableStore


def spans(node: AssetNode, keys: Sequence[str | None], *, shown: TimeRange | None = None) -> list[tuple[TimeRange, list[str]]]:
    """The contiguous ranges that partitions make, clipped to `shown`, each with its keys.

    Events make one range for all that are asked for, from the first window's start to the last one's stop; a figure of each
    event is drawn over its own window. `shown` is of windows of time alone.
    """
    if node.events is not None:
        return _spans_of_events(node, node.events, [key for key in keys if key is not None])
    if node.grain is None:
        raise TypeError(f"{node.name} has no partitions")
    found: list[tuple[TimeRange, list[str]]] = []
    for key in sorted(key for key in keys if key is not None):
        window = node.grain.window(key)
        if found and found[-1][0].stop == window.start:
            found[-1] = (TimeRange(found[-1][0].start, window.stop), [*found[-1][1], key])
        else:
            found.append((window, [key]))
    return [(span.part_in(shown) if shown and span.overlaps(shown) else span, keys) for span, keys in found]


def stored_key(node: AssetNode, partition: str | None) -> str | None:
    """The key under which the result of a single partition is stored: that of its range for a step over a range."""
    return span_key(spans(node, [partition])[0][0]) if node.over == "range" else partition


def stored_spans(asset: str, store: TableStore) -> list[TimeRange]:
    """The ranges for which a table of an asset is stored, in order."""
    return sorted(span for key in store.partitions(asset) if (span := span_of(key)) is not None)


def asked_span(node: AssetNode, asked: TimeRange) -> TimeRange:
    """The range of the result that a person asks for: that of the events which start inside, or the range itself.

    Raises
    ------
    InputError
        No event starts inside.
    """
    if node.events is None:
        return asked
    found = spans(node, node.events.keys(asked))
    if not found:
        raise InputError(f"no event of {node.events.name} starts in {asked}", hint="Give another range.")
    return found[0][0]


def _spans_of_events(node: AssetNode, events: EventPartitions, keys: Sequence[str]) -> list[tuple[TimeRange, list[str]]]:
    ordered = sorted(keys, key=lambda key: events.events[key].row)
    if node.over != "range" or not ordered:
        return [(events.window(key), [key]) for key in ordered]
    windows = [events.window(key) for key in ordered]
    first = min(window.start for window in windows).replace(microsecond=0)
    last = max(window.stop for window in windows)
    whole = last.replace(microsecond=0)
    return [(TimeRange(first, whole if whole == last else whole + timedelta(seconds=1)), ordered)]
