"""Rename a pipeline: its file, and the references to it. Tables stay where they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.launch.home import Home
from helio_dagster.storage.file_changes import change_files
from helio_dagster.storage.small_files import read_small_file
from helio_dagster.storage.table_stores import open_tables


@dataclass(frozen=True)
class Renamed:
    """What a rename changed.

    `references` are the updated places in other pipelines, as `pipeline: path`; `tables` are the assets still stored under the
    old name. `is_approved` says whether its approval is still valid.
    """

    old: str
    new: str
    path: Path
    references: tuple[str, ...]
    tables: tuple[str, ...]
    was_approved: bool
    is_approved: bool


def rename_pipeline(home: Home, old: str, new: str) -> Renamed:
    """Rename a pipeline of a home's library, and all references to its steps; all files change or none.

    If a rename was killed before the old file was deleted, the same call completes it.

    Raises
    ------
    InputError
        There is no such pipeline, the new name is invalid or taken, or a text cannot be edited.
    PipelineError
        The pipeline is invalid.
    StorageError
        A file cannot be written.
    """
    library = home.library
    source, target = library.path(old), library.path(new)
    if old == new:
        raise InputError(f"the pipeline is already named {old!r}", hint="Give another name.")
    found = library.load(old)
    _require_readable(home, old)
    others = {name: file for name, file in home.files.items() if name not in (old, new)}
    own = found.renamed(new, file=str(target))
    if target.exists() and _bytes_of(target) != own.text.encode():
        raise InputError(f"there is a pipeline {new!r} already", hint="Give another name, or rename or delete that one first.")
    references = [(name, path) for name, file in others.items() for path, _ in file.references_to(old)]
    changed = {Path(others[name].file): others[name].retargeted(old, new) for name in dict(references)}
    texts = {target: own, **changed}
    change_files({path: file.text.encode() for path, file in texts.items()}, removed=[source])
    tables = [asset for asset in open_tables(home.settings).assets() if asset.startswith(f"{old}/")]
    return Renamed(
        old,
        new,
        target,
        tuple(f"{name}: {path}" for name, path in references),
        tuple(tables),
        found.pipeline.approved is not None,
        own.is_as_approved,
    )


def readers(home: Home, name: str) -> dict[str, PipelineFile]:
    """The other pipelines of a home that read steps of this one."""
    return {other: file for other, file in home.files.items() if other != name and file.references_to(name)}


def _require_readable(home: Home, old: str) -> None:
    """Refuse if an unreadable pipeline may refer to this one, because its references could not be updated."""
    for name in home.library.names():
        path = home.library.path(name)
        if name not in home.files and f"{old}/".encode() in _bytes_of(path):
            hint = "`helio check` shows what is wrong in it; fix or remove it first."
            raise InputError(f"{path} cannot be read and may refer to {old}", hint=hint)


def _bytes_of(path: Path) -> bytes:
    return read_small_file(path) if path.is_file() else b""
