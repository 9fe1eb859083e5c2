"""The address of tables in an object store, as a setting gives it. It never holds a key or token."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from helio_dagster.domain.errors import InputError

VARIABLE = "HELIO_TABLES"
NONE = "none"
_SCHEMES = ("s3", "gs", "az")
_PLACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._=+-]*)*")
_EXAMPLE = "Write it as s3://bucket/folder, gs://bucket/folder or az://account/container/folder."


def object_address(given: str) -> str | None:
    """The address of a folder in a bucket, without a slash at its end; None for `none`.

    Raises
    ------
    InputError
        It is another kind of address, names no bucket, or holds what looks like a key. The message does not repeat a key.
    """
    if given == NONE:
        return None
    scheme, separator, place = given.partition("://")
    if not separator or scheme not in _SCHEMES:
        problem = f"tables cannot be at an address of the kind {scheme[:40]!r}" if separator else "it is not an address"
        raise InputError(problem, where=VARIABLE, hint=_EXAMPLE)
    if "@" in place or "?" in place or "#" in place:
        hint = "Give keys in the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. " + _EXAMPLE
        raise InputError("the address holds more than a bucket and a folder", where=VARIABLE, hint=hint)
    place = place.rstrip("/")
    if not _PLACE.fullmatch(place) or (scheme == "az" and place.count("/") < 1):
        raise InputError("the address names no bucket and folder that can be used", where=VARIABLE, hint=_EXAMPLE)
    return f"{scheme}://{place}"


def bucket_of(address: str) -> str:
    """The bucket of an address, or the account and container, for messages."""
    parts = urlsplit(address)
    container = parts.path.strip("/").partition("/")[0]
    return f"{parts.netloc}/{container}" if parts.scheme == "az" else parts.netloc
