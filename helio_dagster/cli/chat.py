"""`helio chat`: a conversation at the terminal, or as JSON events for a program. What is said and done belongs to `agent`."""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write_error, write_json
from helio_dagster.domain.errors import AnswerNeeded, InputError

if TYPE_CHECKING:
    from helio_dagster.agent.conversation.conversation import Conversation
    from helio_dagster.agent.events import Event
    from helio_dagster.cli.event_print import EventPrinter

_EXIT_CODES = {"success": 0, "answered": 0, "partial": 1, "failed": 1, "repair": 1, "refused": 2, "question": 3, "approval": 3}
_PROMPTS = {
    "request": "say> ",
    "answer": "answer> ",
    "approval": "approve, say what to change, edit, or reject> ",
    "repair": "retry, say what to change, edit, skip, or abort> ",
}
_LEAVING = frozenset(("exit", "quit", "bye", ":q"))


@dataclass(frozen=True)
class Message:
    """What a person says, or the text of the plan as they have edited it."""

    text: str
    is_edited_plan: bool = False


def chat(
    request: Annotated[list[str] | None, typer.Argument(metavar="[REQUEST]", help="What you want, as a sentence.")] = None,
    go_on: Annotated[bool, typer.Option("--continue", "-c", help="Continue the last conversation.")] = False,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Continue this conversation.")] = None,
    archive: Annotated[str, typer.Option(help="Archive to fetch from: cdaweb, or demo (synthetic data).")] = "cdaweb",
    offline: Annotated[bool, typer.Option("--offline", help="Plan without a language model, even if there is a key.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve the plan without asking.")] = False,
    json_events: Annotated[
        bool, typer.Option("--json-events", help="Print one JSON event per line and read the next input from standard input.")
    ] = False,
) -> int:
    """Plan, approve, run and refine a pipeline in a conversation. Nothing runs and nothing is written before you approve."""
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    said = " ".join(request or ())
    is_talking = json_events or sys.stdin.isatty()
    if not said and not is_talking and not (yes and (go_on or session)):
        raise InputError(
            "nothing was said, and there is no terminal to ask at", hint="Give the request: helio chat 'ACE field …'"
        )
    printer = _printer(json_events=json_events)
    with _opened(go_on, session, archive=archive, offline=offline, printer=printer) as conversation:
        try:
            if conversation.session.said and not said and not yes and not json_events:
                conversation.recall()
            return _talk(conversation, said, is_sure=yes, is_talking=is_talking, printer=printer)
        except KeyboardInterrupt:
            printer.close()
            is_kept = bool(conversation.session.said)
            hint = f" Nothing is lost: go on with `helio chat --session {conversation.session.id}`." if is_kept else ""
            write_error(f"\nstopped.{hint}\n")
            return 1


def _talk(
    conversation: Conversation, said: str, *, is_sure: bool, is_talking: bool, printer: EventPrinter | JsonPrinter
) -> int:
    json_events = isinstance(printer, JsonPrinter)
    messages = _messages(conversation, said, json_events=json_events) if is_talking else iter([Message(said)] if said else [])
    if is_sure and not said:
        _approve_all(conversation, printer)
    for message in messages:
        printer.begin()
        if message.is_edited_plan:
            conversation.edited(message.text)
        else:
            conversation.say(message.text)
        if is_sure:
            _approve_all(conversation, printer)
    code = _EXIT_CODES[conversation.outcome]
    if not json_events and (code == AnswerNeeded.exit_code or conversation.outcome == "repair"):
        write_error(_how_to_go_on(conversation, is_talking=is_talking))
    return code


def _how_to_go_on(conversation: Conversation, *, is_talking: bool) -> str:
    session = f"--session {conversation.session.id}"
    if is_talking:
        return f"It is kept: helio chat {session}\n"
    if conversation.outcome == "repair":
        return f"To go on: helio chat retry {session}\n"
    if conversation.outcome == "approval":
        return f"A person must approve it: helio chat --yes {session}\n"
    return f"A person must answer: helio chat 'ANSWER' {session}\n"


def _approve_all(conversation: Conversation, printer: EventPrinter | JsonPrinter) -> None:
    if conversation.session.awaiting == "approval":
        printer.begin()
        conversation.say("approve")


def _messages(conversation: Conversation, said: str, *, json_events: bool) -> Iterator[Message]:
    """What the person says, one message after the other, until they leave."""
    if said:
        yield Message(said)
    while True:
        try:
            line = sys.stdin.readline() if json_events else input(_PROMPTS[conversation.session.awaiting]) + "\n"
        except (EOFError, OSError):  # the terminal is gone: the session is kept
            return
        if not line or line.strip() in _LEAVING:
            return
        message = _decoded(line) if json_events else Message(line.strip())
        if message.text == "edit" and not json_events:
            edited = _edit(conversation)
            if edited is None:
                continue
            message = Message(edited, is_edited_plan=True)
        if message.text.strip():
            yield message


def _decoded(line: str) -> Message:
    """A program's message: plain text, or a JSON object with `say` or `edit`."""
    text = line.strip()
    if not text.startswith("{"):
        return Message(text)
    try:
        given = json.loads(text)
    except ValueError:
        return Message(text)
    if isinstance(given.get("edit"), str):
        return Message(given["edit"], is_edited_plan=True)
    if isinstance(given.get("say"), str):
        return Message(given["say"])
    raise InputError("a message is a line of text, or a JSON object with `say` or `edit`", hint='Write {"say": "approve"}.')


def _edit(conversation: Conversation) -> str | None:
    """The plan's text, or the saved pipeline's, as the person has edited it in $EDITOR; None where nothing was changed."""
    import click

    text = conversation.plan_text
    if text is None:
        write_error("There is no plan to edit yet.\n")
        return None
    try:
        edited = click.edit(text, extension=".yaml")
    except click.ClickException as error:
        write_error(f"The editor cannot be used: {error.message} Set EDITOR to another one.\n")
        return None
    if edited is None or edited == text:
        write_error("Nothing was changed.\n")
        return None
    return edited


class JsonPrinter:
    """Prints events for a program, one JSON object a line."""

    def __call__(self, event: Event) -> None:
        """Print one event."""
        write_json(event.to_document())
        flush()

    def begin(self) -> None:
        """Nothing is shown meanwhile."""

    def close(self) -> None:
        """Nothing is to be taken away."""


def _printer(*, json_events: bool) -> EventPrinter | JsonPrinter:
    from helio_dagster.cli.event_print import EventPrinter

    return JsonPrinter() if json_events else EventPrinter()


@contextmanager
def _opened(
    go_on: bool, session_id: str | None, *, archive: str, offline: bool, printer: EventPrinter | JsonPrinter
) -> Iterator[Conversation]:
    """A conversation over this process's home: a new one, or one that goes on."""
    from helio_dagster.agent.events import Event
    from helio_dagster.conversing import open_conversation
    from helio_dagster.storage.sessions import SessionFiles

    settings = settings_from_environment()
    files = SessionFiles(settings.sessions)
    if go_on and session_id is None:
        session_id = next(iter(files.ids()), None)
        if session_id is None:
            raise InputError("there is no conversation to continue", hint="Begin one: helio chat 'ACE field for 2023-01-02'.")
    try:
        with open_conversation(
            settings, os.environ, session=session_id, archive=archive, offline=offline, person=_person(), tell=printer
        ) as conversation:
            printer(Event(stage="session", text=_greeting(conversation), facts=_facts(conversation)))
            yield conversation
    finally:
        printer.close()


def _greeting(conversation: Conversation) -> str:
    session = conversation.session
    if not session.said:
        return f"session {session.id}, planner {conversation.planner_name}"
    cut = " The last run was cut off." if session.table is not None and session.table.is_running else ""
    return f"session {session.id} goes on ({session.title}), planner {conversation.planner_name}.{cut}"


def _facts(conversation: Conversation) -> dict[str, object]:
    session = conversation.session
    return {"session": session.id, "planner": conversation.planner_name, "awaiting": session.awaiting}


def _person() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
