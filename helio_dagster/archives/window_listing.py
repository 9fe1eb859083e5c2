"""What an archive lists for windows of time, with as few requests as will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from helio_dagster.archives.archive import Listed
from helio_dagster.archives.files.selection import ListedFile, Listing
from helio_dagster.domain.errors import HelioError, UnknownDataset
from helio_dagster.domain.time_range import TimeRange

_LONGEST_BLOCK = timedelta(days=366)
_LONGEST_GAP = timedelta(days=31)


def list_windows(list_files: Callable[[TimeRange], list[ListedFile]], windows: Sequence[TimeRange]) -> Iterator[Listed]:
    """What is listed for each window, in order; see `Archive.listed`."""
    for block in blocks(windows):
        yield from list_block(list_files, block)


def list_block(list_files: Callable[[TimeRange], list[ListedFile]], block: Sequence[TimeRange]) -> list[Listed]:
    """What is listed for the windows of one block; where it cannot be fetched, the error for each of them.

    Raises
    ------
    UnknownDataset
        The request as a whole is wrong.
    """
    try:
        listing = Listing(list_files(span_of(block)))
    except UnknownDataset:
        raise
    except HelioError as error:
        return [Listed(window, (), error) for window in block]
    return [Listed(window, tuple(listing.files_for(window)), None) for window in block]


def blocks(windows: Sequence[TimeRange]) -> Iterator[list[TimeRange]]:
    """Windows that are near enough in time to be listed with one request."""
    block: list[TimeRange] = []
    for window in windows:
        if block and not (
            block[-1].start <= window.start <= block[-1].stop + _LONGEST_GAP and window.stop - block[0].start <= _LONGEST_BLOCK
        ):
            yield block
            block = []
        block.append(window)
    if block:
        yield block


def span_of(block: Sequence[TimeRange]) -> TimeRange:
    """From the first window's start to the last stop."""
    return TimeRange(block[0].start, max(window.stop for window in block))
