"""What a bundle of results holds: a list of its files with their hashes, kept in the bundle."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.domain.errors import InputError

MANIFEST = "manifest.json"
CRATE = "ro-crate-metadata.json"
LARGEST_MANIFEST = 20 << 20
FileKind = Literal[
    "data",
    "figure",
    "facts",
    "pipeline",
    "operation",
    "list",
    "own_file",
    "input",
    "master",
    "environment",
    "citation",
    "methods",
]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BundledFile(_Value):
    """A file of a bundle; `values` is the hash of a table's content, whatever bytes hold it."""

    path: str
    kind: FileKind
    size: int
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    about: str = ""
    values: str = ""


class Manifest(_Value):
    """What a bundle says of itself. `start` and `stop` are the range; `published` the date that its metadata give."""

    version: Literal[1] = 1
    pipeline: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    start: str = ""
    stop: str = ""
    published: str
    license: str
    authors: tuple[str, ...] = ()
    files: tuple[BundledFile, ...]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an unpacked bundle.

    Raises
    ------
    InputError
        The folder is not a bundle, or the manifest is damaged.
    """
    path = folder / MANIFEST
    hint = "Give a folder or .zip file that `helio bundle` wrote."
    if not path.is_file() or path.stat().st_size > LARGEST_MANIFEST:
        raise InputError(f"it is not a bundle: it has no {MANIFEST}", where=str(folder), hint=hint)
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{MANIFEST} is damaged: {place}: {first['msg']}", where=str(folder), hint=hint) from None


def sha256_of(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
