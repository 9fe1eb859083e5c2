"""Requests for a file of one's own: a plan where a saved pipeline reads it, else the command that adds it."""

from __future__ import annotations

import shlex
from datetime import datetime

from helio_dagster.agent.answers import Answer, Information
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.own_file_plans import Change, SavedFiles, plan_of_columns, readers_of
from helio_dagster.domain.errors import HelioError


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
    if form("own_files.which").fullmatch(request.strip(" .?!")):
        return _all_files(saved)
    if form("own_files.of_lists").search(request):
        return None
    if form("own_files.unnamed").search(request) and not form("own_files.any").search(request):
        return Information(
            "Which file, which of its columns, and which dates? A file of your own becomes a pipeline by a command in a "
            "terminal: helio add FILE --column NAME\n"
            "Nothing was read or planned. Ask for the pipeline by its name once it is saved."
        )
    named = form("own_files.any").search(request)
    readers = list(readers_of(named["file"], saved)) if named is not None and saved is not None else []
    if named is not None and readers:
        reader = max(readers, key=lambda each: len(each.columns))
        return plan_of_columns(request, named["file"], reader, now, change)
    named = form("own_files.file").search(request) or form("own_files.column_of").search(request)
    if named is None:
        return None
    column = form("own_files.column").search(request) or form("own_files.before").search(request)
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
