"""Edits of a pipeline, merged by step id into its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from helio_dagster.domain.assumption_upkeep import outdated_assumptions
from helio_dagster.domain.described import Described
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_fields import Name
from helio_dagster.domain.pipeline_text import PipelineFile, is_block, pipeline_steps, plain_value, step_to_document
from helio_dagster.domain.yaml.document import Path, Value, YamlDocument, format_path
from helio_dagster.domain.yaml.edit import insert_item, remove_value, set_value, value_at
from helio_dagster.domain.yaml.style import render_flow


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EditStep(_Strict):
    """Change values of one step."""

    kind: Literal["edit_step"]
    step: Name
    """Id of the step."""
    changes: Annotated[dict[str, Any], Field(min_length=1)]
    """Path inside the step to its new value, as `compute.options.window: PT5M` or `figure.panels[0].traces[0].color: red`; null
    removes what is there."""


class AddStep(_Strict):
    """Add a step."""

    kind: Literal["add_step"]
    step: Step
    """The whole step."""
    before: Name | None = None
    """Id of the step it comes before; at the end where not given."""


class RemoveStep(_Strict):
    """Remove a step that no other refers to, with the comments right above it."""

    kind: Literal["remove_step"]
    step: Name
    """Id of the step."""


class EditPipeline(_Strict):
    """Change values of the pipeline that are outside its steps."""

    kind: Literal["edit_pipeline"]
    changes: Annotated[
        dict[Literal["title", "description", "assumptions", "start", "schedule", "lag"], Any], Field(min_length=1)
    ]
    """Key to its new value; null removes it."""


Edit = Annotated[EditStep | AddStep | RemoveStep | EditPipeline, Field(discriminator="kind")]


_PART = re.compile(r"(?:\A|\.)([A-Za-z_]\w*)|\[(\d{1,6}|\+)\]")
_BEFORE: dict[str, tuple[str, ...]] = {
    "intent": ("id",),
    "critical": ("intent", "id"),
    "lookback": ("inputs",),
    "lookahead": ("lookback", "inputs"),
    "unit": ("lookahead", "lookback", "inputs"),
    "frame": ("unit", "lookahead", "lookback", "inputs"),
}
"""Keys that a new one comes right after, the better first; others come last."""


def apply_edits(file: PipelineFile, edits: Sequence[Edit]) -> PipelineFile:
    """The file with the edits merged in, one after the other; every other line stays byte for byte as it is.

    Assumptions that name what the edits took away go with it. The paths of one EditStep all name places as they were before it.
    An approval that is there stays; it no longer fits.

    Raises
    ------
    InputError
        An edit names a step or a place that is not there, the hint names the nearest; or a step is removed that others read.
    PipelineError
        The file would no longer hold a valid pipeline.
    """
    document = file.document
    for edit in edits:
        match edit:
            case EditStep():
                document = _with_changes(document, edit)
            case AddStep():
                document = _with_step(document, edit)
            case RemoveStep():
                document = remove_value(document, _place_of(document, edit.step), with_comments=True)
            case EditPipeline():
                document = _with_keys(document, edit)
    if document is file.document:
        return file
    edited = file.with_document(document)
    removed = {edit.step for edit in edits if isinstance(edit, RemoveStep)}
    _refuse_dangling(edited.pipeline, [*removed, *_results_of(file.pipeline, removed)])
    return _without_outdated_assumptions(file, edited)


def _without_outdated_assumptions(before: PipelineFile, edited: PipelineFile) -> PipelineFile:
    outdated, document = outdated_assumptions(before.pipeline, edited.pipeline), edited.document
    if not outdated:
        return edited
    if len(outdated) == len(edited.pipeline.assumptions):
        return edited.with_document(remove_value(document, ("assumptions",)))
    for place in reversed(outdated):
        document = remove_value(document, ("assumptions", place))
    return edited.with_document(document)


def _with_changes(document: YamlDocument, edit: EditStep) -> YamlDocument:
    step = _place_of(document, edit.step)
    removed: list[Path] = []
    for text, value in edit.changes.items():
        parts = _parts(text, document, step)
        if parts[0] == "id":
            hint = "Add it under the new id, let the others read that one, and remove the old."
            raise InputError(f"the id of {edit.step} cannot be changed", hint=hint)
        if value is None:
            removed.append(_existing(document, step, parts, text))
        else:
            document = _with_value(document, step, parts, value, text)
    for path in sorted(removed, key=_last_first):
        document = remove_value(document, path)
    return document


def _with_value(document: YamlDocument, step: Path, parts: Sequence[str | int], value: object, text: str) -> YamlDocument:
    """One value set; what is on the way to it and is not there is made."""
    path, plain = step, plain_value(value)
    for index, part in enumerate(parts):
        around = value_at(document.value, path)
        part = len(around) if part == "+" and isinstance(around, list) else part
        path = (*path, part)
        is_there = path in document.places and (value_at(document.value, path) is not None or index == len(parts) - 1)
        is_next = isinstance(around, list) and part == len(around)
        if is_there:
            continue
        if not (is_next or (isinstance(around, dict) and isinstance(part, str) and (index or len(parts) == 1))):
            raise _no_place(document, step, text)
        for later in reversed(parts[index + 1 :]):
            if later not in ("+", 0) and not isinstance(later, str):
                raise _no_place(document, step, text)
            plain = [plain] if later in ("+", 0) else {str(later): plain}
        break
    if path in document.places and _is_same(value_at(document.value, path), plain):
        return document
    beside = (other for other in _BEFORE.get(str(path[-1]), ()) if (*path[:-1], other) in document.places)
    return set_value(document, path, plain, after=next(beside, None), is_block=is_block)


def _with_step(document: YamlDocument, edit: AddStep) -> YamlDocument:
    if edit.step.id in _ids(document):
        raise InputError(f"there is a step {edit.step.id} already", hint="Change it, or give the new one another id.")
    step = step_to_document(edit.step)
    if edit.before is not None:
        return insert_item(document, _place_of(document, edit.before), step, is_block=is_block)
    return set_value(document, ("steps", len(_ids(document))), step, is_block=is_block)


def _with_keys(document: YamlDocument, edit: EditPipeline) -> YamlDocument:
    order = list(Pipeline.model_fields)
    for key, value in edit.changes.items():
        if value is not None:
            having = [name for name in order[: order.index(key)] if (name,) in document.places]
            plain = plain_value(value)
            if (key,) not in document.places or not _is_same(value_at(document.value, (key,)), plain):
                document = set_value(document, (key,), plain, after=having[-1] if having else None)
        elif (key,) in document.places:
            document = remove_value(document, (key,))
        else:
            having = [name for name in order if (name,) in document.places]
            raise InputError(f"the pipeline has no {key}", hint=f"It has {', '.join(having)}.")
    return document


def _parts(text: str, document: YamlDocument, step: Path) -> list[str | int]:
    """`a.b[0]` as its parts, `[+]` as a plus."""
    found = list(_PART.finditer(text))
    if not found or "".join(match[0] for match in found) != text or found[0][1] not in Step.model_fields:
        raise _no_place(document, step, text)
    return [match[1] or (int(match[2]) if match[2] != "+" else "+") for match in found]


def _existing(document: YamlDocument, step: Path, parts: Sequence[str | int], text: str) -> Path:
    path = (*step, *parts)
    if path not in document.places:
        raise _no_place(document, step, text)
    return path


def _no_place(document: YamlDocument, step: Path, text: str) -> InputError:
    """That a step has no such place, with the nearest that it has."""
    name = _ids(document)[int(step[1])]
    found = [(path, value_at(document.value, path)) for path in document.places if path[:2] == step and len(path) > 2]
    places = [format_path(path[2:]) for path, value in found if not isinstance(value, (dict, list))]
    return InputError(f"the step {name} has no place {text!r:.120}", hint=remedy(text, places, what="its places"))


def _place_of(document: YamlDocument, step: str) -> Path:
    ids = _ids(document)
    if step not in ids:
        raise InputError(f"there is no step {step}", hint=remedy(step, ids, what="its steps"))
    return "steps", ids.index(step)


def _ids(document: YamlDocument) -> list[str]:
    return [str(step.get("id")) for step in pipeline_steps(document.value if isinstance(document.value, dict) else {})]


def _last_first(path: Path) -> list[tuple[int, str]]:
    """Sorts items of a list from the last to the first, and what is inside another before it."""
    return [(-part, "") if isinstance(part, int) else (0, part) for part in path] + [(1, "")]


def _is_same(one: Value, other: Value) -> bool:
    return one == other and render_flow(one) == render_flow(other)


def _results_of(pipeline: Pipeline, steps: Set[str]) -> Iterator[str]:
    """The named results of the code of steps."""
    return (each.id for step in pipeline.steps if step.id in steps for each in step.named_results)


def _refuse_dangling(pipeline: Pipeline, removed: Sequence[str]) -> None:
    gone = set(removed) - {step.id for step in pipeline.nodes}
    readers: dict[str, list[str]] = {}
    for step in pipeline.steps:
        for _, reference in step.references:
            if (read := reference.removeprefix(f"{pipeline.name}/")) in gone:
                readers.setdefault(read, []).append(step.id)
    for step_id, names in readers.items():
        listed = " and ".join(dict.fromkeys(names))
        refer, them = ("refer", "them") if len(set(names)) > 1 else ("refers", "it")
        hint = f"Remove {listed} as well, or let {them} read another step."
        raise InputError(f"{step_id} cannot be removed: {listed} {refer} to it", hint=hint)
