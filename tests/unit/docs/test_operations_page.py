"""The page about operations says what the registry says."""

from pathlib import Path

import pytest

from helio_dagster.compute.operation import operations

PAGE = Path(__file__).parents[3] / "docs" / "operations.md"


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.id)
def test_page_documents_every_operation(operation):
    """Heading, summary, formula and every option of each registered operation stand on the page."""
    _, _, rest = PAGE.read_text().partition(f"\n## {operation.id}\n")
    section = rest.partition("\n## ")[0]
    assert operation.summary in section
    assert operation.reference in section
    for option in operation.options.model_fields:
        assert f"| `{option}` |" in section
    for name in operation.inputs:
        assert f"`{name}` (" in section
