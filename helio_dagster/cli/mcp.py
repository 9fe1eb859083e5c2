"""`helio mcp`: serve the home to other agents over the Model Context Protocol, and enter helio in their settings."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.command_log import logged
from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import confirm, write, write_error
from helio_dagster.domain.errors import AnswerNeeded, InputError

if TYPE_CHECKING:
    from helio_dagster.mcp.agent_home import AgentHome
    from helio_dagster.mcp.clients import Client, Entry

_KEPT = ("HELIO_HOME", "HELIO_PIPELINES", "HELIO_CDAWEB_URL")
"""Settings of the environment that an entry keeps; keys of models are not needed."""
_WARNING = """\
helio mcp --trust: EVERY PLAN THAT A MODEL PROPOSES IS SAVED AND RUN WITHOUT A PERSON'S APPROVAL.
Code in plans stays confined, and each such pipeline says `approved: by: nobody`. Leave it out if a person is there to approve.
"""

app = typer.Typer(help="Serve the home to other agents (Model Context Protocol).", invoke_without_command=True)


@app.callback()
def serve(
    context: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on this machine, with a token, instead of stdio.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port for --http; 0 picks a free one.")] = 8766,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Work as if started in this folder: its home, pipelines and helio.toml.")
    ] = None,
    archive: Annotated[
        str, typer.Option(help="Archive to use if a call names none: cdaweb, or demo (synthetic data).")
    ] = "cdaweb",
    trust: Annotated[
        bool, typer.Option("--trust", help="DANGER, for automation only: run plans that no person has approved.")
    ] = False,
) -> None:
    """Serve the home to one client on standard input and output, or to several over HTTP."""
    if context.invoked_subcommand is not None:
        return
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    _require_sdk()
    if folder is not None:
        _enter(folder)
    with logged("mcp"):
        from helio_dagster.mcp.transports import serve_http, serve_stdio

        site = _site(archive, is_trusting=trust)
        if trust:
            write_error(_WARNING)
        if not http:
            if sys.stdin.isatty():
                write_error(
                    "helio mcp is waiting for a client on standard input. To add it to a client: helio mcp install CLIENT\n"
                )
            serve_stdio(site)
            return
        from helio_dagster.storage.access_token import open_token, token_path

        token = open_token(site.settings.home, site.clock())
        where = f"Token until {token.until:%Y-%m-%d}: {token_path(site.settings.home)}\n"
        serve_http(site, port, token, lambda url: write_error(f"{url}  (Ctrl-C stops)\n{where}"))


@app.command()
def install(
    client: Annotated[
        str,
        typer.Argument(metavar="CLIENT", help="claude-code, claude-desktop, codex, gemini-cli, cursor, vscode or windsurf."),
    ],
    archive: Annotated[
        str | None, typer.Option(help="Archive to use if a call names none: cdaweb, or demo (synthetic data).")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Add helio, with this folder's home, to the settings of CLIENT. Shows the change and asks first."""
    from helio_dagster.mcp.clients import find_client, plan_installation

    if archive not in (None, "cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    _require_sdk()
    found = find_client(client)
    ours, path = entry(archive), found.path(Path.cwd(), Path.home())
    write(f"{found.title}: {path}\n\n{ours.text(found)}\n")
    planned = plan_installation(found, ours, path)
    if planned.content is None:
        write("It is already there.\n")
        return
    if not yes:
        _ask(found, replaces=planned.replaces)
    planned.write()
    write(f"Written. {found.after}\nRun `helio doctor` to check that it works.\n")


def _ask(client: Client, *, replaces: bool) -> None:
    question = f"Replace helio's entry in {client.title}?" if replaces else f"Add this to {client.title}?"
    if not sys.stdin.isatty():
        raise AnswerNeeded(question, hint="Add --yes. Nothing was written.")
    if not confirm(question):
        raise AnswerNeeded("nothing was written", hint="Add the entry by hand, or answer yes.")


def entry(archive: str | None) -> Entry:
    """How a client starts this helio for the working folder."""
    from helio_dagster.mcp.clients import Entry

    command, first = _own_command()
    chosen = ("--archive", archive) if archive else ()
    kept = {name: os.environ[name] for name in _KEPT if os.environ.get(name)}
    return Entry(command, (*first, "mcp", "--folder", str(Path.cwd()), *chosen), kept)


def _own_command() -> tuple[str, tuple[str, ...]]:
    """How to start this very helio from anywhere: a client has another PATH."""
    beside = Path(sys.executable).with_name("helio")
    found = str(beside) if beside.is_file() else shutil.which("helio") if sys.argv[0].endswith("helio") else None
    return (found, ()) if found else (sys.executable, ("-m", "helio_dagster"))


def _site(archive: str, *, is_trusting: bool) -> AgentHome:
    from helio_dagster.mcp.agent_home import AgentHome

    return AgentHome(settings_from_environment(), dict(os.environ), Path.cwd(), archive, is_trusting=is_trusting)


def _enter(folder: Path) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        raise InputError(f"the folder cannot be entered: {error.strerror}", where=str(folder)) from None


def _require_sdk() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        hint = "Install it: pip install 'helio-dagster[mcp]'"
        raise InputError("helio mcp needs the package mcp, which is not installed", hint=hint)
