"""The list of registered operations and how to get one by its id. What each does stands in `compute.operations`."""

from __future__ import annotations

from typing import Any

from helio_dagster.compute.operations.arithmetic import Difference, Ratio, Scale
from helio_dagster.compute.operations.averages import Resample, RollingMean
from helio_dagster.compute.operations.contract import UNKNOWN_META, Operation, Options, did_you_mean
from helio_dagster.compute.operations.vectors import Component, Magnitude
from helio_dagster.domain.errors import InputError

__all__ = ["UNKNOWN_META", "Operation", "Options", "get_operation", "operations"]

_REGISTERED: tuple[Operation[Any], ...] = (
    Magnitude(),
    Component(),
    RollingMean(),
    Resample(),
    Difference(),
    Ratio(),
    Scale(),
)


def operations() -> tuple[Operation[Any], ...]:
    """All registered operations."""
    return _REGISTERED


def get_operation(operation_id: str) -> Operation[Any]:
    """The operation with this id.

    Raises
    ------
    InputError
        There is none; the hint offers the nearest.
    """
    for operation in _REGISTERED:
        if operation.id == operation_id:
            return operation
    hint = did_you_mean(operation_id, [operation.id for operation in _REGISTERED], "Registered are")
    raise InputError(f"there is no operation {operation_id!r}", hint=hint)
