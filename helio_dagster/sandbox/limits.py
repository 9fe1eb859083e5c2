"""How much a call in the sandbox may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import ConfigDict, Field, ValidationError

from helio_dagster.domain.described import Described
from helio_dagster.domain.errors import InputError

_MIB = 1 << 20
_PREFIX = "HELIO_CODE_"
_WEAK = "HELIO_ALLOW_WEAK_SANDBOX"


class SandboxLimits(Described):
    """Limits of one call."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    cpu_s: Annotated[float, Field(gt=0, le=86_400)] = 120.0
    """Processor time; counted in whole seconds, rounded up."""
    wall_s: Annotated[float, Field(gt=0, le=86_400)] = 180.0
    """Time on the clock."""
    memory_bytes: Annotated[int, Field(ge=64 * _MIB)] = 4096 * _MIB
    """Address space beside the libraries, the inputs and the room for the result."""
    result_bytes: Annotated[int, Field(ge=1 << 12, le=1 << 40)] = 512 * _MIB
    """Size of the result: eight bytes a number, and eight a time."""
    result_columns: Annotated[int, Field(ge=1, le=100_000)] = 4096
    """Columns of the result."""
    printed_bytes: Annotated[int, Field(ge=0, le=16 * _MIB)] = 64 * 1024
    """What is kept of what the code prints; more is read and dropped."""
    source_bytes: Annotated[int, Field(ge=1, le=16 * _MIB)] = 200_000
    """Size of the code."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Limits from `HELIO_CODE_CPU_S`, `HELIO_CODE_MEMORY_BYTES` and so on, one variable a limit; the rest by default.

        Raises
        ------
        InputError
            A value is not such a limit.
        """
        given = {name: environment[_variable(name)] for name in cls.model_fields if environment.get(_variable(name))}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            name = str(fault["loc"][0])
            raise InputError(f"{_variable(name)}={given.get(name)}: {fault['msg']}", hint=f"By default: {cls()}") from None


def is_weak_allowed(environment: Mapping[str, str]) -> bool:
    """Whether `HELIO_ALLOW_WEAK_SANDBOX` is set: code runs also where the operating system cannot confine it.

    Raises
    ------
    InputError
        Its value is neither yes nor no.
    """
    given = environment.get(_WEAK, "").strip().lower()
    if given not in ("", "0", "no", "false", "1", "yes", "true"):
        raise InputError(
            f"{_WEAK}={given} is neither yes nor no", hint="Set it to 1 for code that you trust, or leave it unset."
        )
    return given in ("1", "yes", "true")


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"
