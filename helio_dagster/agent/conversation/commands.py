"""The few words that a person answers a plan or a failure with. Every other sentence is for the planner."""

from __future__ import annotations

import re
from typing import Literal

Command = Literal["approve", "reject", "retry", "skip", "abort", "undo", "run", "show", "help"]

_WORDS: dict[Command, str] = {
    "approve": "approve|approved|yes|y|ok|okay|yes please|go|go ahead|do it|looks good|save and run|accept",
    "reject": "reject|no|n|discard|never mind|nevermind|cancel|drop it|forget it",
    "retry": "retry|try again|again|run it again",
    "skip": "skip|skip it|skip and go on|go on without(?: it)?|ignore it",
    "abort": "abort|stop|quit it",
    "undo": "undo|undo that|undo it|take (?:it|that) back|revert|revert that",
    "run": "run|run it|go on|continue|replay|materialize",
    "show": "show|show (?:it|the plan|me the plan|the pipeline)|plan|yaml",
    "help": "help|\\?|what can i say",
}
HELP = """\
Say what you want to see: ACE magnetic field and its magnitude, last week.
About the pipeline on the table: make |B| red; smooth over 5 minutes; also Wind; the Halloween storm instead; undo.
About saved ones: run my ACE overview for January 2024. Or ask: what is the plasma beta?
Where a plan waits: approve, other words to change it, edit, reject. Where a step failed: retry, other words, skip, abort.
show gives the plan, exit leaves; the conversation is kept."""
"""What can be said, in a few lines."""
_PATTERNS = {command: re.compile(rf"(?:{words})[.!]?", re.IGNORECASE) for command, words in _WORDS.items()}


def read_command(text: str) -> Command | None:
    """The command that the whole text is; None where it is a sentence."""
    said = " ".join(text.split())
    return next((command for command, pattern in _PATTERNS.items() if pattern.fullmatch(said)), None)


def is_plain_yes(text: str) -> bool:
    """Whether a text agrees without a word of approving or running: it may answer a question as well as approve a plan."""
    return read_command(text) == "approve" and not re.search("approve|accept|save|run|looks", text, re.IGNORECASE)


def read_choice(text: str, choices: list[str]) -> str:
    """The choice that a number names, or a yes where there is just one; else the text itself."""
    said = text.strip().rstrip(".)")
    if len(choices) == 1 and read_command(text) == "approve":
        return choices[0]
    if said.isdigit() and 1 <= int(said) <= len(choices):
        return choices[int(said) - 1]
    return text
