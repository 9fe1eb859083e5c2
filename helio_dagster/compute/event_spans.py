"""Events as spans of time, `[start, stop)`: read from tables, joined, intersected, subtracted from each other.

A span without a stop is a moment and contains only its start. Spans are cut at a greatest length, so that what is made of them
depends only on what begins within that length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.event_table import stop_name
from helio_dagster.domain.table import Table

Nanoseconds = NDArray[np.int64]


@dataclass(frozen=True)
class Spans:
    """Spans in order of their start: int64 ns since 1970, shape (span,), and which were cut."""

    start: Nanoseconds
    stop: Nanoseconds
    is_cut: NDArray[np.bool_]

    @property
    def held(self) -> Nanoseconds:
        """Up to where each span holds its moments, ns, shape (span,): 1 ns behind the start of one that is a moment."""
        return np.maximum(self.stop, self.start + 1)

    @classmethod
    def of(cls, rows: list[tuple[int, int, bool]]) -> Spans:
        """Spans of (start, stop, whether it was cut), put in order."""
        ordered = sorted(rows)
        start, stop, is_cut = ([row[place] for row in ordered] for place in range(3))
        return cls(np.array(start, dtype=np.int64), np.array(stop, dtype=np.int64), np.array(is_cut, dtype=np.bool_))


def read_spans(table: Table, longest_ns: int | None = None) -> Spans:
    """The spans of a table of events, cut at a greatest length; without a stop (or with a missing one) a row is a moment."""
    start = table.time.astype("datetime64[ns]").astype(np.int64)
    name = stop_name(table.meta)
    if name is None or not len(table):
        return Spans(start, start, np.zeros(len(start), dtype=np.bool_))
    stops = table.columns[name].astype("datetime64[ns]")
    stop = np.where(np.isnat(stops), start, np.maximum(stops.astype(np.int64), start))
    cut = stop if longest_ns is None else np.minimum(stop, start + longest_ns)
    return Spans(start, cut, cut < stop)


def join_spans(given: Spans, *, apart_ns: int, longest_ns: int) -> tuple[Spans, NDArray[np.int64]]:
    """Spans at most `apart_ns` from each other as one, cut at a greatest length, and how many begin in each, shape (span,)."""
    if not len(given.start):
        return given, np.zeros(0, dtype=np.int64)
    order = np.lexsort((given.stop, given.start))
    start, stop, is_cut = given.start[order], given.stop[order], given.is_cut[order]
    reached = np.maximum.accumulate(stop)
    begins = np.flatnonzero(np.append(True, start[1:] - reached[:-1] > apart_ns))
    joined = np.maximum.reduceat(stop, begins)
    last = np.append(begins[1:], len(start))
    held = np.minimum(joined, start[begins] + longest_ns)
    is_short = held < joined
    stops_cut = np.logical_or.reduceat(is_cut & (stop == np.repeat(joined, last - begins)), begins)
    counted = np.minimum(last, np.searchsorted(start, np.maximum(held, start[begins] + 1)))
    return Spans(start[begins], held, is_short | stops_cut), np.where(is_short, counted, last) - begins


def intersect_spans(a: Spans, b: Spans) -> Spans:
    """What each span of one shares with each of the other."""
    rows, reached = [], _reached(b)
    for start, stop, held, is_cut in zip(a.start, a.stop, a.held, a.is_cut, strict=True):
        first, last = np.searchsorted(reached, start, side="right"), np.searchsorted(b.start, held)
        for place in range(first, last):
            begin = max(start, b.start[place])
            if begin < min(held, b.held[place]):
                shared = max(begin, min(stop, b.stop[place]))
                cuts = (is_cut and shared == stop) or (b.is_cut[place] and shared == b.stop[place])
                rows.append((int(begin), int(shared), bool(cuts)))
    return Spans.of(rows)


def subtract_spans(a: Spans, b: Spans) -> Spans:
    """What each span of one does not share with any of the other; moments of the other take nothing away."""
    rows, reached = [], _reached(b)
    for start, stop, held, is_cut in zip(a.start, a.stop, a.held, a.is_cut, strict=True):
        first, last = np.searchsorted(reached, start, side="right"), np.searchsorted(b.start, held)
        free_from = start
        for place in range(first, last):
            if b.stop[place] <= max(free_from, b.start[place]):
                continue
            if b.start[place] > free_from:
                rows.append((int(free_from), int(b.start[place]), False))
            free_from = b.stop[place]
        if free_from < held:
            rows.append((int(free_from), int(max(stop, free_from)), bool(is_cut)))
    return Spans.of(rows)


def _reached(spans: Spans) -> Nanoseconds:
    """The latest stop up to each span, ascending, shape (span,)."""
    return np.maximum.accumulate(spans.held)
