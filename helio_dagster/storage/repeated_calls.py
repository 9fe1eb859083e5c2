"""Keys by which a program says that a call is the same as before, and which session came of it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.storage.atomic import write_bytes

_MOST_KEYS = 500


@dataclass(frozen=True)
class Known:
    """A call that was made: the hash of it, and its session."""

    digest: str
    session: str


@dataclass(frozen=True)
class RepeatedCalls:
    """The last keys of a home, in one file beside its sessions."""

    folder: Path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the keys, so that the same call by two clients at once is done once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.folder / "calls.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def read(self, key: str) -> Known | None:
        """What came of the call with this key; None if there was none."""
        found = self._all().get(_name(key))
        return Known(found[0], found[1]) if found is not None else None

    def write(self, key: str, digest: str, session: str) -> None:
        """Keep what came of a call, and forget the oldest ones."""
        kept = {**self._all(), _name(key): [digest, session]}
        last = dict(list(kept.items())[-_MOST_KEYS:])
        write_bytes(self._path, json.dumps(last).encode())

    @property
    def _path(self) -> Path:
        return self.folder / "calls.json"

    def _all(self) -> dict[str, list[str]]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return {key: value for key, value in found.items() if len(value) == 2} if isinstance(found, dict) else {}


def _name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]
