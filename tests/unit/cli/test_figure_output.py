"""Where `helio figure` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.cli.figure import figure
from helio_dagster.domain.errors import InputError


def test_a_missing_folder_is_named_before_anything_runs(tmp_path: Path) -> None:
    """A typing mistake in -o makes no folder and runs no pipeline, which is not there either."""
    with pytest.raises(InputError, match="there is no folder") as caught:
        figure(name="no_such_pipeline", output=tmp_path / "missing" / "fig.png")
    assert "Make it first" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
