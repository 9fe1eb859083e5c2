"""The steps of a draft in their order: each is there once, under an id of its own. What they compute is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.naming import capital, free_id, is_numbered
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.yaml.document import Value


class StepList:
    """Collects steps; the same fetch or computation is added once.

    Parameters
    ----------
    existing
        Steps that are there already: their ids are not free, and what they make is not made again.
    assumptions
        What was assumed so far; is added to.
    """

    def __init__(self, existing: Sequence[Step] = (), assumptions: Assumptions | None = None) -> None:
        self.steps: list[dict[str, Value]] = []
        self.assumptions = assumptions or Assumptions()
        self._existing = existing

    def upstream(self, step_id: str) -> set[str]:
        """The ids of a step and of all that it is made of."""
        found: set[str] = set()
        left = [step_id]
        while left:
            name = left.pop()
            found.add(name)
            compute = next((step.get("compute") for step in self.steps if step["id"] == name), None)
            inputs = compute.get("inputs") if isinstance(compute, dict) else None
            left += [str(each) for each in inputs.values() if str(each) not in found] if isinstance(inputs, dict) else []
        return found

    def compute(self, step: str, intent: str, operation: str, inputs: Mapping[str, Value], **options: Value) -> str:
        """The id of a step that computes, added where it is new."""
        compute: dict[str, Value] = {"operation": operation, "inputs": dict(inputs)}
        if options:
            compute["options"] = options
        return self.put(step, intent, {"compute": compute})

    def put(self, wanted: str, intent: str, body: dict[str, Value]) -> str:
        """The id of the step with this body, added where it is new."""
        there = next((step.id for step in self._existing if _is_made_by(step, body)), None)
        if there is not None:
            return there
        same = (str(step["id"]) for step in self.steps if all(step.get(key) == value for key, value in body.items()))
        there = next((step_id for step_id in same if is_numbered(step_id, wanted)), None)
        if there is not None:
            return there
        step_id = free_id(wanted, {*(step.id for step in self._existing), *(str(step["id"]) for step in self.steps)})
        self.steps.append({"id": step_id, "intent": capital(intent), **body})
        return step_id


def _is_made_by(step: Step, body: Mapping[str, Value]) -> bool:
    """Whether a step fetches or computes just this."""
    made = Step.model_validate({"id": step.id, **body})
    return (step.fetch, step.compute, step.table, step.figure) == (made.fetch, made.compute, made.table, None)
