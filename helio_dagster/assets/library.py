"""Build one graph from the valid pipelines of a library; invalid ones are left out with a warning."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from helio_dagster.assets.graph import AssetGraph, GetOperation, ReadListOf
from helio_dagster.assets.graph_building import build_graph
from helio_dagster.assets.stored_events import no_stored_events, stored_events
from helio_dagster.catalog.handmade import small_catalog
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.code_check import find_code_faults
from helio_dagster.domain.errors import InputError, Problem
from helio_dagster.domain.meta_check import no_figure_faults
from helio_dagster.domain.pipeline_check import Findings, examine_pipelines
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_words import EXAMPLES
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.static_check import find_faults
from helio_dagster.storage.event_files import read_event_file
from helio_dagster.storage.tables import TableStore

_log = logging.getLogger(__name__)
_DEFAULT_LIMITS = SandboxLimits()


def check_files(
    files: Mapping[str, PipelineFile],
    catalog: Catalog | None = None,
    operation: GetOperation = get_operation,
    *,
    is_thorough: bool = True,
    limits: SandboxLimits = _DEFAULT_LIMITS,
    lists: Path | None = None,
    arriving: Mapping[str, str] | None = None,
) -> Findings:
    """Faults and notes of pipelines, each on its own and in their references; see `examine_pipelines`.

    A thorough check also looks up the names that a step's code uses, and what figures will refuse; `limits` says how long code
    may be; `lists` is as in `graph_of`; `arriving` maps lists that are not there yet, or will be replaced, to their texts.
    """
    catalog = catalog or small_catalog()
    if not is_thorough:
        found = examine_pipelines(
            files,
            operation,
            catalog,
            is_thorough=False,
            find_code_faults=find_code_faults,
            find_figure_faults=no_figure_faults,
            read_list=_reader(files, lists, arriving),
        )
        found.problems += _range_problems(files)
        return found
    from helio_dagster.figures.known_faults import find_figure_faults  # loads plotly, which status and run need not

    found = examine_pipelines(
        files,
        operation,
        catalog,
        is_thorough=True,
        find_code_faults=partial(find_faults, limits=limits),
        find_figure_faults=find_figure_faults,
        read_list=_reader(files, lists, arriving),
    )
    found.problems += _range_problems(files)
    return found


def _range_problems(files: Mapping[str, PipelineFile]) -> Iterator[Problem]:
    """Default ranges that cannot be read; whether they can does not depend on the day."""
    for file in files.values():
        if file.pipeline.range is not None:
            try:
                read_words([file.pipeline.range], datetime.now(UTC))
            except InputError as error:
                yield file.problem(("range",), error.problem, error.hint or EXAMPLES)


def graph_of(
    files: Mapping[str, PipelineFile],
    catalog: Catalog | None = None,
    operation: GetOperation = get_operation,
    *,
    lists: Path | None = None,
    store: TableStore | None = None,
    known: Sequence[Problem] | None = None,
    arriving: Mapping[str, str] | None = None,
) -> AssetGraph:
    """The graph of the files that are valid, including what they refer to.

    Parameters
    ----------
    files
        Name to pipeline.
    catalog
        Says where datasets begin and what they contain; by default only hand-made entries.
    operation
        Looks up the operation that a step names; by default shipped ones only.
    lists
        The folder below which lists of events are, for pipelines that are not in a file; for others it is that of the file.
    store
        Has the events that pipelines compute, for those over them; by default none are known.
    known
        The problems that `check_files` found in these files, where they were checked already.
    arriving
        Lists that are not there yet, and their texts.
    """
    sound, catalog = dict(files), catalog or small_catalog()
    check = partial(check_files, catalog=catalog, operation=operation, is_thorough=False, lists=lists, arriving=arriving)
    problems = known if known is not None else check(sound).problems
    while problems:
        faulty = {problem.file for problem in problems}
        for problem in problems:
            _log.warning("left out: %s", problem)
        sound = {name: file for name, file in sound.items() if file.file not in faulty}
        problems = check(sound).problems
    read = _reader(sound, lists, arriving)
    stored = stored_events(store) if store is not None else no_stored_events
    pipelines = [file.pipeline for file in sound.values()]
    return build_graph(pipelines, catalog.start, catalog.describe, operation, read, stored)


def _reader(files: Mapping[str, PipelineFile], lists: Path | None, arriving: Mapping[str, str] | None = None) -> ReadListOf:
    """Reads the lists of events of pipelines."""

    def read(pipeline: str, name: str) -> str:
        if arriving is not None and name in arriving:
            return arriving[name]
        path = Path(files[pipeline].file)
        return read_event_file(path.parent if path.is_absolute() or lists is None else lists, name)

    return read
