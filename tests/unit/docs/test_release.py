"""What a release says of itself agrees everywhere."""

from __future__ import annotations

from pathlib import Path

import yaml

from helio_dagster import __version__

ROOT = Path(__file__).parents[3]


def test_the_citation_names_the_version() -> None:
    """CITATION.cff and the package."""
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__


def test_the_changelog_has_the_version_below_what_is_unreleased() -> None:
    """With the date of the citation."""
    date = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["date-released"]
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    assert headings[:2] == ["## Unreleased", f"## {__version__} - {date}"]
