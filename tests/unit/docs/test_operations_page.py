"""The page about operations says what the registry says."""

from pathlib import Path
from typing import Any

from helio_dagster.compute.operation import operations
from helio_dagster.compute.operations.page import write_page
from tests.every import every

PAGE = Path(__file__).parents[3] / "docs" / "operations.md"


def test_the_page_is_the_one_that_the_operations_write() -> None:
    """After a change: `python -m helio_dagster.compute.operations.page > docs/operations.md`."""
    assert PAGE.read_text() == write_page()


@every(lambda: {operation.id: (operation,) for operation in operations()})
def test_page_documents_every_operation(operation: Any) -> None:
    """Heading, summary, use, halo, formula, output, every option and every input of each registered operation stand there."""
    _, _, rest = PAGE.read_text().partition(f"\n## {operation.id}\n")
    section = rest.partition("\n## ")[0]
    for text in (operation.summary, operation.when, operation.reference, operation.output):
        assert text in section
    assert "\nHalo: " in section
    for option in operation.options.model_fields:
        assert f"| `{option}` |" in section
    for name, demanded in operation.inputs.items():
        assert f"`{name}` (" in section
        assert demanded.meaning in section
