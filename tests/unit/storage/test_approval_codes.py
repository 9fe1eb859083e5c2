"""Codes of approvals: for one plan, once, for a while, and not to be read from the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.approval_codes import LENGTH, LETTERS, MOST_TRIES, VALID, ApprovalCodes
from helio_dagster.storage.sessions import SessionFiles

NOW = datetime(2024, 5, 10, tzinfo=UTC)
SESSION = "20240510-000000"


@pytest.fixture
def codes(tmp_path: Path) -> ApprovalCodes:
    """Codes of an empty home."""
    return ApprovalCodes(SessionFiles(tmp_path))


def test_a_code_is_taken_once(codes: ApprovalCodes) -> None:
    """As it was read, in any case, with or without the word before it."""
    for form in ("{}", "approve {}", " Approve {} "):
        code = codes.make(SESSION, "plan", NOW)
        codes.use(SESSION, "plan", form.format(code.lower()), NOW)
        with pytest.raises(InputError, match="no code is waiting"):
            codes.use(SESSION, "plan", code, NOW)


@pytest.mark.slow
def test_a_code_is_made_of_letters_that_nobody_confuses(codes: ApprovalCodes) -> None:
    """And is another one each time."""
    made = {codes.make(SESSION, "plan", NOW) for _ in range(20)}
    assert len(made) > 15
    assert all(len(code) == LENGTH and set(code) <= set(LETTERS) for code in made)
    assert not set(LETTERS) & set("01IOLU")


def test_the_file_does_not_hold_it(codes: ApprovalCodes) -> None:
    """Only a hash that takes long to guess."""
    code = codes.make(SESSION, "plan", NOW)
    assert code not in codes.path(SESSION).read_text()


def test_wrong_ones_void_it(codes: ApprovalCodes) -> None:
    """After the last, the right one is no use either."""
    code = codes.make(SESSION, "plan", NOW)
    for number in range(MOST_TRIES):
        with pytest.raises(InputError, match="that is not the code"):
            codes.use(SESSION, "plan", "0" * (number + 1), NOW)
    with pytest.raises(InputError, match="no code is waiting"):
        codes.use(SESSION, "plan", code, NOW)


def test_it_is_for_the_plan_that_was_read_and_for_a_while(codes: ApprovalCodes) -> None:
    """Another plan, or a later time, voids it; a new code voids the one before."""
    code = codes.make(SESSION, "plan", NOW)
    with pytest.raises(InputError, match="changed after the person read it"):
        codes.use(SESSION, "other plan", code, NOW)
    code = codes.make(SESSION, "plan", NOW)
    codes.use(SESSION, "plan", code, NOW + VALID - timedelta(seconds=1))
    code = codes.make(SESSION, "plan", NOW)
    with pytest.raises(InputError, match="too old"):
        codes.use(SESSION, "plan", code, NOW + VALID)
    first, _ = codes.make(SESSION, "plan", NOW), codes.make(SESSION, "plan", NOW)
    with pytest.raises(InputError, match="that is not the code"):
        codes.use(SESSION, "plan", first, NOW)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"digest": 1}', b"\xff"])
def test_a_damaged_file_approves_nothing(codes: ApprovalCodes, content: bytes) -> None:
    """It is as if there were none."""
    codes.make(SESSION, "plan", NOW)
    codes.path(SESSION).write_bytes(content)
    with pytest.raises(InputError, match="no code is waiting"):
        codes.use(SESSION, "plan", "", NOW)
