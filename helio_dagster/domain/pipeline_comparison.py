"""What two pipelines say differently, and which pipelines make the same data. Reads and prints nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_steps, pipeline_to_document
from helio_dagster.domain.yaml.document import Path, Value, format_path

What = Literal["added", "removed", "changed"]

_NO_MEANING = ("version", "name", "approved", "steps")
_NO_DATA = ("intent", "critical", "expect")


@dataclass(frozen=True)
class Change:
    """A value that is another one; None where it is not given (or says the default)."""

    path: str
    old: Value
    new: Value


@dataclass(frozen=True)
class StepChange:
    """A step that only one pipeline has, or that says something else; `changes` are the values of one that is changed."""

    step: str
    kind: str
    what: What
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """In what two pipelines differ.

    Parameters
    ----------
    head
        Differences outside the steps.
    steps
        Steps that differ: in the order of the old pipeline, then the new one's own.
    has_same_data
        Whether the data steps are the same, so that at most figures, words and dates differ.
    """

    head: tuple[Change, ...]
    steps: tuple[StepChange, ...]
    has_same_data: bool

    @property
    def is_same(self) -> bool:
        """Whether they mean the same; names, approvals and the order of steps do not count."""
        return not self.head and not self.steps


def compare_pipelines(old: Pipeline, new: Pipeline) -> Comparison:
    """Compare two pipelines by what they mean: layout, comments, names, approvals and the order of steps do not count.

    Parameters
    ----------
    old, new
        The pipelines; a reference to a step of the own pipeline is the same with and without the pipeline's name.
    """
    left, right = pipeline_to_document(old), pipeline_to_document(new)
    keys = [key for key in Pipeline.model_fields if key not in _NO_MEANING]
    head = [change for key in keys for change in _changes((key,), left.get(key), right.get(key))]
    ours, theirs = _steps(old), _steps(new)
    kinds = {step.id: step.kind for pipeline in (old, new) for step in pipeline.steps}
    steps: list[StepChange] = []
    for name in dict.fromkeys([*ours, *theirs]):
        if name not in theirs:
            steps.append(StepChange(name, kinds[name], "removed"))
        elif name not in ours:
            steps.append(StepChange(name, kinds[name], "added"))
        elif changes := tuple(_changes((), ours[name], theirs[name])):
            steps.append(StepChange(name, kinds[name], "changed", changes))
    return Comparison(tuple(head), tuple(steps), data_key(old) == data_key(new))


def data_key(pipeline: Pipeline) -> str:
    """The same text for pipelines whose data steps (all but figures) are the same, at the same length of a partition.

    Ids count, because columns are named by them; intents, expectations, the order of steps and whether one is critical do not.
    """
    figures = {step.id for step in pipeline.steps if step.figure is not None}
    steps: dict[str, Value] = {
        name: {key: value for key, value in step.items() if key not in _NO_DATA}
        for name, step in _steps(pipeline).items()
        if name not in figures
    }
    return json.dumps([pipeline.model_dump(include={"partitions"}, mode="json")["partitions"], steps], sort_keys=True)


def families(pipelines: Iterable[Pipeline]) -> list[list[str]]:
    """Names of pipelines that have the same data steps, two or more together, in order; without data there is no family."""
    found: dict[str, list[str]] = {}
    for pipeline in pipelines:
        if any(step.figure is None for step in pipeline.steps):
            found.setdefault(data_key(pipeline), []).append(pipeline.name)
    return sorted(sorted(names) for names in found.values() if len(names) > 1)


def _steps(pipeline: Pipeline) -> dict[str, dict[str, Value]]:
    """Step id to the step's plain mapping; references to own steps without the pipeline's name."""
    prefix = f"{pipeline.name}/"
    found: dict[str, dict[str, Value]] = {}
    for step in pipeline_steps(pipeline_to_document(pipeline)):
        compute, figure = step.get("compute"), step.get("figure")
        if isinstance(compute, dict) and isinstance(compute.get("inputs"), dict):
            inputs = compute["inputs"]
            compute["inputs"] = (
                {name: _own(value, prefix) for name, value in inputs.items()} if isinstance(inputs, dict) else {}
            )
        if isinstance(figure, dict):
            figure.update({"events": _own(figure["events"], prefix)} if "events" in figure else {})
            for trace in _traces(figure):
                trace["data"] = _own(trace["data"], prefix)
        found[str(step["id"])] = step
    return found


def _traces(figure: dict[str, Value]) -> Iterator[dict[str, Value]]:
    panels = figure.get("panels")
    for panel in panels if isinstance(panels, list) else ():
        traces = panel.get("traces") if isinstance(panel, dict) else None
        yield from (trace for trace in (traces if isinstance(traces, list) else ()) if isinstance(trace, dict))


def _own(reference: Value, prefix: str) -> Value:
    return reference.removeprefix(prefix) if isinstance(reference, str) else reference


def _changes(path: Path, old: Value, new: Value) -> Iterator[Change]:
    """The innermost values that differ; lists are compared place by place."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _changes((*path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list):
        for place in range(max(len(old), len(new))):
            pair = (each[place] if place < len(each) else None for each in (old, new))
            yield from _changes((*path, place), *pair)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield Change(format_path(path), old, new)
