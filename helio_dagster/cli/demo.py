"""`helio demo`: the main workflow on the embedded synthetic archive, from a sentence to replays and a figure."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.report import print_report
from helio_dagster.cli.terminal import write_json
from helio_dagster.domain.time_range import TimeRange, format_time

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.domain.pipeline import Pipeline
    from helio_dagster.domain.report import RunReport
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.request import OpenPipeline
    from helio_dagster.resources.workbench import Workbench

REQUEST = "compare ACE and Wind |B| from 2003-10-29 through 2003-10-31"
NAME = "demo_ace_and_wind"
OTHER_WINDOW = TimeRange(datetime(2024, 5, 10, tzinfo=UTC), datetime(2024, 5, 13, tzinfo=UTC))


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")] = False,
) -> int:
    """Go from a sentence to a figure and run it again for another storm, on synthetic data: no key, no network."""
    from helio_dagster.agent.answers import Plan
    from helio_dagster.agent.knowledge import open_knowledge
    from helio_dagster.agent.offline.offline_planner import OfflinePlanner
    from helio_dagster.agent.planner import Situation
    from helio_dagster.cli.console import Console
    from helio_dagster.cli.plan import print_plan
    from helio_dagster.launch.home import Home
    from helio_dagster.resources.workbench import Workbench

    console = Console(is_error=as_json)
    settings = settings_from_environment()
    home, workbench = Home(settings), Workbench(settings, begun_by="command line")
    try:
        console.rule("1. A sentence becomes a plan")
        console.print(f"helio plan --archive demo {REQUEST!r}\n")
        answer = OfflinePlanner(open_knowledge(settings), archive="demo").answer(Situation(REQUEST, workbench.clock()))
        if not isinstance(answer, Plan) or answer.span is None:
            raise RuntimeError(f"the demo's own sentence was not understood: {answer}")
        planned = answer.pipeline.model_copy(update={"name": NAME})
        print_plan(answer, console)
        opened = _save(home, planned, console)
        pipeline = opened.pipeline
        reports, asked = [], answer.span
        for title, window in (
            ("2. The plan is run for its three days", asked),
            ("3. The same pipeline for another storm", OTHER_WINDOW),
            ("4. The first range again: everything is reused", asked),
        ):
            console.rule(title)
            console.print(f"helio run {pipeline.name} {format_time(window.start)} {format_time(window.stop)}\n")
            reports.append(_replay(opened, window, workbench))
            print_report(reports[-1], console)
    finally:
        workbench.close()
    console.rule("What next")
    _suggest(pipeline, reports, console)
    if as_json:
        write_json({"pipeline": pipeline.name, "runs": [each.model_dump() for each in reports]})
    return max(report.exit_code for report in reports)


def _save(home: Home, pipeline: Pipeline, console: Console) -> OpenPipeline:
    """The saved pipeline; an existing one of the same name is kept and used."""
    from helio_dagster.domain.pipeline_text import dump_pipeline

    path = home.library.path(pipeline.name)
    if path.exists():
        console.print(f"The pipeline is already saved: {path}\n", soft_wrap=True)
    else:
        home.library.save(pipeline.name, dump_pipeline(pipeline))
        console.print(f"Saved as one file: {path}\n", soft_wrap=True)
    return home.open(pipeline.name)


def _replay(opened: OpenPipeline, window: TimeRange, workbench: Workbench) -> RunReport:
    from helio_dagster.cli.progress import RunProgress
    from helio_dagster.launch.running.run import run

    request = opened.request(window, workbench.clock())
    with RunProgress(request) as progress:
        return run(request, workbench, listener=progress)


def _suggest(pipeline: Pipeline, reports: list[RunReport], console: Console) -> None:
    figures = [figure for report in reports[:2] for figure in report.figures]
    console.print("All data above are synthetic; the figures say so. Open them in a browser:")
    for figure in figures:
        console.print(f"  {figure.html}", soft_wrap=True)
    console.print("Type next:")
    helio = _program()
    for command, what in (
        (f"{helio} run {pipeline.name} 2001-03-30 2001-04-02", "another storm, no language model, no key"),
        (f"{helio} status {pipeline.name}", "what is fresh, and why the rest is not"),
        (f"{helio} pipelines show {pipeline.name}", "the reviewed file"),
        (f"{helio} ui", "the asset graph in Dagster's web UI"),
        (f'{helio} plan "PSP magnetic field for 2020-01-04" -o .', "a plan for the real archive"),
    ):
        console.print(f"  {command:<62} {what}", soft_wrap=True)


def _program() -> str:
    """How to call this program: by name if the shell finds it, else by path."""
    path = Path(sys.argv[0])
    if shutil.which("helio") or path.name != "helio":
        return "helio"
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
