"""How much a call in the sandbox may use. Holding code to it is the worker's."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_MIB = 1 << 20


class SandboxLimits(BaseModel):
    """Limits of one call."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

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
