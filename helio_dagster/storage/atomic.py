"""Files that appear whole or not at all, and the storage errors a person can mend."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.process_world import process_world

_PART = ".part"
_OWNER = re.compile(r"\.(?:([0-9a-f]{8})-)?([0-9]{1,9})\.[^.]*\.part$")
LEASE_S = 24 * 3600.0
"""How long an unfinished file of another machine or container is left alone after it was last written to."""
_REMEDIES = {
    errno.ENOSPC: "The disk is full: free some space and run the same command again; nothing was half-written.",
    errno.EDQUOT: "The disk quota is used up: free some space and run the same command again; nothing was half-written.",
    errno.EACCES: "The folder is not writable: change its permissions or set HELIO_HOME to another one.",
    errno.EPERM: "The folder is not writable: change its permissions or set HELIO_HOME to another one.",
    errno.EROFS: "The file system is read-only: set HELIO_HOME to a folder on another one.",
    errno.ENOTDIR: "A file stands where a folder is needed: move it away or set HELIO_HOME to another folder.",
    errno.ENAMETOOLONG: "The path is too long for this file system: set HELIO_HOME to a folder with a shorter one.",
    errno.EEXIST: "A file stands where a folder is needed: move it away or set HELIO_HOME to another folder.",
}
SHORT_LEASE_S = 600.0
"""The same where the name does not say which machine, as of pictures, which are written at once."""


def has_remedy(error: OSError) -> bool:
    """Whether a person can mend what the operating system said; anything else is a bug."""
    return error.errno in _REMEDIES


def storage_error(error: OSError, path: Path) -> StorageError:
    """The error a person reads for what the operating system said about `path`."""
    reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0, "Check the folder, or set HELIO_HOME to another one.")
    return StorageError(f"cannot use {path}: {reason}", hint=remedy)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that replaces it when the block ends well, and vanishes when it does not.

    Raises
    ------
    StorageError
        The folder cannot be written, or the disk is full.
    """
    try:
        try:
            descriptor, temporary = new_part(path)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = new_part(path)
        os.close(descriptor)
    except OSError as error:
        raise storage_error(error, path.parent) from error
    is_done = False
    try:
        yield temporary
        temporary.replace(path)
        is_done = True
    except OSError as error:
        raise storage_error(error, path) from error
    finally:
        if not is_done:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def atomic_files(folder: Path) -> Iterator[Path]:
    """A temporary folder whose files move to `folder` when the block ends well, and vanish when it does not.

    `folder` is made where it does not exist. Files there are replaced only at the end.

    Raises
    ------
    StorageError
        The folder cannot be written, or the disk is full.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".helio.{owner_of_parts()}.{secrets.token_hex(4)}{_PART}"
        temporary.mkdir()
    except OSError as error:
        raise storage_error(error, folder) from error
    try:
        yield temporary
        for path in sorted(temporary.iterdir()):
            path.replace(folder / path.name)
        missing = []
    except OSError as error:
        raise storage_error(error, folder) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        for each in missing:
            with suppress(OSError):  # something else is in it by now
                each.rmdir()


def new_part(path: Path) -> tuple[int, Path]:
    """A new file beside `path`, open for writing, that `sweep` knows; its mode follows the umask.

    `tempfile` makes files of mode 0600, and no thread can ask for the umask without changing it for all.
    """
    while True:
        part = path.parent / f".{path.name[:40]}.{owner_of_parts()}.{secrets.token_hex(4)}{_PART}"
        with suppress(FileExistsError):
            return os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), part


def owner_of_parts() -> str:
    """Whose an unfinished file of this process is, for its name: the process number, and where that means something."""
    return f"{process_world()}-{os.getpid()}"


def sweep(folder: Path, *, clock: Callable[[], float] = time.time) -> None:
    """Delete what killed processes left unfinished in a folder; files of running processes stay.

    Nobody can see from here whether a process of another machine or container runs: its files go when they were not written to
    for a day, which is also longer than clocks differ.
    """
    try:
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if entry.name.startswith(".") and entry.name.endswith(_PART)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, folder) from error
    for part in left:
        with suppress(OSError):  # a folder, not ours to delete, or gone meanwhile
            if not _is_at_work(part, clock()):
                part.unlink(missing_ok=True)


def _is_at_work(part: Path, now: float) -> bool:
    """Whether the process that writes an unfinished file may still run."""
    owner = _OWNER.search(part.name)
    if owner is None:
        return False
    world, process = owner[1], int(owner[2])
    if world == process_world():
        return _is_running(process)
    lease_s = LEASE_S if world is not None else SHORT_LEASE_S
    return now - part.stat().st_mtime < lease_s or (world is None and _is_running(process))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
