"""The contents of objects, read once as long as memory is set aside for them. Safe to use from several threads."""

from __future__ import annotations

import threading
from collections import OrderedDict

import pyarrow as pa

from helio_dagster.storage.bucket import Bucket, StoredObject
from helio_dagster.storage.object_listing import Version
from helio_dagster.storage.table_format import OTHER_CONTENT, damaged, stamp_of

_LIMIT_BYTES = 64 * 2**20
_FOOTER_BYTES = 2**16
"""Most footers are shorter; of one that is not, the whole object is read."""


class ObjectContents:
    """Reads objects, and keeps those read last.

    Parameters
    ----------
    bucket
        Where they are.
    limit_bytes
        How much is kept; a larger content is not kept at all.
    """

    def __init__(self, bucket: Bucket, limit_bytes: int = _LIMIT_BYTES) -> None:
        self._bucket = bucket
        self._limit, self._held = limit_bytes, 0
        self._lock = threading.Lock()
        self._contents: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def of(self, item: StoredObject) -> bytes:
        """The content of an object; NoObject where it is gone."""
        known = self._kept(item)
        if known is None:
            known = self._bucket.get(item.key)
            self._keep(item, known)
        return known

    def of_table(self, version: Version, place: str) -> bytes:
        """The content of a table.

        Raises
        ------
        NoObject
            It is gone.
        StorageError
            It does not agree with its checksum, or with what the object's name says.
        """
        known = self._kept(version.object)
        if known is not None:
            return known
        content = self._bucket.get(version.object.key)
        try:
            stamp = stamp_of(content, place)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise damaged(place, error) from error
        if stamp != (version.version, version.status):
            raise damaged(place, ValueError(OTHER_CONTENT))
        self._keep(version.object, content)
        return content

    def end_of(self, item: StoredObject) -> bytes:
        """The end of a table with its whole footer, or all of it; NoObject where it is gone."""
        known = self._kept(item)
        if known is not None:
            return known
        if item.size > _FOOTER_BYTES:
            tail = self._bucket.get(item.key, item.size - _FOOTER_BYTES)
            if int.from_bytes(tail[-8:-4], "little") + 8 <= len(tail):
                return tail
        return self._bucket.get(item.key)

    def _kept(self, item: StoredObject) -> bytes | None:
        with self._lock:
            found = self._contents.get((item.key, item.etag))
            if found is not None:
                self._contents.move_to_end((item.key, item.etag))
            return found

    def _keep(self, item: StoredObject, content: bytes) -> None:
        if len(content) > self._limit:
            return
        with self._lock:
            self._held += len(content) - len(self._contents.pop((item.key, item.etag), b""))
            self._contents[item.key, item.etag] = content
            while self._held > self._limit:
                self._held -= len(self._contents.popitem(last=False)[1])
