"""`helio approve`: read a plan that an agent has proposed, and the code that approves it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import write
from helio_dagster.domain.errors import AnswerNeeded, InputError, StorageError

if TYPE_CHECKING:
    from helio_dagster.storage.sessions import SessionFiles

AGENTS = ("CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "CURSOR_AGENT")
"""Variables that agents set for what they start."""


def approve(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Session with a plan to approve; needed only if several have one.")
    ] = None,
) -> int:
    """Show a plan that awaits approval, and the code that approves it. Give your assistant the code to save and run the plan.

    Works only in a terminal, so that a person reads the plan and not a program.
    """
    _require_person()
    from helio_dagster.cli.event_print import EventPrinter
    from helio_dagster.conversing import open_conversation
    from helio_dagster.resources.home_sessions import open_sessions
    from helio_dagster.storage.approval_codes import VALID, ApprovalCodes

    settings = settings_from_environment()
    files = open_sessions(settings)
    session_id = session or _only_waiting(files)
    printer = EventPrinter(is_verbose=False)
    try:
        with open_conversation(settings, {}, session=session_id, offline=True, person="", tell=printer) as conversation:
            draft = conversation.session.draft
            if draft is None:
                raise InputError(
                    f"session {session_id} has no plan to approve", hint="`helio sessions ls` shows what each awaits."
                )
            if draft.failing:
                raise InputError("the plan has code that fails, so it cannot be approved", hint="Ask your assistant to fix it.")
            conversation.session.asked = None
            conversation.recall()
            code = ApprovalCodes(files).make(session_id, draft.digest, datetime.now(UTC))
    finally:
        printer.close()
    minutes = int(VALID.total_seconds() // 60)
    write(f"\nTo save and run just this plan, tell your assistant within {minutes} minutes:\n\n    approve {code}\n\n")
    write("To refuse it, do nothing; the code expires. Each `helio approve` makes a new code.\n")
    return 0


def _only_waiting(files: SessionFiles) -> str:
    """The one session whose plan waits; a person chooses among several."""
    from helio_dagster.agent.session import parse_session

    waiting = {}
    for session_id in files.ids():
        try:
            found = parse_session(files.read(session_id), where=session_id)
        except (StorageError, InputError):
            continue
        if found.draft is not None:
            waiting[session_id] = found.title
    if not waiting:
        raise InputError("no plan in this home awaits approval", hint="Run it in the folder that your assistant works in.")
    if len(waiting) > 1:
        listed = "; ".join(f"{session_id} ({title})" for session_id, title in list(waiting.items())[:5])
        raise InputError(f"{len(waiting)} plans await approval: {listed}", hint="Name one: helio approve SESSION.")
    return next(iter(waiting))


def _require_person() -> None:
    if not (os.isatty(0) and os.isatty(1)):
        raise AnswerNeeded(
            "only a person can approve a plan, in a terminal", hint="Open a terminal yourself and run the command there."
        )
    agent = next((name for name in AGENTS if os.environ.get(name)), None)
    if agent is not None:
        problem = f"this terminal belongs to an agent ({agent} is set), and only a person can approve a plan"
        raise AnswerNeeded(problem, hint="Open a terminal yourself and run the command there.")
