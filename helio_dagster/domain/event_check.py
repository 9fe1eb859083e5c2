"""Rules for lists of events, and for pipelines whose partitions are events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_partitions import partitions_of_list
from helio_dagster.domain.event_table import EventTableError, event_source, read_events, read_listed
from helio_dagster.domain.pipeline import EventWindows, Pipeline
from helio_dagster.domain.schedule import ON_CHANGE
from helio_dagster.domain.yaml.document import Path

Fault = tuple[Path, str, str]
"""Where in the pipeline, what is wrong, and what to do."""


def event_faults(pipeline: Pipeline, read_list: Callable[[str, str], str] | None) -> Iterator[Fault]:
    """What is wrong with a pipeline's lists of events, and with its partitions if these are events.

    Parameters
    ----------
    pipeline
        The pipeline.
    read_list
        Reads a list beside a pipeline, given the pipeline's name and the file's; None if none can be read here.
    """

    def read(file: str) -> str:
        if read_list is None:
            raise InputError(f"the list {file} cannot be read here", hint="Save the pipeline beside the list.")
        return read_list(pipeline.name, file)

    for index, step in enumerate(pipeline.steps):
        if step.events is not None:
            try:
                given = event_source(step, read)
                if given is not None:
                    read_events(given)
            except HelioError as error:
                where = (
                    f" ({step.events.file}, {error.where.removeprefix('csv ')})" if isinstance(error, EventTableError) else ""
                )
                yield ("steps", index, "events", "file"), f"{error.problem}{where}", error.hint
    if isinstance(pipeline.partitions, EventWindows):
        yield from _partition_faults(pipeline, pipeline.partitions, read)


def event_notes(pipeline: Pipeline, read_list: Callable[[str, str], str] | None) -> Iterator[Fault]:
    """How each list in a file is read: its form, its columns, and whether its times say a zone; lists with faults apart."""
    for index, step in enumerate(pipeline.steps):
        if step.events is not None and read_list is not None:
            with suppress(HelioError):
                given = event_source(step, lambda file: read_list(pipeline.name, file))
                if given is not None:
                    hint = "Name other columns with `start:`, `stop:` and `id:`."
                    yield ("steps", index, "events", "file"), f"{step.events.file} is {read_listed(given).said}", hint


def _partition_faults(pipeline: Pipeline, windows: EventWindows, read: Callable[[str], str]) -> Iterator[Fault]:
    path: Path = ("partitions", "events")
    step = next((each for each in pipeline.steps if each.id == windows.events), None)
    lists = [each.id for each in pipeline.steps if each.table is not None or each.events is not None]
    if step is None or step.id not in lists:
        hint = f"Its lists: {', '.join(lists)}." if lists else "Add a step with `table:` or `events:`."
        yield path, f"{windows.events!r} is not a list of events of this pipeline", hint
        return
    try:
        given = event_source(step, read)
        if given is not None:
            partitions_of_list(pipeline.name, f"{pipeline.name}/{step.id}", given, windows.before, windows.after)
    except InputError as error:
        yield path, error.problem, error.hint
    except HelioError:
        return  # reported at the list
    if pipeline.schedule not in (None, ON_CHANGE):
        yield ("schedule",), "a pipeline over events runs when its list changes", "Write schedule: on_change, or leave it out."
