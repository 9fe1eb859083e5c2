"""The pictures on the site's page of operations: one for each operation, below its summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helio_dagster.compute.operation import get_operation, operations
from pictures.operations import CASES
from pictures.site import insert_pictures

PAGE = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")


def _gives_a_series(operation: Any) -> bool:
    example = operation.examples[0]
    inputs = {name: table.table().meta for name, table in example.inputs.items()}
    kind = operation.result_meta(inputs, operation.read_options(example.options)).kind
    return kind in ("series", "vector", "spectrogram")


def test_every_operation_has_a_picture_with_inputs_and_options_that_it_takes() -> None:
    """A new operation must be added to `CASES`, unless its result is not drawn against time."""
    assert list(CASES) == [operation.id for operation in operations() if _gives_a_series(operation)]
    for operation_id, case in CASES.items():
        operation = get_operation(operation_id)
        needed = {name for name, demanded in operation.inputs.items() if not demanded.is_optional}
        assert needed <= set(case.inputs) <= set(operation.inputs)
        operation.read_options(case.options)


def test_each_picture_comes_right_after_the_summary() -> None:
    """And nothing of the page is lost."""
    page = insert_pictures(PAGE, list(CASES))
    for operation_id in CASES:
        assert f"## {operation_id}\n\n{get_operation(operation_id).summary}\n\n![{operation_id}: " in page
    added = [line for line in page.splitlines() if line.startswith(("![", "<br>*"))]
    assert len(page.splitlines()) == len(PAGE.splitlines()) + len(added) + len(CASES)
