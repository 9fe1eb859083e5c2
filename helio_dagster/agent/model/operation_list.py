"""Describe operations to a model: all of them in one line each, and one of them with its inputs and options."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from textwrap import shorten
from typing import Any, Literal, get_args, get_origin

from helio_dagster.compute.operations.contract import Operation
from helio_dagster.domain.time_range import format_duration

_LONGEST_SUMMARY = 70
_LONGEST_LIST = 12_000
"""Maximum number of characters in the list: a home may have any number of saved operations."""


def list_operations(operations: Iterable[Operation[Any]]) -> str:
    """One line for each operation: name, inputs, required options, what it does; the rest is left to the search."""
    lines, length, left_out = [], 0, 0
    for operation in operations:
        line = _line(operation)
        length += len(line) + 1
        if length > _LONGEST_LIST:
            left_out += 1
        else:
            lines.append(line)
    more = [f"({left_out} more: search_operations)"] if left_out else []
    return "\n".join([*lines, *more])


def operation_name(operation: Operation[Any]) -> str:
    """How a pipeline names an operation."""
    return operation.id if operation.origin == "shipped" else f"{operation.id}@{operation.version}"


def describe_option(field: Any) -> str:
    """An option: required or its default, the values it may have, what it means."""
    default = "required" if field.is_required() else f"default {_shown(field.default)}"
    values = _values(field.annotation)
    allowed = f"one of {', '.join(values)}" if values else ""
    return "; ".join(each for each in (default, allowed, " ".join((field.description or "").split())) if each)


def _line(operation: Operation[Any]) -> str:
    required = [name for name, field in operation.options.model_fields.items() if field.is_required()]
    given = "; ".join([", ".join(operation.inputs), *([", ".join(required)] if required else [])])
    summary = shorten(operation.summary.rstrip("."), _LONGEST_SUMMARY, placeholder=" …")
    return f"{operation_name(operation)}({given}){' *' if operation.is_of_window else ''}: {summary}"


def _shown(default: object) -> str:
    if isinstance(default, timedelta):
        return format_duration(default)
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _values(annotation: Any) -> list[str]:
    """The values of a closed set, also of one that may be left out."""
    if get_origin(annotation) is Literal:
        return [str(each) for each in get_args(annotation)]
    return [each for part in get_args(annotation) if get_origin(part) is Literal for each in _values(part)]
