"""The files of a Dagster instance, without loading Dagster."""

from __future__ import annotations

from pathlib import Path

MARK = "# Written by helio; delete this line to keep changes of your own."
CONFIGURATION = "dagster.yaml"


def has_own_configuration(folder: Path) -> bool:
    """Whether the instance in a folder has helio's configuration, or does not exist yet."""
    path = folder / CONFIGURATION
    return not path.exists() or path.read_bytes().startswith(MARK.encode())
