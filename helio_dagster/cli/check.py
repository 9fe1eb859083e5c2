"""`helio check`: every fault of pipeline files before anything runs. The rules themselves are in `domain.pipeline_check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.words import AsJson
from helio_dagster.domain.errors import HelioError, PipelineError, Problem

if TYPE_CHECKING:
    from helio_dagster.domain.pipeline_text import PipelineFile
    from helio_dagster.storage.pipeline_library import PipelineLibrary


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Pipeline files or names; all of the library where none is given."),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a pipeline file, for editors.")] = False,
    as_json: AsJson = False,
) -> int:
    """Validate pipelines: every problem with its file, line and path, and what to do about it."""
    from helio_dagster.cli.edge import settings_from_environment
    from helio_dagster.domain.pipeline_text import pipeline_schema
    from helio_dagster.storage.pipeline_library import PipelineLibrary

    if schema:
        sys.stdout.write(json.dumps(pipeline_schema(), indent=2) + "\n")
        return 0
    library = PipelineLibrary(settings_from_environment().pipelines)
    paths = [library.find(name) for name in files] if files else sorted(library.folder.glob("*.y*ml"))
    problems, notes = find_problems(paths, library)
    if as_json:
        found = {"checked": len(paths), "problems": [vars(at) for at in problems], "notes": [vars(at) for at in notes]}
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        _print(paths, problems, notes, library.folder)
    return 2 if problems else 0


def find_problems(paths: list[Path], library: PipelineLibrary) -> tuple[list[Problem], list[Problem]]:
    """Problems and notes of some files, read together with the other pipelines of the library that they may refer to."""
    from helio_dagster.compute.operation import get_operation
    from helio_dagster.domain.pipeline import is_name
    from helio_dagster.domain.pipeline_check import examine_pipelines
    from helio_dagster.storage.pipeline_library import read_pipeline

    problems: list[Problem] = []
    given: dict[str, PipelineFile] = {}
    for path in paths:
        if path.suffix != ".yaml" or not is_name(path.stem):
            hint = "Call it by small letters, digits and underscores, and .yaml: ace_overview.yaml."
            problems.append(Problem(str(path), 0, "", "the file's name is no pipeline name", hint))
            continue
        try:
            found = read_pipeline(path)
        except PipelineError as error:
            problems += error.problems
        except HelioError as error:
            problems.append(Problem(str(path), 0, "", error.problem, error.hint))
        else:
            given[found.pipeline.name] = found
    everything = {found.pipeline.name: found for found in library.load_all()} | given
    findings = examine_pipelines(everything, get_operation)
    asked = {found.file for found in given.values()}
    problems += [problem for problem in findings.problems if problem.file in asked]
    return problems, [note for note in findings.notes if note.file in asked]


def _print(paths: list[Path], problems: list[Problem], notes: list[Problem], folder: Path) -> None:
    if not paths:
        sys.stdout.write(f"There are no pipelines in {folder}. `helio plan` makes one.\n")
        return
    for problem in problems:
        sys.stdout.write(f"{problem}\n")
    for note in notes:
        sys.stdout.write(f"note: {note}\n")
    checked = f"{len(paths)} pipeline{'s' if len(paths) > 1 else ''} checked"
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}" if problems else "no problems"
    sys.stdout.write(f"{checked}, {count}\n")
