"""The list's words on each pipeline between requests: judged again only once something that they follow from changed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance_files import has_own_configuration
from helio_dagster.launch.running.status import status_of_all
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.pages.health import Summary, health_of

_SURELY_OLD_NS = 2 * 10**9
"""A file that was written to more recently could be written to again without a change of its time."""
_Mark = tuple[int, int]


@dataclass(frozen=True)
class _Seen:
    """All that a summary follows from: the files of pipelines and lists, the hour, stored results, the record."""

    files: Mapping[str, PipelineFile]
    hour: datetime
    marks: tuple[_Mark, ...]

    def is_same(self, other: _Seen) -> bool:
        """Whether nothing differs; pipelines that were read again count as others."""
        return self.files is other.files and (self.hour, self.marks) == (other.hour, other.marks)

    @property
    def newest_ns(self) -> int:
        """When anything was last written."""
        return max((written for _, written in self.marks), default=0)


class KeptSummaries:
    """Summaries of pipelines, with what each was made from.

    Which partitions exist depends on the time by whole hours. A record or tables that are not files of this home
    are not watched: their pipelines are judged at each call.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[str, tuple[_Seen, Summary]] = {}

    def of(self, home: Home, pipeline: Pipeline, bench: Workbench) -> Summary:
        """How a pipeline is now.

        Raises
        ------
        HelioError
            It cannot be judged.
        """
        graph = home.open(pipeline.name).graph
        settings = bench.settings
        can_keep = settings.postgres is None and settings.tables is None and has_own_configuration(settings)
        if not can_keep:
            return health_of(status_of_all(graph, pipeline, bench), graph, bench.store).summary
        seen = _seen(home, graph, pipeline, bench)  # before judging: what changes meanwhile is seen at the next call
        kept = self._kept.get(pipeline.name)
        if kept is not None and kept[0].is_same(seen):
            return kept[1]
        began_ns = time.time_ns()
        found = health_of(status_of_all(graph, pipeline, bench), graph, bench.store).summary
        with self._guard:
            self._kept = {name: each for name, each in self._kept.items() if name in home.files}
            if seen.newest_ns < began_ns - _SURELY_OLD_NS:
                self._kept[pipeline.name] = (seen, found)
        return found


def _seen(home: Home, graph: AssetGraph, pipeline: Pipeline, bench: Workbench) -> _Seen:
    names = graph.with_ancestors(node.name for node in graph.of_pipeline(pipeline).values())
    lists = [name for each in names for name in graph[each].excluded]
    record = bench.settings.instance / "history" / "runs"  # only its index; each run has a file of its own too
    folders = [bench.store.path(name, None).parent for name in dict.fromkeys([*names, *lists])]
    folders.append(bench.settings.instance / "judged")
    if any(graph[name].kind == "figure" for name in names):
        folders.append(bench.settings.figures)
    return _Seen(home.files, Grain.HOURLY.floor(bench.clock()), (_mark(record, "index.db"), *map(_mark, folders)))


def _mark(folder: Path, beginning: str = "") -> _Mark:
    """A hash over number, size and time of a folder's files, and the latest time.

    SQLite's lock file, and its log while empty, are left out: reading makes them anew.
    """
    found: list[tuple[str, int, int, int]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(beginning) or entry.name.endswith("-shm"):
                continue
            with suppress(OSError):
                state = entry.stat()
                if state.st_size or not entry.name.endswith("-wal"):
                    found.append((entry.name, state.st_ino, state.st_size, state.st_mtime_ns))
    return hash(frozenset(found)), max((each[3] for each in found), default=0)
