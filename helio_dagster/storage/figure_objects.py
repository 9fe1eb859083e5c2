"""Figures in an object store: the files of each, with the version of them all in their keys, and copies of them in a folder.

What draws, shows and prints figures works on files. A figure that was drawn is therefore sent to the store, and one that
another machine drew is brought into the folder when it is asked for. Drawing and judging figures is not done here.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.bucket import Bucket, NoObject, StoredObject
from helio_dagster.storage.object_owner import ObjectOwner

FOLDER = "figures"
_SCRIPTS = f"{FOLDER}/scripts"
_SUFFIXES = (".html", ".png", ".json")
"""In the order in which they are sent: a version with its last one is whole."""
_NAME = re.compile(r"(?P<name>[^@/]+)@(?P<version>[0-9a-f]{32})(?P<suffix>\.html|\.png|\.json)")
_SCRIPT = re.compile(r"[\w.-]+\.js")
_NOTES, _OURS_ALONE = ".store", "-"
_FRESH_S = 2.0
_AT_ONCE = 8
_MOST_LISTED = 1000


@dataclass(frozen=True)
class _Version:
    """The files of a figure in one version, by suffix."""

    version: str
    files: Mapping[str, StoredObject]

    @property
    def drawn_ns(self) -> int:
        return self.files[".json"].written_ns


class FigureObjects:
    """The figures below an address, and a folder with copies of those that were asked for.

    Parameters
    ----------
    bucket
        The address.
    owner
        Makes sure, before anything is written, that the home may do so at this address.
    folder
        Where figures are drawn, and where copies are put; `.store` in it holds which version each copy is.
    """

    def __init__(self, bucket: Bucket, owner: ObjectOwner, folder: Path) -> None:
        self._bucket, self._owner, self._folder = bucket, owner, folder
        self._listed: dict[str, tuple[float, dict[str, list[_Version]]]] = {}

    def names(self, stem: str) -> list[str]:
        """The names of the figures of an asset, without suffix."""
        return sorted(self._of_asset(stem))

    def send(self, stem: str, name: str, sidecar: bytes) -> None:
        """Store the figure that was drawn in the folder; what it replaces is deleted afterwards.

        One that may not be written to the store, as in a home that may only read it, stays in the folder.

        Parameters
        ----------
        stem, name
            What the names of the asset's files begin with, and those of this figure's without suffix.
        sidecar
            What its JSON file will hold, which is written when the figure is in the store.

        Raises
        ------
        StorageError
            The service cannot be reached.
        """
        try:
            self._owner.require()
        except StorageError:
            self._note(name, _OURS_ALONE)
            return
        contents = {".html": self._read(f"{name}.html"), ".png": self._read(f"{name}.png"), ".json": sidecar}
        found = {suffix: content for suffix, content in contents.items() if content is not None}
        self._listed.pop(stem, None)
        earlier = self._of_asset(stem).get(name, [])  # listed before, so that two who draw it never delete both
        version = _version_of(found)
        self._send_script(found.get(".html", b""))
        for suffix in _SUFFIXES:
            if suffix in found:
                self._bucket.put(_key(stem, name, version, suffix), found[suffix])
        self._note(name, version)
        old = [each.key for known in earlier if known.version != version for each in known.files.values()]
        self._bucket.delete(old)
        self._listed.pop(stem, None)

    def bring(self, stem: str, name: str) -> None:
        """Have the figure in the folder as it is in the store; nothing is done where it is already, or is not in the store.

        Raises
        ------
        StorageError
            The service cannot be reached, or the folder cannot be written.
        """
        for is_last in (False, True):
            current = _current(self._of_asset(stem).get(name, []))
            if current is None or self._noted(name) in (current.version, _OURS_ALONE):
                return
            try:
                contents = {suffix: self._bucket.get(each.key) for suffix, each in current.files.items()}
            except NoObject:  # replaced just now
                self._listed.pop(stem, None)
                if is_last:
                    return
                continue
            self._keep(name, current, contents)
            return

    def bring_all(self) -> None:
        """Have all figures in the folder, as `bring` does it."""
        listed = self._sorted(self._bucket.list_all(FOLDER))
        now = time.monotonic()
        self._listed = {stem: (now, figures) for stem, figures in listed.items()}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda place: self.bring(*place), [(stem, name) for stem in listed for name in listed[stem]]))

    def look_again(self) -> None:
        """Another process may have sent figures."""
        self._listed.clear()

    def objects(self, stem: str) -> list[StoredObject]:
        """All objects of an asset's figures."""
        return self._bucket.list(f"{FOLDER}/{stem}")

    def _keep(self, name: str, current: _Version, contents: Mapping[str, bytes]) -> None:
        """Put files of the store into the folder, dated when the figure was drawn."""
        if _version_of(contents) != current.version:
            raise StorageError(
                f"the figure {name} is damaged in {self._bucket.address}", hint="Draw it again: helio run --force."
            )
        self._bring_script(contents.get(".html", b""))
        moment = current.drawn_ns
        for suffix in _SUFFIXES:
            path = self._folder / f"{name}{suffix}"
            try:
                if suffix in contents:
                    write_bytes(path, contents[suffix])
                    os.utime(path, ns=(moment, moment))
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise storage_error(error, path) from error
        self._note(name, current.version)

    def _of_asset(self, stem: str) -> dict[str, list[_Version]]:
        """The figures of an asset, by name; listed at most two seconds ago."""
        known, now = self._listed.get(stem), time.monotonic()
        if known is not None and now - known[0] <= _FRESH_S:
            return known[1]
        found = self._sorted(self._bucket.list(f"{FOLDER}/{stem}")).get(stem, {})
        if len(self._listed) >= _MOST_LISTED:  # a server is asked for names that are of no figure, too
            self._listed.clear()
        self._listed[stem] = (now, found)
        return found

    def _sorted(self, objects: Iterable[StoredObject]) -> dict[str, dict[str, list[_Version]]]:
        """Whole versions of figures, by asset and name."""
        found: dict[tuple[str, str, str], dict[str, StoredObject]] = {}
        for each in objects:
            folder, _, last = each.key.rpartition("/")
            match, stem = _NAME.fullmatch(last), folder.rpartition("/")[2]
            if match is not None and match["name"].startswith(f"{stem}__"):
                found.setdefault((stem, match["name"], match["version"]), {})[match["suffix"]] = each
        by_stem: dict[str, dict[str, list[_Version]]] = {}
        for (stem, name, version), files in found.items():
            if ".json" in files:
                by_stem.setdefault(stem, {}).setdefault(name, []).append(_Version(version, files))
        return by_stem

    def _send_script(self, page: bytes) -> None:
        """Store the script that a page shares with others in its folder, unless it is there."""
        name = _script_of(page)
        content = self._read(name) if name else None
        if content is not None and not any(each.key == f"{_SCRIPTS}/{name}" for each in self._bucket.list(_SCRIPTS)):
            self._bucket.put(f"{_SCRIPTS}/{name}", content)

    def _bring_script(self, page: bytes) -> None:
        name = _script_of(page)
        if not name or (self._folder / name).is_file():
            return
        try:
            write_bytes(self._folder / name, self._bucket.get(f"{_SCRIPTS}/{name}"))
        except NoObject:
            return  # the page says that it cannot be drawn

    def _read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_error(error, self._folder / name) from error

    def _noted(self, name: str) -> str:
        """Which version the copy in the folder is; empty where it is of none, or is not there."""
        if not (self._folder / f"{name}.json").is_file():
            return ""
        return (self._read(f"{_NOTES}/{name}") or b"").decode("ascii", "replace")

    def _note(self, name: str, version: str) -> None:
        write_bytes(self._folder / _NOTES / name, version.encode())


def _current(versions: Iterable[_Version]) -> _Version | None:
    """The version drawn last."""
    return max(versions, key=lambda each: (each.drawn_ns, each.version), default=None)


def _version_of(contents: Mapping[str, bytes]) -> str:
    """Hash of all files of a figure."""
    whole = hashlib.sha256()
    for suffix in _SUFFIXES:
        content = contents.get(suffix)
        whole.update(f"{suffix} {-1 if content is None else len(content)}\n".encode() + (content or b""))
    return whole.hexdigest()[:32]


def _key(stem: str, name: str, version: str, suffix: str) -> str:
    return f"{FOLDER}/{stem}/{name}@{version}{suffix}"


def _script_of(page: bytes) -> str:
    """The name of the script in its folder that a page loads; empty where it loads none."""
    found = re.search(rb'<script[^>]* src="([^"/]+)"', page)
    name = found[1].decode("ascii", "replace") if found else ""
    return name if _SCRIPT.fullmatch(name) else ""
