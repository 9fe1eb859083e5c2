"""`helio serve`: serve the home over HTTP to programs and people, without Dagster's own UI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write, write_error
from helio_dagster.domain.errors import InputError


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also answer under this host name, such as a proxy's; may be repeated."),
    ] = None,
    archive: Annotated[str, typer.Option(help="Archive of new conversations: cdaweb, or demo (synthetic data).")] = "cdaweb",
    offline: Annotated[bool, typer.Option("--offline", help="Plan without a language model, even if there is a key.")] = False,
) -> int:
    """Serve the home: a page for people at /, JSON for programs at /api/v1. Ctrl-C stops it; `helio ui` adds Dagster's UI."""
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    settings = settings_from_environment()
    from helio_dagster.resources.collector import collector_at_rest

    with collector_at_rest():
        from helio_dagster.hosting.desk import Desk
        from helio_dagster.serve.serving import Listening
        from helio_dagster.serve.serving import serve as run

    desk = Desk(settings, {**os.environ, **settings.to_environment()}, Path.cwd(), archive)

    def ready(url: str) -> None:
        write(f"{url}  (home {settings.home}; Ctrl-C stops)\nFor programs: {url}/api/v1/openapi.json\n")
        flush()

    with Listening.at(host, port, allow_host or ()) as listening:
        run(desk, listening, is_offline=offline, ready=ready)
    write_error("Stopped. Turns and runs at work go on.\n")
    return 0
