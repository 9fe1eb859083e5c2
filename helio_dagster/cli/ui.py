"""`helio ui`: serve the home with Dagster's web UI and daemon."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.serve import AllowHost, ArchiveName, Host, NeedsToken, check_archive, needed_token, tell_token
from helio_dagster.cli.terminal import flush, write, write_error


def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 3000,
    host: Host = "127.0.0.1",
    allow_host: AllowHost = None,
    archive: ArchiveName = "cdaweb",
    token: NeedsToken = False,
    no_daemon: Annotated[bool, typer.Option("--no-daemon", help="Leave the daemon to `helio daemon`.")] = False,
) -> int:
    """Serve the home as `helio serve` does, with Dagster's web UI (graph, runs) and its daemon (schedules). Ctrl-C stops it."""
    from helio_dagster.launch.web.ui import web_ui

    check_archive(archive)
    settings = settings_from_environment()
    needed = needed_token(settings, host, is_wanted=token)
    write_error("Starting Dagster …\n")
    allowed, value = allow_host or (), needed.value if needed is not None else None
    options: dict[str, Any] = {"host": host, "port": port, "allowed_hosts": allowed, "archive": archive, "token": value}
    with web_ui(settings, **options, with_daemon=not no_daemon) as running:
        write(f"{running.url}  (home {settings.home}; Ctrl-C stops)\n")
        write(f"All figures: {running.url}/figures/\nDagster: {running.url}/dagster/\n")
        tell_token(settings, needed, running.url)
        flush()
        try:
            running.wait()
        except KeyboardInterrupt:
            write_error("\nStopping …\n")
    return 0
