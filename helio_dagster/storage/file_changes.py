"""Several files changed together: all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from helio_dagster.storage.atomic import new_part, storage_error


def change_files(contents: Mapping[Path, bytes], *, removed: Iterable[Path] = ()) -> None:
    """Write all files, in the order given, then remove others; where one cannot be, all are as they were before.

    What is new and what it replaces are both on the disk before the first file changes, so that putting back needs no space.
    A process that is killed in between leaves whole files, those of the order's beginning new.

    Parameters
    ----------
    contents
        Path to the bytes it shall hold; folders are made where they are missing.
    removed
        Files that shall be no more.

    Raises
    ------
    StorageError
        A file cannot be written or removed; nothing is changed.
    """
    gone = list(removed)
    with _staging() as stage:
        news = {path: stage(path, content) for path, content in contents.items()}
        olds = {path: stage(path, _content(path)) for path in [*contents, *gone] if path.is_file()}
        changed: list[Path] = []
        try:
            for path in [*contents, *gone]:
                _change(path, news.get(path))
                changed.append(path)
        except BaseException:
            for path in reversed(changed):
                with suppress(OSError):
                    _put_back(path, olds.get(path))
            raise


def _change(path: Path, new: Path | None) -> None:
    try:
        if new is None:
            path.unlink()
        else:
            new.replace(path)
    except OSError as error:
        raise storage_error(error, path) from error


def _put_back(path: Path, old: Path | None) -> None:
    if old is None:
        path.unlink()
    else:
        old.replace(path)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise storage_error(error, path) from error


class _Stage:
    """Makes temporary files beside those that they shall become."""

    def __init__(self) -> None:
        self.made: list[Path] = []

    def __call__(self, path: Path, content: bytes) -> Path:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, part = new_part(path)
            self.made.append(part)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:
            raise storage_error(error, path) from error
        return self.made[-1]


@contextmanager
def _staging() -> Iterator[_Stage]:
    stage = _Stage()
    try:
        yield stage
    finally:
        for path in stage.made:
            with suppress(OSError):
                path.unlink(missing_ok=True)
