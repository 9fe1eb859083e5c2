"""Check whether the datasets that a pipeline reads have data in a range, according to the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time


@dataclass(frozen=True)
class Shortfall:
    """A dataset that does not cover a range; `stop` is None if its data are still being added."""

    archive: str
    dataset: str
    start: datetime | None
    stop: datetime | None
    has_any: bool

    def __str__(self) -> str:
        since = f"from {format_time(self.start)}" if self.start else "from an unknown time"
        until = f" to {format_time(self.stop)}" if self.stop else " on"
        covers = "the rest of the range will be empty" if self.has_any else "there is none in this range"
        return f"{self.dataset} has data {since}{until}: {covers}"


def find_shortfalls(graph: AssetGraph, pipeline: Pipeline, span: TimeRange, catalog: Catalog) -> list[Shortfall]:
    """The datasets that a pipeline reads, directly or through others, and that do not cover a range.

    Parameters
    ----------
    graph
        All assets of the home.
    pipeline
        The pipeline whose fetches are checked.
    span
        The requested range.
    catalog
        Knows when datasets have data; a dataset unknown to it is not a shortfall.
    """
    found: dict[tuple[str, str], Shortfall] = {}
    names = [node.name for node in graph.of_pipeline(pipeline).values()]
    for name in graph.with_ancestors(names):
        fetch = graph[name].fetch
        if fetch is None:
            continue
        start, stop = _days(*catalog.extent(fetch.archive, fetch.dataset))
        if (start is not None and span.start < start) or (stop is not None and stop < span.stop):
            has_any = (start is None or start < span.stop) and (stop is None or span.start < stop)
            found[fetch.archive, fetch.dataset] = Shortfall(fetch.archive, fetch.dataset, start, stop, has_any)
    return list(found.values())


def clip(span: TimeRange, shortfalls: list[Shortfall]) -> TimeRange:
    """The part of a range that all datasets cover.

    Raises
    ------
    InputError
        There is no such part.
    """
    start = max([span.start, *(each.start for each in shortfalls if each.start)])
    stop = min([span.stop, *(each.stop for each in shortfalls if each.stop)])
    if start >= stop:
        covered = "; ".join(str(each) for each in shortfalls)
        raise InputError(f"{span} has no part in which all datasets have data", hint=f"{covered}.")
    return TimeRange(start, stop)


def _days(start: datetime | None, stop: datetime | None) -> tuple[datetime | None, datetime | None]:
    """The whole days of an archive's first and last record, because the first and last few hours do not matter here."""
    last = Grain.DAILY.ceil(stop) if stop else None
    return Grain.DAILY.floor(start) if start else None, last
