"""Codes by which a person approves a plan that a program proposed: made where only the person looks, and used once.

A code is for one plan of one session. Only a slow hash of it is kept, so that who can read the home cannot read the code there.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.atomic import write_bytes
from helio_dagster.storage.sessions import SessionFiles

LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""What codes are made of; nothing that looks like something else."""
LENGTH = 4
VALID = timedelta(minutes=15)
MOST_TRIES = 3
_LARGEST = 4096


@dataclass(frozen=True)
class ApprovalCodes:
    """The codes of a home's sessions, a file beside each session."""

    sessions: SessionFiles

    def path(self, session_id: str) -> Path:
        """Where the hash of a session's code is."""
        return self.sessions.path(session_id).with_suffix(".code")

    def make(self, session_id: str, digest: str, now: datetime) -> str:
        """A new code for the plan with this digest; an earlier one of the session is void.

        Returns
        -------
        str
            The code, which is kept nowhere.
        """
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        salt = secrets.token_hex(16)
        kept = {"digest": digest, "salt": salt, "hash": _hash(code, salt), "until": (now + VALID).isoformat(), "tries": 0}
        self._write(session_id, kept)
        return code

    def use(self, session_id: str, digest: str, code: str, now: datetime) -> None:
        """Take a code for the plan with this digest, and void it. The session must be held by the caller.

        Raises
        ------
        InputError
            It is not the code of this plan, is too old, or was guessed too often.
        """
        kept = self._read(session_id)
        if kept is None:
            raise InputError("no code is waiting for this plan", hint="Only a person can make one: helio approve.")
        if now >= datetime.fromisoformat(kept["until"]):
            self.drop(session_id)
            raise InputError("the code is too old", hint="Ask the person to run `helio approve` again.")
        if kept["digest"] != digest:
            self.drop(session_id)
            raise InputError(
                "the plan was changed after the person read it", hint="Ask the person to run `helio approve` again."
            )
        if not secrets.compare_digest(_hash(_plain(code), kept["salt"]), kept["hash"]):
            self._count(session_id, kept)
        self.drop(session_id)

    def drop(self, session_id: str) -> None:
        """Void the code of a session."""
        self.path(session_id).unlink(missing_ok=True)

    def _count(self, session_id: str, kept: dict[str, Any]) -> None:
        """Count a wrong code, and void the right one after too many; always raises."""
        kept["tries"] += 1
        left = MOST_TRIES - kept["tries"]
        if left > 0:
            self._write(session_id, kept)
            raise InputError("that is not the code", hint=f"Ask the person to read it again; {left} more wrong ones void it.")
        self.drop(session_id)
        problem = f"that is not the code, and {MOST_TRIES} wrong ones void it"
        raise InputError(problem, hint="Ask the person to run `helio approve` again.")

    def _read(self, session_id: str) -> dict[str, Any] | None:
        try:
            with self.path(session_id).open("rb") as file:
                kept = json.loads(file.read(_LARGEST))
            return {key: kept[key] for key in ("digest", "salt", "hash", "until", "tries")}
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _write(self, session_id: str, kept: dict[str, Any]) -> None:
        write_bytes(self.path(session_id), json.dumps(kept).encode())


def _plain(code: str) -> str:
    """A code as people repeat it: `approve 7f3a` is 7F3A."""
    return code.strip().upper().removeprefix("APPROVE").strip()[:20]


def _hash(code: str, salt: str) -> str:
    return hashlib.scrypt(code.encode("utf-8", "replace"), salt=bytes.fromhex(salt), n=2**14, r=8, p=1).hex()
