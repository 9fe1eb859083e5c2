"""The tree of commands. Each command has its own module; slow imports are made inside the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated

import typer

from helio_dagster import __version__
from helio_dagster.cli import (
    add,
    approve,
    archive,
    bundle,
    catalog,
    chat,
    check,
    cite,
    daemon,
    demo,
    doctor,
    drift,
    evaluate,
    export,
    facts,
    figure,
    function_docs,
    kernels,
    logs,
    mcp,
    notebook,
    operations,
    people,
    plan,
    prune,
    reindex,
    run,
    serve,
    sessions,
    settings,
    show,
    status,
    try_step,
    ui,
    verify,
    worker,
)
from helio_dagster.cli.command_log import logged
from helio_dagster.cli.pipelines import diff, exchange, files, fork, search
from helio_dagster.cli.terminal import write
from helio_dagster.domain.errors import HelioError


class Stopped(HelioError):
    """The person pressed Ctrl-C."""

    def __init__(self) -> None:
        super().__init__("stopped", hint="Finished work is kept: run the same command again to continue.")


app = typer.Typer(
    name="helio",
    help="Talk to heliophysics archives and get a Dagster asset graph that you can rerun for any time range.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        write(f"helio {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Options of all commands."""


def _group(
    name: str, help_text: str, bodies: Mapping[str, Callable[..., int]], *, alone: Callable[[], int] | None = None
) -> None:
    """Register commands below a common word; `alone` runs for the word without a command and defaults to its help."""
    group = typer.Typer(help=help_text, no_args_is_help=alone is None, invoke_without_command=alone is not None)

    @group.callback()
    def _word(context: typer.Context) -> None:
        if alone is not None and context.invoked_subcommand is None:
            raise typer.Exit(alone())

    for each, body in bodies.items():
        _command(group, each, body, path=f"{name} {each}")
    app.add_typer(group, name=name)


def _command(group: typer.Typer, name: str, body: Callable[..., int], *, path: str) -> None:
    """Register a command; what it returns is the exit code, and `path` is how it is called after `helio`."""

    @wraps(body)
    def run_body(*args: object, **kwargs: object) -> None:
        try:
            with logged(path):
                code = body(*args, **kwargs)
        except KeyboardInterrupt:
            raise Stopped from None
        raise typer.Exit(code)

    group.command(name)(run_body)


commands: dict[str, Callable[..., int]] = {
    "demo": demo.demo,
    "chat": chat.chat,
    "plan": plan.plan,
    "approve": approve.approve,
    "add": add.add,
    "run": run.run,
    "status": status.status,
    "facts": facts.facts,
    "drift": drift.drift,
    "eval": evaluate.evaluate,
    "check": check.check,
    "try": try_step.try_step,
    "figure": figure.figure,
    "export": export.export,
    "notebook": notebook.notebook,
    "script": notebook.script,
    "show": show.show,
    "bundle": bundle.bundle,
    "verify": verify.verify,
    "cite": cite.cite,
    "prune": prune.prune,
    "reindex": reindex.reindex,
    "ui": ui.ui,
    "daemon": daemon.daemon,
    "worker": worker.worker,
    "serve": serve.serve,
    "settings": settings.settings,
    "logs": logs.logs,
    "doctor": doctor.doctor,
}
library_commands: dict[str, Callable[..., int]] = {
    "ls": files.list_pipelines,
    "show": files.show_pipeline,
    "rm": files.remove_pipeline,
    "rename": files.rename,
    "search": search.search,
    "export": exchange.export_pipeline,
    "import": exchange.import_pipelines,
    "fork": fork.fork,
    "diff": diff.diff,
    "families": diff.show_families,
}
catalog_commands: dict[str, Callable[..., int]] = {
    "search": catalog.search,
    "show": catalog.show,
    "missions": catalog.missions,
    "refresh": catalog.refresh,
    "ls": catalog.list_server,
}
operations_commands: dict[str, Callable[..., int]] = {
    "ls": operations.list_operations,
    "show": operations.show,
    "search": operations.search,
    "save": operations.save,
    "rm": operations.remove,
    "test": operations.run_examples,
}
session_commands: dict[str, Callable[..., int]] = {
    "ls": sessions.list_sessions,
    "show": sessions.show_session,
    "rm": sessions.remove_session,
}
docs_commands: dict[str, Callable[..., int]] = {"search": function_docs.search, "show": function_docs.show}
for command, body in commands.items():
    _command(app, command, body, path=command)
_group("operations", "List, search, save and test operations.", operations_commands)
_group("sessions", "List, show and delete conversations.", session_commands, alone=sessions.list_sessions)
_group("docs", "Look up what a step's code may call.", docs_commands)
_group("kernels", "List, update and delete SPICE kernels.", kernels.kernel_commands)
_group("people", "Decide who may use the served home: each person has a token, as reader or operator.", people.people_commands)
_group("catalog", "Search the catalog of datasets, offline.", catalog_commands)
_group("pipelines", "List, search, compare and exchange pipelines.", library_commands)
app.add_typer(archive.app, name="archive")
app.add_typer(mcp.app, name="mcp")
