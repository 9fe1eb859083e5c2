"""An operation as documents of `--json` and of the HTTP interface have it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helio_dagster.compute.operations.contract import Operation


def name_of(operation: Operation[Any]) -> str:
    """The name by which pipelines call an operation: with its version where it is a saved one."""
    return operation.id if operation.origin == "shipped" else f"{operation.id}@{operation.version}"


def operation_as_json(operation: Operation[Any]) -> dict[str, Any]:
    """What an operation takes, does and returns."""
    return {
        "operation": name_of(operation),
        "id": operation.id,
        "version": operation.version,
        "origin": operation.origin,
        "summary": operation.summary,
        "when": operation.when,
        "inputs": {name: asdict(each) for name, each in operation.inputs.items()},
        "options": operation.options.model_json_schema().get("properties", {}),
        "output": operation.output,
        "reference": operation.reference,
        "examples": [each.model_dump(mode="json", exclude_defaults=True) for each in operation.examples],
        "code": getattr(getattr(operation, "file", None), "code", None),
    }
