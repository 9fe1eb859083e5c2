"""Requests for a file of one's own: a plan where a saved pipeline reads it, else the command that adds it."""

from __future__ import annotations

import re
import shlex
from datetime import datetime

from helio_dagster.agent.answers import Answer, Information
from helio_dagster.agent.offline.own_file_plans import Change, SavedFiles, plan_of_columns, readers_of
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.own_files import FORMAT_OF_SUFFIX

_SUFFIXES = "|".join(suffix[1:] for suffix in FORMAT_OF_SUFFIX)
_NAME = rf"(?P<file>[^\s\"',;]+\.(?:{_SUFFIXES}))\b"
_FILE = re.compile(rf"\b(?:my|our|the|this|own|local)\s+(?:own\s+|data\s+)*file\s+{_NAME}", re.IGNORECASE)
_COLUMN_OF = re.compile(rf"\bcolumn\s+[^\s,]+\s+(?:of|from|in)\s+{_NAME}", re.IGNORECASE)
_COLUMN = re.compile(r"\bcolumn\s+(?P<column>[^\s,]+?)(?=\s+(?:of|from|in)\b|[,;]|[.!?]?\s*$)", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(?:plot|show(?: me)?|draw|use|take)\s+(?:the\s+)?(?P<column>\w+)\s+(?:of|from|in)\s+(?:my|our|the)\s+"
    rf"(?:\w+\s+)*file\s+{_NAME}",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"(?:which|what)(?: of)?(?: my| our)?(?: own| data)* files?"
    r"(?: (?:are there|do (?:i|you|we) have|can (?:i|you|we) (?:use|plot)|do you know|are (?:known|saved|read)))?"
    r"|(?:list|show)(?: me)?(?: all)? (?:my|our)(?: own| data)* files",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    r"\b(?:in|from|of|with|against) (?:my|our) (?:own |data |csv )*(?:file|spreadsheet|csv|table)\b(?!\s+[^\s]*\.\w)",
    re.IGNORECASE,
)
_OF_LISTS = re.compile(r"\b(?:events?|lists?|exclud\w*|mark\w*|shad\w*|onsets?)\b", re.IGNORECASE)


def own_file_answer(request: str, now: datetime, saved: SavedFiles | None, change: Change) -> Answer | None:
    """What to do with a file of measurements that a request names; None where it names none, or a list of events.

    Parameters
    ----------
    request
        What a person says.
    now
        The present.
    saved
        The saved pipelines; None where nobody knows them.
    change
        Makes a change of a plan; see `own_file_plans`.

    Returns
    -------
    Answer or None
        The plan of columns of a file that a saved pipeline reads, or the command that makes such a pipeline.

    Raises
    ------
    OpenQuestion
        The file is read, and the columns, the time or what else is said leaves something open.
    """
    if _WHICH.fullmatch(request.strip(" .?!")):
        return _all_files(saved)
    if _OF_LISTS.search(request):
        return None
    if _UNNAMED.search(request) and not re.search(_NAME, request, re.IGNORECASE):
        return Information(
            "Which file, which of its columns, and which dates? A file of your own becomes a pipeline by a command in a "
            "terminal: helio add FILE --column NAME\n"
            "Nothing was read or planned. Ask for the pipeline by its name once it is saved."
        )
    named = re.search(_NAME, request, re.IGNORECASE)
    readers = list(readers_of(named["file"], saved)) if named is not None and saved is not None else []
    if named is not None and readers:
        reader = max(readers, key=lambda each: len(each.columns))
        return plan_of_columns(request, named["file"], reader, now, change)
    named = _FILE.search(request) or _COLUMN_OF.search(request)
    if named is None:
        return None
    column = _COLUMN.search(request) or _BEFORE.search(request)
    command = ["helio", "add", named["file"], *(["--column", column["column"]] if column else [])]
    text = (
        "A file of your own becomes a pipeline by a command in a terminal, which looks at the file and asks you: "
        f"{shlex.join(command)}\n"
        "Nothing was read or planned. Ask for the pipeline by its name once it is saved."
    )
    return Information(text)


def _all_files(saved: SavedFiles | None) -> Information:
    """The files of one's own that saved pipelines read, with their columns."""
    lines = []
    for name in saved.names() if saved is not None else ():
        try:
            steps = saved.load(name).pipeline.steps if saved is not None else ()
        except HelioError:
            continue  # a pipeline with a fault says so where it is used
        own = [step.fetch for step in steps if step.fetch is not None and step.fetch.file]
        for file in dict.fromkeys(fetch.file for fetch in own):
            columns = ", ".join(dict.fromkeys(each for fetch in own if fetch.file == file for each in fetch.columns or {}))
            lines.append(f"{file}: {columns} (pipeline {name})")
    none = "No saved pipeline reads a file of your own. In a terminal: helio add FILE"
    return Information("\n".join(lines) or none)
