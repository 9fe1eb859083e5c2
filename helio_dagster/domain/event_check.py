"""Rules for lists of events, and for pipelines whose partitions are events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.event_partitions import partitions_of_list
from helio_dagster.domain.event_table import EventTableError, event_source, read_events, read_listed
from helio_dagster.domain.exclusions import open_interval
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Step
from helio_dagster.domain.schedule import ON_CHANGE
from helio_dagster.domain.yaml.document import Path, parse_path

Fault = tuple[Path, str, str]
"""Where in the pipeline, what is wrong, and what to do."""


def no_lists(_pipeline: str, file: str) -> str:
    """Refuse a list: there is no folder to read it from."""
    raise InputError(
        f"the list {file} cannot be read: this pipeline is not in a folder yet", hint="Save the pipeline next to the list."
    )


def event_faults(
    pipeline: Pipeline, read_list: Callable[[str, str], str] | None, others: Mapping[str, Pipeline]
) -> Iterator[Fault]:
    """What is wrong with a pipeline's lists of events, and with its partitions if these are events.

    Parameters
    ----------
    pipeline
        The pipeline.
    read_list
        Reads a list beside a pipeline, given the pipeline's name and the file's; None if none can be read here.
    others
        Name to pipeline: all that may compute or hold the list.
    """
    read = partial(read_list or no_lists, pipeline.name)
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
        yield from _partition_faults(pipeline, pipeline.partitions, read_list, others)


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


def event_notes(pipeline: Pipeline, read_list: Callable[[str, str], str] | None) -> Iterator[Fault]:
    """How each list in a file is read: its form, its columns, and whether its times say a zone; lists with faults apart."""
    for index, step in enumerate(pipeline.steps):
        if step.events is not None and read_list is not None:
            with suppress(HelioError):
                given = event_source(step, lambda file: read_list(pipeline.name, file))
                if given is not None:
                    hint = "Name other columns with `start:`, `stop:` and `id:`."
                    yield ("steps", index, "events", "file"), f"{step.events.file} is {read_listed(given).summary}", hint


def _partition_faults(
    pipeline: Pipeline, windows: EventWindows, read_list: Callable[[str, str], str] | None, others: Mapping[str, Pipeline]
) -> Iterator[Fault]:
    path: Path = ("partitions", "events")
    name, _, step_id = windows.events.rpartition("/")
    owner = others.get(name) if name and name != pipeline.name else pipeline
    if owner is None:
        yield path, f"there is no pipeline {name!r}", remedy(name, others, what="pipelines")
        return
    step = next((each for each in owner.nodes if each.id == step_id), None)
    fault = _list_fault(pipeline, owner, step, windows.events)
    if fault is not None or step is None:
        if fault is not None:
            yield (path, *fault)
        return
    if step.kind != "compute":
        try:
            given = event_source(step, partial(read_list or no_lists, owner.name))
        except HelioError as error:
            if owner is not pipeline:  # else it is reported at the list
                yield path, error.problem, error.hint
            return
        try:
            if given is not None:
                partitions_of_list(pipeline.name, f"{owner.name}/{step.id}", given, windows.before, windows.after)
        except InputError as error:
            yield path, error.problem, error.hint
        except HelioError:
            return  # reported at the list
    if pipeline.schedule not in (None, ON_CHANGE):
        yield ("schedule",), "a pipeline over events runs when its list changes", "Write schedule: on_change, or leave it out."


def _list_fault(pipeline: Pipeline, owner: Pipeline, step: Step | None, reference: str) -> tuple[str, str] | None:
    """Why a step cannot list the events of a pipeline, and what to do; None if it can."""
    is_own = owner.name == pipeline.name
    if step is None or step.kind in ("fetch", "figure"):
        lists = [each.id for each in owner.nodes if each.kind == "table" or (each.kind == "compute" and not is_own)]
        whose = "this pipeline" if is_own else owner.name
        hint = f"Its lists: {', '.join(lists)}." if lists else "Add a step with `table:` or `events:`."
        return f"{reference!r} is not a list of events of {whose}", hint
    if step.kind == "table":
        return None
    if is_own:
        problem = f"{reference!r} is computed in this pipeline, whose partitions it would have to exist for already"
        return problem, f"Put it and what it reads into a separate pipeline, and write events: that_pipeline/{step.id}."
    if owner.is_over_events:
        problem = f"{reference!r} is itself over the events of {owner.name}"
        return problem, f"Name the list of {owner.name}, or a step of a pipeline over hours, days or longer."
    if step.over == "range":
        problem = f"{reference!r} is over the range that its own pipeline is run for"
        return problem, "Name a step without `over: range`."
    if several := single_result_fault(step, owner.name):
        return several
    if step.compute is not None and step.compute.operation is None and step.compute.kind != "events":
        return f"the code of {reference!r} does not make events", "Write `kind: events` in that step, or name another."
    return None
