"""Conversations in an object store: one object each, which is replaced only by who knows its latest text.

Locks hold within one machine. Where two machines continue one conversation, the store refuses the second text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.storage.bucket import Bucket, Mark, NoObject, ObjectChanged, StoredObject
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.object_owner import AddressOfOthers
from helio_dagster.storage.sessions import SessionChanged

FOLDER, _SUFFIX = "sessions", ".json"


class SessionObjects:
    """The conversations at an address, for homes that may write there.

    Parameters
    ----------
    bucket
        The address.
    home
        The home, whose new conversations get a number of its own: two machines may begin one in the same second.
    join
        Makes sure that the home may write to the address; raises AddressOfOthers where it may only read it.
    """

    def __init__(self, bucket: Bucket, home: Path, join: Callable[[], None]) -> None:
        self.address = bucket.address
        self._bucket, self._home, self._join = bucket, home, join
        self._known: dict[str, Mark] = {}
        self._is_ours: bool | None = None

    def is_ours(self) -> bool:
        """Whether the home's conversations are here; one that may only read the address keeps its own in its folder."""
        if self._is_ours is None:
            try:
                self._join()
                self._is_ours = True
            except AddressOfOthers:
                self._is_ours = False
        return self._is_ours

    @property
    def number(self) -> int:
        """A number that other homes hardly have."""
        return int(home_identity(self._home)[:4], 16) + 2

    def place(self, session_id: str) -> str:
        """Where a conversation is, for people."""
        return f"{self.address}/{_key(session_id)}"

    def listed(self) -> dict[str, StoredObject]:
        """Id to object of each conversation."""
        found = ((each.key.rpartition("/")[2], each) for each in self._bucket.list(FOLDER))
        return {name.removesuffix(_SUFFIX): each for name, each in found if name.endswith(_SUFFIX)}

    def etag(self, session_id: str) -> str | None:
        """What changes with the text of a conversation; None where there is none."""
        try:
            return self._bucket.mark(_key(session_id)).etag
        except NoObject:
            return None

    def read(self, session_id: str) -> bytes | None:
        """The text of a conversation; None where there is none."""
        self._known.pop(session_id, None)
        try:
            content, self._known[session_id] = self._bucket.get_marked(_key(session_id))
        except NoObject:
            return None
        return content

    def write(self, session_id: str, content: bytes) -> None:
        """Write a conversation that was read here, or a new one; SessionChanged where its latest text is another one."""
        try:
            self._known[session_id] = self._bucket.replace(_key(session_id), content, self._known.get(session_id))
        except ObjectChanged:
            problem = f"the conversation {session_id} was continued or deleted on another machine"
            hint = f"What was said here since is not kept. Continue it as it is now: helio chat --session {session_id}"
            raise SessionChanged(problem, hint=hint) from None

    def delete(self, session_id: str) -> None:
        """Delete a conversation; one that is gone already is no error."""
        self._bucket.delete([_key(session_id)])
        self._known.pop(session_id, None)


def _key(session_id: str) -> str:
    return f"{FOLDER}/{session_id}{_SUFFIX}"
