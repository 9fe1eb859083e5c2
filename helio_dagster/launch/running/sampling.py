"""Fetch a short sample without changing the home, to see whether there are data and what they look like."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Literal

from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.assets.description import describe_table
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, HelioError
from helio_dagster.domain.fine_duration import duration_from_seconds
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.inquiry import Sample
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workbench import Workbench

IMPATIENT = TransferSettings(tries=1, connect_s=5.0, read_s=15.0, total_s=60.0)
"""Short timeouts, because a person is waiting: an archive that does not answer soon is reported as unreachable."""

_DAY = timedelta(days=1)
_FEWEST = 24
"""Number of records that a sample of sparse data should have room for."""


def take_sample(fetch: Fetch, span: TimeRange, workbench: Workbench, *, cadence: timedelta | None = None) -> Sample:
    """A short part of a range, from its beginning; if that has no valid value, one from its middle.

    Parameters
    ----------
    fetch
        The fetch to sample.
    span
        The requested range.
    workbench
        Used to ask archives, preferably with short timeouts; only the download cache is written.
    cadence
        Cadence of the data, if known: samples of sparse data cover more than a day.
    """
    found: list[Sample] = []
    for window in _windows(span, max(_DAY, _FEWEST * cadence if cadence else _DAY)):
        sample = _sample(fetch, window, workbench)
        if sample.state not in ("empty", "all_fill"):
            return sample
        found.append(sample)
    return max(found, key=lambda sample: sample.state == "all_fill")


def _windows(span: TimeRange, length: timedelta) -> Iterator[TimeRange]:
    """The first whole day of a range, or as much as it has, and the day in its middle."""
    first = Grain.DAILY.ceil(span.start)
    first = first if first + length <= span.stop else span.start
    beginning = TimeRange(first, min(first + length, span.stop))
    yield beginning
    middle = Grain.DAILY.floor(span.start + span.duration / 2)
    if middle >= beginning.stop:
        yield TimeRange(middle, min(middle + length, span.stop))


def _sample(fetch: Fetch, window: TimeRange, workbench: Workbench) -> Sample:
    try:
        fetched = next(iter(list(workbench.archive_of(fetch).fetch(fetch.dataset, fetch.parameter, [window]))))
        if fetched.error is not None:
            raise fetched.error
    except HelioError as error:
        is_away = isinstance(error, (ArchiveUnavailable, ArchiveAnswerError))
        state: Literal["unreachable", "failed"] = "unreachable" if is_away else "failed"
        remedy = f" {error.hint}" if is_away and error.hint else ""  # if a dataset does not exist, the next one is tried
        return Sample(fetch, window, state, problem=f"{error.problem}.{remedy}")
    return _described(fetch, window, fetched.table) if fetched.table is not None else Sample(fetch, window, "empty")


def _described(fetch: Fetch, window: TimeRange, table: Table) -> Sample:
    described = describe_table(table, table.status, window)
    cadence = described.get("cadence_s")
    return Sample(
        fetch,
        window,
        table.status,
        records=len(table),
        coverage=described["coverage"],
        cadence=duration_from_seconds(cadence) if cadence is not None else None,
        kind=table.meta.kind,
        unit=table.meta.unit,
        frame=table.meta.frame or "",
        columns=table.meta.data_names,
    )
