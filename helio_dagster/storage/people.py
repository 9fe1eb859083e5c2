"""The people who may use a served home by a token of their own. Only hashes of tokens are kept, in a file of the owner's."""

from __future__ import annotations

import getpass
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.person import ROLES, Person, Role, checked_name
from helio_dagster.storage.access_token import cookie_of
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.repeated_calls import RepeatedCalls

_FILE = "people.json"


@dataclass(frozen=True)
class KnownPerson:
    """Somebody with a token: `sha256` is of the token, `until` when it expires."""

    name: str
    role: Role
    until: datetime
    sha256: str = field(repr=False)

    @property
    def person(self) -> Person:
        """Who it is."""
        return Person(self.name, self.role)

    @property
    def cookie(self) -> str:
        """What their browsers have."""
        return cookie_of(self.sha256)


def account() -> str:
    """The name of the account that this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def read_people(home: Path) -> list[KnownPerson]:
    """Everybody who has a token, even an expired one, by name.

    Raises
    ------
    StorageError
        The file cannot be read, or is not what `add_person` writes. Nobody is let in until it is repaired.
    """
    path = home / _FILE
    try:
        kept = json.loads(path.read_bytes())
        found = [
            KnownPerson(name, _role(each["role"]), _moment(each["until"]), str(each["sha256"])) for name, each in kept.items()
        ]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise storage_error(error, path) from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StorageError(f"{path} is damaged", hint="Delete it, and add the people again: helio people add NAME.") from None
    return sorted(found, key=lambda each: each.name)


def add_person(home: Path, name: str, role: Role, until: datetime) -> str:
    """Make a token for somebody, who then has no other; only who calls this sees it.

    Raises
    ------
    InputError
        The name cannot be one.
    StorageError
        It cannot be kept.
    """
    checked_name(name)
    token = secrets.token_urlsafe(32)
    with RepeatedCalls(home / "sessions").held():
        others = [each for each in read_people(home) if each.name != name]
        _write(home, [*others, KnownPerson(name, role, until, sha256_of(token))])
    return token


def remove_person(home: Path, name: str) -> None:
    """Take somebody's token away; InputError where nobody has this name."""
    with RepeatedCalls(home / "sessions").held():
        require_person(home, name)
        _write(home, [each for each in read_people(home) if each.name != name])


def require_person(home: Path, name: str) -> None:
    """Raise InputError if nobody with a token has this name."""
    names = [each.name for each in read_people(home)]
    if name not in names:
        hint = remedy(name, names, what="People here") if names else f"Make one: helio people add {name}"
        raise InputError(f"nobody with a token is called {name!r:.80}", hint=hint)


def find_person(people: Sequence[KnownPerson], *, token: str = "", cookie: str = "") -> KnownPerson | None:
    """Whose a token or a cookie is; every one is compared, so that the time taken tells nothing."""
    given = sha256_of(token) if token else ""
    same = [
        hmac.compare_digest(each.sha256, given) if given else hmac.compare_digest(each.cookie.encode(), cookie.encode())
        for each in people
    ]
    return next((each for each, is_same in zip(people, same, strict=True) if is_same), None)


def sha256_of(token: str) -> str:
    """The hash of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _role(text: object) -> Role:
    for role in ROLES:
        if text == role:
            return role
    raise ValueError(text)


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(text)
    return found


def _write(home: Path, people: Sequence[KnownPerson]) -> None:
    kept = {each.name: {**asdict(each), "until": each.until.isoformat()} for each in people}
    for each in kept.values():
        each.pop("name")
    path = home / _FILE
    part = path.with_suffix(".part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(kept, file, indent=1)
        part.replace(path)
    except OSError as error:
        raise storage_error(error, path) from error
