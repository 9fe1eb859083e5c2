"""Which steps have one result for the whole range: those of operations of a whole window, and what is made of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.compute.operation import OPERATION_IDS, get_operation
from helio_dagster.domain.yaml.document import Value

_OF_ALL_EVENTS = "epoch_statistics"
"""The operation that brings all events of a list together."""


def with_ranges(steps: Sequence[Value], *, is_over_events: bool) -> list[Value]:
    """Steps of a pipeline file; `over: range` is added where a step leaves out `over` and can only be, or usually is, over it.

    Parameters
    ----------
    steps
        In any order.
    is_over_events
        Whether the partitions are events: then an operation of a whole window is over each event, except those that bring the
        events together.
    """
    found: list[Value] = list(steps)
    over = {name for step in found if isinstance(step, dict) and step.get("over") == "range" for name in _names(step)}
    while True:
        more = [
            place
            for place, step in enumerate(found)
            if isinstance(step, dict) and "over" not in step and _is_of_range(step, over, is_over_events=is_over_events)
        ]
        if not more:
            return found
        for place in more:
            found[place] = with_over(found[place])
            over |= _names(found[place])


def with_over(step: Value) -> Value:
    """The step with `over: range`, before what it computes."""
    assert isinstance(step, dict)  # noqa: S101 - the caller saw it
    head: dict[str, Value] = {name: step[name] for name in ("id", "intent") if name in step}
    return {**head, "over": "range", **step}


def is_of_window(operation: str) -> bool:
    """Whether an operation gives one result for a whole window; saved ones give a value for each time."""
    return operation in OPERATION_IDS and get_operation(operation).is_of_window


def _names(step: Value) -> set[str]:
    """What refers to a step: its id, and the names of the results of its code."""
    assert isinstance(step, dict)  # noqa: S101 - the caller saw it
    compute = step.get("compute")
    results = compute.get("results") if isinstance(compute, dict) else None
    return {str(step["id"]), *(map(str, results) if isinstance(results, dict) else ())}


def _is_of_range(step: Mapping[str, Value], over: set[str], *, is_over_events: bool) -> bool:
    compute = step.get("compute")
    if not isinstance(compute, dict):
        return False
    inputs, operation = compute.get("inputs"), str(compute.get("operation") or "")
    reads = isinstance(inputs, dict) and any(str(each) in over for each in inputs.values())
    if not operation:
        return reads
    return is_of_window(operation) and (reads or not is_over_events or operation == _OF_ALL_EVENTS)
