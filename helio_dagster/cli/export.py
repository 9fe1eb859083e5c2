"""`helio export`: write a stored asset over a range as CDF, netCDF, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio_dagster.cli.on_server import OnServer, limits_of, served_by
from helio_dagster.cli.options import AsJson, Times, settings_from_environment, span_from_words
from helio_dagster.cli.terminal import write, write_json
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.launch.exporting.export import Exported

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
    if times and (event is not None or every):
        raise InputError("give either a range, or --event or --all", hint="--event KEY writes one event, --all every one.")
    if on is not None:
        with served_by(on) as (remote, _):
            there: dict[str, Any] = {"file_format": form, "comments": not plain, "event": event, "every": every}
            if "/" in asset:
                _report(remote.export(asset, *limits_of(times), output=output, **there), as_json=as_json)
            else:
                _report_all(asset, remote.export_all(asset, *limits_of(times), folder=output, **there), as_json=as_json)
        return 0
    from helio_dagster.launch.exporting.export import asked_of, events_of, export_all
    from helio_dagster.launch.exporting.export import export as launch
    from helio_dagster.launch.exporting.targets import find_target
    from helio_dagster.launch.home import Home
    from helio_dagster.launch.running.reading import find_asset
    from helio_dagster.resources.workbench import Workbench, utc_now

    settings = settings_from_environment()
    with Workbench(settings) as workbench:
        home, now = Home(settings), utc_now()
        if asset in home.files:
            opened, asked = home.open(asset), span_from_words(times, now) if times else None
            request = asked_of(opened, asked, now, event=event, every=every)
            files = export_all(request, opened, output, form, workbench, has_comments=not plain)
            _report_all(asset, files, as_json=as_json)
            return 0
        node = find_asset(home.graph, asset, store=workbench.store)
        if event is not None or every:
            _, span, keys = events_of(home, node, event, now)
        else:
            span, keys = span_from_words(times, now) if times or node.grain is not None else None, None
        target = find_target(node.name, span, output, form)
        done = launch(home.graph, node, span, target, workbench, has_comments=not plain, keys=keys)
    _report(done, as_json=as_json)
    return 0


def _report_all(pipeline: str, files: Sequence[Exported], *, as_json: bool) -> None:
    if as_json:
        write_json({"pipeline": pipeline, "files": [_facts(each) for each in files]})
    else:
        write("".join(_line(each) for each in files))


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
