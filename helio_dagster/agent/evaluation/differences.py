"""What differs between two versions of a pipeline: values by path, steps added and removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_text import pipeline_to_document, step_to_document
from helio_dagster.domain.yaml.document import Path, Value, format_path


@dataclass(frozen=True)
class Difference:
    """Values that changed, and steps that only one version has.

    `changes` is path to new value, None where it is gone; the paths of a step begin inside it (`figure.panels[0].y.scale`).
    """

    changes: Sequence[tuple[str, Value]]
    added: Sequence[Step]
    removed: Sequence[str]


def difference(before: Pipeline, after: Pipeline) -> Difference:
    """What `after` has that `before` does not, and what is gone."""
    old, new = ({step.id: step for step in pipeline.steps} for pipeline in (before, after))
    changes = list(_changes(_without_steps(before), _without_steps(after)))
    for name in old.keys() & new.keys():
        changes += _changes(step_to_document(old[name]), step_to_document(new[name]))
    added = [step for name, step in new.items() if name not in old]
    return Difference(changes, added, sorted(old.keys() - new.keys()))


def _without_steps(pipeline: Pipeline) -> dict[str, Value]:
    return {key: value for key, value in pipeline_to_document(pipeline).items() if key != "steps"}


def _changes(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    old, new = dict(_leaves(before)), dict(_leaves(after))
    for path in [*new, *(path for path in old if path not in new)]:
        if path not in old or path not in new or old[path] != new[path]:
            yield format_path(path), new.get(path)


def _leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Every value that holds no mapping, with its path; a list of plain values is one value."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for place, inner in enumerate(value):
            yield from _leaves(inner, (*path, place))
    else:
        yield path, value  # type: ignore[misc] # a document holds nothing else
