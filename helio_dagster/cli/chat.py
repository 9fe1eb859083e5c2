"""`helio chat`: a conversation in the terminal, or as JSON events for a program."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.chat_input import Message, piped, typed
from helio_dagster.cli.options import ModelOption, Verbose, configuration, settings_from_environment
from helio_dagster.cli.signals import SignalWatch
from helio_dagster.cli.terminal import flush, write_error, write_json
from helio_dagster.domain.errors import AnswerNeeded, HelioError, InputError
from helio_dagster.domain.shortage import shortage_of

if TYPE_CHECKING:
    from helio_dagster.agent.conversation.conversation import Conversation
    from helio_dagster.agent.events import Event
    from helio_dagster.cli.event_print import EventPrinter
    from helio_dagster.storage.settings_files import Configuration

_log = logging.getLogger(__name__)
_VERBOSE = re.compile(r"/?verbose(?: (on|off))?", re.IGNORECASE)
_EXIT_CODES = {"success": 0, "answered": 0, "partial": 1, "failed": 1, "repair": 1, "refused": 2, "question": 3, "approval": 3}


def chat(
    request: Annotated[list[str] | None, typer.Argument(metavar="[REQUEST]", help="What you want, as a sentence.")] = None,
    go_on: Annotated[bool, typer.Option("--continue", "-c", help="Continue the last conversation.")] = False,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Continue this conversation.")] = None,
    archive: Annotated[str, typer.Option(help="Archive to fetch from: cdaweb, or demo (synthetic data).")] = "cdaweb",
    offline: Annotated[bool, typer.Option("--offline", help="Plan without a language model, even if there is a key.")] = False,
    model: ModelOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve the plan without asking.")] = False,
    is_open: Annotated[
        bool, typer.Option("--open", help="Run the last partition before it is over, as helio run --open.")
    ] = False,
    json_events: Annotated[
        bool, typer.Option("--json-events", help="Print one JSON event per line and read the next input from standard input.")
    ] = False,
    verbose: Verbose = False,
) -> int:
    """Plan, approve, run and refine a pipeline in a conversation. Nothing runs and nothing is written before you approve."""
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    words = " ".join(request or ())
    is_talking = json_events or sys.stdin.isatty()
    if not words and not is_talking and not (yes and (go_on or session)):
        raise InputError(
            "nothing was said, and there is no terminal to ask at", hint="Give the request: helio chat 'ACE field …'"
        )
    configured = configuration(model, is_offline=offline)
    printer = _printer(json_events=json_events, is_verbose=verbose)
    opened = _opened(configured, go_on, session, archive=archive, offline=offline, is_open=is_open, printer=printer)
    with SignalWatch() as watch, opened as conversation:
        talk = _Talk(conversation, printer, watch, is_sure=yes, is_program=json_events)
        try:
            if conversation.session.said and not words and not yes and not json_events:
                conversation.recall()
            return talk(words, is_talking=is_talking)
        except KeyboardInterrupt:
            printer.close()
            is_kept = bool(conversation.session.said)
            going_on = f"Nothing is lost: continue with `helio chat --session {conversation.session.id}`."
            write_error(f"\n{going_on if is_kept else 'Stopped.'}\n")
            return 1


class _Talk:
    """A conversation with a person or a program, to its end."""

    def __init__(
        self,
        conversation: Conversation,
        printer: EventPrinter | JsonPrinter,
        watch: SignalWatch,
        *,
        is_sure: bool,
        is_program: bool,
    ) -> None:
        self._conversation, self._printer, self._watch = conversation, printer, watch
        self._is_sure, self._is_program = is_sure, is_program

    def __call__(self, words: str, *, is_talking: bool) -> int:
        """Talk until the other side leaves, or only about what was said; gives the exit code."""
        if self._is_sure and not words:
            self._approve()
        may_stay = is_talking and not self._is_program
        try:
            for message in self._messages(words, is_talking=is_talking):
                self._turn(message, is_talking=is_talking)
        except KeyboardInterrupt:
            if not (may_stay and self._watch.has_only_ctrl_c()):
                raise
            write_error("\n")
        code = _EXIT_CODES[self._conversation.outcome]
        if not self._is_program and (code == AnswerNeeded.exit_code or self._conversation.outcome == "repair"):
            write_error(_how_to_go_on(self._conversation, is_talking=is_talking))
        return code

    def _messages(self, words: str, *, is_talking: bool) -> Iterator[Message]:
        if words:
            yield Message(words)
        if is_talking and self._is_program:
            yield from piped()
        elif is_talking:
            from helio_dagster.cli.line_editor import LineEditor
            from helio_dagster.storage.input_history import InputHistory

            history = InputHistory(settings_from_environment().history)
            yield from typed(self._conversation, LineEditor(history, self._watch.noticing))

    def _turn(self, message: Message, *, is_talking: bool) -> None:
        """One message and what follows from it. Ctrl-C stops that; where more can be said the conversation goes on."""
        if (found := _VERBOSE.fullmatch(message.text)) and not isinstance(self._printer, JsonPrinter):
            self._printer.is_verbose = found[1] != "off"
            write_error("Shows what the planner does.\n" if found[1] != "off" else "Shows only the results.\n")
            return
        try:
            self._printer.begin()
            _log.debug("said: %s", message.text)
            if message.is_edited_plan:
                self._conversation.edited(message.text)
            else:
                self._conversation.say(message.text)
            if self._is_sure:
                self._approve()
        except KeyboardInterrupt:
            if not (is_talking and self._watch.has_only_ctrl_c()):
                raise
        except Exception as error:
            if not is_talking or self._is_program or isinstance(error, (HelioError, OSError)) or shortage_of(error) is not None:
                raise
            trace = traceback.format_exc()
            _log.debug("%s", trace)
            if not isinstance(self._printer, JsonPrinter) and self._printer.is_verbose:
                write_error(trace)

    def _approve(self) -> None:
        if self._conversation.session.awaiting == "approval":
            self._printer.begin()
            self._conversation.say("approve")


def _how_to_go_on(conversation: Conversation, *, is_talking: bool) -> str:
    session = f"--session {conversation.session.id}"
    if is_talking:
        return f"To continue: helio chat {session}\n"
    if conversation.outcome == "repair":
        return f"To continue: helio chat retry {session}\n"
    if conversation.outcome == "approval":
        return f"A person must approve it: helio chat --yes {session}\n"
    return f"A person must answer: helio chat 'ANSWER' {session}\n"


class JsonPrinter:
    """Prints events for a program, one JSON object per line."""

    def __call__(self, event: Event) -> None:
        """Print one event."""
        write_json(event.to_document())
        flush()

    def begin(self) -> None:
        """Do nothing: a program needs no progress display."""

    def close(self) -> None:
        """Do nothing: there is no progress display to remove."""


def _printer(*, json_events: bool, is_verbose: bool) -> EventPrinter | JsonPrinter:
    from helio_dagster.cli.event_print import EventPrinter

    return JsonPrinter() if json_events else EventPrinter(is_verbose=is_verbose)


@contextmanager
def _opened(
    configured: Configuration,
    go_on: bool,
    session_id: str | None,
    *,
    archive: str,
    offline: bool,
    is_open: bool,
    printer: EventPrinter | JsonPrinter,
) -> Iterator[Conversation]:
    """A new or continued conversation over this process's home."""
    from helio_dagster.agent.events import Event
    from helio_dagster.resources.collector import collector_at_rest

    with collector_at_rest():
        from helio_dagster.conversing import open_conversation
    from helio_dagster.resources.home_sessions import open_sessions
    from helio_dagster.storage.people import account

    settings = settings_from_environment()
    if go_on and session_id is None:
        session_id = next(iter(open_sessions(settings).ids()), None)
        if session_id is None:
            raise InputError("there is no conversation to continue", hint="Start one: helio chat 'ACE field for 2023-01-02'.")
    try:
        with (
            configured.placing_errors(),
            open_conversation(
                settings,
                configured.environment,
                session=session_id,
                archive=archive,
                offline=offline,
                is_open=is_open,
                person=account(),
                tell=_noting(printer),
                here=Path.cwd(),
            ) as conversation,
        ):
            printer(Event(stage="session", text=_greeting(conversation), facts=_facts(conversation)))
            yield conversation
    finally:
        printer.close()


def _noting(printer: EventPrinter | JsonPrinter) -> Callable[[Event], None]:
    """Print events, and log them."""

    def tell(event: Event) -> None:
        if event.stage not in ("progress", "done"):
            _log.debug("%s: %s", event.stage, event.text)
        printer(event)

    return tell


def _greeting(conversation: Conversation) -> str:
    session = conversation.session
    if not session.said:
        return f"session {session.id}, planner {conversation.planner_name}"
    cut = " The last run was interrupted." if session.table is not None and session.table.is_running else ""
    return f"continuing session {session.id} ({session.title}), planner {conversation.planner_name}.{cut}"


def _facts(conversation: Conversation) -> dict[str, object]:
    session = conversation.session
    return {"session": session.id, "planner": conversation.planner_name, "awaiting": session.awaiting}
