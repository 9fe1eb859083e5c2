"""The page of settings lists all of them, as they are."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.storage.setting_names import SETTING_NAMES

PAGE = (Path(__file__).parents[3] / "docs" / "settings.md").read_text()


def test_every_setting_has_its_row() -> None:
    """With key, variable, default and meaning, in the order of the code."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{name.key}`{'*' if name.is_personal else ''} | `{name.variable}` | {name.default or 'none'} | {name.meaning} |"
        for name in SETTING_NAMES
    ]
