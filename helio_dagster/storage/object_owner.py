"""Whose an address in an object store is: one home's, or that of all homes with one record, whose runs wait for each other.

Homes that wrote to an address without knowing of each other would delete each other's tables. The object `home` says whose it
is; where homes share it, an object for each is below `homes`, which says where the home is and is written again each day.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.bucket import Bucket, NoObject, ObjectExists
from helio_dagster.storage.home_identity import home_identity

_MARK, _HOMES = "home", "homes"
_RECORD = "record "
_LONGEST_NOTE = 2000
_WRITTEN_AGAIN_S = 24 * 3600.0
_OWN = "give this home an address of its own (tables.url)"


@dataclass(frozen=True)
class SharingHome:
    """A home that shares an address: its name, its machine and folder, and when it last wrote that down, since 1970."""

    name: str
    place: str
    seen_ns: int


class AddressOfOthers(StorageError):
    """The address belongs to another home, or to homes that this one is not among."""


class ObjectOwner:
    """Makes an address the home's own when it is first written to, unless homes share it.

    Parameters
    ----------
    bucket
        The address.
    home
        The home, by whose name it is marked.
    may_share
        Whether the home may write where homes share: not where its runs do not wait for those of others.
    """

    def __init__(self, bucket: Bucket, home: Path, *, may_share: bool = True) -> None:
        self._bucket, self._home, self._may_share, self._checked_by = bucket, home, may_share, 0

    def require(self) -> None:
        """Mark the address, or see that the home may write to it; once in a process.

        Raises
        ------
        AddressOfOthers
            It belongs to another home, or to homes that this one is not among.
        """
        if self._checked_by == os.getpid():
            return
        name = home_identity(self._home)
        found = self._marked(name)
        if found.startswith(_RECORD) and not self._may_share:
            hint = f"Name their database in record.postgres, so that runs of all homes wait for each other, or {_OWN}."
            raise AddressOfOthers(f"{self._bucket.address} holds the tables of homes that share a record", hint=hint)
        if found != name and not (found.startswith(_RECORD) and self._read(f"{_HOMES}/{name}") == found):
            raise self._refused()
        self._checked_by = os.getpid()

    def share(self, record: str) -> None:
        """Let all homes with a record write to the address, this one among them.

        Parameters
        ----------
        record
            The name of the record that this home has.

        Raises
        ------
        AddressOfOthers
            It belongs to another home, or to homes with another record.
        """
        name, mark = home_identity(self._home), f"{_RECORD}{record}"
        found = self._marked(mark)
        if found.startswith(_RECORD) and found != mark:
            hint = f"Name their database in record.postgres, or {_OWN}."
            raise AddressOfOthers(f"{self._bucket.address} holds the tables of homes with another record", hint=hint)
        if found not in (name, mark):
            raise self._refused()
        noted, seen_ns = self._note(name)
        if noted[0] != mark or time.time() - seen_ns / 1e9 > _WRITTEN_AGAIN_S:
            self._bucket.put(f"{_HOMES}/{name}", f"{mark}\n{socket.gethostname()} {self._home}".encode())
        if found == name:  # until now it was this home's alone
            self._bucket.put(_MARK, mark.encode())

    def is_among(self) -> bool:
        """Whether the address is this home's, or this home is noted as one of those that share it; nothing is written."""
        name = home_identity(self._home)
        found = self._read(_MARK)
        return found == name or (found.startswith(_RECORD) and self._read(f"{_HOMES}/{name}") == found)

    def others(self) -> int:
        """How many other homes share the address."""
        own = f"{_HOMES}/{home_identity(self._home)}"
        return sum(each.key != own for each in self._bucket.list(_HOMES))

    def sharing(self) -> list[SharingHome]:
        """The other homes that share the address, the one seen last first."""
        own = home_identity(self._home)
        names = [each.key.rpartition("/")[2] for each in self._bucket.list(_HOMES)]
        notes = {name: self._note(name) for name in names if name != own}
        found = [SharingHome(name, " ".join(lines[1:2]), seen_ns) for name, (lines, seen_ns) in notes.items()]
        return sorted(found, key=lambda each: each.seen_ns, reverse=True)

    def leave(self, name: str = "") -> None:
        """Note no longer that a home shares the address, this one where none is named; it is noted again when it goes on."""
        self._bucket.delete([f"{_HOMES}/{name or home_identity(self._home)}"])

    def _note(self, name: str) -> tuple[list[str], int]:
        """The lines that a home has left, and when."""
        try:
            content, mark = self._bucket.get_marked(f"{_HOMES}/{name}")
        except NoObject:
            return [""], 0
        return content[:_LONGEST_NOTE].decode("utf-8", "replace").split("\n"), mark.written_ns

    def _marked(self, wanted: str) -> str:
        """What marks the address; `wanted` where nothing did. Read first, since who may only read must learn whose it is."""
        if found := self._read(_MARK):
            return found
        try:
            self._bucket.put(_MARK, wanted.encode(), is_new=True)
        except ObjectExists:
            return self._read(_MARK)
        return wanted

    def _read(self, key: str) -> str:
        try:
            return self._bucket.get(key)[:64].decode("ascii", "replace").partition("\n")[0].strip()
        except NoObject:  # none, or deleted just now
            return ""

    def _refused(self) -> AddressOfOthers:
        hint = (
            f"Give this home an address of its own (tables.url); only {self._home} itself, or a copy, may use its own. To "
            "share this one, name the same database (record.postgres) in both homes, and begin a run in the other one first."
        )
        return AddressOfOthers(f"{self._bucket.address} holds the tables of another home", hint=hint)
