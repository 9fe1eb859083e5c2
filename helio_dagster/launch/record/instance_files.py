"""The files of a Dagster instance, without loading Dagster."""

from __future__ import annotations

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.settings import Settings

MARK = "# Written by helio; delete this line to keep changes of your own."
CONFIGURATION = "dagster.yaml"


def has_own_configuration(settings: Settings) -> bool:
    """Whether the instance of a home has helio's configuration, or does not exist yet.

    Raises
    ------
    InputError
        The file was edited by hand, so that a record in PostgreSQL which the settings name would not be used.
    """
    path = settings.instance / CONFIGURATION
    is_own = not path.exists() or path.read_bytes().startswith(MARK.encode())
    if not is_own and settings.postgres is not None:
        hint = "Move the file away, or leave record.postgres out and name the database in the file."
        raise InputError("dagster.yaml was edited by hand, so record.postgres has no effect", where=str(path), hint=hint)
    return is_own
