"""Who asks something of a home, and what they may do there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from helio_dagster.domain.errors import InputError

Role = Literal["reader", "operator"]
ROLES: tuple[Role, ...] = get_args(Role)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


@dataclass(frozen=True)
class Person:
    """A person or program: readers look at what there is; operators also plan, approve, run and change."""

    name: str
    role: Role = "operator"


def checked_name(name: str) -> str:
    """The name of a person, where it can be one.

    Raises
    ------
    InputError
        It is empty, longer than 64 characters, or holds other characters than letters, digits and `._@-`.
    """
    if _NAME.fullmatch(name) is None:
        hint = "Up to 64 letters, digits and . _ @ -, such as maria or m.lopez@centre.org."
        raise InputError(f"{name!r:.80} cannot be the name of a person", hint=hint)
    return name
