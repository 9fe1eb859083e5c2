"""The address of tables in an object store."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.object_address import bucket_of, object_address


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("lab/tables", "not an address"),
        ("https://bucket/x", "of the kind 'https'"),
        ("s3://", "names no bucket"),
        ("s3://bucket/../x", "names no bucket"),
        ("az://account", "names no bucket"),
        ("s3://key:secret@bucket/x", "more than a bucket"),
        ("s3://bucket/x?X-Amz-Signature=abc", "more than a bucket"),
    ],
)
def test_other_addresses_are_refused(given: str, problem: str) -> None:
    """The message says what is wrong, and repeats no key."""
    with pytest.raises(InputError, match=problem) as refused:
        object_address(given)
    assert "secret" not in str(refused.value)
    assert "abc" not in str(refused.value)
    assert "s3://bucket/folder" in (refused.value.hint or "")


def test_addresses() -> None:
    """A slash at the end does not matter, and `none` is none."""
    assert object_address("s3://bucket/a/b/") == "s3://bucket/a/b"
    assert object_address("gs://bucket") == "gs://bucket"
    assert object_address("az://account/container/x") == "az://account/container/x"
    assert object_address("none") is None
    assert bucket_of("s3://bucket/a/b") == "bucket"
    assert bucket_of("az://account/container/x") == "account/container"
