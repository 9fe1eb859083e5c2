"""Recognize the short commands that answer a plan or a failure. Any other text goes to the planner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Command = Literal["approve", "keep", "reject", "retry", "skip", "abort", "undo", "run", "show", "help", "why", "edit"]

_YES = (
    "approved?|yes|y|yep|yup|yeah|sure|ok|okay|alright|all right|go|go ahead|go for it|do it|do that|please do|looks good"
    "|looks fine|sounds good|that'?s (?:fine|good|right)|save and run|accept|accepted|proceed|confirm|confirmed|let'?s go"
)
_WHICH = "(?:this|that|these|those|the)?(?: (?:data ?sets?|data|parameters?|source|one|ones))?"
_WORDS: dict[Command, str] = {
    "approve": rf"(?:(?:great|perfect|fine|good|nice|thanks),? )?(?:{_YES})(?:,? (?:and )?(?:{_YES}|run it|please|thanks))*",
    "keep": (
        rf"(?:(?:{_YES}|great|perfect|fine|good|nice|thanks),? (?:(?:and|but) )?)?"
        "(?:keep|save|approve|accept) ?(?:it|this|that|the plan)?,? (?:but |and )?"
        "(?:(?:don'?t|do not) run(?: (?:it|this|anything))?|without running(?: it)?)(?: yet| now)?"
    ),
    "reject": "reject|no|n|nope|no thanks|no thank you|discard|never mind|nevermind|cancel|drop it|forget it",
    "retry": "retry|try again|again|run it again",
    "skip": "skip|skip it|skip and go on|go on without(?: it)?|ignore it",
    "abort": "abort|stop|quit it",
    "undo": "undo|undo that|undo it|take (?:it|that) back|revert|revert that",
    "run": "run|run it|go on|continue|replay|materialize",
    "show": "show|show (?:it|the plan|me the plan|the pipeline|the whole plan|me the whole plan|all)|(?:the )?plan|yaml",
    "edit": "edit(?: (?:it|this|the plan|the file|the pipeline|the yaml|the code))?",
    "help": "help|help me|hello|hi|hey|good (?:morning|afternoon|evening)|\\?|what can i say|what can i do|what now",
    "why": (
        "(?:what|which) (?:did|do|have) (?:you|we) assumed?"
        "|(?:what|which) (?:are|were|is|was)(?: the| your)? assum(?:ed|ptions?)"
        rf"|(?:show (?:me )?)?(?:the |your )?assumptions|why|why {_WHICH}|why (?:did|do) you (?:take|use|choose|pick) {_WHICH}"
        rf"|(?:what|which) (?:data ?sets?|data) (?:did|do) you (?:take|use|choose|pick)|why was {_WHICH} (?:taken|used|chosen)"
    ),
}
_REQUESTS = """\
What you want to see: ACE magnetic field and its magnitude, last week.
A saved pipeline for another time: run my ACE overview for January 2024.
A question: what is the plasma beta?"""
_TABLE = (
    "About the pipeline on the table: make |B| red; smooth over 5 minutes; also Wind; the Halloween storm instead; call it "
    "storm_watch; undo; show.\nIts results: what is the maximum of the field? how many gaps are there?\n"
    "What to do with them: how do I cite it? export it as CSV; verify it."
)
_ALWAYS = """\
Which model plans: model (says it), model openai:NAME, model offline. What the planner does: verbose, verbose off.
exit leaves; the conversation is kept."""
_NOW: dict[str, str] = {
    "answer": "A question is open: answer it, give the number of a choice, or say `never mind`.",
    "approval": "A plan is waiting: approve, save it without running, say what to change, edit, show, why, reject.",
    "repair": "A step failed: retry, say what to change, edit (the file), why, skip, abort.",
}


def help_for(awaiting: str, *, has_table: bool) -> str:
    """What can be said now, the most likely first."""
    now, table = [_NOW[awaiting]] if awaiting in _NOW else [], [_TABLE] if has_table else []
    return "\n".join([*now, *table, _REQUESTS, _ALWAYS])


_ASKING: tuple[Command, ...] = ("help", "why", "show")
"""Commands that are still commands with a question mark; `approve?` is not."""
_PATTERNS = {
    command: re.compile(rf"(?:{words})[.!{'?' if command in _ASKING else ''}]*", re.IGNORECASE)
    for command, words in _WORDS.items()
}


_COURTESY = re.compile(
    r"^(?:(?:please|now|just|then|can you|could you|so)[, ]+)+|(?:,? (?:please|thanks|thank you|now|then))+(?=[.!?]*$)",
    re.IGNORECASE,
)

OFFLINE = "offline"
"""The name that stands for planning without a language model."""
_MODEL = re.compile(r"/?model(?:\s+(offline|[a-z]+:\S+))?", re.IGNORECASE)


def read_model(text: str) -> str | None:
    """The model that a person chooses with `model NAME`; empty for `model` alone, None where the text says something else."""
    found = _MODEL.fullmatch(text.strip())
    return None if found is None else (found[1] or "")


def read_command(text: str) -> Command | None:
    """The command, if the whole text is one, however politely it is said; None for a sentence."""
    words = " ".join(text.split())
    ways = dict.fromkeys((words, _COURTESY.sub("", words)))
    return next((command for way in ways for command, pattern in _PATTERNS.items() if pattern.fullmatch(way)), None)


def asks_for_words(question: str) -> bool:
    """Whether a question cannot be answered yes or no: its last sentence begins with a word such as which, what, when."""
    last = re.split(r"(?<=[.?!:])\s+", question.strip())[-1]
    return re.match(r"(?:(?:for|from|in|of|over) )?(?:wh(?:at|ich|en|ere|o)|how)\b", last, re.IGNORECASE) is not None


def is_plain_yes(text: str) -> bool:
    """Whether a text only agrees, without saying approve or run: it may answer a question as well as approve a plan."""
    return read_command(text) == "approve" and not re.search(
        "approve|accept|save|run|looks|sounds|confirm", text, re.IGNORECASE
    )


def is_number(text: str) -> bool:
    """Whether a text is only the number of a choice."""
    return re.fullmatch(r"\s*\d{1,2}[.)]?\s*", text) is not None


_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NUMBERED = re.compile(
    rf"(?:the )?(?:(?P<ordinal>{'|'.join(_ORDINALS)}|last)|(?P<nth>[1-9])(?:st|nd|rd|th))(?: (?:one|choice|option))?"
    r"|(?:(?:number|choice|option|no\.?) ?|#)(?P<number>[1-9])",
    re.IGNORECASE,
)
_AROUND = re.compile(r"^(?:the|take|use|please) |(?: one| please|[.!])+$", re.IGNORECASE)


def read_choice(text: str, choices: list[str]) -> str:
    """The choice that a text means, else the text itself.

    It is named by its number, by yes if there is only one, or by words that only this choice has: `RTN`, `the second one`.
    """
    phrase = " ".join(text.split()).rstrip(".)")
    if len(choices) == 1 and read_command(text) == "approve":
        return choices[0]
    place = int(phrase) if phrase.isdigit() else _place(phrase, len(choices))
    if place is not None:
        return choices[place - 1] if 1 <= place <= len(choices) else text
    words = set(_words(_AROUND.sub("", phrase)))
    holding = [choice for choice in choices if words <= set(_words(choice))] if words else []
    return holding[0] if len(holding) == 1 and len(choices) > 1 else text


def _place(words: str, count: int) -> int | None:
    found = _NUMBERED.fullmatch(words)
    if found is None:
        return None
    ordinal = (found["ordinal"] or "").lower()
    if ordinal:
        return count if ordinal == "last" else 1 + _ORDINALS.index(ordinal)
    return int(found["nth"] or found["number"])


def _words(text: str) -> list[str]:
    return [word.strip(".") for word in re.findall(r"[^\s,;:?!]+", text.casefold())]


_IT = "(?:(?:the|this|my) (?:plan|pipeline|file)|it|this|that)"
_NAMING = re.compile(
    r"(?:(?:please|now|let'?s|can you|could you) )*"
    rf"(?:(?P<save>(?:save|store|keep) (?:{_IT} )?(?:as|under)(?: the name)?)"
    rf"|(?:call|name|rename) {_IT}(?: to| as)?|(?:change|set) (?:its|the) name(?: of {_IT})? to) "
    r"(?!an? )(?P<name>['\"`]?[\w][\w -]*?['\"`]?)(?:\.ya?ml)?"
    r"(?P<saved>,? and (?:then )?(?:save|keep|store|approve)(?: it)?)?(?P<run>,? and (?:then )?(?:run|execute)(?: it)?)?"
    r"(?: please)?[.!]*",
    re.IGNORECASE,
)
_FORMATS = re.compile(
    r"(?:an? )?(?:csv|parquet|netcdf|cdf|excel|text|ascii|file|table|pdf|png|svg|html)s?(?: files?)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Naming:
    """A name that a person gives to the plan; `is_save` says that it is also to be saved, `is_run` that it is run, too."""

    name: str
    is_save: bool
    is_run: bool = False


def read_naming(text: str) -> Naming | None:
    """The name given by `call it storm_watch` or `save it as storm_watch`; None if the text says something else."""
    found = _NAMING.fullmatch(" ".join(text.split()))
    if found is None or _FORMATS.fullmatch(found["name"]) or re.match(r"operation\b", found["name"], re.IGNORECASE):
        return None
    name = re.sub(r"[\s-]+", "_", found["name"].strip("'\"` ")).lower()
    is_save = found["save"] is not None or found["saved"] is not None
    return Naming(name, is_save=is_save, is_run=found["run"] is not None)
