"""`helio export`: write a stored asset over a range as CDF, netCDF, CSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.on_server import OnServer, limits_of, served_by
from helio_dagster.cli.options import AsJson, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write, write_json
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from helio_dagster.launch.exporting.export import Exported
    from helio_dagster.launch.running.request import OpenPipeline, RunRequest

_MOST_NAMES = 8


def export(
    asset: Annotated[
        str,
        typer.Argument(
            metavar="ASSET", help="<archive>/<dataset>/<parameter>, <pipeline>/<step>, or <pipeline> for all its results."
        ),
    ],
    times: Times = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A .cdf, .nc, .csv or .parquet file, or a folder. Default: a name made of asset and range.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="cdf, netcdf, csv or parquet. Default: by FILE's suffix.", show_default=False
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option("--event", metavar="KEY", help="Of a pipeline over events, write this one.", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Of a pipeline over events, write every one.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="CSV without the # lines that describe its contents.")] = False,
    on: OnServer = None,
    as_json: AsJson = False,
) -> int:
    """Write the records of ASSET from START to STOP to FILE.

    For a pipeline, write each of its results to a separate file in a folder.
    """
    from helio_dagster.launch.exporting.export import export as launch
    from helio_dagster.launch.exporting.export import export_all, exported_span
    from helio_dagster.launch.exporting.targets import find_target
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.reading import find_asset
    from helio_dagster.resources.workbench import Workbench, utc_now

    if times and (event is not None or every):
        raise InputError("give either a range, or --event or --all", hint="--event KEY writes one event, --all every one.")
    if on is not None:
        if event is not None or every:
            raise InputError("--on goes with no --event or --all", hint="Give a range.")
        with served_by(on) as (remote, _):
            done = remote.export(asset, *limits_of(times), output=output, file_format=form, comments=not plain)
        _report(done, as_json=as_json)
        return 0
    settings = settings_from_environment()
    with Workbench(settings) as workbench:
        home, now = Home(settings), utc_now()
        if asset in home.files:
            opened = home.open(asset)
            request = _request(opened, times, now, event, every=every)
            files = export_all(request, opened, output, form, workbench, has_comments=not plain)
            if as_json:
                write_json({"pipeline": asset, "files": [_facts(each) for each in files]})
            else:
                write("".join(_line(each) for each in files))
            return 0
        node = find_asset(home.graph, asset, store=workbench.store)
        keys = None
        if event is not None or every:
            if node.events is None:
                raise InputError(f"the partitions of {node.name} are not events", hint="Give START and STOP.")
            request = home.open(node.pipeline).event_request(event, now)
            span, keys = exported_span(request), request.keys
        else:
            span = span_from_words(times, now) if times or node.grain is not None else None
        target = find_target(node.name, span, output, form)
        done = launch(home.graph, node, span, target, workbench, has_comments=not plain, keys=keys)
    _report(done, as_json=as_json)
    return 0


def _request(
    opened: OpenPipeline, times: list[str] | None, now: datetime, event: str | None, *, every: bool
) -> RunRequest | None:
    """What of a whole pipeline is written; None where it has no partitions."""
    if event is not None or every:
        return opened.event_request(event, now)
    if all(node.grain is None for node in opened.graph.of_pipeline(opened.pipeline).values()):
        return None
    return opened.request(opened.asked_range(span_from_words(times, now) if times else None, now), now)


def _report(done: Exported, *, as_json: bool) -> None:
    if as_json:
        write_json(_facts(done))
    else:
        write(_line(done))


def _facts(done: Exported) -> dict[str, Any]:
    meta = done.meta
    facts = {"asset": done.asset, "file": str(done.path), "format": done.format, "rows": done.rows, "kind": meta.kind}
    return facts | {"unit": meta.unit, "frame": meta.frame}


def _line(done: Exported) -> str:
    unit = f" in {done.meta.unit}" if done.meta.unit else ""
    when = f", {done.span}" if done.span else ""
    return f"{done.path}: {counted(done.rows, 'record')} of {_names(done.meta.data_names)}{unit}{when}\n"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{', '.join(names[:3])} … {names[-1]}"
