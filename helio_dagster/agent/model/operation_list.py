"""Describe operations to a model: all of them by errand in a few words each, and the options of one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from importlib.resources import files
from textwrap import shorten
from typing import Any, Literal, get_args, get_origin

from helio_dagster.compute.operations.contract import Operation, Options
from helio_dagster.domain.time_range import format_duration

_LONGEST_SUMMARY = 70
_LONGEST_LIST = 12_000
"""Maximum number of characters in the list: a home may have any number of saved operations."""


def list_operations(operations: Iterable[Operation[Any]]) -> str:
    """The operations by errand, each with inputs, required options and a few words; the rest is left to the search.

    Those that `operation_words.txt` does not name, such as saved ones, have a line each with the start of their summary.
    """
    left = {operation_name(operation): operation for operation in operations}
    lines = []
    for errand, words in _errands().items():
        described = [f"{_signature(left.pop(name))}{words[name]}" for name in words if name in left]
        lines += [f"{errand}: {', '.join(described)}"] if described else []
    length, left_out = sum(map(len, lines)), 0
    for operation in left.values():
        summary = shorten(operation.summary.rstrip("."), _LONGEST_SUMMARY, placeholder=" …")
        line = f"{_signature(operation)}: {summary}"
        length += len(line) + 1
        if length > _LONGEST_LIST:
            left_out += 1
        else:
            lines.append(line)
    more = [f"({left_out} more: search_operations)"] if left_out else []
    return "\n".join([*lines, *more])


@cache
def _errands() -> dict[str, dict[str, str]]:
    """Errand to the names of its operations, with the words that follow each."""
    lines = (files(__package__) / "operation_words.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, str]] = {}
    for errand, _, described in (line.partition(": ") for line in lines if not line.startswith("#")):
        parts = (each.partition(" ") for each in described.split("; "))
        found[errand] = {name: f" {words}" if words else "" for name, _, words in parts}
    return found


def operation_name(operation: Operation[Any]) -> str:
    """How a pipeline names an operation."""
    return operation.id if operation.origin == "shipped" else f"{operation.id}@{operation.version}"


def describe_option(options: type[Options], name: str) -> str:
    """An option: required or its default, the values it may have, what it means."""
    field = options.model_fields[name]
    default = "required" if field.is_required() else f"default {_shown(field.default)}"
    values = _values(field.annotation)
    allowed = f"one of {', '.join(values)}" if values else ""
    return "; ".join(each for each in (default, allowed, options.meaning(name)) if each)


def _signature(operation: Operation[Any]) -> str:
    """Name, inputs, required options; a star for a result of a whole window.

    Inputs that may be left out are dots, and described with the options.
    """
    required = [name for name, field in operation.options.model_fields.items() if field.is_required()]
    needed = [key for key, each in operation.inputs.items() if not each.is_optional]
    others = ["…"] if any(each.is_optional for each in operation.inputs.values()) else []
    given = "; ".join(
        [
            _numbered(", ".join([*needed, *others])),
            *([", ".join(required)] if required else []),
        ]
    )
    return f"{operation_name(operation)}({given}){'*' if operation.is_of_window else ''}"


def _numbered(inputs: str) -> str:
    """Inputs of which four or two are alike as `field1-4` and `field1-2`."""
    four = re.sub(r"\b([a-z]+)1, (?:\1[234](?:, )?){3}", r"\g<1>1-4, ", inputs).removesuffix(", ")
    return re.sub(r"\b([a-z]+)1, \1[2]\b", r"\g<1>1-2", four)


def _shown(default: object) -> str:
    if isinstance(default, timedelta):
        return format_duration(default)
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _values(annotation: Any) -> list[str]:
    """The values of a closed set, also of one that may be left out."""
    if get_origin(annotation) is Literal:
        return [str(each) for each in get_args(annotation)]
    return [each for part in get_args(annotation) if get_origin(part) is Literal for each in _values(part)]
