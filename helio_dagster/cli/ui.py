"""`helio ui`: serve the home with Dagster's web UI and daemon."""

from __future__ import annotations

from typing import Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write, write_error
from helio_dagster.domain.errors import InputError


def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen on. The page has no password.")] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also answer under this host name, such as a proxy's; may be repeated."),
    ] = None,
    archive: Annotated[str, typer.Option(help="Archive of new conversations: cdaweb, or demo (synthetic data).")] = "cdaweb",
) -> int:
    """Serve the home as `helio serve` does, with Dagster's web UI (graph, runs) and its daemon (schedules). Ctrl-C stops it."""
    from helio_dagster.launch.web.ui import web_ui

    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")
    settings = settings_from_environment()
    write_error("Starting Dagster …\n")
    with web_ui(settings, host=host, port=port, allowed_hosts=allow_host or (), archive=archive) as running:
        write(f"{running.url}  (home {settings.home}; Ctrl-C stops)\n")
        write(f"All figures: {running.url}/figures/\nDagster: {running.url}/dagster/\n")
        flush()
        try:
            running.wait()
        except KeyboardInterrupt:
            write_error("\nStopping …\n")
    return 0
