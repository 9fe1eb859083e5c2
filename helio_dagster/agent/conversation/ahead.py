"""Describe in a sentence what a run would do: partitions, files, download, time."""

from __future__ import annotations

from helio_dagster.domain.amounts import counted, readable_duration, readable_size
from helio_dagster.domain.report import Estimate

BYTES_PER_S = 5e6
"""Assumed network speed, for a rough estimate of a run's duration."""
START_S, PARTITION_S = 3.0, 0.015
_MOST_STEPS = 8


def seconds_of(ahead: Estimate) -> float | None:
    """A rough estimate of a run's duration; None if the size of the download is unknown."""
    if ahead.download_bytes is None:
        return None
    return START_S + PARTITION_S * ahead.partitions + ahead.download_bytes / BYTES_PER_S


def tell_ahead(ahead: Estimate, *, is_listed: bool = False) -> str:
    """Describe what a run would make and download.

    Parameters
    ----------
    ahead
        The estimate.
    is_listed
        Name the steps that have partitions to make.
    """
    if not ahead.partitions:
        return "nothing to do: everything is up to date"
    what = f"{tell_steps(ahead)}; halos included, the rest is reused" if is_listed and ahead.steps else "halos included"
    made = f"{counted(ahead.partitions, 'partition')} to make ({what})"
    if ahead.problem:
        return f"{made}; the size of the download is unknown: {ahead.problem}"
    seconds = seconds_of(ahead)
    time = "" if seconds is None else f"; roughly {readable_duration(seconds)}"
    return f"{made}; {_download(ahead)}{time}"


def tell_steps(ahead: Estimate) -> str:
    """The steps that have partitions to make, with the number of each."""
    counts = [f"{step} {count:,}" for step, count in ahead.steps.items()]
    more = len(counts) - _MOST_STEPS
    return ", ".join(counts[:_MOST_STEPS]) + (f" and {counted(more, 'more step')}" if more > 0 else "")


def _download(ahead: Estimate) -> str:
    if not ahead.files:
        return "nothing to download"
    if ahead.synthetic and not ahead.download_bytes:
        return "nothing to download: the embedded archive generates its data"
    files = counted(ahead.files, "file")
    if ahead.at_hand == ahead.files:
        held = "the file is" if ahead.files == 1 else f"all {files} are"
        return f"nothing to download: {held} already cached"
    at_hand = f", {ahead.at_hand:,} already cached" if ahead.at_hand else ""
    if ahead.download_bytes is None:
        return f"{files} to download{at_hand}, of unknown size"
    return f"{files}{at_hand}, download about {readable_size(ahead.download_bytes)}"
