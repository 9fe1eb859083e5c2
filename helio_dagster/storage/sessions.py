"""The folder of conversations: one JSON file each, written whole, held by one process; beside it what models exchanged."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.small_files import read_small_file

LARGEST_SESSION = 64_000_000
"""Bytes that the file of a session may have: what was said, with samples and drafts."""
_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]+)?")


class SessionHeld(StorageError):
    """Another process holds the session."""


@dataclass(frozen=True)
class SessionFiles:
    """Sessions as files `<id>.json` of one folder; an id says when it began. `<id>.model/` holds its exchanges with models."""

    folder: Path

    def ids(self) -> list[str]:
        """Ids of the sessions, the one changed last first."""
        try:
            found = [path for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem)]
            return [path.stem for path in sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.stem), reverse=True)]
        except OSError as error:
            raise storage_error(error, self.folder) from error

    def new_id(self, now: datetime) -> str:
        """An id that is not taken."""
        wanted, number = f"{now:%Y%m%d-%H%M%S}", 1
        found = wanted
        while self.path(found).exists() or self.path(found).with_suffix(".lock").exists():
            number += 1
            found = f"{wanted}-{number}"
        return found

    def path(self, session_id: str) -> Path:
        """Where a session is; InputError where the text is not an id."""
        if not _ID.fullmatch(session_id):
            raise InputError(f"{session_id!r:.80} is not a session", hint="`helio sessions` lists them.")
        return self.folder / f"{session_id}.json"

    def read(self, session_id: str) -> str:
        """The text of a session.

        Raises
        ------
        InputError
            There is none of this id.
        StorageError
            It cannot be read.
        """
        path = self.path(session_id)
        try:
            return read_small_file(path, LARGEST_SESSION).decode("utf-8")
        except FileNotFoundError:
            hint = remedy(session_id, self.ids(), what="sessions")
            raise InputError(f"there is no session {session_id}", hint=hint) from None
        except UnicodeDecodeError:
            raise StorageError("the session is damaged: it is not UTF-8 text", where=str(path)) from None
        except OSError as error:
            raise storage_error(error, path) from error

    def write(self, session_id: str, text: str) -> None:
        """Write a session, whole or not at all."""
        write_bytes(self.path(session_id), text.encode())

    def exchanges(self, session_id: str) -> list[Path]:
        """The files of what was exchanged with models in a session, in order."""
        return sorted(self._exchange_folder(session_id).glob("*.json"))

    def keep_exchange(self, session_id: str, text: str) -> Path:
        """Keep what was exchanged with models for one answer, whole or not at all, beside the session."""
        kept = self.exchanges(session_id)
        number = int(kept[-1].stem) + 1 if kept else 1
        path = self._exchange_folder(session_id) / f"{number:06d}.json"
        write_bytes(path, text.encode())
        return path

    def _exchange_folder(self, session_id: str) -> Path:
        return self.path(session_id).with_suffix(".model")

    def remove(self, session_id: str) -> None:
        """Delete a session; InputError where there is none, StorageError where a process holds it."""
        path = self.path(session_id)
        if not path.is_file():
            raise InputError(f"there is no session {session_id}", hint=remedy(session_id, self.ids(), what="sessions"))
        with self.held(session_id):
            shutil.rmtree(self._exchange_folder(session_id), ignore_errors=True)
            for beside in (".run.jsonl", ".run.err", ".run", ".code"):
                path.with_suffix(beside).unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)

    @contextmanager
    def held(self, session_id: str) -> Iterator[None]:
        """Hold a session for the length of the block; the system lets go of what a killed process held.

        Raises
        ------
        SessionHeld
            Another process holds it.
        StorageError
            The folder cannot be written.
        """
        lock = self.path(session_id).with_suffix(".lock")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise storage_error(error, self.folder) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            hint = "Go on there, or begin a new one with `helio chat`."
            raise SessionHeld(f"the session {session_id} is open in another process", hint=hint) from None
        try:
            yield
        finally:
            os.close(handle)
