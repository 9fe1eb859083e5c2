"""Objects in a bucket, by the library obstore: read, write, list, delete; and what went wrong, in words."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.object_address import VARIABLE, bucket_of

if TYPE_CHECKING:
    from obstore import GetOptions, ObjectMeta, PutMode, UpdateVersion
    from obstore.store import ObjectStore

_CONNECT = timedelta(seconds=10)
_RETRY_FOR = timedelta(minutes=1)
_CODE = re.compile(r"<(?:Code|code)>(\w+)</|\"(?:reason|code)\": ?\"(\w+)\"")
_STATUS = re.compile(r"status code: (\d{3}[ A-Za-z]*)")
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "AllAccessDisabled")
_EXPIRED = ("ExpiredToken", "TokenRefreshRequired", "ExpiredTokenException", "RequestExpired")
_NOT_KNOWN = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "AuthenticationFailed", "InvalidClientTokenId")
_SKEWED = ("RequestTimeTooSkewed",)
_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")
_GOES_ON = "run the same command again: what is finished is kept."


class NoObject(Exception):
    """There is no object of this key."""


class ObjectExists(Exception):
    """There is an object of this key already."""


class ObjectChanged(Exception):
    """The object is no longer the one that was to be replaced."""


@dataclass(frozen=True)
class Mark:
    """Which content of an object somebody knows: services compare the tag, or the version, or both.

    `written_ns` since 1970 is 0 for what was written just now.
    """

    etag: str
    version: str
    written_ns: int = 0

    @property
    def condition(self) -> UpdateVersion:
        """What the service is to find before it writes."""
        condition: UpdateVersion = {}
        if self.etag:
            condition["e_tag"] = self.etag
        if self.version:
            condition["version"] = self.version
        return condition


@dataclass(frozen=True)
class StoredObject:
    """An object as a listing shows it: `written_ns` since 1970, in whole seconds for most services."""

    key: str
    size: int
    written_ns: int
    etag: str


class Bucket:
    """The objects below one address.

    Keys and rights come from the environment, as the services' own programs read them. Single requests are repeated for up to
    a minute where the service is busy or out of reach. An object is sent in one request, so that it appears whole or not at
    all, and nothing of it stays behind if the process is killed.

    Parameters
    ----------
    address
        `s3://bucket/folder`, `gs://…` or `az://account/container/folder`.
    retries
        Most times that a request is repeated; a minute after it was first sent, it is not repeated any more.
    pause_s
        Pause before the first repetition; later ones are longer, up to fifty times as long.
    longest_s
        Longest time for one request, its answer included: with two minutes, an object of 100 MB needs 1 MB/s.
    speak_after_s
        After how long a wait of the main thread is reported, as a warning.
    """

    def __init__(
        self, address: str, *, retries: int = 100, pause_s: float = 0.2, longest_s: float = 120.0, speak_after_s: float = 8.0
    ) -> None:
        try:
            import obstore  # noqa: F401 - to refuse at once
        except ImportError:
            hint = "Install it: pip install 'helio-dagster[objects]'"
            problem = "tables in an object store need the extra objects, which is not installed"
            raise InputError(problem, where=VARIABLE, hint=hint) from None
        self.address = address
        self._speak_after_s = speak_after_s
        self._retries, self._pause, self._longest = retries, timedelta(seconds=pause_s), timedelta(seconds=longest_s)

    def list(self, folder: str) -> list[StoredObject]:
        """The objects directly in a folder."""
        import obstore

        with self._explained("list"):
            found = self._interruptible(lambda: obstore.list_with_delimiter(self._store, folder)["objects"])
        return [_stored(each) for each in found]

    def list_all(self, folder: str) -> Iterator[StoredObject]:
        """The objects of a folder and the folders in it."""
        import obstore

        with self._explained("list"):
            pages = self._interruptible(lambda: [*obstore.list(self._store, folder)])
        for page in pages:
            yield from map(_stored, page)

    def get(self, key: str, start: int = 0) -> bytes:
        """An object's content, or what follows its first `start` bytes.

        Raises
        ------
        NoObject
            There is none.
        StorageError
            The service cannot be reached, or refuses.
        """
        import obstore

        options: GetOptions = {"range": {"offset": start}} if start else {}
        with self._explained("read"):
            return self._interruptible(lambda: bytes(obstore.get(self._store, key, options=options).bytes()))

    def put(self, key: str, content: bytes | memoryview, *, is_new: bool = False) -> str:
        """Write an object; returns its tag.

        Raises
        ------
        ObjectExists
            There is one already, and `is_new`.
        StorageError
            The service cannot be reached, or refuses.
        """
        import obstore

        with self._explained("write"):
            mode: Literal["create", "overwrite"] = "create" if is_new else "overwrite"
            done = self._interruptible(lambda: obstore.put(self._store, key, content, mode=mode, use_multipart=False))
        return str(done["e_tag"] or "")

    def get_marked(self, key: str) -> tuple[bytes, Mark]:
        """An object's content, and the mark with which `replace` knows it again; raises as `get`."""
        import obstore

        def request() -> tuple[bytes, Mark]:
            found = obstore.get(self._store, key)
            return bytes(found.bytes()), _mark_of(found.meta)

        with self._explained("read"):
            return self._interruptible(request)

    def mark(self, key: str) -> Mark:
        """The mark of an object as it is now; raises as `get`."""
        import obstore

        with self._explained("read"):
            return _mark_of(self._interruptible(lambda: obstore.head(self._store, key)))

    def replace(self, key: str, content: bytes, known: Mark | None) -> Mark:
        """Write an object if it is still as it was known, or if there is none where None is given; returns its mark.

        Raises
        ------
        ObjectChanged
            Somebody else has written or deleted it.
        StorageError
            The service cannot be reached, or refuses.
        """
        import obstore

        mode: PutMode = "create" if known is None else known.condition
        try:
            with self._explained("write"):
                done = self._interruptible(lambda: obstore.put(self._store, key, content, mode=mode, use_multipart=False))
            return Mark(str(done["e_tag"] or ""), str(done["version"] or ""))
        except (ObjectExists, NoObject, ObjectChanged):
            try:
                written, mark = self.get_marked(key)
            except NoObject:
                raise ObjectChanged from None
            if written != content:
                raise ObjectChanged from None
            return mark  # by a request whose answer was lost, and which was repeated

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; those that are gone already are no error."""
        import obstore

        if keys:
            with self._explained("delete"):
                self._interruptible(lambda: obstore.delete(self._store, list(keys)))

    @cached_property
    def _store(self) -> ObjectStore:
        from obstore.store import from_url

        with self._explained("open"):
            return from_url(
                self.address,
                client_options={"timeout": self._longest, "connect_timeout": _CONNECT, "allow_http": True},
                retry_config={
                    "max_retries": self._retries,
                    "retry_timeout": _RETRY_FOR,
                    "backoff": {"init_backoff": self._pause, "max_backoff": 50 * self._pause, "base": 2},
                },
            )

    def _interruptible(self, request: Callable[[], _Answer]) -> _Answer:
        """Wait for a request in a way that Ctrl-C ends: obstore looks at no signals before the request is over.

        Only the main thread is given signals; others wait by themselves.
        """
        if threading.current_thread() is not threading.main_thread():
            return request()
        future = Future[_Answer]()

        def answer() -> None:
            try:
                future.set_result(request())
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                future.set_exception(error)

        threading.Thread(target=answer, daemon=True).start()
        if not wait([future], timeout=self._speak_after_s).done:
            _log.warning("waiting for %s: what fails there is tried again for a minute", self.address)
        return future.result()

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

        try:
            yield
        except AlreadyExistsError:
            raise ObjectExists from None
        except PreconditionError:
            raise ObjectChanged from None
        except (FileNotFoundError, BaseError) as error:
            code = _code_of(str(error))
            if isinstance(error, FileNotFoundError) and code not in _NO_BUCKET:
                raise NoObject from None
            raise self._error(doing, code, str(error)) from error

    def _error(self, doing: str, code: str, text: str) -> StorageError:
        """What a person reads for an answer of the service, and what to do."""
        place, status = f"the bucket {bucket_of(self.address)}", _STATUS.search(text)
        if code in _NO_BUCKET or (doing == "list" and status and status[1].startswith("404")):
            hint = "Create it, or correct tables.url (HELIO_TABLES). The region and endpoint come from the environment."
            return StorageError(f"{place} does not exist", hint=hint)
        if code in _EXPIRED:
            return StorageError(f"the credentials for {place} have expired ({code})", hint=f"Get new ones and {_GOES_ON}")
        if code in _SKEWED:
            return StorageError(f"{place} refuses requests: this machine's clock is wrong", hint=f"Set it and {_GOES_ON}")
        if "169.254.169.254" in text or "metadata.google.internal" in text or "CredentialProvider" in text:
            hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what your service uses, in the environment."
            return StorageError(f"there are no credentials for {place}", hint=hint)
        if code in _NOT_KNOWN or (status and status[1].startswith("401")):
            hint = f"Check the keys in the environment and {_GOES_ON}"
            return StorageError(f"{place} does not accept the credentials ({code or (status and status[1])})", hint=hint)
        if status and status[1].startswith("403"):
            hint = f"Allow this account to list, read, write and delete below {self.address}, and {_GOES_ON}"
            return StorageError(f"{place} refuses to {doing} objects ({code or status[1]})", hint=hint)
        if status and status[1].startswith("5"):
            hint = f"It was asked again for a minute. Wait a while and {_GOES_ON}"
            return StorageError(f"{place} is out of order: {status[1].strip()} {code}".rstrip(), hint=hint)
        if "operation timed out" in text or "TimedOut" in text:
            return StorageError(f"{place} did not answer in time", hint=f"Check the network and {_GOES_ON}")
        if "kind: Connect" in text or "error sending request" in text:
            hint = f"Check the network, and the endpoint in the environment if it is not the service's own; then {_GOES_ON}"
            return StorageError(f"{place} cannot be reached", hint=hint)
        reason = text.splitlines()[0][:300] if text else "unknown error"
        return StorageError(f"{place} cannot be used: {reason}", hint="Check tables.url (HELIO_TABLES) and the environment.")


def _mark_of(found: ObjectMeta) -> Mark:
    return Mark(str(found["e_tag"] or ""), str(found["version"] or ""), _written_ns(found))


def _stored(found: ObjectMeta) -> StoredObject:
    return StoredObject(found["path"], int(found["size"]), _written_ns(found), str(found["e_tag"] or ""))


def _written_ns(found: ObjectMeta) -> int:
    return round(found["last_modified"].timestamp() * 1e9)


def _code_of(text: str) -> str:
    found = _CODE.search(text)
    return (found[1] or found[2]) if found else ""
