"""Links by which a browser enters a served home once: each is good for one use and a short while, and only its hash is kept."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path

from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.repeated_calls import RepeatedCalls

VALID = timedelta(hours=1)
_MOST = 20


def new_link(home: Path, now: datetime, person: str = "") -> str:
    """The code of a new link, for somebody with a token of their own where named; StorageError where it cannot be kept."""
    code = secrets.token_urlsafe(24)
    try:
        with RepeatedCalls(home / "sessions").held():
            kept = {**_read(home, now), _name(code): {"until": (now + VALID).isoformat(), "person": person}}
            _write(home, dict(list(kept.items())[-_MOST:]))
    except OSError as error:
        raise storage_error(error, home) from error
    return code


def take_link(home: Path, code: str, now: datetime) -> str | None:
    """Use a link up, and say for whom it is, empty for the owner; None where it is none, was used or is too old."""
    with RepeatedCalls(home / "sessions").held():
        kept = _read(home, now)
        found = kept.pop(_name(code), None)
        if found is None:
            return None
        _write(home, kept)
    return found["person"]


def _read(home: Path, now: datetime) -> dict[str, dict[str, str]]:
    """The hashes of the links that are still good, each with its end and for whom it is."""
    try:
        found = json.loads(_path(home).read_bytes())
        return {name: each for name, each in found.items() if datetime.fromisoformat(each["until"]) > now}
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return {}


def _write(home: Path, kept: dict[str, dict[str, str]]) -> None:
    path, part = _path(home), _path(home).with_suffix(".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, json.dumps(kept).encode())
    finally:
        os.close(handle)
    part.replace(path)


def _path(home: Path) -> Path:
    return home / "serve-links.json"


def _name(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
