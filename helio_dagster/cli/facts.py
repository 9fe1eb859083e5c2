"""`helio facts`: the numbers that a pipeline has computed."""

from __future__ import annotations

from helio_dagster.cli.on_server import OnServer, limits_of, pipeline_there, served_by
from helio_dagster.cli.options import AsJson, PipelineName, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write, write_json_text


def facts(pipeline: PipelineName, times: Times = None, on: OnServer = None, as_json: AsJson = False) -> int:
    """Show the numbers that PIPELINE has computed, with unit, uncertainty and the range they were taken from."""
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.report import facts_table
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.facts import stored_facts
    from helio_dagster.resources.workbench import Workbench

    if on is not None:
        with served_by(on) as (remote, _):
            found = remote.facts_report(pipeline_there(pipeline), *limits_of(times))
    else:
        settings = settings_from_environment()
        with Workbench(settings) as workbench:
            opened = Home(settings).open(pipeline)
            asked = span_from_words(times, workbench.clock()) if times else None
            found = stored_facts(opened.graph, opened.pipeline, asked, workbench.store)
    if as_json:
        write_json_text(found.model_dump_json())
    elif not found.facts:
        where = f" in {found.start} to {found.stop}" if found.start is not None else ""
        write(
            f"{found.pipeline} has no facts{where}: no step that computes facts was run, or none found any.\n"
            f"  `helio status {found.pipeline}` shows what was run, "
            "and `helio operations search facts` the operations that compute facts.\n"
        )
    else:
        Console().print(facts_table(found.facts))
    return 0
