"""Show, change, name, undo and drop drafts. `approval` saves what is approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio_dagster.agent import answers
from helio_dagster.agent.conversation.card import Card
from helio_dagster.agent.conversation.context import Context, parse_plan
from helio_dagster.agent.conversation.edited_code import code_of, failing_steps, refused_code, try_code
from helio_dagster.agent.conversation.explaining import explain
from helio_dagster.agent.conversation.pipeline_names import forked_name, saved_alike, unused_name
from helio_dagster.agent.conversation.ranges import complete_part, time_event
from helio_dagster.agent.kept_intent import intent_to_text
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.agent.session import Draft, OnTable, Outcome, span_of
from helio_dagster.agent.suggested_checks import check_edits
from helio_dagster.domain.errors import HelioError, InputError, PipelineError
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline
from helio_dagster.domain.report import Estimate
from helio_dagster.domain.time_range import TimeRange

_NO_PLAN = ("there is no plan yet", "Say what you want to see: ACE magnetic field for 2023-01-02.")
_AWAITED = "Nothing has been run or written yet."


@dataclass(frozen=True)
class Shown:
    """What a person has already seen of a pipeline: its text and time range."""

    text: str
    span: TimeRange | None


def present_plan(context: Context, answer: answers.Plan, request: str = "", unverified: Sequence[str] = ()) -> Outcome:
    """Present a new pipeline under a free name; if an identical one is saved, run that again."""
    pipeline, remarks = answer.pipeline, list(answer.notes)
    saved = saved_alike(context.side, pipeline)
    if saved is not None:
        text, base = saved.text, saved.text
        remarks.append(f"already saved as {saved.pipeline.name}: nothing is written")
    else:
        text, base = dump_pipeline(pipeline.model_copy(update={"name": unused_name(context.side, pipeline.name)})), None
    ignored = list(answer.ignored)
    draft = Draft(text=text, base=base, span=span_of(answer.span), remarks=remarks, request=request, ignored=ignored)
    draft.unverified, draft.intent = list(unverified), intent_to_text(answer.intent, answer.assumed)
    return _put(context, draft)


def present_edits(context: Context, answer: answers.Edits, unverified: Sequence[str] = ()) -> Outcome:
    """Apply edits to the draft or the saved pipeline, and present the result."""
    current = _required(context, "there is no pipeline to change", "Say what you want to see first.")
    changed = apply_edits(current.file, list(answer.edits))
    span, notes = answer.span or current.span, list(answer.notes)
    kept = intent_to_text(answer.intent or current.intent, current.assumed if answer.assumed is None else answer.assumed)
    return _replace(context, current, changed, span, notes, unverified=unverified, intent=kept)


def present_edited(context: Context, text: str) -> Outcome:
    """Use the text edited by the person as the draft. New code is tried first; code that fails is shown with its error.

    Raises
    ------
    InputError
        The text is not a valid pipeline; it is kept, so that it can be edited further.
    """
    session = context.session
    current = _required(context, "there is no plan to edit", "Say what you want to see first.")
    session.unfinished = text
    changed = parse_plan(text)
    if changed.pipeline.name != current.file.pipeline.name:
        hint = "Leave `name:` as it is, and say `call it NEW_NAME`."
        raise InputError("an edit cannot change the pipeline's name", hint=hint)
    refused, problems = refused_code(changed, context.side.check(changed).problems)
    if problems:
        raise PipelineError(problems)
    known = dict(draft.failing) if (draft := session.draft) else {}
    tried = set(code_of(current.file.pipeline).values()) - set(known) | set(refused)
    untried = [step for step, code in code_of(changed.pipeline).items() if code not in tried]
    failed = {**refused, **(try_code(context, changed, untried, current.span) if current.span is not None else {})}
    for error in failed.values():
        context.say(
            "error", f"{error}\nThe plan cannot be approved until this code runs.", hint="Say `edit` to fix it, or `undo`."
        )
    return _replace(context, current, changed, current.span, [], {**known, **failed})


def present_fork(context: Context, answer: answers.Fork) -> Outcome:
    """Present the same pipeline for another mission, with what does not carry over."""
    current, side = context.current(), context.side
    file = side.load(answer.name) if answer.name else current.file if current else None
    if file is None:
        raise InputError("there is no pipeline to copy", hint="Say what you want to see first, or name a saved pipeline.")
    new = unused_name(context.side, forked_name(file.pipeline, answer.mission))
    proposal = side.fork(file, new, answer.mission, instead_of=answer.instead_of)
    losses = [f"does not carry over: {loss}" for loss in proposal.losses]
    remarks = [*answer.notes, *proposal.changes, *losses, *proposal.kept, *proposal.notes]
    span = answer.span or (current.span if current else None)
    forked, span, more = _changed_besides(context, proposal.file, span, answer.then)
    return _put(context, Draft(text=forked.text, span=span_of(span), remarks=[*remarks, *more]))


def _changed_besides(
    context: Context, file: PipelineFile, span: TimeRange | None, words: str
) -> tuple[PipelineFile, TimeRange | None, list[str]]:
    """A pipeline and its range with what else is wanted of it, and remarks; what cannot be done is said."""
    if not words:
        return file, span, []
    changed = context.planner.answer(Situation(words, context.clock(), current=Current(file, span, is_saved=False)))
    if isinstance(changed, answers.Edits):
        return apply_edits(file, list(changed.edits)), changed.span or span, list(changed.notes)
    asked = f" {changed.question.text}" if isinstance(changed, answers.Asked) else ""
    return file, span, [f"not done yet: {words}.{asked}"]


def present_saved(context: Context, name: str, span: TimeRange, remarks: Sequence[str]) -> Outcome:
    """Present a saved pipeline for a range: one that nobody approved as it is, or whose run is long."""
    file = context.side.load(name)
    kept = context.session.intent_of(name)
    return _put(context, Draft(text=file.text, base=file.text, span=span_of(span), remarks=list(remarks), intent=kept))


def take_up(context: Context, name: str, span: TimeRange) -> None:
    """Make a saved pipeline the current one, to be run over a range."""
    session, file = context.session, context.side.load(name)
    if session.draft is not None:
        raise InputError("a plan is waiting for approval in this conversation", hint="Approve or drop it first.")
    session.table, session.failed, session.asked = OnTable(name=file.pipeline.name, span=span_of(span)), None, None


def present_named(context: Context, name: str) -> Outcome:
    """Present the current pipeline under another name; one that is saved stays, and this becomes a copy."""
    current = _required(context, *_NO_PLAN)
    old, draft = current.file.pipeline.name, context.session.draft
    if name == old:
        context.say("note", f"It is already called {name}.")
        return waiting(context)
    if name in context.side.names():
        raise InputError(f"there is already a pipeline {name}", hint="Give another name, or rename or delete that one first.")
    renamed = current.file.without_approval().renamed(name, file=f"{name}.yaml").text
    is_saved = old in context.side.names()
    remarks = [*(draft.remarks if draft else []), *([f"a copy: {old}.yaml stays as it is"] if is_saved else [])]
    before = draft or Draft(text=current.file.text, span=span_of(current.span), intent=context.session.intent_of(old))
    earlier = draft.before if draft else []
    named = {"text": renamed, "base": None, "earlier": earlier, "remarks": remarks}
    return _put(context, before.model_copy(update=named), Shown(current.file.text, current.span))


def retime(context: Context, draft: Draft, span: TimeRange) -> Outcome:
    """Present a draft for another range."""
    shown = Shown(draft.text, draft.span.range if draft.span else None)
    return _put(context, draft.model_copy(update={"span": span_of(span), "earlier": draft.before}), shown)


def show(context: Context, shown: Shown | None = None) -> Outcome:
    """Show the draft as a card and wait for a decision; a saved pipeline is shown with nothing to decide.

    `shown` is what the person has already seen; then only the differences are shown.
    """
    current, draft = _required(context, *_NO_PLAN), context.session.draft
    findings = context.side.check(current.file)
    refused, problems = refused_code(current.file, findings.problems)
    known = draft.failing if draft else {}
    if problems or not refused.keys() <= known.keys():
        raise PipelineError(findings.problems)
    span, remarks = current.span, list(draft.remarks) if draft else []
    if span is not None and draft is not None:
        span, note = complete_part(current.file.pipeline, span, context.clock(), is_open=context.is_open)
        remarks += [note] if note else []
        draft.span = span_of(span)
    estimate, problem = _estimate(context, current.file, span)
    seen = shown.text if shown else draft.earlier[-1].text if draft and draft.earlier else None
    card = Card(
        current.file,
        span,
        base=parse_plan(draft.base) if draft and draft.base else None,
        earlier=parse_plan(seen) if seen is not None else None,
        estimate=estimate,
        problem=problem,
        notes=tuple(note for note in findings.notes if note.path != "approved" or draft is None),
        remarks=tuple(remarks),
        is_whole=shown is None,
        was=shown.span if shown else None,
        is_saved=draft is None or draft.text == draft.base,
        request=draft.request if draft else "",
        ignored=tuple(draft.ignored) if draft else (),
        failing=failing_steps(draft, current.file.pipeline) if draft else {},
        unverified=tuple(draft.unverified) if draft else (),
        suggested=_suggested(context, current.file.pipeline),
        events=context.side.events(current.file),
    )
    if span is not None:
        context.tell(time_event(span))
    context.say("plan", card.text(), **card.facts())
    if draft is None:
        return "answered"
    text = "It can be approved once its code runs: say `edit` to fix it, or `undo`." if card.failing else _AWAITED
    context.say("approval", text, decision="awaited", digest=draft.digest)
    context.keep()
    return "approval"


def add_checks(context: Context) -> Outcome | None:
    """Add the suggested checks to the plan or the saved pipeline; None where there are none to suggest."""
    current = _required(context, *_NO_PLAN)
    suggested = context.side.suggest_checks(current.file.pipeline)
    return present_edits(context, answers.Edits(tuple(check_edits(current.file.pipeline, suggested)))) if suggested else None


def explain_plan(context: Context) -> Outcome:
    """Explain the plan or the saved pipeline."""
    current, draft = _required(context, *_NO_PLAN), context.session.draft
    text = explain(current.file.pipeline, draft.looked if draft else [], draft.remarks if draft else [])
    context.say("information", text, sources=[], makes_data=False)
    return waiting(context)


def waiting(context: Context) -> Outcome:
    """Repeat what the conversation awaits, after an answer to something else."""
    session = context.session
    if session.asked is not None:
        context.say("clarify", session.asked.text, choices=list(session.asked.choices), number=session.asked.number)
        return "question"
    if session.draft is not None:
        context.say("approval", "The plan is still waiting: nothing was run or written yet.", decision="awaited")
        return "approval"
    return "repair" if session.failed is not None else "answered"


def reject(context: Context) -> Outcome:
    """Drop the draft; nothing was written."""
    context.session.draft, context.session.unfinished = None, ""
    context.say("approval", "Dropped: nothing was run or written.", decision="rejected")
    return "refused"


def take_back_draft(context: Context, draft: Draft, count: int = 1) -> Outcome:
    """Undo the draft's last changes; a draft without changes is dropped."""
    if not draft.earlier:
        return reject(context)
    if count > len(draft.earlier):
        made = "one change" if len(draft.earlier) == 1 else f"{len(draft.earlier)} changes"
        raise InputError(f"there are not {count} changes to undo", hint=f"The plan has had {made}. Say: undo.")
    before = draft.earlier[-count]
    restored = {**dict(before), "earlier": draft.earlier[:-count], "remarks": [], "unverified": []}
    return _put(context, draft.model_copy(update=restored), Shown(draft.text, draft.span.range if draft.span else None))


def keep_operation(context: Context, answer: answers.Keep) -> Outcome:
    """Save a step's code as an operation, after trying it."""
    current = context.current()
    if current is None or current.span is None:
        raise InputError("the current pipeline does not have that step", hint="Plan a pipeline for a time range first.")
    name = context.side.keep_operation(
        current.file, answer.step, answer.operation, answer.summary, current.span, context.progress
    )
    code = code_of(current.file.pipeline).get(answer.step)
    context.session.kept_code += [code] if code else []
    context.say("note", f"Saved as the operation {name}: use it in a pipeline as `operation: {name}`.", operation=name)
    return waiting(context)


def _required(context: Context, problem: str, hint: str) -> Current:
    current = context.current()
    if current is None:
        raise InputError(problem, hint=hint)
    return current


def _replace(
    context: Context,
    current: Current,
    changed: PipelineFile,
    span: TimeRange | None,
    remarks: list[str],
    failing: dict[str, str] | None = None,
    unverified: Sequence[str] = (),
    intent: str | None = None,
) -> Outcome:
    """Show a changed pipeline in place of the current one."""
    kept = context.session.intent_of(current.file.pipeline.name)
    draft = context.session.draft or Draft(text="", base=current.file.text, intent=kept)
    earlier = draft.before if draft.text else []
    new: dict[str, object] = {"text": changed.text, "span": span_of(span), "earlier": earlier, "remarks": remarks}
    new |= {"unverified": list(unverified)}
    new |= {} if failing is None else {"failing": failing}
    new |= {} if intent is None else {"intent": intent}
    return _put(context, draft.model_copy(update=new), Shown(current.file.text, current.span))


def _put(context: Context, draft: Draft, shown: Shown | None = None) -> Outcome:
    """Show a draft in place of the previous one, which is kept unless the person has seen the new one to the end."""
    session = context.session
    before, session.draft = session.draft, draft
    is_shown = False
    try:
        outcome, is_shown = show(context, shown), True
    finally:
        session.draft = draft if is_shown else before
    session.unfinished = ""
    return outcome


def _estimate(context: Context, file: PipelineFile, span: TimeRange | None) -> tuple[Estimate | None, str]:
    if span is None:
        return None, ""
    try:
        return context.side.estimate(file, span), ""
    except HelioError as error:
        return None, error.problem


def _suggested(context: Context, pipeline: Pipeline) -> dict[str, Expectation]:
    """The checks that are usual for a plan without any."""
    has_checks = any(step.expect is not None for step in pipeline.steps)
    return {} if has_checks else context.side.suggest_checks(pipeline)
