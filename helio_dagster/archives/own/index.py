"""Where in a file the records of each day are, so that a partition is read and not the file; kept in the cache."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from helio_dagster.domain.errors import HelioError, OwnFileError, StorageError

INDEX_VERSION = 1
DAY_NS = 86_400 * 10**9


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Run(_Value):
    """Consecutive records of one day: where they start and stop (bytes of text, else records), and on which line."""

    start: int
    stop: int
    line: int = 0


class Day(_Value):
    """The records of one UTC day: how many, where, and the hash of what stands there."""

    records: int
    runs: list[Run]
    sha256: str

    @property
    def size(self) -> int:
        """Bytes of a text file, or records of another."""
        return sum(run.stop - run.start for run in self.runs)


class FileIndex(_Value):
    """A file as it was when it was read through: its state, and its days, counted since 1970."""

    version: int = INDEX_VERSION
    state: tuple[int, int, int]
    first_ns: int | None = None
    last_ns: int | None = None
    is_sorted: bool = True
    days: dict[int, Day]

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(day.records for day in self.days.values())


@dataclass(frozen=True)
class State:
    """What tells that a file is another: size in bytes, time of its last change in ns, inode."""

    size: int
    modified_ns: int
    inode: int

    @classmethod
    def of(cls, file: Path | int) -> State:
        """The state of a path or open file."""
        found = os.fstat(file) if isinstance(file, int) else file.stat()
        return cls(found.st_size, found.st_mtime_ns, found.st_ino)

    @property
    def triple(self) -> tuple[int, int, int]:
        """As an index keeps it."""
        return (self.size, self.modified_ns, self.inode)


def changed_while_read(name: str, path: Path) -> OwnFileError:
    """The error for a file that another process writes to."""
    hint = "Run the same command again once nothing writes to it."
    return OwnFileError(f"{name} changed while it was read", where=str(path), hint=hint)


def index_of(path: Path, name: str, scan: Callable[[Path], FileIndex], kept: Path, *, afresh: bool = False) -> FileIndex:
    """The index of a file: the one that is kept, if the file is as it was, else made now and kept.

    Parameters
    ----------
    path, name
        The file, and what messages call it.
    scan
        Reads the file through.
    kept
        The file of the index.
    afresh
        Read the file through in any case.

    Raises
    ------
    OwnFileError
        The file cannot be read as described, or changed meanwhile.
    """
    try:
        before = State.of(path)
        found = None if afresh else _kept(kept)
        if found is not None and found.state == before.triple:
            return found
        made = scan(path)
        if State.of(path) != before or made.state != before.triple:
            raise changed_while_read(name, path)
    except OSError as error:
        raise OwnFileError(f"{name} cannot be read: {error.strerror or error}", where=str(path)) from None
    _keep(kept, made)
    return made


def index_path(folder: Path, path: Path, digest: str) -> Path:
    """Where the index of a file is kept, for one description of its times."""
    key = hashlib.sha256(f"{path}\n{digest}".encode()).hexdigest()
    return folder / f"{key[:24]}.json"


def _keep(path: Path, made: FileIndex) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(made.model_dump_json())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        problem = f"the index of a file could not be written: {error.strerror or error}"
        raise StorageError(
            problem, where=str(path), hint="Free some disk space, or set HELIO_HOME to a folder on another disk."
        ) from None


def _kept(path: Path) -> FileIndex | None:
    try:
        found = FileIndex.model_validate_json(path.read_bytes())
    except (OSError, ValidationError, HelioError):
        return None
    return found if found.version == INDEX_VERSION else None
