"""A pipeline follows its intent when that is changed: what two drafts differ in is changed in the file, and nothing else.

The file may have been changed since the first draft. Where both drafts are alike it stays as it is; a value that only the
person has changed stays, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.drafting.drawn_figure import DrawnFigure
from helio_dagster.agent.drafting.naming import free_id
from helio_dagster.agent.drafting.redrafted_panels import Panels, merged
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, RemoveStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, step_to_document

Document = dict[str, Any]
_ABOUT = ("title", "description")


class Redraft:
    """The edits that take a pipeline from one draft to another.

    Parameters
    ----------
    file
        The pipeline, which was drafted as `before` and may have been changed since.
    before, after
        The drafts of its intent as it was and as it is now.
    catalog
        Tells what fetches measure.
    """

    def __init__(self, file: PipelineFile, before: Pipeline, after: Pipeline, catalog: KnownCatalog) -> None:
        self._file, self._own, self._after = file, file.pipeline, after
        self._before = before = _called_as_in(self._own, before)
        self._figures = [DrawnFigure(as_file(each), catalog) for each in (before, after)]
        self._same = same_steps(before, after)
        self._pairs = self._same | counterparts(before, after, self._same)
        self._old = {step.id: step for step in before.steps}
        self._mine = {step.id: step for step in self._own.steps}
        self._names = dict(self._named())

    def edits(self) -> list[Edit] | None:
        """The edits; None where the file has steps of what is no longer what it was, or other partitions would be needed."""
        if self._before.partitions != self._after.partitions and any(
            isinstance(each.partitions, EventWindows) for each in (self._before, self._after)
        ):
            return None
        follow = self._followed()
        figures = [next((step for step in of.steps if step.figure), None) for of in (self._own, self._before, self._after)]
        own, old, new = figures
        if follow is None or own is None or old is None or new is None:
            return None
        documents = [step_to_document(each)["figure"] for each in (own, old, new)]
        panels = Panels(*(each["panels"] for each in documents), pairs=self._pairs, names=self._names, moved=self._moved())  # type: ignore[arg-type,call-overload,index] # panels of a figure
        drawn = panels.merged()
        if not drawn:
            return None
        read = {value for edit in follow if isinstance(edit, EditStep) for value in edit.changes.values()}
        needed = self._needed({trace["data"] for panel in drawn for trace in panel["traces"]} | read)
        made = [edit for step in self._after.steps if step.id in needed for edit in self._made(step, own.id)]
        draw: list[Edit] = []
        if drawn != panels.own:
            draw = [EditStep(kind="edit_step", step=own.id, changes={"figure.panels": drawn})]
        intent = merged(old.intent, new.intent, own.intent, keeps_own=True)
        if intent != own.intent:
            draw.append(EditStep(kind="edit_step", step=own.id, changes={"intent": intent}))
        changes = [*made, *follow, *draw]
        return [*changes, *self._removed(changes), *self._told()]

    def _named(self) -> Iterator[tuple[str, str]]:
        """What each step of the new draft is called in the file."""
        taken = {*self._mine}
        for step in self._after.steps:
            old = self._pairs.get(step.id)
            if old is not None and (old == step.id or step.id in self._same):
                yield step.id, old
            else:
                new = free_id(step.id, taken)
                taken.add(new)
                yield step.id, new

    def _moved(self) -> set[str]:
        """The steps of the new draft that show another quantity than those they take the place of."""
        before, after = ({line.trace.data: line.quantities for line in each.lines} for each in self._figures)
        return {new for new, old in self._pairs.items() if new in after and old in before and after[new] != before[old]}

    def _followed(self) -> list[Edit] | None:
        """The person's own steps, made to read what takes the place of what they read; None where that is something else."""
        gone = {old: new for new, old in self._pairs.items() if new not in self._same}
        gone |= dict.fromkeys((each for each in self._old if each not in self._pairs.values()), "")
        found: list[Edit] = []
        for step in self._own.steps:
            if step.id in self._old or step.figure is not None:
                continue
            for path, reference in step.references:
                new = gone.get(reference)
                if new is None:
                    continue
                if not new or self._quantities(new, 1) != self._quantities(reference, 0):
                    return None
                if self._names[new] != reference:
                    found.append(EditStep(kind="edit_step", step=step.id, changes={path: self._names[new]}))
        return found

    def _quantities(self, step: str, draft: int) -> set[object]:
        figure = self._figures[draft]
        return {figure.quantity(each.fetch) for each in figure.upstream(step) if each.fetch is not None}

    def _needed(self, read: set[str]) -> set[str]:
        """The steps of the new draft that the file reads, with what they are made of, and those that no draft draws."""
        after = self._figures[1]
        shown = [line.trace.data for line in after.lines]
        unseen = {step.id for step in self._after.steps} - {each.id for data in shown for each in after.upstream(data)}
        ends = [step.id for step in self._after.steps if self._names[step.id] in read]
        return unseen | {each.id for end in ends for each in after.upstream(end)}

    def _made(self, step: Step, figure: str) -> Iterator[Edit]:
        """What the new draft makes of a step that the old one has not in this way."""
        old = self._pairs.get(step.id)
        if step.figure is not None or (step.id in self._same and old in self._mine):
            return
        new = self._document(step, self._names)
        mine = self._mine.get(old) if old is not None else None
        if old is None or mine is None:
            yield AddStep(kind="add_step", step=Step.model_validate(new), before=figure)
            return
        now = {each: self._names[name] for name, each in self._pairs.items()}
        was, own = self._document(self._old[old], now), self._document(mine, now)
        whole = merged({**was, "id": new["id"]}, new, {**own, "id": new["id"]}, keeps_own=False)
        if new["id"] != old:
            yield AddStep(kind="add_step", step=Step.model_validate(whole), before=figure)
            return
        stands = step_to_document(mine)
        changes = {key: whole.get(key) for key in {**whole, **stands} if whole.get(key) != stands.get(key)}
        if changes:
            yield EditStep(kind="edit_step", step=old, changes=dict(_by_path(changes, stands)))

    def _document(self, step: Step, names: Mapping[str, str]) -> Document:
        document = step_to_document(renamed(step, names))
        return {**document, "id": names.get(step.id, step.id)}

    def _removed(self, changes: Sequence[Edit]) -> list[Edit]:
        """The steps of the old draft that nothing reads any more after changes, the last ones first."""
        kept = {old for new, old in self._pairs.items() if self._names[new] == old}
        gone: dict[str, Edit] = {}
        steps = apply_edits(self._file, changes).pipeline.steps
        for step in reversed(steps):
            is_read = any(step.id == name for each in steps if each.id not in gone for _, name in each.references)
            if step.id in self._old and step.id not in kept and step.figure is None and not is_read:
                gone[step.id] = RemoveStep(kind="remove_step", step=step.id)
        return list(gone.values())

    def _told(self) -> list[Edit]:
        """What the pipeline says of itself: words that the person has changed stay."""
        changes: Document = {}
        for name in _ABOUT:
            values = [getattr(each, name) for each in (self._before, self._after, self._own)]
            value = merged(*values, keeps_own=True)
            changes |= {name: value} if value != values[2] and value else {}
        old, new, own = (each.assumptions for each in (self._before, self._after, self._own))
        stated = [each for each in own if each in new or each not in old]
        stated += [each for each in new if each not in old and each not in stated]
        if stated != own:
            changes["assumptions"] = stated or None
        return [EditPipeline.model_validate({"kind": "edit_pipeline", "changes": changes})] if changes else []


def _called_as_in(own: Pipeline, draft: Pipeline) -> Pipeline:
    """A draft with the file's ids for the steps that the file has, too."""
    names = {step: own_id for step, own_id in same_steps(own, draft).items() if step != own_id}
    if not names or {*names.values()} & {step.id for step in draft.steps if step.id not in names}:
        return draft
    steps = [renamed(step, names).model_copy(update={"id": names.get(step.id, step.id)}) for step in draft.steps]
    return draft.model_copy(update={"steps": steps})


def same_steps(before: Pipeline, after: Pipeline) -> dict[str, str]:
    """The steps of a draft, each to the one of another draft that makes the same."""
    left = {step.id: step for step in before.steps}
    pairs: dict[str, str] = {}
    for step in after.steps:
        same = next((each for each, old in left.items() if makes(step, pairs) == makes(old, {})), None)
        if same is not None:
            pairs[step.id] = same
            del left[same]
    return pairs


def counterparts(before: Pipeline, after: Pipeline, same: Mapping[str, str]) -> dict[str, str]:
    """The other steps of a draft, each to the one of another draft that makes the same of something else."""
    left = {step.id: step for step in before.steps if step.id not in same.values()}
    pairs: dict[str, str] = {}
    for step in after.steps:
        alike = [each for each, old in left.items() if _kind(old) == _kind(step)] if step.id not in same else []
        if not alike:
            continue
        inputs = {{**same, **pairs}.get(reference) for _, reference in step.references}
        shared = {each: len(inputs & {reference for _, reference in left[each].references}) for each in alike}
        pairs[step.id] = max(alike, key=lambda each: (each == step.id, shared[each]))  # used at once
        del left[pairs[step.id]]
    return pairs


def makes(step: Step, names: Mapping[str, str]) -> Document:
    """What a step does, whatever it is called and however it is told."""
    return {key: value for key, value in step_to_document(renamed(step, names)).items() if key not in ("id", "intent")}


def renamed(step: Step, names: Mapping[str, str]) -> Step:
    """A step that reads steps by other names."""
    changes: Document = {"exclude": names.get(step.exclude, step.exclude)} if isinstance(step.exclude, str) else {}
    if step.compute is not None:
        inputs = {name: names.get(each, each) if isinstance(each, str) else each for name, each in step.compute.inputs.items()}
        changes["compute"] = step.compute.model_copy(update={"inputs": inputs})
    if step.figure is not None:

        def drawn(panel: Panel) -> Panel:
            traces = [each.model_copy(update={"data": names.get(each.data, each.data)}) for each in panel.traces]
            return panel.model_copy(update={"traces": traces})

        changes["figure"] = step.figure.model_copy(update={"panels": [drawn(each) for each in step.figure.panels]})
    return step.model_copy(update=changes)


def _kind(step: Step) -> object:
    return step.kind, step.compute.operation if step.compute is not None else None


def _by_path(changes: Mapping[str, Any], own: Mapping[str, Any], stem: str = "") -> Iterator[tuple[str, Any]]:
    """Changes of a document as paths to their values."""
    for key, value in changes.items():
        old = own.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            inner = {each: value.get(each) for each in {**value, **old} if value.get(each) != old.get(each)}
            yield from _by_path(inner, old, f"{stem}{key}.")
        else:
            yield f"{stem}{key}", value
