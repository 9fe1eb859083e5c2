"""What an error says can be printed, whatever it quotes."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import HelioError, Problem


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a \x1b[2Jb\x00", r"a \x1b[2Jb\x00"),
        ("10.5\t10.0", r"10.5\t10.0"),
        ("left\u202eright \ud800", r"left\u202eright \ud800"),
        ("Dst ≤ −50 nT, Nuñez\nanother line", "Dst ≤ −50 nT, Nuñez\nanother line"),
    ],
)
def test_what_cannot_be_printed_is_escaped(given: str, shown: str) -> None:
    """Control characters, marks of direction and halves of pairs; letters of all languages and new lines stay."""
    error = HelioError(given, where=given, hint=given)
    assert (error.problem, error.where, error.hint) == (shown, shown, shown)
    assert Problem("a.yaml", 1, "steps[0]", given).problem == shown
    str(error).encode()
