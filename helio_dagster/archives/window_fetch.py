"""One fetch: lists files, downloads and decodes ahead, yields windows in order. What a file takes is for `cdas.request`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import NamedTuple

from helio_dagster.archives.archive import Fetched, SourceFile
from helio_dagster.archives.files.cache import CachedFile
from helio_dagster.archives.files.merge import merge_files
from helio_dagster.archives.files.selection import ListedFile, Listing, covers
from helio_dagster.domain.errors import HelioError, UnknownDataset
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_LONGEST_BLOCK = timedelta(days=366)
_LONGEST_GAP = timedelta(days=31)
_DOWNLOADS_AHEAD = 10
_TABLES_AHEAD = 4


class FetchSteps(NamedTuple):
    """What a fetch is made of.

    `list_files` gives the files around a time range; `expect` is told how many of them are needed; `obtain` gives a file on
    disk; `decode` the file's table, and the file it came from, which is another where the first was corrupt. All raise
    HelioError; `list_files` and `decode` raise UnknownDataset only when the request as a whole is wrong.
    """

    list_files: Callable[[TimeRange], list[ListedFile]]
    expect: Callable[[TimeRange, int], None]
    obtain: Callable[[ListedFile], CachedFile]
    decode: Callable[[ListedFile, CachedFile], tuple[SourceFile, Table]]


class WindowFetch:
    """One request for windows of one parameter; used once.

    Each file is obtained and decoded once, however many windows it feeds, and its table dropped when no later window needs it.
    """

    def __init__(self, steps: FetchSteps, *, downloads: int, decoders: int, synthetic: bool) -> None:
        self._steps = steps
        self._synthetic = synthetic
        self._downloaders = ThreadPoolExecutor(downloads, "helio-download")
        self._decoders = ThreadPoolExecutor(decoders, "helio-decode")
        self._downloads: dict[ListedFile, Future[CachedFile]] = {}
        self._tables: dict[ListedFile, Future[tuple[SourceFile, Table]]] = {}

    def run(self, windows: Sequence[TimeRange]) -> Iterator[Fetched]:
        """Yield the windows in order."""
        try:
            blocks = list(_blocks(windows))
            none: list[TimeRange] = []
            for block, following in itertools.zip_longest(blocks, blocks[1:], fillvalue=none):
                try:
                    listing = Listing(self._steps.list_files(_span(block)))
                except UnknownDataset:
                    raise
                except HelioError as error:
                    yield from (Fetched(window, None, (), error) for window in block)
                else:
                    yield from self._run_block([(window, listing.files_for(window)) for window in block], following)
        finally:
            self._downloaders.shutdown(wait=False, cancel_futures=True)
            self._decoders.shutdown(wait=False, cancel_futures=True)

    def _run_block(self, plan: list[tuple[TimeRange, list[ListedFile]]], following: list[TimeRange]) -> Iterator[Fetched]:
        last_use = {file: number for number, (_, needed) in enumerate(plan) for file in needed}
        files = list(dict.fromkeys(file for _, needed in plan for file in needed))
        place = {file: number for number, file in enumerate(files)}
        for file in [file for file in self._downloads if file not in place]:
            self._drop(file)
        self._steps.expect(_span([window for window, _ in plan]), len([file for file in files if file not in self._downloads]))
        reached = downloads = tables = 0
        for number, (window, needed) in enumerate(plan):
            reached = max([reached, *(place[file] + 1 for file in needed)])
            for file in files[downloads : reached + _DOWNLOADS_AHEAD]:
                self._start_download(file)
            for file in files[tables : reached + _TABLES_AHEAD]:
                self._start_decode(file)
            downloads, tables = reached + _DOWNLOADS_AHEAD, reached + _TABLES_AHEAD
            yield self._fetched(window, needed)
            for file in needed:
                if last_use[file] == number and not any(covers(file.start, file.stop, later) for later in following):
                    self._drop(file)

    def _start_download(self, file: ListedFile) -> None:
        if file not in self._downloads:
            self._downloads[file] = self._downloaders.submit(self._steps.obtain, file)

    def _start_decode(self, file: ListedFile) -> None:
        if file not in self._tables:
            self._tables[file] = self._decoders.submit(self._decode, file, self._downloads[file])

    def _drop(self, file: ListedFile) -> None:
        self._downloads.pop(file, None)
        self._tables.pop(file, None)

    def _decode(self, file: ListedFile, download: Future[CachedFile]) -> tuple[SourceFile, Table]:
        return self._steps.decode(file, download.result())

    def _fetched(self, window: TimeRange, needed: list[ListedFile]) -> Fetched:
        if not needed:
            return Fetched(window, Table.empty(TableMeta(kind="series", columns=(), synthetic=self._synthetic)), (), None)
        try:
            decoded = [self._tables[file].result() for file in needed]
            table = merge_files([(source.name, table) for source, table in decoded], window)
        except UnknownDataset:
            raise
        except HelioError as error:
            return Fetched(window, None, (), error)
        return Fetched(window, table, tuple(source for source, _ in decoded), None)


def _blocks(windows: Sequence[TimeRange]) -> Iterator[list[TimeRange]]:
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


def _span(block: Sequence[TimeRange]) -> TimeRange:
    return TimeRange(block[0].start, max(window.stop for window in block))
