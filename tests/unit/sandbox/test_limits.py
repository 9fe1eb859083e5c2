"""Limits as the environment says them."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.sandbox import SandboxLimits, is_weak_allowed


def test_each_limit_has_a_variable_of_its_name() -> None:
    """What is given is taken, the rest stays as it is by default."""
    limits = SandboxLimits.from_environment({"HELIO_CODE_CPU_S": "7.5", "HELIO_CODE_RESULT_COLUMNS": "12", "OTHER": "x"})
    assert limits == SandboxLimits(cpu_s=7.5, result_columns=12)


@pytest.mark.parametrize(("name", "value"), [("HELIO_CODE_WALL_S", "soon"), ("HELIO_CODE_MEMORY_BYTES", "1")])
def test_a_limit_that_is_none_is_named_with_its_variable(name: str, value: str) -> None:
    """The message says which variable holds what is wrong."""
    with pytest.raises(InputError, match=f"{name}={value}"):
        SandboxLimits.from_environment({name: value})


@pytest.mark.parametrize(
    ("value", "allowed"), [(None, False), ("", False), ("0", False), ("no", False), ("1", True), ("Yes", True)]
)
def test_weak_confinement_is_allowed_in_plain_words_only(value: str | None, allowed: bool) -> None:
    """Unset means no."""
    assert is_weak_allowed({} if value is None else {"HELIO_ALLOW_WEAK_SANDBOX": value}) is allowed


def test_a_word_that_is_neither_yes_nor_no_is_refused() -> None:
    """A typing error must not decide about confinement."""
    with pytest.raises(InputError, match="neither yes nor no"):
        is_weak_allowed({"HELIO_ALLOW_WEAK_SANDBOX": "maybe"})
