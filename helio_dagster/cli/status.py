"""`helio status`: show the state of each partition, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from helio_dagster.cli.on_server import OnServer, limits_of, pipeline_there, served_by
from helio_dagster.cli.options import AsJson, Times, Verbose, settings_of_record, span_from_words
from helio_dagster.cli.terminal import write, write_json_text
from helio_dagster.domain.amounts import readable_size
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.domain.pipeline import Pipeline
    from helio_dagster.domain.report import StatusReport
    from helio_dagster.launch.home import Home

STATES: tuple[Literal["fresh", "stale", "missing", "empty", "failed"], ...] = ("fresh", "stale", "missing", "empty", "failed")


def status(
    pipeline: Annotated[
        str | None, typer.Argument(metavar="[PIPELINE]", help="Name of a pipeline, or path to its file. Default: all.")
    ] = None,
    times: Times = None,
    on: OnServer = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> int:
    """Show which partitions are fresh, stale, missing, empty or failed, and why."""
    if on is not None:
        return _status_there(on, pipeline, times, as_json=as_json, is_verbose=verbose)
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.status import status as launch
    from helio_dagster.launch.running.status import status_of_all
    from helio_dagster.resources.workbench import Workbench

    settings = settings_of_record()
    home, workbench = Home(settings), Workbench(settings)
    names = [pipeline] if pipeline else home.library.names()
    opened, now = [home.open(name) for name in names], workbench.clock()
    asked = span_from_words(times, now) if times else None
    reports = []
    for each in opened:
        if asked is None:
            reports.append(status_of_all(each.graph, each.pipeline, workbench))
            continue
        request = each.request(asked, now)
        reports.append(launch(each.graph, each.pipeline, request.span, workbench, shown=request.shown))
    if as_json:
        documents = [report.model_dump_json() for report in reports]
        write_json_text(documents[0] if pipeline else f'{{"pipelines": [{", ".join(documents)}]}}')
        return 0
    if not reports:
        write(f"There are no pipelines in {settings.pipelines}. `helio plan` makes one.\n")
    for report in reports:
        _print(report, is_verbose=verbose)
    _mention_orphans(home, opened[0].pipeline if pipeline else None)
    return 0


def _status_there(server: str, pipeline: str | None, times: Sequence[str] | None, *, as_json: bool, is_verbose: bool) -> int:
    if pipeline is None:
        raise InputError("--on needs the name of a pipeline", hint="helio status NAME --on SERVER")
    name = pipeline_there(pipeline)
    with served_by(server) as (remote, _):
        report = remote.status(name, *limits_of(times))
    if as_json:
        write_json_text(report.model_dump_json())
    else:
        _print(report, is_verbose=is_verbose)
    return 0


def _mention_orphans(home: Home, pipeline: Pipeline | None) -> None:
    """Print one line if the home has data of no pipeline; for a given pipeline, only about its own."""
    from helio_dagster.launch.upkeep.orphans import find_orphans, owned

    orphans = find_orphans(home, owned(home, *([pipeline] if pipeline else [])))
    if pipeline is not None:
        orphans = [orphan for orphan in orphans if orphan.name.startswith(f"{pipeline.name}/")]
    if orphans:
        size = readable_size(sum(orphan.size for orphan in orphans))
        named = f"{len(orphans)} assets hold" if len(orphans) > 1 else f"{orphans[0].name} holds"
        write(f"{named} {size} that no step uses any longer: helio prune lists and deletes it.\n")


def _print(report: StatusReport, *, is_verbose: bool) -> None:
    from rich.table import Table

    from helio_dagster.cli.console import Console

    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold", title=report.pipeline, title_justify="left")
    table.add_column("asset", overflow="fold")
    for state in STATES:
        table.add_column(state, justify="right")
    for asset in report.assets:
        counts = Counter(partition.state for partition in asset.partitions)
        table.add_row(asset.asset, *(str(counts[state]) if counts[state] else "·" for state in STATES))
    console.print(table)
    for note in report.notes:
        console.print(f"  {note}", soft_wrap=True)
    shown = 0
    for asset in report.assets:
        for partition in asset.partitions:
            if partition.why and partition.state != "missing" and (is_verbose or shown < 12):
                shown += 1
                line = f"  {asset.step} {partition.key or ''}: {partition.state}: {'; '.join(partition.why)}"
                console.print(line, soft_wrap=True)
            if partition.unmet and (is_verbose or shown < 12):
                shown += 1
                line = f"  {asset.step} {partition.key or ''}: not as expected: {'; '.join(partition.unmet)}"
                console.print(line, soft_wrap=True)
