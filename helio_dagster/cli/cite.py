"""`helio cite`: what to cite for a pipeline's results."""

from __future__ import annotations

from typing import Annotated

import typer

from helio_dagster.cli.on_server import OnServer, limits_of, pipeline_there, served_by
from helio_dagster.cli.options import AsJson, PipelineName, Times, Verbose, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write, write_error, write_json


def cite(
    pipeline: PipelineName,
    times: Times = None,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print BibTeX entries.")] = False,
    on: OnServer = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Show what to cite for PIPELINE; with a range, for the files used in it."""
    from helio_dagster.launch.credit.bibtex import to_bibtex
    from helio_dagster.launch.credit.citation import cite as launch
    from helio_dagster.launch.credit.citation_text import lines_of
    from helio_dagster.launch.home import Home
    from helio_dagster.resources.workbench import Workbench

    if on is not None:
        with served_by(on) as (remote, _):
            citation = remote.cite(pipeline_there(pipeline), *limits_of(times))
    else:
        settings = settings_from_environment()
        workbench = Workbench(settings)
        opened, now = Home(settings).open(pipeline), workbench.clock()
        span = opened.span(span_from_words(times, now), now) if times else None
        citation = launch(opened.graph, opened.pipeline, span, workbench)
    if as_json:
        more = {"bibtex": to_bibtex(citation)} if bibtex else {}
        write_json(citation.model_dump() | more)
    elif bibtex:
        write(to_bibtex(citation))
        for dataset in citation.datasets:
            if dataset.unknown:
                write_error(f"{dataset.dataset}: {dataset.unknown}\n")
    else:
        write("\n".join(lines_of(citation, is_verbose=verbose)) + "\n")
    return 0
