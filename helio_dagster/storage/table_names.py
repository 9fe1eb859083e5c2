"""How assets, partitions and failures are written down at rest, in a folder and in an object store alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote, unquote

from helio_dagster.domain.errors import HelioError, StorageError

_WHOLE = "table"
"""Stands for the partition of an asset without partitions."""


def failure_record(error: HelioError, attempt: str) -> bytes:
    """A failure as it is stored."""
    record = {"error": error.problem, "where": error.where, "hint": error.hint, "kind": type(error).__name__}
    record |= {"attempt": attempt} if attempt else {}
    return json.dumps(record, sort_keys=True).encode()


def name_parts(asset: str) -> list[str]:
    """The folders of an asset; every part is quoted, so that no name leads outside.

    Raises
    ------
    StorageError
        A part is empty or leads upward.
    """
    parts = [quote(part, safe=" +@-_.") for part in asset.split("/")]
    if any(part in ("", ".", "..") for part in parts):
        raise StorageError(f"{asset!r} is not an asset name", hint="Its parts must not be empty, '.' or '..'.")
    return parts


def asset_of_parts(parts: Sequence[str]) -> str:
    """The asset whose folders these are."""
    return "/".join(map(unquote, parts))


def name_of_key(partition: str | None) -> str:
    """What the names of a partition's files begin with."""
    return quote(partition or _WHOLE, safe="-")


def key_of_name(name: str) -> str | None:
    """The partition whose files' names begin with this."""
    return None if name == _WHOLE else unquote(name)
