"""`helio figure`: put a pipeline's figures on paper."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.on_server import OnServer, figures_there
from helio_dagster.cli.options import AsJson, Times, settings_from_environment, span_from_words
from helio_dagster.cli.print_options import with_print_options
from helio_dagster.cli.terminal import write, write_error, write_json
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.print_options import PrintOptions

if TYPE_CHECKING:
    from helio_dagster.domain.printing import Printing
    from helio_dagster.launch.running.printing import Format, PrintedFigure


@with_print_options
def figure(
    name: Annotated[str, typer.Argument(metavar="PIPELINE[/STEP]", help="A pipeline (name or file), or one of its figures.")],
    times: Times = None,
    form: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="pdf, svg, png or html. Default: by FILE's suffix, or pdf.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="File to write. Default: a name made of the figure and range."),
    ] = None,
    on: OnServer = None,
    as_json: AsJson = False,
    *,
    how: PrintOptions,
) -> int:
    """Draw the figures of PIPELINE from START to STOP for a paper or a talk, after running what is missing."""
    from helio_dagster.domain.printing import read_printing
    from helio_dagster.launch.running.printing import output_path

    chosen = _format(form, output)
    if output is not None and not output.parent.is_dir():
        raise InputError(
            f"there is no folder {output.parent}", hint="Make it first, or give -o a file in a folder that is there."
        )
    wanted = read_printing(how, lead="--")
    pipeline, _, step = name.partition("/") if not name.endswith((".yaml", ".yml")) else (name, "", "")
    if on is None:
        printed = _printed_here(pipeline, step, times, chosen, wanted)
    else:
        printed = figures_there(on, pipeline, step, times, chosen, how)
    made: list[dict[str, Any]] = []
    with closing(printed):
        for owner, each in printed:
            if output is not None and made:
                raise InputError(
                    "there are several figures, and -o names one file",
                    hint=f"Name a step ({made[0]['step']}), or leave -o out.",
                )
            path = output or output_path(each, owner, chosen)
            each.save(path)
            size = {"width_mm": round(each.width_mm, 1), "height_mm": round(each.height_mm, 1)}
            made.append({"step": each.step, "file": str(path), "range": str(each.span), **size})
            if not as_json:
                shown = f"{size['width_mm']:g} x {size['height_mm']:g} mm, {len(each.content) / 1000:,.0f} kB"
                write(f"{path}: {owner}/{each.step}, {each.span}, {shown}\n")
    if as_json:
        write_json({"figures": made})
    return 0


def _printed_here(
    pipeline: str, step: str, times: Sequence[str] | None, form: Format, wanted: Printing
) -> Generator[tuple[str, PrintedFigure]]:
    """The figures with the name of their pipeline, drawn in this home."""
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.printing import bring_up_to_date, check_paper, figure_steps, print_figures
    from helio_dagster.resources.workbench import Workbench

    settings = settings_from_environment()
    with Workbench(settings, begun_by="command line") as workbench:
        opened, now = Home(settings).open(pipeline), workbench.clock()
        request = opened.request(opened.asked_range(span_from_words(times, now) if times else None, now), now)
        nodes = figure_steps(request, step or None)
        check_paper(nodes, wanted)
        report = bring_up_to_date(request, workbench)
        if report.run_id is not None:
            write_error(f"{report.pipeline}: ran what was missing, {report.status} in {report.seconds:.1f} s\n")
        for each in print_figures(request, nodes, workbench, form, wanted):
            yield request.pipeline.name, each


def _format(form: str | None, output: Path | None) -> Format:
    """The format that is named, or that of the file's suffix."""
    from helio_dagster.launch.running.printing import FORMATS

    suffix = output.suffix.lower().removeprefix(".") if output is not None else ""
    chosen = form.lower() if form else suffix or "pdf"
    if chosen not in FORMATS:
        raise InputError(f"{chosen} is not a figure format", hint=f"Write one of: {', '.join(FORMATS)}.")
    if form and suffix and suffix != chosen:
        raise InputError(f"--format {chosen} and the suffix of {output} disagree", hint="Leave one of them out.")
    return chosen
