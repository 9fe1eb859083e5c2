"""What a Dagster instance consists of on disk, and what a person reads when its record cannot be used; loads no Dagster."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.domain.errors import StorageError

MARK = "# Written by helio; delete this line to keep changes of your own."
CONFIGURATION = "dagster.yaml"
_FREE_SPACE = "The disk seems to be full: free some space and run the same command again; nothing was half-written."
_MOVE_AWAY = (
    "Stop other runs and try again. If it is damaged, move {folder} away: tables and downloads are kept, and "
    "`helio reindex` records them again."
)


def has_own_configuration(folder: Path) -> bool:
    """Whether the instance in a folder is as helio sets it up, or there is none yet."""
    path = folder / CONFIGURATION
    return not path.exists() or path.read_bytes().startswith(MARK.encode())


def unusable_record(folder: Path, reason: str) -> StorageError:
    """The error of a record that cannot be used."""
    return StorageError(
        f"the record of runs in {folder} cannot be used: {reason}",
        hint=_FREE_SPACE if "disk" in reason else _MOVE_AWAY.format(folder=folder),
    )
