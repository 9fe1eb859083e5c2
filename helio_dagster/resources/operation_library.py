"""All operations of a home by the name that pipelines use: the shipped ones, and those saved in one folder."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio_dagster.compute.operation import OPERATION_IDS, get_operation, operations
from helio_dagster.compute.operation_file import OperationFile, dump_operation, parse_operation
from helio_dagster.compute.operations.contract import Operation
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, OperationFileError, Problem
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.small_files import read_small_file

if TYPE_CHECKING:
    from helio_dagster.compute.code_operation import CodeOperation

_log = logging.getLogger(__name__)
_FILE = re.compile(r"([a-z][a-z0-9_]*)@([1-9][0-9]{0,3})\.yaml")
_NAME = re.compile(r"([a-z][a-z0-9_]*)(?:@([1-9][0-9]{0,3}))?")


class OperationLibrary:
    """Operations as pipelines name them: `magnitude` for a shipped one, `my_filter@2` for version 2 of a saved one.

    Parameters
    ----------
    folder
        Folder of files `<id>@<version>.yaml`; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: Mapping[str, list[int]] | None = None
        self._opened: dict[tuple[str, int], CodeOperation] = {}

    def get(self, reference: str) -> Operation[Any]:
        """The operation that a pipeline names.

        Raises
        ------
        InputError
            There is no such operation or version; the hint lists what exists.
        """
        match = _NAME.fullmatch(reference)
        if match is None:
            raise InputError(
                f"{reference!r:.80} is not an operation name", hint="Write its id, or id@version for a saved operation."
            )
        name, version = match[1], int(match[2] or 0)
        if name in OPERATION_IDS:
            found = get_operation(name)
            if version not in (0, found.version):
                hint = f"Write {name}: this helio_dagster ships version {found.version} only."
                raise InputError(f"there is no version {version} of {name}", hint=hint)
            return found
        versions = self.versions(name)
        if not versions:
            known = [*OPERATION_IDS, *self.ids]
            raise InputError(f"there is no operation {name!r}", hint=remedy(name, known, what="operations"))
        if not version:
            hint = f"Write {name}@{versions[-1]}, so that the pipeline always uses that version."
            raise InputError(f"the saved operation {name!r} needs a version", hint=hint)
        if version not in versions:
            hint = f"Saved versions: {', '.join(f'{name}@{each}' for each in versions)}."
            raise InputError(f"there is no version {version} of {name}", hint=hint)
        return self._read(name, version)

    def all(self) -> Iterator[Operation[Any]]:
        """Shipped operations, then saved ones, each in its newest version; unreadable files are skipped with a warning."""
        yield from operations()
        for name in self.ids:
            try:
                yield self._read(name, self.versions(name)[-1])
            except InputError as error:
                _log.warning("left out: %s", error)

    def files(self) -> Iterator[OperationFile]:
        """Every readable saved operation, in all versions."""
        for name in self.ids:
            for version in self.versions(name):
                try:
                    yield self._read(name, version).file
                except InputError as error:
                    _log.warning("left out: %s", error)

    @property
    def ids(self) -> list[str]:
        """Ids of the saved operations, in order."""
        return sorted(self._versions)

    def versions(self, name: str) -> list[int]:
        """The saved versions of an operation, oldest first."""
        return sorted(self._versions.get(name, []))

    def path(self, name: str, version: int) -> Path:
        """The path of a version of an operation, existing or not."""
        return self.folder / f"{name}@{version}.yaml"

    def save(self, operation: OperationFile) -> Path:
        """Write a new version.

        Raises
        ------
        InputError
            See `require_free`.
        StorageError
            The folder cannot be written.
        """
        self.require_free(operation)
        path = self.path(operation.id, operation.version)
        write_bytes(path, dump_operation(operation).encode())
        self._forget()
        return path

    def require_free(self, operation: OperationFile) -> None:
        """Refuse to save under a name that is taken.

        Raises
        ------
        InputError
            The id belongs to a shipped operation, or the version exists already.
        """
        if operation.id in OPERATION_IDS:
            raise InputError(f"{operation.id} is the id of a shipped operation", hint="Give yours another id.")
        path = self.path(operation.id, operation.version)
        if path.exists():
            newest = self.versions(operation.id)[-1]
            hint = f"Write version: {newest + 1}; pipelines that name an older version keep using it."
            raise InputError(f"{operation.reference_name} is saved already, and a saved version never changes", hint=hint)

    def remove(self, name: str, version: int) -> Path:
        """Delete a saved version."""
        path = self.path(name, version)
        try:
            path.unlink()
        except OSError as error:
            raise storage_error(error, path) from error
        self._forget()
        return path

    @property
    def _versions(self) -> Mapping[str, list[int]]:
        if self._found is None:
            found: dict[str, list[int]] = {}
            for path in self.folder.glob("*.yaml") if self.folder.is_dir() else ():
                match = _FILE.fullmatch(path.name)
                if match is not None:
                    found.setdefault(match[1], []).append(int(match[2]))
            self._found = found
        return self._found

    def _read(self, name: str, version: int) -> CodeOperation:
        if (name, version) not in self._opened:
            path = self.path(name, version)
            operation = read_operation(path)
            if (operation.id, operation.version) != (name, version):
                problem = f"the file is named {path.name} but contains {operation.reference_name}"
                raise OperationFileError([Problem(str(path), 0, "id", problem, "Name the file <id>@<version>.yaml.")])
            from helio_dagster.compute.code_operation import CodeOperation

            self._opened[name, version] = CodeOperation(operation)
        return self._opened[name, version]

    def _forget(self) -> None:
        self._found = None
        self._opened.clear()


def read_operation(path: Path) -> OperationFile:
    """The operation in a file.

    Raises
    ------
    OperationFileError
        The file is wrong.
    StorageError
        It cannot be read.
    """
    try:
        text = read_small_file(path).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = Problem(str(path), 0, "", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8.")
        raise OperationFileError([problem]) from None
    except InputError as error:
        raise OperationFileError([Problem(str(path), 0, "", error.problem, error.hint)]) from None
    except OSError as error:
        raise storage_error(error, path) from error
    return parse_operation(text, file=str(path))
