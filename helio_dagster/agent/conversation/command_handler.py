"""Carry out commands. Whatever is asked, a command that decides on a plan or a failure is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from helio_dagster.agent.conversation import approval, drafts, runner
from helio_dagster.agent.conversation.commands import Command, Naming, asks_for_words, help_for, is_plain_yes
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.session import Asked, Outcome, Pending, Session
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_fields import is_name

Handler = Callable[[Context], Outcome]
_NOTHING: dict[Pending, str] = {
    "approval": "A plan is waiting: approve, say what to change, edit, or reject.",
    "repair": "A failed step is waiting: retry, say what to change, edit, skip, or abort.",
}


def handle_command(context: Context, command: Command, text: str) -> Outcome | None:
    """Carry out a command; None only for a yes that may answer the open question, which the planner must hear."""
    session = context.session
    if session.asked is not None and is_plain_yes(text):
        return _handle_yes(context, session.asked)
    if session.asked is not None and command in ("reject", "undo"):
        return _drop_question(context)
    if command in _ALWAYS:
        return _ALWAYS[command](context)
    decide = _DECISIONS.get((session.pending, command))
    if decide is not None and (session.pending != "request" or session.table is not None):
        session.asked = None
        return decide(context)
    if session.asked is not None and command == "abort":
        return _drop_question(context)
    return _tell_nothing_waits(context, command)


def handle_naming(context: Context, naming: Naming) -> Outcome:
    """Give the plan a name, and save it if the person says so; a saved pipeline is copied."""
    if not is_name(naming.name):
        hint = "Use lower-case letters, digits and underscores, beginning with a letter: storm_watch."
        raise InputError(f"{naming.name!r} cannot be the name of a pipeline", hint=hint)
    context.session.asked = None
    outcome = drafts.present_named(context, naming.name)
    if naming.is_run and context.session.draft is not None:
        return approve_and_run(context)
    return _keep(context) if naming.is_save and context.session.draft is not None else outcome


def approve_and_run(context: Context) -> Outcome:
    """Save the draft, and run it if it has a time range."""
    saved = approval.approve(context)
    return "success" if saved.span is None else runner.run_pipeline(context, saved.name, saved.span)


def _keep(context: Context) -> Outcome:
    """Save the draft, and run nothing."""
    saved = approval.approve(context)
    context.say("note", f"Say `run` to run {saved.name}." if saved.span else f"Give a time range to run {saved.name}.")
    return "success"


def take_back(context: Context, count: int | None = 1) -> Outcome:
    """Undo the last changes of the draft, or else the last approved change; a count of None is all changes."""
    count = _changes_made(context.session) if count is None else count
    if count == 0:
        context.say("note", "There is nothing to undo: this is the first version.")
        return drafts.waiting(context)
    if context.session.draft is not None:
        return drafts.take_back_draft(context, context.session.draft, count)
    if count > 1:
        raise InputError("approved changes are undone one at a time", hint="Say: undo.")
    table = approval.take_back_approved(context)
    return "answered" if table is None or table.span is None else runner.run_pipeline(context, table.name, table.span)


def _changes_made(session: Session) -> int:
    """How many changes the plan has had in this conversation, or else the saved pipeline since it was new or opened."""
    if session.draft is not None:
        return len(session.draft.earlier)
    name = session.table.name if session.table is not None else ""
    return sum(1 for each in session.versions if each.name == name and each.text is not None)


def _help(context: Context) -> Outcome:
    session = context.session
    reply = help_for(session.awaiting, has_table=session.draft is not None or session.table is not None)
    context.say("information", reply, sources=[], makes_data=False)
    return drafts.waiting(context)


def _show(context: Context) -> Outcome:
    if _has_only_a_question(context):
        return _tell_no_plan(context)
    shown = drafts.show(context)
    return drafts.waiting(context) if context.session.asked else shown


def _why(context: Context) -> Outcome:
    if context.session.pending == "repair":
        explained = runner.explain_failure(context)
        return drafts.waiting(context) if context.session.asked else explained
    return _tell_no_plan(context) if _has_only_a_question(context) else drafts.explain_plan(context)


def _edit(context: Context) -> Outcome:
    """A terminal opens an editor instead, and says what came of it."""
    context.say("note", 'Send the edited file as {"edit": "…YAML…"}; in a terminal, `edit` opens an editor.')
    return drafts.waiting(context)


def _has_only_a_question(context: Context) -> bool:
    session = context.session
    return session.asked is not None and session.draft is None and session.table is None


def _tell_no_plan(context: Context) -> Outcome:
    context.say("note", "There is no plan yet: answer the question first.")
    return drafts.waiting(context)


def _handle_yes(context: Context, asked: Asked) -> Outcome | None:
    """A yes while a question is open: the answer to it if it can be one; it never approves the plan below."""
    choices = len(asked.choices)
    if choices == 1 or not (choices or asks_for_words(asked.text)):
        return None
    draft = " `approve` would take the plan as it is." if context.session.draft else ""
    reply = "Which one? Say its number." if choices else "That does not answer the question."
    context.say("note", reply + draft)
    return drafts.waiting(context)


def _drop_question(context: Context) -> Outcome:
    context.session.asked = None
    context.say("note", "The question is dropped.")
    return drafts.waiting(context)


def _tell_nothing_waits(context: Context, command: Command) -> Outcome:
    session = context.session
    if session.pending in _NOTHING:
        reply = _NOTHING[session.pending]
    elif session.asked is not None:
        reply = "There is no plan to approve yet." if command == "approve" else "There is nothing to run yet."
    else:
        what = "Say what you want to see, or what to change." if session.table else "Say what you want to see first."
        reply = f"Nothing is waiting for that. {what}"
    context.say("note", reply)
    return drafts.waiting(context)


_DECISIONS: Mapping[tuple[Pending, Command], Handler] = {
    ("approval", "approve"): approve_and_run,
    ("approval", "run"): approve_and_run,
    ("approval", "keep"): _keep,
    ("approval", "reject"): drafts.reject,
    ("approval", "abort"): drafts.reject,
    ("repair", "retry"): runner.retry,
    ("repair", "run"): runner.retry,
    ("repair", "skip"): runner.skip,
    ("repair", "abort"): runner.abort,
    ("repair", "reject"): runner.abort,
    ("request", "run"): runner.run_table,
    ("request", "retry"): runner.run_table,
}
"""What a command does with what is to be decided; it drops an open question."""
_ALWAYS: Mapping[Command, Handler] = {"help": _help, "undo": take_back, "show": _show, "why": _why, "edit": _edit}
"""Commands that leave an open question open, except `undo`, which drops it."""
