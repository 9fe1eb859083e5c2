"""Rules for lists of events, and for pipelines whose partitions are events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_partitions import partitions_of_list
from helio_dagster.domain.event_table import event_source, read_events
from helio_dagster.domain.exclusions import open_interval
from helio_dagster.domain.pipeline import EventWindows, Pipeline
from helio_dagster.domain.schedule import ON_CHANGE
from helio_dagster.domain.yaml.document import Path, parse_path

Fault = tuple[Path, str, str]
"""Where in the pipeline, what is wrong, and what to do."""


def no_lists(_pipeline: str, file: str) -> str:
    """Refuse a list: there is no folder to read it from."""
    raise InputError(f"the list {file} cannot be read here", hint="Save the pipeline beside the list.")


def event_faults(pipeline: Pipeline, read_list: Callable[[str, str], str] | None) -> Iterator[Fault]:
    """What is wrong with a pipeline's lists of events, and with its partitions if these are events.

    Parameters
    ----------
    pipeline
        The pipeline.
    read_list
        Reads a list beside a pipeline, given the pipeline's name and the file's; None if none can be read here.
    """
    read = partial(read_list or no_lists, pipeline.name)
    for index, step in enumerate(pipeline.steps):
        if step.events is not None:
            try:
                given = event_source(step, read)
                if given is not None:
                    read_events(given)
            except HelioError as error:
                where = f" ({step.events.file}, {error.where.removeprefix('csv ')})" if error.where.startswith("csv ") else ""
                yield ("steps", index, "events", "file"), f"{error.problem}{where}", error.hint
    if isinstance(pipeline.partitions, EventWindows):
        yield from _partition_faults(pipeline, pipeline.partitions, read)


def exclusion_faults(
    pipeline: Pipeline, others: Mapping[str, Pipeline], read_list: Callable[[str, str], str] | None
) -> Iterator[Fault]:
    """What is wrong with the lists whose intervals a pipeline's steps exclude.

    Parameters
    ----------
    pipeline
        The pipeline.
    others
        Name to pipeline: all that references may lead to.
    read_list
        As for `event_faults`.
    """
    windows = pipeline.partitions.events if isinstance(pipeline.partitions, EventWindows) else None
    for index, step in enumerate(pipeline.steps):
        for inside, reference in step.exclusions:
            path: Path = ("steps", index, *parse_path(inside))
            name, _, step_id = reference.rpartition("/")
            owner = others.get(name or pipeline.name)
            lists = {each.id: each for each in owner.steps if each.kind == "table"} if owner else {}
            listing = lists.get(step_id)
            if owner is None or listing is None:
                continue
            if owner.name == pipeline.name and step_id == windows:
                yield path, f"{step_id} lists the partitions, so excluding it leaves nothing", "Name another list."
                continue
            with suppress(HelioError):  # a list that cannot be read is reported there
                given = event_source(listing, partial(read_list or no_lists, owner.name))
                rows = read_events(given) if given else None
                if rows is not None and (fault := open_interval(rows, reference)):
                    yield path, fault.problem, fault.hint


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
