"""Who may work in a home: any number of runs together, or one that tidies up alone. The system releases what the dead held."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import storage_error

LOCK_NAME = ".lock"


@contextmanager
def occupied(home: Path, *, alone: bool = False) -> Iterator[None]:
    """Work in a home for the length of the block.

    Runs wait for one that works alone, which is done soon; who wants to be alone does not wait.

    Raises
    ------
    StorageError
        A run works in the home and `alone` is asked for, or the home cannot be written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle = os.open(home / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise storage_error(error, home) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
        yield
    except BlockingIOError:
        raise StorageError(f"a run is writing into {home}", hint="Let it finish, or stop it, and try again.") from None
    finally:
        os.close(handle)
