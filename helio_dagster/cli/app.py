"""The tree of commands. What each does stands in its module; all imports that cost are made inside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from helio_dagster import __version__
from helio_dagster.cli import (
    archive,
    catalog,
    check,
    cite,
    demo,
    doctor,
    drift,
    export,
    pipelines,
    plan,
    prune,
    reindex,
    run,
    show,
    status,
    ui,
    verify,
)
from helio_dagster.domain.errors import HelioError


class Stopped(HelioError):
    """The person pressed Ctrl-C."""

    def __init__(self) -> None:
        super().__init__("stopped", hint="What was finished is kept: run the same command again to go on.")


app = typer.Typer(
    name="helio",
    help="Talk to heliophysics archives, get a Dagster asset graph that can be replayed for ever.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"helio {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Options of all commands."""


def _command(group: typer.Typer, name: str, body: Callable[..., int]) -> None:
    """Register a command; what it returns is the exit code."""

    @wraps(body)
    def run_body(*args: object, **kwargs: object) -> None:
        try:
            code = body(*args, **kwargs)
        except KeyboardInterrupt:
            raise Stopped from None
        raise typer.Exit(code)

    group.command(name)(run_body)


library = typer.Typer(help="The library of pipelines.", no_args_is_help=True)
commands: dict[str, Callable[..., int]] = {
    "demo": demo.demo,
    "plan": plan.plan,
    "run": run.run,
    "status": status.status,
    "drift": drift.drift,
    "check": check.check,
    "export": export.export,
    "show": show.show,
    "verify": verify.verify,
    "cite": cite.cite,
    "prune": prune.prune,
    "reindex": reindex.reindex,
    "ui": ui.ui,
    "doctor": doctor.doctor,
}
library_commands: dict[str, Callable[..., int]] = {
    "ls": pipelines.list_pipelines,
    "show": pipelines.show_pipeline,
    "rm": pipelines.remove_pipeline,
}
catalog_group = typer.Typer(help="What archives hold, found offline by a scientist's words.", no_args_is_help=True)
catalog_commands: dict[str, Callable[..., int]] = {
    "search": catalog.search,
    "show": catalog.show,
    "missions": catalog.missions,
    "refresh": catalog.refresh,
    "ls": catalog.list_server,
}
for command, body in commands.items():
    _command(app, command, body)
for command, body in library_commands.items():
    _command(library, command, body)
for command, body in catalog_commands.items():
    _command(catalog_group, command, body)
app.add_typer(catalog_group, name="catalog")
app.add_typer(library, name="pipelines")
app.add_typer(archive.app, name="archive")
