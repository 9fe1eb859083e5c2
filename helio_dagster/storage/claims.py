"""Partitions that one process makes while others wait for them: record locks on a file per asset, in the home.

The system releases what a dead process held. Only for homes whose runs several workers do; elsewhere `NoClaims`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from helio_dagster.storage.atomic import storage_error

Key = str | None


class Claims(Protocol):
    """Decides who makes a partition."""

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:
        """Give out all keys, in one or several lists; while the caller looks at one, nobody else has those keys."""

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:
        """Those that another process has now."""

    def close(self) -> None:
        """Release everything."""


class NoClaims:
    """For a home in which each process works for itself."""

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:  # noqa: ARG002 - nobody else has any
        """All keys at once."""
        yield list(keys)

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:  # noqa: ARG002 - nobody else has any
        """None of them."""
        return set()

    def close(self) -> None:
        """Nothing to release."""


class SharedClaims:
    """Claims that hold between processes, and between machines whose file system has such locks, as NFS 4.

    Whoever waits holds nothing, so that nobody waits for ever. Two in one process do not exclude each other.

    Parameters
    ----------
    folder
        Where the files of the locks are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handles: dict[str, int] = {}

    def rounds(self, asset: str, keys: Sequence[Key]) -> Iterator[list[Key]]:
        """First the keys that are free, then the others as they become free."""
        handle, rest = self._handle(asset), list(keys)
        while rest:
            taken = [key for key in rest if _is_taken(handle, key)]
            if not taken:
                fcntl.lockf(handle, fcntl.LOCK_EX, 1, _offset(rest[0]))
                taken = rest[:1]
            rest = [key for key in rest if key not in set(taken)]
            try:
                yield taken
            finally:
                for key in taken:
                    fcntl.lockf(handle, fcntl.LOCK_UN, 1, _offset(key))

    def busy(self, asset: str, keys: Sequence[Key]) -> set[Key]:
        """Those that another process has now."""
        found, handle = set[Key](), self._handle(asset)
        for key in keys:
            if _is_taken(handle, key):
                fcntl.lockf(handle, fcntl.LOCK_UN, 1, _offset(key))
            else:
                found.add(key)
        return found

    def close(self) -> None:
        """Release everything."""
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()

    def _handle(self, asset: str) -> int:
        if asset not in self._handles:
            path = self._folder / hashlib.sha256(asset.encode()).hexdigest()[:32]
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._handles[asset] = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise storage_error(error, path) from error
        return self._handles[asset]


def _is_taken(handle: int, key: Key) -> bool:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _offset(key))
    except (BlockingIOError, PermissionError):
        return False
    return True


def _offset(key: Key) -> int:
    """The byte that stands for a key: the same in every process, and hardly ever that of another key."""
    return int.from_bytes(hashlib.sha256((key or "").encode()).digest()[:7])
