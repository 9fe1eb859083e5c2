"""Archive files on this disk: by URL and date, written atomically, verified, downloaded once. Downloading is the caller's."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from helio_dagster.archives.transfer.settings import Received
from helio_dagster.domain.errors import ArchiveUnavailable, StorageError

_UNSAFE = re.compile(r"[^A-Za-z0-9._+@-]+")
_POLL_S = 0.05
_DEEPEST = 12
_LONGEST = 120
_ASIDE = ".corrupt"


@dataclass(frozen=True)
class CachedFile:
    """A file of the cache: where it is, its size in bytes and its hash, and whether it was downloaded just now."""

    path: Path
    size: int
    sha256: str
    is_new: bool


class _Sidecar(BaseModel):
    """What is known of a cached file, beside it as JSON."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    url: str
    last_modified: str
    size: int
    sha256: str


class FileCache:
    """A folder of archive files. Threads and processes may share it.

    A file's place is computed from its URL and LastModified: a file republished under the same name is another entry, and
    the old one stays. No text of a server leads outside the folder.

    Parameters
    ----------
    folder
        Where the files go; made when needed.
    is_stopping
        Asked while waiting for another process's download: True gives up.
    """

    def __init__(self, folder: Path, is_stopping: Callable[[], bool] = lambda: False) -> None:
        self._folder = folder
        self._is_stopping = is_stopping
        self._verified: dict[Path, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def path(self, url: str, last_modified: str) -> Path:
        """Where the file is or will be."""
        parts = urlsplit(url)
        steps = [step for step in (_safe(part) for part in [parts.netloc, *unquote(parts.path).split("/")]) if step]
        name = Path(steps[-1] if steps else "file")
        digest = hashlib.sha256(f"{url}\n{last_modified}".encode()).hexdigest()[:12]
        return self._folder.joinpath(*steps[:-1][:_DEEPEST], f"{name.stem}@{digest}{name.suffix}")

    def get(
        self,
        url: str,
        last_modified: str,
        length: int | None,
        download: Callable[[Path], Received],
        *,
        verify: bool = False,
        afresh: bool = False,
    ) -> CachedFile:
        """The cached file, or the one downloaded now.

        Parameters
        ----------
        length
            Its length in bytes where the archive gives it; a cached file of another length is downloaded again.
        download
            Writes the whole file to the path it is given; called by one thread of one process at a time for each file.
        verify
            Compare the hash, also where this process has done so before.
        afresh
            Download it even if it is cached, for an archive that does not date its files; what is there stays until then.

        Raises
        ------
        StorageError
            The cache cannot be read or written.
        """
        path = self.path(url, last_modified)
        try:
            cached = None if afresh else self._at_hand(path, length, verify)
            if cached is not None:
                _forget_dead_lock(path)
                return cached
            path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(path, self._is_stopping):
                found = None if afresh else self._at_hand(path, length, verify)
                return found or self._put(path, url, last_modified, download)
        except OSError as error:
            raise StorageError(
                f"the cache of archive files cannot be used: {error.strerror or error}",
                where=str(path),
                hint="Free some disk space, or set HELIO_HOME to a folder on another disk.",
            ) from error

    def borrow(self, other: FileCache, url: str, last_modified: str) -> bool:
        """Hold, as a link, what another cache holds of a file; its hash is compared when it is first asked for.

        The other cache is only read: a borrowed file that is put aside or downloaded again is so here alone.

        Returns
        -------
        bool
            Whether the other cache has it.
        """
        path, theirs = self.path(url, last_modified), other.path(url, last_modified)
        sidecar = _read_sidecar(theirs)
        if sidecar is None or not theirs.is_file():
            return False
        if not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(theirs.absolute())
            _sidecar_path(path).write_text(sidecar.model_dump_json(), encoding="utf-8")
        return True

    def quarantine(self, cached: CachedFile) -> Path:
        """Put a file aside, as `….corrupt`, so that it is downloaded again; nothing where it has been replaced meanwhile."""
        aside = cached.path.with_name(f"{cached.path.name}{_ASIDE}")
        try:
            with _locked(cached.path, self._is_stopping):
                sidecar = _read_sidecar(cached.path)
                if sidecar is not None and sidecar.sha256 == cached.sha256 and cached.path.exists():
                    cached.path.replace(aside)
                    _sidecar_path(cached.path).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"a corrupt file cannot be put aside: {error.strerror or error}", where=str(cached.path), hint="Delete it."
            ) from error
        return aside

    def _at_hand(self, path: Path, length: int | None, verify: bool) -> CachedFile | None:
        sidecar = _read_sidecar(path)
        if sidecar is None:
            return None
        try:
            state = path.stat()
        except FileNotFoundError:
            return None
        if state.st_size != sidecar.size or length not in (None, sidecar.size):
            return None
        stamp = (state.st_size, state.st_mtime_ns)
        with self._lock:
            is_verified = self._verified.get(path) == stamp
        if verify or not is_verified:
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != sidecar.sha256:
                    return None
            with self._lock:
                self._verified[path] = stamp
        return CachedFile(path, sidecar.size, sidecar.sha256, is_new=False)

    def _put(self, path: Path, url: str, last_modified: str, download: Callable[[Path], Received]) -> CachedFile:
        part = path.with_name(f"{path.name}.part")  # only the holder of the lock writes it
        try:
            received = download(part)
            _sidecar_path(path).unlink(missing_ok=True)
            part.replace(path)
            sidecar = _Sidecar(url=url, last_modified=last_modified, size=received.size, sha256=received.sha256)
            with part.open("w", encoding="utf-8") as file:
                file.write(sidecar.model_dump_json())
                file.flush()
                os.fsync(file.fileno())
            part.replace(_sidecar_path(path))
        finally:
            part.unlink(missing_ok=True)
        _sync_folder(path.parent)
        state = path.stat()
        with self._lock:
            self._verified[path] = (state.st_size, state.st_mtime_ns)
        return CachedFile(path, received.size, received.sha256, is_new=True)


def archive_folder(cache: Path, archive: str) -> Path:
    """Where an archive's files are cached: a folder of its name, without what no folder's name should hold (`hapi:http://…`).

    Two archives may share a folder: a file's place in it follows from its whole URL.
    """
    return cache / (_safe(archive) or "_")


def cached_files(folder: Path) -> Iterator[tuple[str, str, list[Path]]]:
    """URL and LastModified of every file in the caches under a folder, with the paths it takes; files put aside as well.

    What has no record beside it is not named: it may be a download under way.
    """
    for path in sorted(folder.rglob("*.json")):
        body = path.with_suffix("")
        sidecar = _read_sidecar(body)
        if sidecar is not None:
            yield sidecar.url, sidecar.last_modified, [each for each in (body, path) if each.is_file()]
    for path in sorted(folder.rglob(f"*{_ASIDE}")):
        yield "", "", [path]


@contextlib.contextmanager
def _locked(path: Path, is_stopping: Callable[[], bool]) -> Iterator[None]:
    """Hold the file's lock, which the system releases should the process die, and leave no lock file behind.

    Whoever got the lock on a lock file that its last holder has just deleted holds nothing, and tries again.
    """
    lock = path.with_name(f"{path.name}.lock")
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _wait_for(handle, is_stopping, lock)
            if _is_same(handle, lock):
                try:
                    yield
                finally:
                    lock.unlink(missing_ok=True)
                return
        finally:
            os.close(handle)


def _forget_dead_lock(path: Path) -> None:
    """Delete the lock file of a process that was killed while it held it."""
    lock = path.with_name(f"{path.name}.lock")
    if not lock.exists():
        return
    with contextlib.suppress(FileNotFoundError, BlockingIOError):
        handle = os.open(lock, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_same(handle, lock):
                lock.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _wait_for(handle: int, is_stopping: Callable[[], bool], lock: Path) -> None:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if is_stopping():
                raise ArchiveUnavailable("stopped while another process downloads it", where=lock.stem, hint=_AGAIN) from None
            time.sleep(_POLL_S)
        else:
            return


def _is_same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _sidecar_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _read_sidecar(path: Path) -> _Sidecar | None:
    try:
        return _Sidecar.model_validate_json(_sidecar_path(path).read_bytes())
    except (OSError, ValidationError):
        return None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _safe(part: str) -> str:
    """A piece of a URL as a file name: no separator, no leading dot, not too long."""
    return _UNSAFE.sub("_", part).lstrip(".")[:_LONGEST]


_AGAIN = "Run the same command again: what is already here is kept."
