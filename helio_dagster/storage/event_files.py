"""Lists of events beside the pipelines."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.small_files import read_small_file

LARGEST_LIST_BYTES = 32_000_000


def read_event_file(folder: Path, name: str) -> str:
    """The text of a list below the folder of pipelines.

    Raises
    ------
    InputError
        There is no such file, or it cannot be read as text.
    """
    path = folder / name
    try:
        return read_list_file(path)
    except FileNotFoundError:
        hint = f"Put it into {folder}, or correct `file:`."
        raise InputError(f"there is no list {name} beside the pipelines", where=str(path), hint=hint) from None


def read_list_file(path: Path) -> str:
    """The text of a list.

    Raises
    ------
    InputError
        It cannot be read as text.
    FileNotFoundError
        There is no such file.
    """
    try:
        return text_of_list(read_small_file(path, LARGEST_LIST_BYTES), path.name, where=str(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"the list {path.name} cannot be read: {error.strerror}", where=str(path)) from None


def text_of_list(content: bytes, name: str, *, where: str = "") -> str:
    """The text of a list's bytes; InputError if they are not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"the list {name} is not UTF-8 text", where=where, hint="Save it as UTF-8.") from None
