"""Test operations, and save those that pass; the same code is never saved twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation_file import OperationFile
from helio_dagster.compute.operation_trial import find_failures
from helio_dagster.compute.operations.contract import Operation
from helio_dagster.compute.operations.examples import example_failures
from helio_dagster.domain.errors import CodeRefused, HelioError
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.resources.workbench import Workbench
from helio_dagster.sandbox.determinism import differing_sandboxes
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.static_check import check_code
from helio_dagster.storage.settings import Settings


@dataclass(frozen=True)
class Saved:
    """The path of an operation; `is_new` is false if exactly this was saved before."""

    path: Path
    name: str
    is_new: bool


def save_operation(operation: OperationFile, library: OperationLibrary, workbench: Workbench) -> Saved:
    """Save an operation after it passes its examples and the determinism check in the workbench's sandboxes.

    Raises
    ------
    CodeRefused
        Its code is not allowed, an example fails, or the code is not deterministic.
    InputError
        Its id or version is taken, or its code is already saved under another name.
    StorageError
        The folder cannot be written.
    """
    if operation in library.files():
        return Saved(library.path(operation.id, operation.version), operation.reference_name, is_new=False)
    library.require_free(operation)
    for other in library.files():
        if other.id != operation.id and does_the_same(other, operation):
            hint = f"Name it in the pipeline: operation: {other.reference_name}."
            raise CodeRefused(f"this code is saved already, as {other.reference_name}", where=operation.id, hint=hint)
    failures = find_failures(CodeOperation(operation), workbench.workers.sandbox, workbench.workers.differing)
    if failures:
        hint = "Nothing was saved. `helio operations test FILE` runs the examples again."
        raise CodeRefused("its examples fail:\n" + "\n".join(failures), where=operation.reference_name, hint=hint)
    return Saved(library.save(operation), operation.reference_name, is_new=True)


def try_operations(operations: Iterable[Operation[Any]], settings: Settings) -> dict[str, list[str]]:
    """Run the examples of operations, shipped ones in this process and saved ones in a sandbox; name to failures."""
    limits, allow_weak = settings.code_limits, settings.allow_weak_sandbox
    found: dict[str, list[str]] = {}
    one, other = differing_sandboxes(limits, allow_weak=allow_weak, check_code=check_code)
    with Sandbox(limits, allow_weak=allow_weak, check_code=check_code) as sandbox, one, other:
        for operation in operations:
            if isinstance(operation, CodeOperation):
                found[operation.file.reference_name] = find_failures(operation, sandbox, (one, other))
            else:
                found[operation.id] = _shipped_failures(operation)
    return found


def _shipped_failures(operation: Operation[Any]) -> list[str]:
    failures = []
    for number, example in enumerate(operation.examples, start=1):
        try:
            failures += [f"example {number}: {each}" for each in example_failures(operation, example)]
        except HelioError as error:
            failures.append(f"example {number}: {error}")
    return failures


def does_the_same(one: OperationFile, other: OperationFile) -> bool:
    """Whether two saved operations have the same code and the same kinds of inputs and options."""
    return (one.code_sha(), list(one.inputs.values()), one.options, one.output.unit) == (
        other.code_sha(),
        list(other.inputs.values()),
        other.options,
        other.output.unit,
    )
