"""The page on adding an archive shows the archive that the tests run, as it is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_template_is_the_archive_that_conforms() -> None:
    """A reader who copies it has what `test_conformance.py` runs."""
    page = (ROOT / "docs/add-an-archive.md").read_text(encoding="utf-8")
    code = (ROOT / "tests/integration/archives/daily_csv.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in page
