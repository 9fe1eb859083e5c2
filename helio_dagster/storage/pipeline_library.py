"""The folder of pipeline files: which there are, reading and writing them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError, PipelineError, Problem, StorageError
from helio_dagster.domain.pipeline_fields import is_name
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.small_files import read_small_file

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PipelineLibrary:
    """Pipelines as files `<name>.yaml` of one folder; a Dagster component's own `defs.yaml` is none."""

    folder: Path

    def names(self) -> list[str]:
        """Names of the files there, in order; a missing folder has none."""
        return sorted(path.stem for path in self.folder.glob("*.yaml") if is_name(path.stem) and not _is_component(path))

    def path(self, name: str) -> Path:
        """Where the pipeline of this name is.

        Raises
        ------
        InputError
            The text cannot be a pipeline's name.
        """
        if not is_name(name):
            raise InputError(f"{name!r} is not a pipeline name", hint="Names are small letters, digits and _, as ace_overview.")
        return self.folder / f"{name}.yaml"

    def find(self, name_or_path: str) -> Path:
        """The file a person means: a name of the folder, or a path to a file.

        Raises
        ------
        InputError
            There is none; the hint offers the nearest.
        """
        if name_or_path.endswith((".yaml", ".yml")):
            path = Path(name_or_path)
            if not path.exists():
                raise InputError(f"there is no file {name_or_path}", hint="Give a pipeline's name or the path of its file.")
            return path
        path = self.path(name_or_path)
        if not path.exists():
            names = self.names()
            made = "There are none yet: `helio chat` makes one, and `helio plan` with `-o` saves one."
            hint = remedy(name_or_path, names, what="pipelines there") if names else made
            raise InputError(f"there is no pipeline {name_or_path!r} in {self.folder}", hint=hint)
        return path

    def load(self, name_or_path: str) -> PipelineFile:
        """The pipeline and its text.

        Raises
        ------
        InputError
            There is no such file.
        PipelineError
            The file is wrong.
        """
        return read_pipeline(self.find(name_or_path))

    def load_all(self, *, but: Collection[Path] = ()) -> Iterator[PipelineFile]:
        """All readable pipelines `but` those of some files; one that is wrong is left out with a warning and hides no other."""
        for name in self.names():
            if self.folder / f"{name}.yaml" in but:
                continue
            try:
                yield read_pipeline(self.folder / f"{name}.yaml")
            except (PipelineError, StorageError) as error:
                _log.warning("left out: %s", error)

    def read_all(self) -> list[PipelineFile]:
        """All pipelines; PipelineError with the problems of all files if one is wrong."""
        found, problems = [], []
        for name in self.names():
            try:
                found.append(read_pipeline(self.folder / f"{name}.yaml"))
            except PipelineError as error:
                problems += error.problems
        if problems:
            raise PipelineError(problems)
        return found

    def save(self, name: str, text: str) -> Path:
        """Write a pipeline's text under its name."""
        path = self.path(name)
        write_bytes(path, text.encode())
        return path

    def remove(self, name: str) -> Path:
        """Delete a pipeline's file; InputError where there is none, StorageError where it cannot be deleted."""
        path = self.find(name)
        try:
            path.unlink()
        except OSError as error:
            raise storage_error(error, path) from error
        return path


def _is_component(path: Path) -> bool:
    """Whether a file is the `defs.yaml` of a Dagster component that lies beside its pipelines."""
    if path.name != "defs.yaml":
        return False
    try:
        return any(line.startswith("type:") for line in path.read_text().splitlines())
    except (OSError, UnicodeDecodeError):
        return False


def read_pipeline(path: Path) -> PipelineFile:
    """The pipeline in a file; PipelineError where it is wrong."""
    try:
        text = read_small_file(path).decode("utf-8")  # ends of lines as they are
    except UnicodeDecodeError as error:
        problem = Problem(str(path), 0, "", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8.")
        raise PipelineError([problem]) from None
    except InputError as error:
        raise PipelineError([Problem(str(path), 0, "", error.problem, error.hint)]) from None
    except OSError as error:
        raise storage_error(error, path) from error
    return parse_pipeline(text, file=str(path))
