"""What a model submits, as an intent for the drafter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.intent import Intent, Preferences, Stated, Wanted, Windows
from helio_dagster.agent.model.submissions import (
    CodeStep,
    DraftPlan,
    DraftStep,
    FetchStep,
    FigureStep,
    OperationStep,
    TableStep,
)
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import Value


def read_intent(
    plan: DraftPlan, wanted: Mapping[str, Wanted], span: TimeRange | None, *, assumptions: Sequence[str], notes: Sequence[str]
) -> Intent:
    """The intent of a submitted plan.

    Parameters
    ----------
    plan
        The plan that the model submitted.
    wanted
        Id of a fetch step to its candidates.
    span
        The range that the person asked for.
    assumptions
        Assumptions to record in addition to the plan's own.
    notes
        What the person should know.
    """
    steps = tuple(wanted[step.id] if isinstance(step, FetchStep) else step_document(step) for step in plan.steps)
    stated = Stated(plan.title, plan.description, steps, read_windows(plan))
    return Intent(
        stated=stated,
        preferences=Preferences(span=span),
        assumptions=tuple(map(Assumption, (*plan.assumptions, *assumptions))),
        notes=tuple(notes),
    )


def read_windows(plan: DraftPlan) -> Windows | None:
    """The events that are the partitions of a submitted plan, if they are."""
    if plan.windows is None:
        return None
    return Windows(plan.windows.events, plan.windows.before or "PT0S", plan.windows.after or "PT0S")


def step_document(step: DraftStep, fetch: Fetch | None = None) -> dict[str, Value]:
    """A step as written in a pipeline file; `fetch` is the chosen candidate of a fetch step."""
    body: dict[str, Value] = {"id": step.id, "intent": step.intent}
    match step:
        case FetchStep():
            assert fetch is not None  # noqa: S101 - the caller chose it
            body |= {"exclude": step.exclude} if step.exclude else {}
            body["fetch"] = fetch.model_dump()
        case OperationStep():
            inputs: dict[str, Value] = dict(step.inputs)
            body["compute"] = {"operation": step.operation, "inputs": inputs, "options": step.options}
            body |= {"over": step.over} if step.over else {}
        case CodeStep():
            given = step.model_dump(include={"inputs", "lookback", "lookahead", "code"}, exclude_none=True)
            body["compute"] = given | _stated(step)
            body |= {"over": step.over} if step.over else {}
        case TableStep():
            body["table"] = {"csv": step.csv, "source": step.source}
        case FigureStep():
            body["figure"] = step.model_dump(include={"panels", "events"}, exclude_none=True)
    return body


def _stated(step: CodeStep) -> dict[str, Value]:
    """What a code step says of its result, or of each of several."""
    over_time = step.model_dump(include={"unit", "frame"}, exclude_none=True)
    if not isinstance(step.result, dict):
        units: dict[str, Value] = {"units": dict(step.units)} if step.units else {}
        return {**over_time, **({"kind": step.result} if step.result else {}), **units}
    results: dict[str, Value] = {}
    for name, kind in step.result.items():
        columns: dict[str, Value] = {
            place.removeprefix(f"{name}."): unit for place, unit in step.units.items() if place.startswith(f"{name}.")
        }
        stated: dict[str, Value] = {"kind": kind} if kind else dict(over_time)
        stated |= {"unit": step.units[name]} if name in step.units else {}
        results[name] = stated | ({"units": columns} if columns else {})
    return {"results": results}
