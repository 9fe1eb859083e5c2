"""`helio check`: find mistakes in pipeline files before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json
from helio_dagster.domain.errors import PipelineError, Problem, StorageError

if TYPE_CHECKING:
    from pathlib import Path


def check(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE…]", help="Names of pipelines, or paths to their files. Default: all.")
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of pipeline files, for editors.")] = False,
    as_json: AsJson = False,
) -> int:
    """Check pipelines: syntax, names, references, cycles, operations, units and frames."""
    from helio_dagster.domain.pipeline_text import pipeline_schema

    if schema:
        write_json(pipeline_schema(), indent=2)
        return 0
    checked, problems, notes = _check(files or [])
    if as_json:
        listed = {"problems": [vars(problem) for problem in problems], "notes": [vars(note) for note in notes]}
        write_json({"checked": checked, **listed})
    else:
        for problem in problems:
            write(f"{problem}\n")
        for note in notes:
            write(f"note: {note}\n")
        plural = "s" if len(problems) != 1 else ""
        write(f"{len(checked)} checked, {len(problems)} problem{plural}\n")
    return 2 if problems else 0


def _check(names: list[str]) -> tuple[list[str], list[Problem], list[Problem]]:
    """Names that were checked, faults in them, and notes."""
    from helio_dagster.assets.library import check_files
    from helio_dagster.launch.home import Home
    from helio_dagster.storage.pipeline_library import read_pipeline

    home = Home(settings_from_environment())
    library = home.library
    paths = [library.find(name) for name in names] or [library.folder / f"{name}.yaml" for name in library.names()]
    found, problems = {}, [] if names else _misnamed(library.folder)
    for path in paths:
        try:
            file = read_pipeline(path)
        except PipelineError as error:
            problems += error.problems
        except StorageError as error:
            problems.append(Problem(str(path), 0, "", error.problem, error.hint))
        else:
            found[file.pipeline.name] = file
    others = {file.pipeline.name: file for file in library.load_all(but=paths)} if names else {}
    findings = check_files(
        {**others, **found}, home.catalog, home.operations.get, limits=home.settings.code_limits, lists=home.settings.pipelines
    )
    wanted = {file.file for file in found.values()}
    problems += [problem for problem in findings.problems if problem.file in wanted]
    return [str(path) for path in paths], problems, [note for note in findings.notes if note.file in wanted]


def _misnamed(folder: Path) -> list[Problem]:
    """YAML files whose names are not pipeline names, so that nothing would find them."""
    from helio_dagster.domain.pipeline_fields import is_name

    hint = "Use lower-case letters, digits and underscores, ending in .yaml: ace_overview.yaml."
    return [
        Problem(str(path), 0, "", "the file's name is not a pipeline name", hint)
        for path in sorted(folder.glob("*.y*ml"))
        if path.suffix != ".yaml" or not is_name(path.stem)
    ]
