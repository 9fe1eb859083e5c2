"""One fetch: lists files, downloads and decodes ahead, yields windows in order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

from helio_dagster.archives.archive import Fetched, Listed, SourceFile
from helio_dagster.archives.files.cache import CachedFile
from helio_dagster.archives.files.merge import merge_files
from helio_dagster.archives.files.selection import ListedFile, covers, revision_with
from helio_dagster.archives.window_listing import blocks, list_block, span_of
from helio_dagster.domain.errors import HelioError, UnknownDataset
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_DOWNLOADS_AHEAD = 10
_TABLES_AHEAD = 4


class FetchSteps(NamedTuple):
    """What a fetch is made of.

    `list_files` gives the files around a time range; `expect` gets how many of them are needed; `obtain` gives a file on
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
            parts = list(blocks(windows))
            none: list[TimeRange] = []
            for block, following in itertools.zip_longest(parts, parts[1:], fillvalue=none):
                yield from self._run_block(list_block(self._steps.list_files, block), following)
        finally:
            self._downloaders.shutdown(wait=False, cancel_futures=True)
            self._decoders.shutdown(wait=False, cancel_futures=True)

    def _run_block(self, plan: list[Listed], following: list[TimeRange]) -> Iterator[Fetched]:
        last_use = {file: number for number, listed in enumerate(plan) for file in listed.files}
        files = list(dict.fromkeys(file for listed in plan for file in listed.files))
        place = {file: number for number, file in enumerate(files)}
        for file in [file for file in self._downloads if file not in place]:
            self._drop(file)
        if not all(listed.error for listed in plan):
            self._steps.expect(span_of([listed.window for listed in plan]), len(set(files) - self._downloads.keys()))
        reached = downloads = tables = 0
        for number, listed in enumerate(plan):
            reached = max([reached, *(place[file] + 1 for file in listed.files)])
            for file in files[downloads : reached + _DOWNLOADS_AHEAD]:
                self._start_download(file)
            for file in files[tables : reached + _TABLES_AHEAD]:
                self._start_decode(file)
            downloads, tables = reached + _DOWNLOADS_AHEAD, reached + _TABLES_AHEAD
            yield self._fetched(listed)
            for file in listed.files:
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

    def _fetched(self, listed: Listed) -> Fetched:
        window = listed.window
        if listed.error is not None:
            return Fetched(window, None, (), listed.error)
        if not listed.files:
            nothing = Table.empty(TableMeta(kind="series", columns=(), synthetic=self._synthetic))
            return Fetched(window, nothing, (), None, listed.revision)
        try:
            decoded = [self._tables[file].result() for file in listed.files]
            table = merge_files([(source.name, table) for source, table in decoded], window)
        except UnknownDataset:
            raise
        except HelioError as error:
            return Fetched(window, None, (), error)
        masters = tuple({source.master: None for source, _ in decoded if source.master is not None})
        sources = tuple(replace(source, master=None) for source, _ in decoded)
        revision = revision_with(listed.revision, (master.sha256 for master in masters))
        return Fetched(window, table, sources, None, revision, masters)
