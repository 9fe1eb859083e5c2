"""Whether a saved operation works: its code is sound, its examples come out as expected, and two runs agree. Saves nothing."""

from __future__ import annotations

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operations.examples import Example, example_failures
from helio_dagster.domain.errors import HelioError
from helio_dagster.sandbox.determinism import check_determinism
from helio_dagster.sandbox.sandbox import Sandbox
from helio_dagster.sandbox.static_check import check_code


def find_failures(operation: CodeOperation, sandbox: Sandbox, differing: tuple[Sandbox, Sandbox]) -> list[str]:
    """What speaks against an operation, in words; empty where nothing does.

    Parameters
    ----------
    operation
        It need not be saved.
    sandbox
        Where its examples run.
    differing
        Two that differ in all that must not matter; see `differing_sandboxes`.
    """
    try:
        check_code(operation.file.code, [*operation.inputs, *operation.file.options], sandbox.limits)
    except HelioError as error:
        return [str(error)]
    placed = operation.confined_by(lambda: sandbox)
    failures = []
    for number, example in enumerate(operation.examples, start=1):
        try:
            found = example_failures(placed, example)
            if not found:
                _require_same(operation, example, differing)
        except HelioError as error:
            found = [str(error)]
        failures += [f"example {number}: {each}" for each in found]
    return failures


def _require_same(operation: CodeOperation, example: Example, differing: tuple[Sandbox, Sandbox]) -> None:
    """Run an example's code in both sandboxes; raises CodeRefused where the results differ."""
    options = operation.code_options(operation.read_options(example.options))
    tables = operation.code_inputs({name: table.table() for name, table in example.inputs.items()})
    frames = {name: table_to_dataframe(table) for name, table in tables.items()}
    check_determinism(operation.file.code, frames, name=operation.id, options=options, sandboxes=differing)
