"""`helio try`: run one step on one partition without recording it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json


def try_step(
    step: Annotated[str, typer.Argument(metavar="STEP", help="<pipeline>/<step>; with --file, only the step's id.")],
    partition: Annotated[str, typer.Option("--partition", "-p", metavar="D", help="The partition, such as 2003-10-29.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Use this pipeline file; it need not be in the library.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run one step and its inputs for one partition and print the result. Records nothing."""
    from helio_dagster.launch.credit.partition_words import partition_of
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.reading import find_asset
    from helio_dagster.launch.running.trial import try_step as launch
    from helio_dagster.launch.running.trial_text import describe_trial
    from helio_dagster.resources.workbench import Workbench

    home = Home(settings_from_environment())
    name, _, step_id = (str(file), "", step.rpartition("/")[2]) if file is not None else step.rpartition("/")
    pipeline, graph = home.open(name) if name else (None, home.graph)
    node = find_asset(graph, step_id if pipeline else step, pipeline)
    workbench = Workbench(home.settings)
    try:
        key = partition_of(replace(node, over="partition"), [partition], workbench.clock()) or partition
        found = launch(graph, node, key, workbench)
    finally:
        workbench.close()
    if as_json:
        document = {"asset": found.asset, "partition": found.partition, **found.description, "printed": found.printed}
        if found.results:
            document["results"] = {name: each.description for name, each in found.results.items()}
        write_json(document | {"is_twice_the_same": found.is_twice_the_same})
    else:
        write(describe_trial(found) + "\n")
    return 0
