"""One daemon of Dagster's on a record: two would both start what is due, which Dagster notices and does not prevent."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from helio_dagster.resources.daemon_seat import ANOTHER, SeatTaken, group_of_daemon, only_daemon
from helio_dagster.resources.work_group import work_group
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.settings import Settings

_LOCK_NAME = "daemon.lock"


@contextmanager
def the_only_daemon(settings: Settings) -> Iterator[Callable[[], None]]:
    """Be the only one who runs Dagster's daemon on a home and its record for the length of the block.

    Yields
    ------
    Callable
        To be called now and then: raises `SeatTaken` if a server was restarted and somebody else is the only one since.

    Raises
    ------
    SeatTaken
        Another `helio ui` or `helio daemon` is.
    StorageError
        The home cannot be written, or its record cannot be reached.
    """
    shared = only_daemon(settings.postgres, work_group(settings)) if settings.postgres is not None else nullcontext(_nothing)
    with shared as keep, _only_in_home(settings):
        yield keep


def is_daemon_of_others(settings: Settings) -> bool:
    """Whether the daemon of a record in PostgreSQL gives runs to the workers of other homes than this one.

    It does not if it is the home's own, or that of a home which shares the tables, too; nor where none has the seat, as just
    after a restart of the server.

    Raises
    ------
    StorageError
        The server cannot be reached, or refuses.
    """
    return settings.postgres is not None and group_of_daemon(settings.postgres) not in (None, work_group(settings))


def _nothing() -> None:
    """A lock of the system's own is never lost."""


@contextmanager
def _only_in_home(settings: Settings) -> Iterator[None]:
    """The system releases the lock of a process that is killed."""
    try:
        settings.instance.mkdir(parents=True, exist_ok=True)
        handle = os.open(settings.instance / _LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise storage_error(error, settings.home) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        hint = "Use that one, or add --no-daemon to helio ui: it then serves the home without a daemon of its own."
        raise SeatTaken(f"{ANOTHER} ({settings.home}), and a record has one daemon", hint=hint) from None
    finally:
        os.close(handle)
