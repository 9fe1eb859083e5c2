"""Bundles on disk: a folder or a zip file. A zip from elsewhere is unpacked only once it is known to be harmless."""

from __future__ import annotations

import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio_dagster.domain.errors import InputError
from helio_dagster.storage.atomic import atomic_path

_MOST_FILES = 20_000
_LARGEST = 20 << 30
_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 64 << 20
_PIECE = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_ODD = re.compile(r"[\x00-\x1f\x7f\\:]")
_HINT = "It is not what `helio bundle` writes. Nothing of it was unpacked."


def write_zip(folder: Path, target: Path) -> None:
    """Pack a folder: the same files give the same bytes, whenever and by whomever they are packed."""
    with atomic_path(target) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
                entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
                entry.external_attr = (stat.S_IFREG | 0o644) << 16
                with path.open("rb") as source, archive.open(entry, "w", force_zip64=path.stat().st_size > 1 << 31) as into:
                    while piece := source.read(_PIECE):
                        into.write(piece)


@contextmanager
def opened_bundle(path: Path) -> Iterator[Path]:
    """The folder of a bundle; that of a zip file is temporary.

    Raises
    ------
    InputError
        It is not there, leads outside itself, unpacks to far more than it holds, or is not a zip file.
    """
    if path.is_dir():
        for each in path.rglob("*"):
            if each.is_symlink():
                raise InputError(f"{each.relative_to(path)} is a link", where=str(path), hint="Put the file itself there.")
        yield path
        return
    if not path.is_file():
        raise InputError(f"there is no bundle {path}", hint="Give a folder or .zip file that `helio bundle` wrote.")
    with tempfile.TemporaryDirectory(prefix="helio-bundle-") as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in _harmless(archive, path):
                    _unpack(archive, entry, Path(folder) / entry.filename, path)
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise InputError(f"the zip file is damaged: {error}", where=str(path), hint="Copy it again.") from None
        yield Path(folder)


def _harmless(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    entries = [each for each in archive.infolist() if not each.is_dir()]
    if len(entries) > _MOST_FILES:
        raise InputError(f"it holds {len(entries):,} files, more than a bundle may", where=str(path), hint=_HINT)
    names: set[str] = set()
    for each in entries:
        name = each.filename
        parts = name.split("/")
        if name.startswith("/") or any(part in ("", ".", "..") for part in parts) or _ODD.search(name):
            raise InputError(f"it holds a file with the name {name!r:.120}, outside the bundle", where=str(path), hint=_HINT)
        kind = stat.S_IFMT(each.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise InputError(f"{name!r:.120} in it is a link or device, not a file", where=str(path), hint=_HINT)
        if name.casefold() in names:
            raise InputError(f"it holds {name!r:.120} twice", where=str(path), hint=_HINT)
        names.add(name.casefold())
    size, packed = sum(each.file_size for each in entries), path.stat().st_size
    if size > min(_LARGEST, _ALWAYS_ALLOWED + _MOST_EXPANSION * packed):
        raise InputError(f"it would unpack from {packed:,} to {size:,} bytes", where=str(path), hint=_HINT)
    return entries


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, path: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with archive.open(entry) as source, target.open("xb") as into:
        while piece := source.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise InputError(f"{entry.filename!r:.120} is larger than it says", where=str(path), hint=_HINT)
            into.write(piece)
