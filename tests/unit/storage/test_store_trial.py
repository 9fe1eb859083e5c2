"""An object store is tried as tables use it, and what it cannot do is named; a server that speaks S3 is broken in each way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from helio_dagster.storage.store_trial import try_store
from tests.object_store import Application, ObjectService, contents

ALL = ["write", "read", "write only what is new", "replace only what is unchanged", "list", "delete"]


def test_a_store_that_works_is_left_as_it_was(objects: ObjectService) -> None:
    """Everything is tried, and nothing stays behind."""
    bucket = objects.new_bucket()
    assert [(each.does, each.problem) for each in try_store(bucket)] == [(does, "") for does in ALL]
    assert contents(bucket, "trial") == {}


@pytest.mark.parametrize(
    ("method", "does", "worked"), [("PUT", "write", 0), ("GET", "read", 1), ("POST", "delete", 5)], ids=["put", "get", "delete"]
)
def test_a_right_that_is_missing_is_named(objects: ObjectService, method: str, does: str, worked: int) -> None:
    """The first thing that is refused, with what to do; what comes after it is not tried."""
    bucket = objects.new_bucket()
    objects.gate.answers = lambda each, path: (403, "AccessDenied") if each == method and "list-type" not in path else None
    found = try_store(bucket)
    assert [each.does for each in found] == [*ALL[:worked], does]
    assert "AccessDenied" in found[-1].problem
    assert found[-1].hint


def test_a_bucket_that_is_not_there(objects: ObjectService) -> None:
    """Is one sentence."""
    (found,) = try_store("s3://no-such-bucket-here/home")
    assert (found.does, found.problem) == ("write", "the bucket no-such-bucket-here does not exist")


@pytest.mark.parametrize(
    ("header", "worked", "named"),
    [("HTTP_IF_NONE_MATCH", 2, "ignores `If-None-Match: *`"), ("HTTP_IF_MATCH", 3, "ignores `If-Match`")],
)
def test_a_store_that_ignores_conditions(objects: ObjectService, header: str, worked: int, named: str) -> None:
    """As older servers do: two homes at one address, or two that continue one conversation, would not notice each other."""
    bucket, application = objects.new_bucket(), objects.gate.application

    def forgetful(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ.pop(header, None)
        return application(environ, start_response)

    taken: Application = forgetful
    objects.gate.application = taken
    try:
        found = try_store(bucket)
    finally:
        objects.gate.application = application
    assert [each.does for each in found] == ALL[: worked + 1]
    assert named in found[-1].problem
