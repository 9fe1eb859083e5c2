"""What a person or a program says to `helio chat`, one message after the other."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helio_dagster.cli.terminal import write_error
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.agent.conversation.conversation import Conversation
    from helio_dagster.cli.line_editor import LineEditor

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


def typed(conversation: Conversation, editor: LineEditor) -> Iterator[Message]:
    """What a person types, until they leave: by a word, Ctrl-D, Ctrl-C at the prompt, or by closing the terminal."""
    from helio_dagster.agent.conversation.commands import read_command

    while True:
        try:
            line = editor.ask(_PROMPTS[conversation.session.awaiting])
        except (EOFError, OSError):  # the terminal is gone: the session is kept
            write_error("\n")
            return
        if line in _LEAVING:
            return
        if read_command(line) == "edit":
            edited = _edit(conversation)
            if edited is not None:
                yield Message(edited, is_edited_plan=True)
        elif line:
            yield Message(line)


def piped() -> Iterator[Message]:
    """What a program writes to standard input, a message per line: plain text, or a JSON object with `say` or `edit`."""
    while True:
        line = sys.stdin.readline()
        if not line or line.strip() in _LEAVING:
            return
        message = _decoded(line)
        if message.text.strip():
            yield message


def _decoded(line: str) -> Message:
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
    """The plan's text, or the saved pipeline's, as the person has edited it in $EDITOR; None if nothing was changed."""
    import click

    text = conversation.plan_text
    if text is None:
        write_error("There is no plan to edit yet.\n")
        return None
    try:
        edited = click.edit(text, extension=".yaml")
    except click.ClickException as error:
        write_error(f"The editor does not work: {error.message} Set EDITOR to another one.\n")
        return None
    if edited is None or edited == text:
        write_error("Nothing was changed.\n")
        return None
    return edited
