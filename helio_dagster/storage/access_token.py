"""The token by which clients prove to a server that they may use it: kept in the home, valid for a while.

Each kind of server has its own: who may propose plans may not approve them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from helio_dagster.storage.atomic import storage_error

Kind = Literal["mcp", "serve"]
VALID = timedelta(days=30)
_LARGEST = 4096


@dataclass(frozen=True)
class AccessToken:
    """A token, and until when it is taken."""

    value: str
    until: datetime

    def fault(self, given: str, now: datetime) -> str:
        """Why a given token is not taken; empty if it is."""
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.value.encode()):
            return "the token is wrong"
        return "the token has expired" if now >= self.until else ""


def cookie_of(secret: str) -> str:
    """What browsers have: made of a secret, from which the secret cannot be found."""
    return hmac.new(secret.encode(), b"helio browser", hashlib.sha256).hexdigest()


def token_path(home: Path, kind: Kind = "mcp") -> Path:
    """Where the token of a home's server is; only its owner may read it."""
    return home / f"{kind}-token.json"


def open_token(home: Path, now: datetime, kind: Kind = "mcp") -> AccessToken:
    """The token of a home's server, or a new one where there is none or it has expired.

    Raises
    ------
    StorageError
        It cannot be kept.
    """
    known = _read(token_path(home, kind))
    if known is not None and now < known.until:
        return known
    made = AccessToken(secrets.token_urlsafe(32), now + VALID)
    _write(token_path(home, kind), made)
    return made


def _read(path: Path) -> AccessToken | None:
    try:
        with path.open("rb") as file:
            kept = json.loads(file.read(_LARGEST))
        return AccessToken(str(kept["token"]), datetime.fromisoformat(kept["until"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None
    except OSError as error:
        raise storage_error(error, path) from error


def _write(path: Path, token: AccessToken) -> None:
    content = json.dumps({"token": token.value, "until": token.until.isoformat()}).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, content)
        finally:
            os.close(handle)
    except OSError as error:
        raise storage_error(error, path) from error
