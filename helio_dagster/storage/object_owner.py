"""Whose an address in an object store is: two homes that wrote to the same one would delete each other's tables."""

from __future__ import annotations

import os
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.bucket import Bucket, NoObject, ObjectExists
from helio_dagster.storage.home_identity import home_identity

_KEY = "home"


class ObjectOwner:
    """Makes an address the home's own when it is first written to.

    Parameters
    ----------
    bucket
        The address.
    home
        The home, by whose name it is marked.
    """

    def __init__(self, bucket: Bucket, home: Path) -> None:
        self._bucket, self._home, self._checked_by = bucket, home, 0

    def require(self) -> None:
        """Mark the address, or see that it is marked with this home's name; once in a process.

        Raises
        ------
        StorageError
            It belongs to another home.
        """
        if self._checked_by == os.getpid():
            return
        name = home_identity(self._home)
        try:
            self._bucket.put(_KEY, name.encode(), is_new=True)
        except ObjectExists:
            try:
                found = self._bucket.get(_KEY)[:64].decode("ascii", "replace").strip()
            except NoObject:
                found = ""  # deleted just now
            if found != name:
                hint = (
                    f"Give this home an address of its own (tables.url); only {self._home} itself, or a copy, may use its own."
                )
                raise StorageError(f"{self._bucket.address} holds the tables of another home", hint=hint) from None
        self._checked_by = os.getpid()
