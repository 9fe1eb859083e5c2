"""Explain why a database of the record of runs cannot be used: a full disk, a damaged file, a lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from helio_dagster.domain.errors import StorageError

_FREE_SPACE = "The disk may be full: free some space and run the same command again; nothing was half-written."
_WAIT = "Let other commands finish, or stop them, and try again."
_ALLOW = "Change the permissions of {folder}, or set HELIO_HOME to a folder that can be written."
_MOVE_AWAY = (
    "Move {folder} away and run `helio reindex`, which rebuilds the record from the tables. Tables, figures and downloads "
    "are kept; only when and by which run each was made is lost."
)
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT")
_DISK = ("SQLITE_FULL", "SQLITE_IOERR")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_REFUSED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")


def record_error(error: Exception, folder: Path) -> StorageError:
    """The error for an SQLite failure, judged by its code and not its text: "disk image" means a file, not a disk.

    Parameters
    ----------
    error
        SQLite's error, or the SQLAlchemy error that wraps it.
    folder
        The Dagster instance's folder.
    """
    cause = getattr(error, "orig", None) or error
    reason = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
    name = getattr(cause, "sqlite_errorname", None) or ""
    damaged = [] if name.startswith((*_DISK, *_BUSY)) else list(damaged_databases(folder))
    if damaged:
        what = f"the record of runs is damaged: {', '.join(str(path) for path in damaged)}: {reason}"
        return StorageError(what, hint=_MOVE_AWAY.format(folder=folder))
    if name.startswith(_DISK):
        return StorageError(f"the record of runs in {folder} cannot be written: {reason}", hint=_FREE_SPACE)
    if name.startswith(_BUSY):
        return StorageError(f"the record of runs in {folder} is in use: {reason}", hint=_WAIT)
    if name.startswith(_REFUSED):
        return StorageError(f"the record of runs in {folder} cannot be used: {reason}", hint=_ALLOW.format(folder=folder))
    return StorageError(f"the record of runs in {folder} cannot be used: {reason}", hint=_MOVE_AWAY.format(folder=folder))


def damaged_databases(folder: Path) -> Iterator[Path]:
    """The databases below a folder that fail SQLite's own check."""
    for path in sorted(folder.rglob("*.db")):
        try:
            with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
                if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    yield path
        except sqlite3.DatabaseError as error:
            if (getattr(error, "sqlite_errorname", None) or "").startswith(_DAMAGED):
                yield path
