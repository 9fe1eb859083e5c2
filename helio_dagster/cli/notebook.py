"""`helio notebook` and `helio script`: a pipeline as a document that runs elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import PipelineName, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.launch.carrying.cells import Cell

Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="File to write. Default: the pipeline's name.", show_default=False),
]

Standalone = Annotated[
    bool, typer.Option("--standalone", help="Plain pandas over the archive's files, for a reviewer: without helio_dagster.")
]
Files = Annotated[bool, typer.Option("--files", help="Save the archive's files next to a standalone script.")]


def notebook(pipeline: PipelineName, times: Times = None, output: Output = None) -> int:
    """Write PIPELINE from START to STOP as a Jupyter notebook: words, pipeline, run, results, figures, citations.

    It runs from top to bottom where helio_dagster is installed, and carries the pipeline with all it needs.
    """
    from helio_dagster.launch.carrying.notebook import notebook as document

    name, cells = _cells(pipeline, times)
    return _written(document(cells), output or Path(f"{name}.ipynb"))


def script(
    pipeline: PipelineName, times: Times = None, output: Output = None, standalone: Standalone = False, files: Files = False
) -> int:
    """Write PIPELINE from START to STOP as a Python script that prints its results and saves its figures.

    It runs where helio_dagster is installed, and carries the pipeline with all it needs. With --standalone it needs no
    helio_dagster: it computes the same in plain pandas from the archive's files, and says whether the numbers agree.
    """
    from helio_dagster.launch.carrying.script import script as document

    if standalone:
        return _standalone(pipeline, times, output, has_files=files)
    if files:
        raise InputError("--files belongs to --standalone", hint="Give both.")
    name, cells = _cells(pipeline, times)
    return _written(document(cells), output or Path(f"{name}.py"))


def _standalone(pipeline: str, times: list[str] | None, output: Path | None, *, has_files: bool) -> int:
    from helio_dagster.figures.rendering import write_picture
    from helio_dagster.launch.carrying.review import review
    from helio_dagster.launch.home import Home
    from helio_dagster.resources.workbench import utc_now

    home, now = Home(settings_from_environment()), utc_now()
    asked = span_from_words(times, now) if times else None
    folder = f"{output.stem}_files" if output is not None else "{name}_standalone_files"
    made = review(home, pipeline, asked, folder, now)
    path = output or Path(f"{made.name}_standalone.py")
    if has_files or made.only_here:
        beside = path.with_name(folder.replace("{name}", made.name))
        for name, content in made.files():
            write_picture(beside / name, content)
        write(f"{beside}: the archive's files that it reads\n")
    return _written(made.text.encode(), path)


def _cells(pipeline: str, times: list[str] | None) -> tuple[str, list[Cell]]:
    """The pipeline's name, and what its document does."""
    from helio_dagster.launch.carrying.cells import cells_of
    from helio_dagster.launch.home import Home
    from helio_dagster.resources.workbench import utc_now

    home = Home(settings_from_environment())
    asked = span_from_words(times, utc_now()) if times else None
    return home.open(pipeline).pipeline.name, cells_of(home, pipeline, asked)


def _written(content: bytes, path: Path) -> int:
    from helio_dagster.figures.rendering import write_picture

    write_picture(path, content)
    write(f"{path}: {len(content) / 1000:,.0f} kB\n")
    return 0
