"""What an opened CDF file says about itself, for an index of files: identity, coverage, variables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

import numpy as np

from helio_dagster.archives.cdf.raw import RawFile
from helio_dagster.archives.files.provider import VariableEntry
from helio_dagster.domain.table import Times
from helio_dagster.domain.time_range import EARLIEST, LATEST


@dataclass(frozen=True)
class CdfDescription:
    """Identity and coverage of one CDF file.

    `start` and `stop` (aware UTC, whole milliseconds around the records) are its first and last record over all epoch
    variables; None for a file without records. `attributes` are the first texts of its global attributes.
    """

    start: datetime | None
    stop: datetime | None
    attributes: dict[str, str]
    variables: tuple[VariableEntry, ...]


def describe_cdf(file: RawFile) -> CdfDescription:
    """What a CDF file says about itself.

    Raises
    ------
    ValueError
        The library found it damaged.
    """
    attributes = {name: texts[0] for name, texts in file.global_texts().items() if texts}
    edges: list[datetime] = []
    variables: list[VariableEntry] = []
    for about in map(file.variable, file.names):
        if about.is_time:
            if about.is_varying and about.records:
                edges += _edges(file.times(about.name))
        elif about.text("VAR_TYPE").casefold() == "data":
            variables.append(VariableEntry(about.name, about.text("FIELDNAM"), about.text("CATDESC")))
    if not edges:
        return CdfDescription(None, None, attributes, tuple(variables))
    return CdfDescription(min(edges), max(edges), attributes, tuple(variables))


def _edges(times: Times) -> list[datetime]:
    """First and last time of the valid epochs, rounded outwards to milliseconds; none where no epoch is valid."""
    valid = times[~np.isnat(times)].astype(np.int64)
    if not len(valid):
        return []
    start, stop = _moment(int(valid.min()) // 1_000_000), _moment(-(-int(valid.max()) // 1_000_000))
    if stop.time() == time.min:
        stop += timedelta(milliseconds=1)  # a stop at midnight would be read as exclusive
    return [moment for moment in (start, stop) if EARLIEST <= moment < LATEST]


def _moment(unix_ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=unix_ms)
