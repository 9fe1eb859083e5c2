"""Which home this is, wherever it is mounted: a name made once. Needed only where homes share a record."""

from __future__ import annotations

import os
import re
import uuid
from contextlib import suppress
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import new_part, storage_error

FILE_NAME = ".identity"
_NAME = re.compile(r"[0-9a-f]{32}")


def home_identity(home: Path) -> str:
    """The name of a home; made by whoever asks first.

    Raises
    ------
    StorageError
        The home cannot be written, or the file holds something else.
    """
    path = home / FILE_NAME
    try:
        if not path.exists():
            home.mkdir(parents=True, exist_ok=True)
            descriptor, part = new_part(path)
            try:
                os.write(descriptor, uuid.uuid4().hex.encode())
                with suppress(FileExistsError):  # another process was first, and its name counts
                    os.link(part, path)
            finally:
                os.close(descriptor)
                part.unlink(missing_ok=True)
        name = path.read_bytes()[:64].decode("ascii", "replace").strip()
    except OSError as error:
        raise storage_error(error, path) from error
    if not _NAME.fullmatch(name):
        hint = "Restore it from a copy of the home; without it, runs of this home cannot be told from those of others."
        raise StorageError(f"{path} does not hold the name of a home", hint=hint)
    return name
