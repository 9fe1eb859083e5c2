"""Events told in a request: each is a partition of the pipeline, and what they have in common is drawn as a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.steps import StepDraft
from helio_dagster.agent.intent import Windows
from helio_dagster.agent.treatments import Treatment
from helio_dagster.domain.yaml.document import Value


@dataclass(frozen=True)
class Together:
    """The panels of superposed events, what the figure draws, and the partitions where these are events."""

    panels: tuple[dict[str, Value], ...]
    intent: str
    windows: Windows | None


def together(draft: StepDraft, curves: Sequence[Curve], treatment: Treatment) -> Together | None:
    """Median, quartiles and mean of all events, for curves that end in a superposed epoch; None for others."""
    if not any(each.operation == "superposed_epoch" for each in treatment.transforms):
        return None
    epochs = {str(step["id"]): step["compute"] for step in draft.steps if _is_superposed(step)}
    panels: list[dict[str, Value]] = []
    windows = None
    for curve in curves:
        compute = epochs[curve.step]
        assert isinstance(compute, dict)  # noqa: S101 - _is_superposed saw it
        inputs, options = compute["inputs"], compute["options"]
        assert isinstance(inputs, dict)  # noqa: S101 - as StepDraft writes it
        assert isinstance(options, dict)  # noqa: S101 - as StepDraft writes it
        windows = Windows(str(inputs["events"]), str(options["before"]), str(options["after"]))
        intent = "Median, quartiles and mean over the events"
        step = draft.compute(f"{curve.step}_together", intent, "epoch_statistics", {"events": curve.step})
        title = curve.symbol.removesuffix(" around events")
        traces: list[Value] = [{"data": step, "component": each} for each in ("median", "mean")]
        panels.append({"traces": traces, "x": {"title": "Time from the event"}, "y": {"title": title}})
    assert windows is not None  # noqa: S101 - there is a curve
    if treatment.detected is not None:  # which a step of the pipeline finds: its partitions cannot come of it
        return Together(tuple(panels), "Draw what the events have in common", None)
    file = next((each.options["file"] for each in treatment.transforms if "file" in each.options), "")
    where = f"the list {file}" if file else "the table `events`"
    draft.assumptions.say(f"Each event is a partition: another one is added as a row of {where}.")
    return Together(tuple(panels), "Draw what the events have in common", windows)


def _is_superposed(step: dict[str, Value]) -> bool:
    compute = step.get("compute")
    return isinstance(compute, dict) and compute.get("operation") == "superposed_epoch"
