"""What `benchmarks.replay` replays: three steps over made-up daily files, and the days of it. Measuring happens elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchmarks.products import PRODUCTS, days
from helio_dagster.domain.time_range import TimeRange

PRODUCT = PRODUCTS["BENCH_MAG_16SEC"]
HALO = timedelta(minutes=5)
PIPELINE = """version: 1
name: bench
title: Benchmark
partitions: daily
start: 2000-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: BENCH_MAG_16SEC, parameter: B_GSE}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: b_mean
    compute: {operation: rolling_mean, inputs: {series: b_mag}, options: {window: PT10M}}
"""
FIGURE = """  - id: overview
    figure:
      panels:
        - traces: [{data: b}]
        - traces: [{data: b_mag}, {data: b_mean, color: firebrick}]
"""
FIRST_DAY = datetime(2012, 1, 2, tzinfo=UTC)
"""The first day that is read; ten years of partitions after it are over."""
MARGIN = 9
"""Days of files beyond the partitions: their halos and the warm-up."""


def needed_days(count: int) -> list[datetime]:
    """The days whose files a replay of so many partitions needs, its warm-up included."""
    return days(count + MARGIN, FIRST_DAY)


def span_of(count: int) -> TimeRange:
    """The range of so many partitions; the day before it and the day after it are read too."""
    return TimeRange(days(2, FIRST_DAY)[1], days(count + 2, FIRST_DAY)[-1])


def warm_span(count: int) -> TimeRange:
    """Two partitions after those, apart from what they read."""
    return TimeRange(days(count + 5, FIRST_DAY)[-1], days(count + 7, FIRST_DAY)[-1])
