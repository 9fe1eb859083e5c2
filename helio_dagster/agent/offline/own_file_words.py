"""Requests for a file of one's own: the command that adds it. A conversation reads no files by itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from helio_dagster.agent.answers import Information
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.own_files import FORMAT_OF_SUFFIX

_SUFFIXES = "|".join(suffix[1:] for suffix in FORMAT_OF_SUFFIX)
_NAME = rf"(?P<file>[^\s\"',;]+\.(?:{_SUFFIXES}))\b"
_FILE = re.compile(rf"\b(?:my|our|the|this|own|local)\s+(?:own\s+|data\s+)*file\s+{_NAME}", re.IGNORECASE)
_COLUMN_OF = re.compile(rf"\bcolumn\s+[^\s,]+\s+(?:of|from|in)\s+{_NAME}", re.IGNORECASE)
_COLUMN = re.compile(r"\bcolumn\s+(?P<column>[^\s,]+?)(?=\s+(?:of|from|in)\b|[,;]|[.!?]?\s*$)", re.IGNORECASE)
_UNNAMED = re.compile(
    r"\b(?:in|from|of|with|against) (?:my|our) (?:own |data |csv )*(?:file|spreadsheet|csv|table)\b(?!\s+[^\s]*\.\w)",
    re.IGNORECASE,
)
_OF_LISTS = re.compile(r"\b(?:events?|lists?|exclud\w*|mark\w*|shad\w*|onsets?)\b", re.IGNORECASE)


def own_file_answer(request: str, side: RunSide | None = None) -> Information | None:
    """What to do with a file of measurements that a request names; None where it names none, or a list of events.

    A saved pipeline that reads the file is named with the step that reads the column.
    """
    if _UNNAMED.search(request) and not _OF_LISTS.search(request) and not re.search(_NAME, request, re.IGNORECASE):
        return Information(
            "Which file, which of its columns, and which dates? A file of your own becomes a pipeline by a command in a "
            "terminal: helio add FILE --column NAME\n"
            "Nothing was read or planned. Ask for the pipeline by its name once it is saved."
        )
    named = _FILE.search(request) or _COLUMN_OF.search(request)
    if named is None or _OF_LISTS.search(request):
        return None
    column = _COLUMN.search(request)
    if side is not None and (readers := list(_readers(named["file"], column["column"] if column else "", side))):
        pipeline, step = readers[0]
        which = f" Its step {step} reads that column." if step and column else ""
        others = f" So do {', '.join(name for name, _ in readers[1:])}." if readers[1:] else ""
        return Information(
            f"The pipeline {pipeline} reads {named['file']}.{which}{others}\n"
            f"Run it with its dates, such as `run {pipeline} on 2024-01-31`, and then say what to add: `add ACE Bz`."
        )
    command = ["helio", "add", named["file"], *(["--column", column["column"]] if column else [])]
    text = (
        "A file of your own becomes a pipeline by a command in a terminal, which looks at the file and asks you: "
        f"{shlex.join(command)}\n"
        "Nothing was read or planned. Ask for the pipeline by its name once it is saved."
    )
    return Information(text)


def _readers(file: str, column: str, side: RunSide) -> Iterator[tuple[str, str]]:
    """Saved pipelines that read a file, each with the step that reads the column; it is empty where none does."""
    for name in side.names():
        try:
            fetches = {step.id: step.fetch for step in side.load(name).pipeline.steps if step.fetch is not None}
        except HelioError:
            continue  # a pipeline with a fault says so where it is used
        own = {
            step: fetch for step, fetch in fetches.items() if fetch.file and fetch.file.split("/")[-1] == file.split("/")[-1]
        }
        if own:
            yield name, next((step for step, fetch in own.items() if column in (fetch.columns or {})), "")
