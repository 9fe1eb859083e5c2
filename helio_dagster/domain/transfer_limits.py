"""The limits of downloads that a person can set; the finer ones are in `archives.transfer.settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.domain.errors import InputError

DEADLINE_VARIABLE = "HELIO_TRANSFER_DEADLINE_S"
RATE_VARIABLE = "HELIO_TRANSFER_LEAST_BYTES_PER_S"
_VARIABLES = {"deadline_s": DEADLINE_VARIABLE, "least_bytes_per_s": RATE_VARIABLE}


class TransferLimits(BaseModel):
    """Limits of one transfer from an archive."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    deadline_s: Annotated[float, Field(ge=1, le=86_400)] = 300.0
    """How long one try may take; a file may take its length over `least_bytes_per_s` more."""
    least_bytes_per_s: Annotated[float, Field(ge=1, le=1e9)] = 50_000.0
    """The rate that a transfer must keep on average once the deadline has passed, counted on the bytes as they arrive."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Limits from `HELIO_TRANSFER_DEADLINE_S` and `HELIO_TRANSFER_LEAST_BYTES_PER_S`; the rest by default.

        Raises
        ------
        InputError
            A value is not such a limit.
        """
        given = {name: environment[variable] for name, variable in _VARIABLES.items() if environment.get(variable)}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            name = str(fault["loc"][0])
            default = cls.model_fields[name].default
            raise InputError(
                f"{_VARIABLES[name]}={given.get(name)}: {fault['msg']}", hint=f"The default is {default:g}."
            ) from None
