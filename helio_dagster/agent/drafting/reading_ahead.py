"""How far ahead in time the steps of a pipeline read, so that a run by itself waits for the data."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.compute.operation import OPERATION_IDS, get_operation
from helio_dagster.domain.pipeline import Pipeline, Step

_DAY = timedelta(days=1)


def late_for_events(pipeline: Pipeline) -> timedelta | None:
    """Whole days that a schedule must wait for what lies around events; None where no step has a record for each event."""
    steps = {step.id: step for step in pipeline.steps}
    of_events = [step for step in pipeline.steps if _has_record_per_event(step)]
    if not of_events:
        return None
    ahead = max(_ahead(step, steps) for step in of_events)
    return -(-ahead // _DAY) * _DAY


def _has_record_per_event(step: Step) -> bool:
    operation = step.compute.operation if step.compute is not None else None
    return operation in OPERATION_IDS and get_operation(operation).has_record_per_event


def _ahead(step: Step, steps: dict[str, Step]) -> timedelta:
    """How far beyond a partition the data reach that a step is made of, by way of its inputs."""
    compute = step.compute
    if compute is None:
        return timedelta(0)
    own = compute.lookahead or timedelta(0)
    if compute.operation in OPERATION_IDS:
        operation = get_operation(compute.operation)
        own = operation.halo(operation.read_options(compute.options))[1]
    below = (_ahead(steps[name], steps) for name in compute.inputs.values() if name in steps)
    return own + max(below, default=timedelta(0))
