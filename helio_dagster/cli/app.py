"""The tree of commands. What each does stands in its module; all imports that cost are made inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from helio_dagster import __version__
from helio_dagster.cli import archive, check, demo, export, pipelines, plan, run, status, ui

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


app.command("demo")(demo.demo)
app.command("plan")(plan.plan)
app.command("run", context_settings={"ignore_unknown_options": False})(run.run)
app.command("status")(status.status)
app.command("check")(check.check)
app.command("export")(export.export)
app.command("ui")(ui.ui)
app.add_typer(pipelines.app, name="pipelines")
app.add_typer(archive.app, name="archive")
