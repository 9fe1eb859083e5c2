"""`helio sessions`: list, show and delete the conversations of a home. `helio chat --session` continues one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json, write_json_text
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from helio_dagster.storage.sessions import SessionFiles

SessionId = Annotated[str, typer.Argument(metavar="ID", help="Session id, as listed by `helio sessions`.")]


def list_sessions(as_json: AsJson = False) -> int:
    """List the conversations, newest first."""
    from helio_dagster.agent.session import parse_session
    from helio_dagster.domain.errors import StorageError

    files = _files()
    found: list[dict[str, str | None]] = []
    for session_id in files.ids():
        try:
            session = parse_session(files.read(session_id), where=files.place(session_id))
        except StorageError as error:
            found.append({"session": session_id, "problem": error.problem})
            continue
        found.append(
            {
                "session": session_id,
                "changed": session.changed.isoformat(),
                "awaiting": session.awaiting,
                "pipeline": session.table.name if session.table else None,
                "title": session.title,
            }
        )
    if as_json:
        write_json({"sessions": found})
    elif not found:
        write("There are no conversations yet: helio chat starts one.\n")
    else:
        _print(found)
    return 0


def show_session(session: SessionId, as_json: AsJson = False) -> int:
    """Print a conversation."""
    from helio_dagster.agent.session import parse_session

    files = _files()
    found = parse_session(files.read(session), where=files.place(session))
    if as_json:
        write_json_text(found.model_dump_json())
        return 0
    for words in found.said:
        lead = f"{words.at:%Y-%m-%d %H:%M} {'you' if words.speaker == 'person' else 'helio'}: "
        write(lead + words.text.replace("\n", "\n" + " " * len(lead)) + "\n")
    for model, used in found.usage.items():
        tokens = f"{'at least ' if used.is_least else ''}{counted(used.input_tokens, 'token')} in, {used.output_tokens:,} out"
        write(f"{model}: {counted(used.requests, 'request')}, {tokens}\n")
    return 0


def remove_session(session: SessionId) -> int:
    """Delete a conversation; its pipelines stay."""
    files = _files()
    files.remove(session)
    write(f"Deleted: {session}\n")
    return 0


def _files() -> SessionFiles:
    from helio_dagster.resources.home_sessions import open_sessions

    return open_sessions(settings_from_environment())


def _print(found: list[dict[str, str | None]]) -> None:
    from helio_dagster.cli.entries import Entry, print_entries

    entries = []
    for each in found:
        title = each.get("title") or f"cannot be read: {each.get('problem')}"
        entries.append(Entry((each["session"] or "", each.get("awaiting") or "", each.get("pipeline") or ""), (title,)))
    print_entries(("session", "awaits", "pipeline"), entries)
