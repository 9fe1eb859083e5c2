"""Levels of a stored table at rest: fewer samples for its lines, beside the table, made when a figure first needs them."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import write_bytes

LEVELS_SUFFIX = ".levels.npz"
_VERSION = "of"
_DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged file raises; it is made again."""

Levels = Mapping[str, NDArray[Any]]


def levels_path(table: Path) -> Path:
    """The file of the levels of a table's file."""
    return table.with_suffix(LEVELS_SUFFIX)


def stored_levels(table: Path, version: str, make: Callable[[], Levels]) -> Levels:
    """The levels of a table of this version: those at rest, else made and kept; a folder that cannot be written keeps none.

    Parameters
    ----------
    table
        The table's file.
    version
        Data version of the table, and of how levels are made.
    make
        Makes them.
    """
    path = levels_path(table)
    found = levels_from(path, version)
    if found is not None:
        return found
    levels = make()
    with suppress(StorageError):
        write_bytes(path, levels_as_bytes(levels, version))
    return levels


def levels_from(source: Path | BytesIO, version: str) -> Levels | None:
    """The levels in a file or its content; None where it is damaged, absent, or of another version."""
    with suppress(*_DAMAGED), np.load(source, allow_pickle=False) as found:
        if found[_VERSION].item() == version:
            return {name: found[name] for name in found.files if name != _VERSION}
    return None


def levels_as_bytes(levels: Levels, version: str) -> bytes:
    """The content of a file of levels."""
    stream = BytesIO()
    np.savez(stream, allow_pickle=False, **{_VERSION: np.array(version)}, **levels)
    return stream.getvalue()
