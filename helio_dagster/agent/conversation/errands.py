"""Errands of the command line that a person asks for in a conversation: citations are told, of others the command."""

from __future__ import annotations

import re
import shlex

from helio_dagster.agent.conversation import drafts
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.planner import Current
from helio_dagster.agent.session import Outcome
from helio_dagster.domain.time_range import TimeRange, format_time

_THINGS = "data|results?|pipeline|plan|files?|figures?|values|work"
_IT = rf"(?: (?:it|this|that|these|them|everything|(?:the |this |my )?(?:{_THINGS})))?"
_FORMAT = "(?: (?:as|to|in|into) (?:an? )?(?P<format>csv|parquet|netcdf|cdf)(?: files?)?)?"
_PLEASE = r"(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:(?:show|give|tell|print|get) (?:me )?)?(?:the )?"
_CITE = re.compile(
    rf"{_PLEASE}(?:how (?:do|should|can|must) (?:i|we|one) cite{_IT}|cite{_IT}|citations?(?: (?:for|of){_IT})?|references"
    rf"|what (?:do|should|must) (?:i|we) cite(?: for{_IT})?|bibtex|acknowledge?ments?)[?.! ]*",
    re.IGNORECASE,
)
_FACTS = re.compile(rf"{_PLEASE}(?:facts|numbers)(?: of{_IT})?[?.! ]*", re.IGNORECASE)
_ERRANDS: dict[str, str] = {
    "export": rf"(?:export|download|save|store|write){_IT}{_FORMAT}",
    "status": rf"status(?: of{_IT})?|what is (?:fresh|stale|missing)",
    "verify": rf"(?:verify|reproduce){_IT}|verification",
    "bundle": rf"(?:bundle|package|pack){_IT}",
    "notebook": rf"(?:(?:write|make|create) )?(?:(?:it|this|that) )?(?:as )?(?:an? )?(?:jupyter )?notebook(?: of{_IT})?",
    "script": rf"(?:(?:write|make|create) )?(?:(?:it|this|that) )?(?:as )?(?:an? )?(?:python )?script(?: of{_IT})?",
    "drift": "drift|(?:have|has|did) the (?:archive|files|data) changed?",
}
_PATTERNS = {name: re.compile(rf"{_PLEASE}(?:{words})[?.! ]*", re.IGNORECASE) for name, words in _ERRANDS.items()}
_SAVING = re.compile(rf"{_PLEASE}(?:save|store|write)\b", re.IGNORECASE)
_DOES = {
    "cite": "prints entries for BibTeX",
    "export": "writes the values to files",
    "status": "says what is fresh, stale or missing",
    "verify": "makes it again and compares",
    "bundle": "packs data, figures, pipeline and citations for a journal",
    "notebook": "writes a notebook that runs from top to bottom",
    "script": "writes a Python script; with --standalone one that does not need helio",
    "drift": "asks the archive whether its files have changed",
}
"""What a command does, as the end of a sentence."""


def handle_errand(context: Context, text: str, current: Current | None) -> Outcome | None:
    """Answer a wish to cite, or say the command for what the command line does; None where the text is neither.

    Parameters
    ----------
    text
        The message, of which all must be understood.
    current
        The plan or saved pipeline that it is about.
    """
    words = " ".join(text.split())
    if _CITE.fullmatch(words):
        return _cite(context, current, is_bibtex="bibtex" in words.lower())
    for name, pattern in _PATTERNS.items():
        found = pattern.fullmatch(words)
        form = found.groupdict().get("format") if found is not None else None
        if found is not None and not (name == "export" and _SAVING.match(words) and not form):  # `save it` means the plan
            return _name_command(context, name, current, (form or "").lower())
    return None


def tell_no_facts(context: Context, text: str) -> bool:
    """Say that the pipeline computes no numbers, where a text only asks for them; False for any other text."""
    if not _FACTS.fullmatch(" ".join(text.split())):
        return False
    context.say("note", "This pipeline computes no numbers of its own. Ask for one: what is the maximum of the field?")
    return True


def _cite(context: Context, current: Current | None, *, is_bibtex: bool) -> Outcome:
    if current is None or is_bibtex:
        return _name_command(context, "cite", current)
    lines = context.side.cite(current.file, current.span)
    context.say("information", "\n".join(lines), sources=[], makes_data=False)
    return drafts.waiting(context)


def _name_command(context: Context, name: str, current: Current | None, form: str = "") -> Outcome:
    if current is None:
        context.say("note", "There is no pipeline yet to do that with. Say what you want to see first.")
    elif not current.is_saved:
        context.say("note", f"The plan is not saved yet. Once you have approved it, `helio {name}` {_DOES[name]}.")
    else:
        more = {"export": ["--format", form or "csv", "-o", "."], "cite": ["--bibtex"]}.get(name, [])
        words = ["helio", name, current.file.pipeline.name, *_times(current.span if name != "drift" else None), *more]
        context.say("note", f"In a terminal, this {_DOES[name]}: {shlex.join(words)}")
    return drafts.waiting(context)


def _times(span: TimeRange | None) -> list[str]:
    return [format_time(span.start), format_time(span.stop)] if span is not None else []
