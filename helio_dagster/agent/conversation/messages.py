"""Find out what a message is (a command, a name, a choice, a question about results) and hand it to its handler."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent import answers
from helio_dagster.agent.conversation import drafts, questions, runner
from helio_dagster.agent.conversation.command_handler import handle_command, handle_naming, take_back
from helio_dagster.agent.conversation.commands import is_number, read_choice, read_command, read_model, read_naming
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.errands import handle_errand, tell_no_facts
from helio_dagster.agent.conversation.fact_answer import answer_from_facts
from helio_dagster.agent.conversation.model_claims import marking, unverified_numbers
from helio_dagster.agent.conversation.plain_questions import answer_plainly
from helio_dagster.agent.conversation.result_answer import answer_from_tables
from helio_dagster.agent.conversation.result_question import read_question
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.planner import Current, Situation
from helio_dagster.agent.session import Outcome
from helio_dagster.agent.suggested_checks import asks_for_checks
from helio_dagster.domain.errors import InputError

Doable = answers.Plan | answers.Edits | answers.Replay | answers.Fork | answers.Undo | answers.Keep
LONGEST_MESSAGE = 4000
"""Maximum number of characters in one message."""


def handle_message(context: Context, text: str) -> Outcome:
    """Process a message, and return how the turn ended."""
    session = context.session
    if not text.strip():
        raise InputError("the message is empty", hint="Say what you want to see: ACE magnetic field for 2023-01-02.")
    if len(text) > LONGEST_MESSAGE:
        raise InputError(f"that is longer than {LONGEST_MESSAGE:,} characters", hint="Say it in a few sentences.")
    if (model := read_model(text)) is not None:
        return _handle_model(context, model)
    command = read_command(text)
    if command is not None and (done := handle_command(context, command, text)) is not None:
        return done
    if (naming := read_naming(text)) is not None:
        return handle_naming(context, naming)
    choices = session.asked.choices if session.asked else []
    chosen = read_choice(text, choices)
    if is_number(text) and (choices or session.asked is None) and chosen == text:
        reply = f"There are {len(choices)} choices: say the number of one, or use other words."
        context.say("note", reply if choices else "There are no numbered choices now.")
        return drafts.waiting(context)
    current = _current(context)
    if chosen == text and (done := handle_errand(context, text, current)) is not None:
        return done
    if current is not None and chosen == text:
        if session.asked is None and asks_for_checks(text) and (done := drafts.add_checks(context)) is not None:
            return done
        if answer_plainly(context, text, current) or answer_from_facts(context, text, current):
            return drafts.waiting(context)
        question = read_question(text, context.clock(), current, is_whole_sentence=session.asked is not None)
        if question is not None and answer_from_tables(context, question, current):
            return drafts.waiting(context)
        if tell_no_facts(context, text):
            return drafts.waiting(context)
    return _handle_request(context, chosen, current)


def handle_request(context: Context, text: str) -> Outcome:
    """Hand a text to the planner as it is: it is never read as a command, a name or a choice.

    So goes what a program passes on. Whatever it says, it approves and runs nothing.
    """
    if not text.strip():
        raise InputError("the request is empty", hint="Pass on what the person wants, in their own words.")
    if len(text) > LONGEST_MESSAGE:
        raise InputError(
            f"the request is longer than {LONGEST_MESSAGE:,} characters", hint="Pass on only the person's own words."
        )
    return _handle_request(context, text, _current(context))


def _handle_model(context: Context, model: str) -> Outcome:
    """Say which planner plans, or plan with another from now on."""
    if model and context.choose_planner is None:
        raise InputError("the planner of this conversation is fixed", hint="Begin another one: helio chat --model NAME")
    if model and context.choose_planner is not None:
        context.planner = context.choose_planner(model)
    context.say("note", f"The planner is {context.planner.name}.", planner=context.planner.name)
    return drafts.waiting(context)


def _handle_request(context: Context, text: str, current: Current | None) -> Outcome:
    """Hand a request to the planner, and do what it answers."""
    session = context.session
    situation = Situation(
        request=text,
        now=context.clock(),
        open=session.open,
        current=current,
        earlier=session.utterances[:-1],
        failure=f"{session.failed.step}: {session.failed.error}" if session.failed else "",
        tell=context.tell,
    )
    request = questions.request_about(context, text)
    answer = context.planner.answer(situation)
    unverified = unverified_numbers(context, answer, text, current)
    match answer:
        case answers.Information():
            marked, facts = marking(unverified)
            reply = "\n".join([answer.text, *marked])
            context.say("information", reply, sources=list(answer.sources), makes_data=False, **facts)
            return drafts.waiting(context)
        case answers.Asked():
            marked, facts = marking(unverified)
            for line in marked:
                context.say("note", line, **facts)
            return questions.ask(context, text, answer)
        case answers.Refusal():
            marked, facts = marking(unverified)
            hint = answer.notes[-1] if len(answer.notes) > 1 else ""
            context.say("error", "\n".join([*answer.notes, *marked]), hint=hint, **facts)
            session.asked = None
            return "refused"
    if isinstance(answer, answers.Plan) and answer.span is None:
        events = context.side.events(as_file(answer.pipeline))
        if events is None or events.hull is None:
            return questions.ask_time(context, text)
        answer = replace(answer, span=events.hull)
    session.asked = None
    outcome = _follow(context, answer, text, request, unverified or [])
    if session.draft is not None:
        looked = [event.text for event in context.events if event.stage == "candidate"]
        session.draft.looked = list(dict.fromkeys([*session.draft.looked, *looked]))
    return outcome


def _follow(context: Context, answer: Doable, text: str, request: str, unverified: list[str]) -> Outcome:
    """Carry out a planner's answer that is neither a question nor text; `request` is the text with what was said before."""
    match answer:
        case answers.Plan():
            is_all_new = all(word.casefold() in text.casefold() for word in answer.ignored)
            return drafts.present_plan(context, answer, text if is_all_new else request, unverified)
        case answers.Edits():
            return drafts.present_edits(context, answer, unverified)
        case answers.Fork():
            return drafts.present_fork(context, answer)
        case answers.Replay():
            return _replay(context, answer)
        case answers.Undo():
            return take_back(context, answer.count)
        case answers.Keep():
            return drafts.keep_operation(context, answer)


def _replay(context: Context, answer: answers.Replay) -> Outcome:
    session = context.session
    for note in answer.notes:
        context.say("note", note)
    if answer.name is None and session.draft is not None:
        return drafts.retime(context, session.draft, answer.span)
    name = answer.name or (session.table.name if session.table else None)
    if name is None:
        raise InputError("there is no current pipeline", hint="Say what you want to see, or run a saved one by name.")
    session.draft = None
    return runner.run_pipeline(context, name, answer.span)


def _current(context: Context) -> Current | None:
    """The current pipeline: the draft, else the saved one; None if its file is missing or invalid."""
    try:
        return context.current()
    except InputError as error:
        context.say("note", f"{error} It is no longer the current pipeline.")
        context.session.table = None
        return None
