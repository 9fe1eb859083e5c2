"""Rules for steps over a range, which have one result for exactly the range that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pydantic import ValidationError

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.meta_check import GetOperation, StepFault
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Step
from helio_dagster.domain.yaml.document import parse_path

FindStep = Callable[[str], Step | None]
"""The step of a pipeline with an id; None if there is none."""


def range_faults(
    pipeline: Pipeline, step: Step, others: Mapping[str, Pipeline], get_operation: GetOperation
) -> Iterator[StepFault]:
    """What a step does with results over a range that it cannot.

    Parameters
    ----------
    pipeline, step
        The step and its pipeline.
    others
        Name to pipeline: all that references may lead to.
    get_operation
        Gives the registered operation of an id; InputError where there is none.
    """
    if step.over == "range" and step.compute and step.compute.operation:
        yield from _operation_faults(pipeline, step, step.compute.operation, get_operation)
    if step.over == "range" and step.compute and (step.compute.lookback or step.compute.lookahead):
        problem = "a step over a range reads exactly that range"
        yield StepFault(("compute",), problem, "Remove lookback and lookahead, or leave `over` out.")
    if step.over == "event" and not isinstance(pipeline.partitions, EventWindows):
        problem = "only a pipeline whose partitions are events has steps over an event"
        hint = "Write `partitions: {events: LIST}` for the pipeline; for numbers of each event in a list use facts_of_events."
        yield StepFault(("over",), problem, hint)
    for inside, reference in step.references:
        name, _, step_id = reference.rpartition("/")
        owner = others.get(name) if name else pipeline
        target = next((each for each in owner.nodes if each.id == step_id), None) if owner else None
        path = parse_path(inside)
        if owner is not None and owner.name != pipeline.name and isinstance(owner.partitions, EventWindows):
            if target is not None and (target.kind in ("compute", "figure") or target.exclude):
                problem = f"{reference!r} has one partition for each event of {owner.name}"
                yield StepFault(path, problem, f"Add the step to {owner.name}, or copy it into this pipeline.")
            continue
        if target is None or target.over != "range":
            continue
        if owner is not None and owner.name != pipeline.name:
            problem = f"{reference!r} is over the range that its own pipeline is run for"
            yield StepFault(path, problem, "Copy the step into this pipeline.")
        elif (step.compute is not None or step.exclude) and step.over != "range":
            problem = f"{reference!r} is over the whole range, so nothing over a partition can be made from it"
            yield StepFault(path, problem, "Write `over: range` on this step too.")


def _operation_faults(pipeline: Pipeline, step: Step, operation_id: str, get_operation: GetOperation) -> Iterator[StepFault]:
    """An operation with values by time is one for a range only where it reads such a result, and nothing beside the range."""
    try:
        operation = get_operation(operation_id)
        is_of_window = operation.is_of_window
        reach = max(operation.halo(operation.options.model_validate(step.compute.options if step.compute else {})))
    except (HelioError, ValidationError):
        return  # reported where operation and options are looked up
    if is_of_window:
        return
    whole = {each.id for each in pipeline.nodes if each.over == "range"}
    if not any(reference in whole for _, reference in step.references):
        problem = f"{operation_id} gives its values or events by partition, so it has no one result for a range"
        yield StepFault(("over",), problem, "Leave `over` out, or name an operation of a whole window, such as facts_of.")
    elif reach:
        problem = f"{operation_id} reads beyond the times of its result, and a step over a range reads exactly that range"
        yield StepFault(
            ("over",), problem, f"Do what {operation_id} does in a step by partition, before the step over the range."
        )
