"""What an operation's plain function is given: columns of inputs in the unit it needs, and what tables say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation import Operation, plain_function
from helio_dagster.compute.record_angles import angle_kind
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.event_table import stop_name
from helio_dagster.domain.table import TableMeta

_WHOLE = ("events", "curve", "map", "facts", "nd")


@dataclass(frozen=True)
class PlainInput:
    """What of a table is taken, in which order, and what it is multiplied with; all of it where `columns` is empty."""

    columns: tuple[str, ...] = ()
    factor: float = 1.0


@dataclass(frozen=True)
class PlainCall:
    """A call of an operation's plain function."""

    name: str
    inputs: Mapping[str, PlainInput]
    options: Mapping[str, Any]
    is_of_window: bool


def plain_call(operation: Operation[Any], given: Mapping[str, Any], metas: Mapping[str, TableMeta]) -> PlainCall:
    """How the plain function of an operation is called for tables of these metadata.

    Raises
    ------
    InputError
        The operation has no plain form, or none for such tables; the problem says why.
    """
    if plain_function(operation.id) is None:
        raise InputError(f"{operation.id} has no plain form")
    try:
        options = operation.plain_options(metas, operation.read_options(given))
        inputs = {name: _input(operation, name, metas[name]) for name in operation.inputs if name in metas}
    except ComputeError as error:
        raise InputError(f"{operation.id}: {error.problem}") from None
    return PlainCall(operation.id, inputs, options, operation.is_of_window)


def saved_call(operation: CodeOperation, given: Mapping[str, Any], metas: Mapping[str, TableMeta]) -> PlainCall:
    """How the code of a saved operation is called for tables of these metadata.

    Raises
    ------
    InputError
        Its options or inputs do not fit; the problem says why.
    """
    try:
        options = operation.code_options(operation.read_options(given))
        inputs = {
            name: _input(operation, name, metas[name]) if each.unit else PlainInput() for name, each in operation.inputs.items()
        }
    except ComputeError as error:
        raise InputError(f"{operation.id}: {error.problem}") from None
    return PlainCall(operation.id, inputs, options, is_of_window=False)


def plain_attributes(meta: TableMeta) -> dict[str, Any]:
    """What plain functions read in the `attrs` of a table."""
    found: dict[str, Any] = {"unit": meta.unit}
    if meta.extent is not None:
        found["extent"] = (meta.extent.before_ns / 1e9, meta.extent.after_ns / 1e9)
    if meta.kind == "events" and stop_name(meta) is not None:
        found["stop"] = stop_name(meta)
    if meta.kind == "curve":
        found |= {"axis": meta.axis_name, "data": list(meta.data_names)}
    if meta.kind == "nd":
        axes = [axis.model_dump(mode="json") | {"angle": angle_kind(axis)} for axis in meta.axes]
        found |= {"axes": axes, "data": meta.data_names[0]}
    return found


def bins_fault(meta: TableMeta) -> str:
    """Why no plain function can read such a table, nor give it but for what is reduced of several axes; empty where one can."""
    varies = meta.bins is not None and not meta.bins.is_fixed and meta.kind == "spectrogram"
    return "its bins vary from record to record" if varies else ""


def plain_fault(meta: TableMeta) -> str:
    """Why no plain function can read or give such a table; empty where one can."""
    if any(column.role in ("before", "after") for column in meta.columns):
        return "its records reach differently far"
    return ""


def _input(operation: Operation[Any], name: str, meta: TableMeta) -> PlainInput:
    if meta.kind in _WHOLE:
        return PlainInput()
    demanded = operation.inputs[name]
    used = demanded.used_columns(meta, operation_id=operation.id)
    factors = {demanded.factor(each, meta, what=operation.id) for each in used}
    if len(factors) > 1:
        raise ComputeError(f"the columns of {name} have different units", hint="")
    names = tuple(each.name for each in used)
    is_all = names == tuple(column.name for column in meta.columns)
    return PlainInput(() if is_all else names, float(factors.pop()) if factors else 1.0)
