"""Turn what a model submits into an answer, or return it to the model with its faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from pydantic import ValidationError
from pydantic_ai import ModelRetry

from helio_dagster.agent.answers import (
    Answer,
    Asked,
    Edits,
    Fork,
    Information,
    Keep,
    ModelWords,
    OpenQuestion,
    Question,
    Refusal,
    Replay,
)
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.drafting.event_ranges import range_of_events
from helio_dagster.agent.drafting.retelling import retold
from helio_dagster.agent.drafting.whole_ranges import with_ranges
from helio_dagster.agent.intent import Wanted
from helio_dagster.agent.model.checking import check, tell_of_steps, try_code
from helio_dagster.agent.model.named_sources import fault_of_extent, fault_of_fetch, fault_of_source, notes_of_extent
from helio_dagster.agent.model.spoken_time import resolve_time
from helio_dagster.agent.model.submissions import (
    AddDraftStep,
    ChangePipeline,
    DraftEdits,
    DraftFork,
    DraftInformation,
    DraftKeep,
    DraftPlan,
    DraftQuestion,
    DraftReplay,
    EditDraftStep,
    FetchStep,
    RemoveDraftStep,
    TableStep,
)
from helio_dagster.agent.model.submitted_intent import read_intent, step_document
from helio_dagster.agent.model.turn import Turn
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.missions import find_mission
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.domain.event_table import EventTableError
from helio_dagster.domain.pipeline import EventTable, Fetch, Pipeline, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, RemoveStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import Value, format_path

DraftT = TypeVar("DraftT")


def answered(turn: Turn, accept: Callable[[Turn, DraftT], Answer], draft: DraftT) -> Answer:
    """The answer for a draft; decisions that only a person can make become a question."""
    try:
        with turn.interruption.at_once():
            return accept(turn, draft)
    except OpenQuestion as opened:
        if not turn.may_ask:
            return Refusal((opened.question.text, "Say it again and include that."))
        return Asked(opened.question)
    except ModelRetry as retry:
        turn.last_fault = retry.message
        raise


def own_words(turn: Turn, *words: str) -> ModelWords:
    """What the model wrote itself in an answer, with what it looked up so far."""
    return ModelWords(tuple(each for each in words if each.strip()), tuple(turn.looked_up))


def accept_plan(turn: Turn, draft: DraftPlan) -> Answer:
    """A plan whose datasets exist, whose pipeline is valid and whose code works on a sample."""
    span, notes = _plan_time(turn, draft)
    possible = {step.id: _possible(turn, step, span) for step in draft.steps if isinstance(step, FetchStep)}
    wanted = {name: each for name, (each, _) in possible.items()}
    if not wanted and not any("/" in each for step in draft.steps for each in getattr(step, "inputs", {}).values()):
        raise ModelRetry("The plan fetches nothing: data come from a fetch step, or from a step of another pipeline.")
    passed = [reason for _, reasons in possible.values() for reason in reasons]
    intent = read_intent(draft, wanted, span, assumptions=passed, notes=notes)
    try:
        plan = turn.drafter.draft(intent, turn.situation.now, turn.situation.tell, check=lambda file: check(turn, file))
        file = as_file(plan.pipeline)
    except ValidationError as error:
        found = [f"{format_path(at.path)}: {at.problem}. {at.hint}".strip() for at in plain_faults(error, Pipeline)]
        raise ModelRetry("The plan is not valid:\n" + "\n".join(found[:12])) from None
    except PipelineError as error:
        raise ModelRetry(f"The plan is not valid:\n{error}") from None
    tell_of_steps(turn, file.pipeline.steps)
    untried = try_code(turn, file, file.pipeline.steps, span)
    fetches = [step.fetch for step in plan.pipeline.steps if step.fetch]
    intents = (step.intent for step in draft.steps)
    words = own_words(turn, draft.title, draft.description, *draft.assumptions, *intents)
    return replace(plan, notes=(*plan.notes, *notes_of_extent(turn, fetches, span), *untried), words=words)


def accept_edits(turn: Turn, draft: DraftEdits) -> Answer:
    """Edits that leave a valid pipeline; samples decide about added fetches, and changed code is tried."""
    current = _on_the_table(turn)
    span, notes = resolve_time(turn, draft.time_words)
    added = [edit.step for edit in draft.edits if isinstance(edit, AddDraftStep)]
    possible = [_possible(turn, step, span or current.span) for step in added if isinstance(step, FetchStep)]
    first = {wanted.id: wanted.candidates[0] for wanted, _ in possible}
    check(turn, _edited(turn, current.file, _edits(draft, first, current.file.pipeline)))
    settled = turn.drafter.settle([wanted for wanted, _ in possible], span or current.span, turn.situation.tell)
    reasons = [*(reason for _, passed in possible for reason in passed), *settled.reasons]
    edits = _edits(draft, settled.fetches, current.file.pipeline)
    file = _edited(turn, current.file, edits)
    if settled.fetches != first:
        check(turn, file)
    before = {step.id: step for step in current.file.pipeline.steps}
    changed = [step for step in file.pipeline.steps if before.get(step.id) != step]
    tell_of_steps(turn, changed)
    untried = try_code(turn, file, changed, span or current.span)
    told = retold(current.file, edits, turn.knowledge.catalog, current.assumed)
    notes = (*notes, *draft.notes, *reasons, *untried)
    return Edits((*edits, *told.edits), span, notes, own_words(turn, *_stated(draft)), assumed=told.assumed)


def accept_question(turn: Turn, draft: DraftQuestion) -> Answer:
    """A question; the model is offered this only while it may ask one."""
    if not turn.may_ask:
        raise ModelRetry("The person was asked three times: plan now, and state what you assume.")
    question = Question(text=draft.text, choices=[choice for choice in draft.choices if choice.strip()])
    statements = [each for each in re.split(r"(?<=[.!?])\s+", draft.text) if not each.rstrip().endswith("?")]
    return Asked(question, words=own_words(turn, *statements))


def accept_replay(turn: Turn, draft: DraftReplay) -> Answer:
    """The same pipeline over another range."""
    _require_pipeline(turn, draft.name)
    span, notes = resolve_time(turn, draft.time_words)
    if span is None:
        raise OpenQuestion("For which time range should it run?")
    return Replay(span, draft.name, notes)


def accept_fork(turn: Turn, draft: DraftFork) -> Answer:
    """The same pipeline for another mission."""
    _require_pipeline(turn, draft.name)
    span, notes = resolve_time(turn, draft.time_words)
    try:
        mission = find_mission(draft.mission).name
        instead_of = find_mission(draft.instead_of).name if draft.instead_of else None
    except InputError as error:
        raise ModelRetry(str(error)) from None
    return Fork(mission, draft.name, span, notes, instead_of)


def accept_information(turn: Turn, draft: DraftInformation) -> Answer:
    """An answer whose sources exist."""
    faults = [fault for fault in (fault_of_source(turn, source) for source in draft.sources) if fault]
    if faults:
        raise ModelRetry("\n".join(faults) + "\nName the operations, datasets, missions or functions that the tools gave you.")
    return Information(draft.text, tuple(dict.fromkeys(draft.sources)), own_words(turn, draft.text))


def accept_keep(turn: Turn, draft: DraftKeep) -> Answer:
    """A step's code to save as an operation."""
    current = _on_the_table(turn)
    steps = [step for step in current.file.pipeline.steps if not step.named_results]
    coded = [step.id for step in steps if step.compute is not None and step.compute.code is not None]
    if draft.step not in coded:
        raise ModelRetry(f"{draft.step!r} is not a step with code. {remedy(draft.step, coded, what='steps with code')}")
    return Keep(draft.step, draft.operation, draft.summary)


def _plan_time(turn: Turn, draft: DraftPlan) -> tuple[TimeRange | None, tuple[str, ...]]:
    """The range that the person named, or that of the listed events where the plan is about these."""
    if draft.windows is None or draft.time_words:
        return resolve_time(turn, draft.time_words)
    table = next((step for step in draft.steps if isinstance(step, TableStep) and step.id == draft.windows.events), None)
    if table is None:
        found = any(step.id == draft.windows.events for step in draft.steps)
        remedy = "Leave out windows: its events are found in the plan's range." if found else "Add one."
        raise ModelRetry(f"The plan's windows are around {draft.windows.events!r}, which is not a table step. {remedy}")
    try:
        return range_of_events(EventTable(csv=table.csv, source=table.source)), ()
    except (ValidationError, EventTableError) as error:
        raise ModelRetry(f"Step {table.id}: {error}") from None


def _edits(draft: DraftEdits, fetches: Mapping[str, Fetch], pipeline: Pipeline) -> list[Edit]:
    """The edits in the form for pipeline files."""
    made: list[Edit] = []
    added = [edit.step for edit in draft.edits if isinstance(edit, AddDraftStep)]
    known: list[Value] = [{"id": step.id, **({"over": step.over} if step.over else {})} for step in pipeline.nodes]
    documents: list[Value] = [dict(step_document(each, fetches.get(each.id))) for each in added]
    ranged = iter(with_ranges([*known, *documents], is_over_events=pipeline.is_over_events)[len(known) :])
    for edit in draft.edits:
        match edit:
            case AddDraftStep():
                try:
                    step = Step.model_validate(next(ranged))
                except ValidationError as error:
                    faults = "; ".join(each["msg"] for each in error.errors(include_url=False)[:5])
                    raise ModelRetry(f"The step {edit.step.id} is not valid: {faults}") from None
                made.append(AddStep(kind="add_step", step=step, before=edit.before))
            case ChangePipeline():
                made.append(EditPipeline(kind="edit_pipeline", changes={edit.key: edit.value}))
            case EditDraftStep():
                changes = {**edit.changes, **dict.fromkeys(edit.remove)}
                if not changes:
                    raise ModelRetry(f"The edit of {edit.step} changes nothing: give changes, or paths to remove.")
                made.append(EditStep(kind="edit_step", step=edit.step, changes=changes))
            case RemoveDraftStep():
                made.append(RemoveStep(kind="remove_step", step=edit.step))
    return made


def _edited(turn: Turn, file: PipelineFile, edits: list[Edit]) -> PipelineFile:
    """The file with the edits applied, if everything it fetches exists; ModelRetry if they do not fit."""
    try:
        changed = apply_edits(file, edits)
    except InputError as error:
        raise ModelRetry(f"The edits do not fit:\n{error}") from None
    known = [step.fetch for step in file.pipeline.steps]
    new = [step.fetch for step in changed.pipeline.steps if step.fetch is not None and step.fetch not in known]
    faults = [fault for fault in (fault_of_fetch(turn, fetch) for fetch in new) if fault]
    if faults:
        raise ModelRetry("\n".join(faults))
    return changed


def _possible(turn: Turn, step: FetchStep, span: TimeRange | None) -> tuple[Wanted, list[str]]:
    """The candidates that exist and may have data in the range, and why the others are passed over."""
    fetches: list[Fetch] = []
    unknown: list[str] = []
    for candidate in step.candidates:
        try:
            fetch = Fetch.model_validate(candidate.model_dump())
        except ValidationError as error:
            why = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            unknown.append(f"{candidate.archive}/{candidate.dataset}/{candidate.parameter} cannot be a fetch: {why:.300}")
            continue
        fault = fault_of_fetch(turn, fetch)
        if fault:
            unknown.append(fault)
        else:
            fetches.append(fetch)
    if unknown:
        raise ModelRetry(f"Step {step.id}: " + "\n".join(unknown))
    outside = {fetch: fault_of_extent(turn, fetch, span) for fetch in fetches}
    inside = [fetch for fetch in fetches if not outside[fetch]]
    if not inside:
        raise ModelRetry(f"Step {step.id}: " + "; ".join(outside.values()) + ". Find another dataset, or ask the person.")
    return Wanted(step.id, step.intent, tuple(inside), step.exclude), [f"{fault}." for fault in outside.values() if fault]


def _stated(draft: DraftEdits) -> Iterator[str]:
    """What edits state in words: notes, intents, and the words of the pipeline."""
    yield from draft.notes
    for edit in draft.edits:
        match edit:
            case AddDraftStep():
                yield edit.step.intent
            case ChangePipeline(key="title" | "description" | "assumptions", value=value) if value:
                yield from [value] if isinstance(value, str) else value
            case EditDraftStep():
                yield from (value for key, value in edit.changes.items() if key == "intent" and isinstance(value, str))


def _on_the_table(turn: Turn) -> Current:
    current = turn.situation.current
    if current is None:
        raise ModelRetry("There is no pipeline on the table.")
    return current


def _require_pipeline(turn: Turn, name: str | None) -> None:
    if name is None:
        _on_the_table(turn)
        return
    names = turn.side.names() if turn.side is not None else []
    if name not in names:
        raise ModelRetry(f"There is no saved pipeline {name!r}. {remedy(name, names, what='saved pipelines')}")
