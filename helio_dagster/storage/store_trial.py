"""Try an object store as helio uses it: write, read, write only what is new or unchanged, list and delete one small object."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from helio_dagster.domain.errors import HelioError
from helio_dagster.storage.bucket import Bucket, NoObject, ObjectChanged, ObjectExists

_FOLDER = "trial"
_LONGEST_S = 15.0
_IGNORED = (
    "it wrote over an object that was to be kept, so it ignores `If-None-Match: *`, and two homes at one address would not "
    "notice each other"
)
_REPLACED = (
    "it wrote over an object that had changed, so it ignores `If-Match`, and of two machines that continue one conversation, "
    "one would write over what the other wrote"
)


@dataclass(frozen=True)
class Attempt:
    """One thing that was tried, and what went wrong; `problem` is empty where it worked."""

    does: str
    problem: str = ""
    hint: str = ""


def try_store(address: str) -> list[Attempt]:
    """Try one thing after the other, up to the first that fails; nothing stays behind where deleting works.

    Parameters
    ----------
    address
        Of the tables, as `s3://bucket/folder`.
    """
    key, content = f"{_FOLDER}/{secrets.token_hex(8)}", secrets.token_bytes(64)
    found: list[Attempt] = []
    try:
        bucket = Bucket(address, retries=1, longest_s=_LONGEST_S)
    except HelioError as error:
        return [Attempt("open", error.problem, error.hint)]
    tried: dict[str, Callable[[], str]] = {
        "write": lambda: _write(bucket, key, content),
        "read": lambda: "" if bucket.get(key) == content else "what was read is not what was written",
        "write only what is new": lambda: _IGNORED if _is_written_over(bucket, key, content) else "",
        "replace only what is unchanged": lambda: _REPLACED if _is_replaced(bucket, key, content) else "",
        "list": lambda: "" if key in _keys(bucket) else "the list does not have an object that was written before",
        "delete": lambda: _delete(bucket, key),
    }
    for does, attempt in tried.items():
        try:
            found.append(Attempt(does, attempt()))
        except NoObject:
            found.append(Attempt(does, "an object that was written before is not there"))
        except HelioError as error:
            found.append(Attempt(does, error.problem, error.hint))
        if found[-1].problem:
            break
    return found


def _write(bucket: Bucket, key: str, content: bytes) -> str:
    bucket.put(key, content)
    return ""


def _is_written_over(bucket: Bucket, key: str, content: bytes) -> bool:
    try:
        bucket.put(key, content, is_new=True)
    except ObjectExists:
        return False
    return True


def _is_replaced(bucket: Bucket, key: str, content: bytes) -> bool:
    known = bucket.mark(key)
    bucket.replace(key, content[:32], known)
    try:
        bucket.replace(key, content[32:], known)
    except ObjectChanged:
        return False
    return True


def _keys(bucket: Bucket) -> set[str]:
    return {each.key for each in bucket.list_all(_FOLDER)}


def _delete(bucket: Bucket, key: str) -> str:
    bucket.delete([key])
    return "an object that was deleted is still in the list" if key in _keys(bucket) else ""
