"""Conversations: one JSON document each, written whole, held by one process of a machine; beside it what models exchanged.

They are files of the home, or objects where the tables are in an object store (`session_objects`). Locks, and the events of
what runs, are files of the machine either way.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.small_files import read_small_file

if TYPE_CHECKING:
    from helio_dagster.storage.session_objects import SessionObjects

LARGEST_SESSION = 64_000_000
"""Bytes that the file of a session may have: what was said, with samples and drafts."""
_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]+)?")


class SessionHeld(StorageError):
    """Another process holds the session."""


class SessionChanged(StorageError):
    """Another machine has continued or deleted the session since it was read."""


@dataclass(frozen=True)
class SessionFiles:
    """Sessions as files `<id>.json` of one folder; an id says when it began. `<id>.model/` holds its exchanges with models.

    With `objects`, sessions are in an object store; those that were in the folder before go there when they are continued.
    """

    folder: Path
    objects: SessionObjects | None = None

    def ids(self) -> list[str]:
        """Ids of the sessions, the one changed last first."""
        return list(self.marks())

    def marks(self) -> dict[str, Hashable]:
        """Id to what changes with the text of each session, the one changed last first."""
        try:
            states = {path.stem: path.stat() for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem)}
        except OSError as error:
            raise storage_error(error, self.folder) from error
        found: dict[str, tuple[int, Hashable]] = {name: (each.st_mtime_ns, _mark(each)) for name, each in states.items()}
        if self._shared is not None:
            listed = self._shared.listed().items()
            found |= {name: (each.written_ns, each.etag) for name, each in listed if _ID.fullmatch(name)}
        latest = sorted(found, key=lambda name: (found[name][0], name), reverse=True)
        return {name: found[name][1] for name in latest}

    def mark(self, session_id: str) -> Hashable | None:
        """What changes with the text of a session; None where there is none of this id."""
        path = self.path(session_id)
        if self._shared is not None and (etag := self._shared.etag(session_id)) is not None:
            return etag
        try:
            return _mark(path.stat())
        except OSError:
            return None

    def new_id(self, now: datetime) -> str:
        """An id that is not taken."""
        wanted, shared = f"{now:%Y%m%d-%H%M%S}", self._shared
        number = 1 if shared is None else shared.number
        found = wanted if shared is None else f"{wanted}-{number}"
        while self.mark(found) is not None or self.path(found).with_suffix(".lock").exists():
            number += 1
            found = f"{wanted}-{number}"
        return found

    def place(self, session_id: str) -> str:
        """Where a session is, for people."""
        path = self.path(session_id)
        return str(path) if self._shared is None else self._shared.place(session_id)

    def path(self, session_id: str) -> Path:
        """Where the file of a session is, and with other suffixes what is beside it; InputError where the text is not an id."""
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
            content = self._shared.read(session_id) if self._shared is not None else None
            return (read_small_file(path, LARGEST_SESSION) if content is None else content).decode("utf-8")
        except FileNotFoundError:
            hint = remedy(session_id, self.ids(), what="sessions")
            raise InputError(f"there is no session {session_id}", hint=hint) from None
        except UnicodeDecodeError:
            raise StorageError("the session is damaged: it is not UTF-8 text", where=self.place(session_id)) from None
        except OSError as error:
            raise storage_error(error, path) from error

    def write(self, session_id: str, text: str) -> None:
        """Write a session, whole or not at all; SessionChanged where another machine has continued it."""
        path = self.path(session_id)
        if self._shared is None:
            write_bytes(path, text.encode())
            return
        self._shared.write(session_id, text.encode())
        path.unlink(missing_ok=True)  # of the time before the address

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
        if self.mark(session_id) is None:
            raise InputError(f"there is no session {session_id}", hint=remedy(session_id, self.ids(), what="sessions"))
        with self.held(session_id):
            shutil.rmtree(self._exchange_folder(session_id), ignore_errors=True)
            for beside in (".run.jsonl", ".run.err", ".run", ".code"):
                path.with_suffix(beside).unlink(missing_ok=True)
            self.discard(session_id)
            path.with_suffix(".lock").unlink(missing_ok=True)

    def discard(self, session_id: str) -> None:
        """Delete the text of a session that this process holds; one that was never written is no error."""
        if self._shared is not None:
            self._shared.delete(session_id)
        self.path(session_id).unlink(missing_ok=True)

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

    @property
    def _shared(self) -> SessionObjects | None:
        """The object store, where the home's conversations are there."""
        return self.objects if self.objects is not None and self.objects.is_ours() else None


def _mark(state: os.stat_result) -> tuple[int, int]:
    return state.st_mtime_ns, state.st_size
